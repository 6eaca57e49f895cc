// memory_run.hpp -- one benchmark, alone in a process -> its peak resident memory.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "run/process_run.hpp"

namespace pawl::run {

struct MemoryRun {
  std::optional<double> peak_bytes;
  bool hidden = false;  ///< it is below what this process has resident, from which the system begins to count
  std::string problem;  ///< why there is none otherwise; empty if there is
  bool interrupted = false;
  double wall_s = 0;
};

/// Runs `row` for as few iterations as the program does. `context` is that of an earlier run of the program: benches on
/// our main say their peak themselves. For others it is the system's figure, which begins with what this process has
/// resident: below that it is hidden. Errors: StartError.
MemoryRun measure_memory(const ProcessRequest& request, const std::string& row,
                         const std::map<std::string, std::string>& context);

}  // namespace pawl::run
