// child_process.hpp -- a command -> what became of it: how it ended, what it printed, what it used of the machine.
//
// Nothing is left running: the child has its own process group, which is killed whole when the child ends, hangs, or
// when someone asks us to stop; and the kernel kills the child if we die first (PR_SET_PDEATHSIG).
#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pawl::run {

struct Command {
  std::filesystem::path program;
  std::vector<std::string> arguments;                            ///< without the program's name
  std::vector<std::pair<std::string, std::string>> environment;  ///< added to ours, or in place of ours
  std::vector<std::string> unset;                                ///< of ours, what it does not get
  std::filesystem::path directory;                               ///< to run in; empty: where we are
  std::optional<int> cpu;                                        ///< the only CPU it may use
  double timeout_s = 0;                                          ///< 0: none
  double grace_s = 1;         ///< between SIGTERM and SIGKILL, for those that have something to put away
  bool despite_stop = false;  ///< runs though we were asked to stop: it puts something away. Give it a timeout
  /// Asked when the time is up: true gives it another timeout_s. For children that show progress in a file.
  std::function<bool()> still_working;
  /// Told of standard output as it comes.
  std::function<void(std::string_view)> on_output;
  /// Called at each wake-up and at least every tick_s while the child runs, if tick_s > 0.
  std::function<void()> on_tick;
  double tick_s = 0;
  std::size_t kept_bytes = 1 << 20;  ///< of the end of each stream; what came before is dropped
};

/// How a child ended. Exactly one of these holds: `exit_code` is meaningful (signal 0), or `signal` is.
struct Ended {
  int exit_code = 0;
  int signal = 0;              ///< that ended it; 0 if it exited
  bool timed_out = false;      ///< we ended it: no progress for timeout_s
  bool interrupted = false;    ///< we ended it: a stop signal came
  std::string output, errors;  ///< the last kept_bytes of each stream
  double start_unix_s = 0, end_unix_s = 0;
  double wall_s = 0, cpu_s = 0;  ///< CPU time of it and of the children it waited for
  double peak_rss_bytes = 0;
  std::optional<double> steal;       ///< share of all CPUs' time that the hypervisor gave to others meanwhile
  std::optional<double> other_busy;  ///< share of all CPUs' time that other processes used meanwhile

  bool ok() const { return exit_code == 0 && signal == 0 && !timed_out && !interrupted; }
};

/// The child could not be started: not there, not executable, no such CPU. `what()` is one line.
struct StartError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Runs it and waits. Standard input is empty. Throws StartError.
Ended run_child(const Command& command);

/// "signal 11 (Segmentation fault)", "exit code 3", "no progress for 10 s, killed", "interrupted".
std::string how_it_ended(const Ended& ended, double timeout_s);

/// Quoted where a shell would need it.
std::string shell_word(const std::string& word);

/// The command as one could type it: added environment, program, arguments.
std::string shell_line(const Command& command);

/// The last `count` lines that are not blank.
std::string last_lines(std::string_view text, std::size_t count);

}  // namespace pawl::run
