// threads.hpp -- the size of a product -> how many threads it is worth.
#pragma once
#include <algorithm>
#include <cstddef>

#include "pawl/parallel.hpp"

namespace pawl {

/// At most num_threads(). Below 2 Mflop a second thread costs more than it brings: starting one takes some 2 us.
inline int wanted_threads(std::size_t m, std::size_t n, std::size_t k) noexcept {
  constexpr double kThreadFlops = 2097152;
  const double flops = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  if (flops < kThreadFlops) return 1;
  return static_cast<int>(std::min<double>(num_threads(), flops / kThreadFlops * 2));
}

}  // namespace pawl
