// main.cpp -- a command line -> a subcommand, its exit code, and one line on standard error for whatever went wrong.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "closest.hpp"
#include "commands.hpp"
#include "failure.hpp"

namespace pawl {
namespace {

constexpr const char* kFooter = R"(
Examples
  pawl run --quick                        measures the benches beside this program
  pawl ab main HEAD --until-decided       two commits, built and measured in turns, until it is clear
  pawl compare base.json head.json        any two Google Benchmark results; exit code 1 on a critical regression
  pawl compare main results/today         a saved baseline against a directory of runs
  pawl baseline save main --from results/today

Exit codes
  0  passed
  1  regression at or above --fail-on (default: critical)
  2  wrong usage, or something that cannot be read or written
  3  nothing to compare: no baseline, no benchmark in common, or another machine's; never a pass
  4  inconclusive, with --fail-on inconclusive
  128 + signal  stopped; what was complete is kept

`pawl COMMAND --help` explains each command.)";

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
  return app.get_parent() == nullptr ? "pawl" : path_of(*app.get_parent()) + " " + app.get_name();
}

// Output that could not be written is not output: a full disk behind a redirection must not look like a pass.
void check_standard_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw Failure(kBadInput, fmt::format("standard output: cannot write: {}", std::strerror(errno)));
  }
}

void print_failure(const std::string& line) {
  std::string text = "pawl: ";
  for (const char c : line) {
    text += c;
    if (c == '\n') text += "      ";
  }
  text += '\n';
  std::fputs(text.c_str(), stderr);
}

int run(int argc, char** argv) {
  CLI::App app("Tells whether a change made benchmarks slower: reads Google Benchmark results, compares, gates.",
               "pawl");
  app.set_version_flag("--version", "pawl " PAWL_VERSION);
  app.require_subcommand(1);
  commands::Chosen chosen;
  commands::add_ab(app, chosen);
  commands::add_compare(app, chosen);
  commands::add_baseline(app, chosen);
  commands::add_merge(app, chosen);
  commands::add_tune(app, chosen);
  commands::add_doctor(app, chosen);
  commands::add_peers(app, chosen);
  commands::add_run(app, chosen);
  app.footer(kFooter);  // after the subcommands: they would inherit it

  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty()) {
    std::fputs(app.help().c_str(), stderr);
    return kBadInput;
  }
  if (words.front() == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  if (!words.front().starts_with('-')) {
    const auto known = names_of_subcommands(app);
    if (std::find(known.begin(), known.end(), words.front()) == known.end()) {
      throw Failure(kBadInput, fmt::format("unknown command '{}'{}; `pawl --help` lists them", words.front(),
                                           did_you_mean(words.front(), known)));
    }
  }
  try {
    std::vector<std::string> reversed(words.rbegin(), words.rend());  // the order that CLI11 takes a vector in
    app.parse(reversed);
  } catch (const CLI::Success& help) {
    app.exit(help);
    check_standard_output();
    return kPassed;
  } catch (const CLI::ParseError& error) {
    const CLI::App& where = innermost(app);
    throw Failure(kBadInput, fmt::format("{}{}; see `{} --help`", error.what(), suggestion(where), path_of(where)));
  }
  const int code = chosen();
  check_standard_output();
  return code;
}

}  // namespace
}  // namespace pawl

int main(int argc, char** argv) {
  try {
    return pawl::run(argc, argv);
  } catch (const pawl::Failure& failure) {
    pawl::print_failure(failure.line);
    return failure.exit_code;
  } catch (const std::bad_alloc&) {
    pawl::print_failure("out of memory");
    return pawl::kBadInput;
  } catch (const std::exception& error) {
    pawl::print_failure(error.what());
    return pawl::kBadInput;
  }
}
