// threads.hpp -- the size of a product of few bits -> how many threads it is worth, and whether to wake them.
#pragma once
#include <algorithm>
#include <cstddef>

#include "pawl/parallel.hpp"

namespace pawl {

struct ProductThreads {
  int count;
  Wake wake;
};

/// At most num_threads(), for m n k multiplications and as many additions: `worth_thread` pay for a thread that is
/// awake, 32 times as many, some 50 us, for one that sleeps.
inline ProductThreads product_threads(std::size_t m, std::size_t n, std::size_t k, double worth_thread) noexcept {
  constexpr double kWorthWaking = 32;
  const double operations = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  if (operations < worth_thread) return {1, Wake::always};
  const double wanted = std::max(2.0, operations / worth_thread / 2);
  return {static_cast<int>(std::min<double>(num_threads(), wanted)),
          operations < kWorthWaking * worth_thread ? Wake::in_bursts : Wake::always};
}

}  // namespace pawl
