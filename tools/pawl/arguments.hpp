// arguments.hpp -- what a command says of its arguments -> the parser's options.
//
// Everything goes through this and not through CLI11 itself: a file that includes CLI11 takes 4 s longer to compile,
// and a dozen of them were half of the tool's build.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace pawl {

/// One argument that was added, to say more of it.
class Argument {
 public:
  explicit Argument(CLI::Option& option) : option_(&option) {}

  Argument& required();
  Argument& group(const std::string& heading);                ///< where --help lists it
  Argument& one_of(const std::vector<std::string>& allowed);  ///< anything else is wrong usage
  Argument& between(int low, int high);                       ///< both ends allowed
  Argument& between(double low, double high);
  Argument& comma_separated();  ///< "a,b" is two values
  Argument& one_each();         ///< one value each time that it is named: what follows is not taken for another
  Argument& duration();         ///< seconds, also typed as 90s, 10m or 1h

 private:
  CLI::Option* option_;
};

/// A command or subcommand. Whatever is bound to an argument must outlive the parsing.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  Command subcommand(const std::string& name, const std::string& what);
  void require_subcommand();
  void footer(const std::string& text);
  /// What runs when this is the command that was typed, by way of `chosen`.
  void when_chosen(std::function<int()>& chosen, std::function<int()> action);

  /// `names`: "--out", "-v,--verbose", or a word for a positional argument.
  Argument flag(const std::string& names, bool& value, const std::string& what);
  Argument option(const std::string& names, std::string& value, const std::string& what);
  Argument option(const std::string& names, double& value, const std::string& what);
  Argument option(const std::string& names, std::optional<int>& value, const std::string& what);
  Argument option(const std::string& names, std::optional<double>& value, const std::string& what);
  Argument option(const std::string& names, std::optional<std::uint64_t>& value, const std::string& what);
  Argument option(const std::string& names, std::vector<std::string>& values, const std::string& what);

 private:
  CLI::App* app_;
};

/// The program's whole command line.
class CommandLine {
 public:
  CommandLine(const std::string& name, const std::string& what, const std::string& version);
  ~CommandLine();

  Command root() { return Command(*app_); }
  std::string help() const;

  /// Runs what when_chosen() binds to the command that is typed in `words`, the program's name left out. False if help
  /// or the version was asked for, and printed. Errors: Failure(kBadInput), with what may have been meant.
  bool parse(const std::vector<std::string>& words);

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace pawl
