// scattered.hpp -- whether the columns of neighbouring rows have nothing to do with each other.
#pragma once
#include <algorithm>
#include <bitset>
#include <cstddef>

#include "pawl/sparse.hpp"

namespace pawl::sparse {

/// Whether rows have columns that the rows before them do not come near to: found in 32 rows each at 16 places of the
/// matrix. Bands and stencils meet the columns along a few streams, which caches follow by themselves.
template <class T, class I>
bool is_scattered(const Csr<T, I>& a) {
  constexpr std::size_t kWindow = 16, kPlaces = 16, kMostEntries = 512, kBits = 8192;
  if (a.rows() < 2 * kWindow * kPlaces) return true;
  std::size_t met = 0, seen = 0;
  for (std::size_t p = 0; p < kPlaces; ++p) {
    const std::size_t row = (a.rows() - 2 * kWindow) / kPlaces * p;
    const auto begin = static_cast<std::size_t>(a.row_start()[row]);
    const auto middle = static_cast<std::size_t>(a.row_start()[row + kWindow]);
    const auto end = static_cast<std::size_t>(a.row_start()[row + 2 * kWindow]);
    std::bitset<kBits> near;
    for (std::size_t k = begin; k < std::min(middle, begin + kMostEntries); ++k) {
      const auto group = static_cast<std::size_t>(a.columns()[k]) / kWindow;
      for (std::size_t g : {group, group + 1, group + 2}) near.set(g % kBits);  // one more than the group itself
    }
    for (std::size_t k = middle; k < std::min(end, middle + kMostEntries); ++k) {
      met += near.test((static_cast<std::size_t>(a.columns()[k]) / kWindow + 1) % kBits);
      ++seen;
    }
  }
  return met < seen - seen / 4;
}

}  // namespace pawl::sparse
