// terminal.hpp -- the environment -> whether to colour, and how wide a table may be.
#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

namespace pawl::show {

enum class Colour { automatic, always, never };

/// What standard output is; read once, by the command, so that everything below is a pure function of it.
struct Terminal {
  bool colour = false;
  std::size_t width = 0;  ///< columns; 0 is without limit
};

/// Colour only on a terminal that can, and not where NO_COLOR is set to anything (no-color.org) or TERM is dumb;
/// FORCE_COLOR and CLICOLOR_FORCE ask for it in logs. The width is the terminal's, else that of COLUMNS, else
/// unlimited.
Terminal describe_terminal(Colour wish);

/// The rule itself. The texts are environment variables; absent ones are nullopt.
bool wants_colour(Colour wish, bool is_terminal, std::optional<std::string_view> no_color,
                  std::optional<std::string_view> term, std::optional<std::string_view> force_color);

}  // namespace pawl::show
