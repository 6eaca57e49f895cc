// process_cpus.hpp -- the CPUs that this process may run on, whichever of its threads asks.
#pragma once
#include <sched.h>
#include <unistd.h>

namespace pawl::detail {

/// Linux has a mask for each thread and none for a process: these are the CPUs of its first thread, which has what
/// taskset or a container gave unless the program changed it, and those of the caller, where the first one was pinned.
/// None if the system does not tell.
inline cpu_set_t process_cpus() noexcept {
  cpu_set_t first, own;
  CPU_ZERO(&first);
  CPU_ZERO(&own);
  if (sched_getaffinity(getpid(), sizeof first, &first) != 0) CPU_ZERO(&first);
  if (sched_getaffinity(0, sizeof own, &own) != 0) CPU_ZERO(&own);
  CPU_OR(&first, &first, &own);
  return first;
}

}  // namespace pawl::detail
