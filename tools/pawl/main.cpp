// main.cpp -- a command line -> a subcommand, its exit code, and one line on standard error for whatever went wrong.
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "arguments.hpp"
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

// A file that is opened while standard input, output or error is closed gets its number, and what is written to
// standard error would then stand in that file.
void open_standard_streams() {
  for (int fd = open("/dev/null", O_RDWR); fd >= 0; fd = open("/dev/null", O_RDWR)) {
    if (fd <= STDERR_FILENO) continue;
    close(fd);
    return;
  }
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
  CommandLine line("pawl",
                   "Tells whether a change made benchmarks slower: reads Google Benchmark results, compares, gates.",
                   "pawl " PAWL_VERSION);
  commands::Chosen chosen;
  for (const auto add :
       {commands::add_ab, commands::add_compare, commands::add_baseline, commands::add_merge, commands::add_tune,
        commands::add_doctor, commands::add_peers, commands::add_targets, commands::add_run, commands::add_profile})
    add(line.root(), chosen);
  line.root().footer(kFooter);  // after the subcommands: they would inherit it

  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty()) {
    std::fputs(line.help().c_str(), stderr);
    return kBadInput;
  }
  if (words.front() == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  const int code = line.parse(words) ? chosen() : kPassed;
  check_standard_output();
  return code;
}

}  // namespace
}  // namespace pawl

int main(int argc, char** argv) {
  pawl::open_standard_streams();
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
