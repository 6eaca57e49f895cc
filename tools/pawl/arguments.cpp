// arguments.cpp -- CommandLine, Command and Argument by CLI11.
#include "arguments.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "closest.hpp"
#include "failure.hpp"

namespace pawl {
namespace {

std::vector<std::string> names_of_subcommands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands({})) names.push_back(sub->get_name());
  return names;
}

// The subcommand that the user was in, as deep as parsing got; for `pawl baseline save --bogus` that is `save`.
const CLI::App& innermost(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : innermost(*parsed.back());
}

std::string suggestion(const CLI::App& app) {
  std::vector<std::string> options;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
  }
  for (const std::string& word : app.remaining()) {
    std::string text = did_you_mean(word.substr(0, word.find('=')), options);
    if (!text.empty()) return text;
  }
  return "";
}

std::string path_of(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : path_of(*app.get_parent()) + " " + app.get_name();
}

}  // namespace

Argument& Argument::required() {
  option_->required();
  return *this;
}

Argument& Argument::group(const std::string& heading) {
  option_->group(heading);
  return *this;
}

Argument& Argument::one_of(const std::vector<std::string>& allowed) {
  option_->check(CLI::IsMember(allowed));
  return *this;
}

Argument& Argument::between(int low, int high) {
  option_->check(CLI::Range(low, high));
  return *this;
}

Argument& Argument::between(double low, double high) {
  option_->check(CLI::Range(low, high));
  return *this;
}

Argument& Argument::comma_separated() {
  option_->delimiter(',');
  return *this;
}

Argument& Argument::one_each() {
  option_->allow_extra_args(false);
  return *this;
}

Argument& Argument::duration() {
  option_->transform(CLI::AsNumberWithUnit(std::map<std::string, double>{{"s", 1}, {"m", 60}, {"h", 3600}}));
  // CLI11's own check names the largest double with all of its 309 digits.
  const auto is_positive = [](const std::string& seconds) -> std::string {
    return std::strtod(seconds.c_str(), nullptr) > 0 ? "" : "expected more than 0, as 90s, 10m or 1h";
  };
  option_->check(is_positive, "POSITIVE");
  return *this;
}

Command Command::subcommand(const std::string& name, const std::string& what) {
  return Command(*app_->add_subcommand(name, what));
}

void Command::require_subcommand() { app_->require_subcommand(1); }

void Command::footer(const std::string& text) { app_->footer(text); }

void Command::when_chosen(std::function<int()>& chosen, std::function<int()> action) {
  app_->callback([&chosen, action = std::move(action)] { chosen = action; });
}

Argument Command::flag(const std::string& names, bool& value, const std::string& what) {
  return Argument(*app_->add_flag(names, value, what));
}

Argument Command::option(const std::string& names, std::string& value, const std::string& what) {
  return Argument(*app_->add_option(names, value, what));
}

Argument Command::option(const std::string& names, double& value, const std::string& what) {
  return Argument(*app_->add_option(names, value, what));
}

Argument Command::option(const std::string& names, std::optional<int>& value, const std::string& what) {
  return Argument(*app_->add_option(names, value, what));
}

Argument Command::option(const std::string& names, std::optional<double>& value, const std::string& what) {
  return Argument(*app_->add_option(names, value, what));
}

Argument Command::option(const std::string& names, std::optional<std::uint64_t>& value, const std::string& what) {
  return Argument(*app_->add_option(names, value, what));
}

Argument Command::option(const std::string& names, std::vector<std::string>& values, const std::string& what) {
  return Argument(*app_->add_option(names, values, what));
}

CommandLine::CommandLine(const std::string& name, const std::string& what, const std::string& version)
    : app_(std::make_unique<CLI::App>(what, name)) {
  app_->set_version_flag("--version", version);
  app_->require_subcommand(1);
}

CommandLine::~CommandLine() = default;

std::string CommandLine::help() const { return app_->help(); }

bool CommandLine::parse(const std::vector<std::string>& words) {
  // Of a word in the place of a command CLI11 says only that a command is missing.
  const CLI::App* app = app_.get();
  for (const std::string& word : words) {
    const auto known = names_of_subcommands(*app);
    if (known.empty() || (word.starts_with('-') && app->get_option_no_throw(word) != nullptr)) break;
    if (std::find(known.begin(), known.end(), word) == known.end()) {
      const bool is_option = word.starts_with('-');
      throw Failure(kBadInput,
                    fmt::format("unknown {} '{}'{}; `{} --help` lists them", is_option ? "option" : "command", word,
                                is_option ? "" : did_you_mean(word, known), path_of(*app)));
    }
    app = app->get_subcommand(word);
  }
  try {
    std::vector<std::string> reversed(words.rbegin(), words.rend());  // the order that CLI11 takes a vector in
    app_->parse(reversed);
  } catch (const CLI::Success& help) {
    app_->exit(help);
    return false;
  } catch (const CLI::ParseError& error) {
    const CLI::App& where = innermost(*app_);
    throw Failure(kBadInput, fmt::format("{}{}; see `{} --help`", error.what(), suggestion(where), path_of(where)));
  }
  return true;
}

}  // namespace pawl
