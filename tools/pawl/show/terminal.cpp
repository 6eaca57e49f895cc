// terminal.cpp -- isatty, NO_COLOR, and the window's size.
#include "show/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace pawl::show {
namespace {

std::optional<std::string_view> variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  return value;
}

}  // namespace

bool wants_colour(Colour wish, bool is_terminal, std::optional<std::string_view> no_color,
                  std::optional<std::string_view> term, std::optional<std::string_view> force_color) {
  if (wish != Colour::automatic) return wish == Colour::always;
  if (no_color && !no_color->empty()) return false;
  if (force_color && !force_color->empty() && *force_color != "0") return true;
  return is_terminal && term && !term->empty() && *term != "dumb";
}

Terminal describe_terminal(Colour wish) {
  Terminal terminal;
  const bool is_terminal = ::isatty(STDOUT_FILENO) != 0;
  const auto forced = variable("FORCE_COLOR") ? variable("FORCE_COLOR") : variable("CLICOLOR_FORCE");
  terminal.colour = wants_colour(wish, is_terminal, variable("NO_COLOR"), variable("TERM"), forced);
  winsize size{};
  if (is_terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) terminal.width = size.ws_col;
  if (terminal.width == 0) {
    if (const auto columns = variable("COLUMNS")) {
      const long wanted = std::strtol(std::string(*columns).c_str(), nullptr, 10);
      if (wanted > 0 && wanted < 10000) terminal.width = static_cast<std::size_t>(wanted);
    }
  }
  return terminal;
}

}  // namespace pawl::show
