// merge_exchange.kernel.hpp -- the comparators of a sorting network for any number of keys.
#pragma once
#include <cstddef>

#include "kernels/vec.hpp"

namespace pawl::PAWL_ISA_NS {

// Batcher's merge exchange for any number of keys (Knuth, TAOCP 3, 5.2.2, algorithm M).
template <std::size_t N>
struct Network {
  std::size_t count = 0;
  unsigned char low[N * N / 4 + N] = {}, high[N * N / 4 + N] = {};

  constexpr Network() {
    std::size_t top = 1;
    while (2 * top < N) top *= 2;
    for (std::size_t p = top; p > 0; p /= 2)
      for (std::size_t q = top, r = 0, d = p;; q /= 2) {
        for (std::size_t i = 0; i + d < N; ++i)
          if ((i & p) == r) {
            low[count] = static_cast<unsigned char>(i);
            high[count++] = static_cast<unsigned char>(i + d);
          }
        if (q == p) break;
        d = q - p;
        r = p;
      }
  }
};
template <std::size_t N>
inline constexpr Network<N> kNetwork;

// Calls compare(i, j), i < j, for the comparators that sort 64 keys of which each half ascends: Batcher's odd-even
// merge.
template <class Compare>
PAWL_INLINE void merge_halves_of_64(Compare compare) {
  for (std::size_t i = 0; i < 32; ++i) compare(i, i + 32);
  for (std::size_t step = 16; step > 0; step /= 2)
    for (std::size_t i = step; i + step < 64; i += 2 * step)
      for (std::size_t j = i; j < i + step; ++j) compare(j, j + step);
}

}  // namespace pawl::PAWL_ISA_NS
