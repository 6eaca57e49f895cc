// failure.hpp -- how a command ends: the exit codes of `pawl`, and the exception that carries one with its line.
#pragma once
#include <exception>
#include <string>
#include <utility>

namespace pawl {

/// What the shell sees. Scripts depend on these numbers: never reuse one for something else.
enum ExitCode : int {
  kPassed = 0,            ///< did what was asked; of a comparison: nothing at or above --fail-on
  kRegression = 1,        ///< a verdict at or above --fail-on
  kBadInput = 2,          ///< wrong usage, or something that cannot be read or written
  kNothingToCompare = 3,  ///< no baseline, no benchmark in common, or another machine's: never a pass
  kInconclusive = 4,      ///< with --fail-on inconclusive: the runs cannot tell
};

/// Ends the command: main prints `pawl: <line>` on standard error and exits with the code.
/// `line` says what is wrong, where, and what to do; further lines are indented by main.
struct Failure : std::exception {
  Failure(int code, std::string text) : exit_code(code), line(std::move(text)) {}
  const char* what() const noexcept override { return line.c_str(); }

  int exit_code;
  std::string line;
};

}  // namespace pawl
