// stop_signal.hpp -- Ctrl-C, SIGTERM, SIGHUP and SIGPIPE -> a wish to stop that loops can see and poll() can wait for.
#pragma once

namespace pawl::run {

/// While one exists, these signals no longer end the process; they are counted. One at a time per process.
///
/// The handler only adds to a counter and writes a byte into a pipe, both async-signal-safe.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;
};

/// Once all is measured and kept: who closes standard output (`| head`) has seen enough, and nothing is left to stop.
void end_at_broken_pipe() noexcept;

/// The last stop signal that came, 0 if none did. Always 0 without a StopSignal.
int stop_signal() noexcept;

/// How often people asked: a second Ctrl-C means now.
int stop_count() noexcept;

/// Becomes readable at each stop signal; -1 without a StopSignal.
int stop_fd() noexcept;

/// Takes the pending bytes out of stop_fd().
void drain_stop_fd() noexcept;

}  // namespace pawl::run
