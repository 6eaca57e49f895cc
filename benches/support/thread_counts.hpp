// thread_counts.hpp -- the CPUs that this process may use -> the numbers of threads of rows.
#pragma once
#include <vector>

#include "pawl/machine.hpp"

namespace pawl::bench {

/// 1 and 2, which every machine has rows of, and all CPUs where there are more. Pure.
inline std::vector<int> thread_counts(int cpus) {
  std::vector<int> counts{1, 2};
  if (cpus > 2) counts.push_back(cpus);
  return counts;
}

inline std::vector<int> thread_counts() { return thread_counts(usable_cores()); }

}  // namespace pawl::bench
