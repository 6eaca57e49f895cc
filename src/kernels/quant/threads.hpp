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

/// At most num_threads(); of m n k multiplications and as many additions, `worth_waking` pay for a thread that sleeps,
/// a quarter for one that is awake.
inline ProductThreads product_threads(std::size_t m, std::size_t n, std::size_t k, double worth_waking) noexcept {
  const double operations = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  if (operations < worth_waking / 4) return {1, Wake::always};
  const double wanted = std::max(2.0, operations / worth_waking * 2);
  return {static_cast<int>(std::min<double>(num_threads(), wanted)),
          operations < worth_waking ? Wake::in_bursts : Wake::always};
}

}  // namespace pawl
