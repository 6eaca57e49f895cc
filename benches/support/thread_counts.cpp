// thread_counts.cpp -- see thread_counts.hpp.
#include "thread_counts.hpp"

#include <sched.h>

namespace pawl::bench {

int allowed_cpus() noexcept {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
}

}  // namespace pawl::bench
