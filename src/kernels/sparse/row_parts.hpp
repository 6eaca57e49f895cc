// row_parts.hpp -- the rows of a sparse matrix divided among threads so that each has as much work.
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>

#include "kernels/sparse/sparse_table.hpp"
#include "pawl/parallel.hpp"

namespace pawl::sparse {

/// From so many entries on a second thread that is awake is worth it, and one that sleeps: waking it takes some
/// microseconds.
inline constexpr std::size_t kWorthThreadsEntries = 10'000, kWorthWakingEntries = 150'000;

inline int threads_for(std::size_t entries) noexcept { return entries < kWorthThreadsEntries ? 1 : num_threads(); }
inline Wake wake_for(std::size_t entries) noexcept {
  return entries < kWorthWakingEntries ? Wake::in_bursts : Wake::always;
}

/// The same for products of entries with rows of a dense matrix, eight of which take the time of one of spmv's, or
/// less.
inline Wake wake_for_products(std::size_t products) noexcept {
  constexpr std::size_t kAtOnce = 8;
  return wake_for(products / kAtOnce);
}

/// The first row of part `t` of `parts`, a multiple of kRowChunk: parts are alike in entries and rows (a row costs
/// about
// two entries).
template <class I>
std::size_t first_row(std::span<const I> start, int t, int parts) {
  const std::size_t rows = start.size() - 1, whole = static_cast<std::size_t>(start[rows]) + 2 * rows;
  const std::size_t target = whole / static_cast<std::size_t>(parts) * static_cast<std::size_t>(t);
  if (t >= parts) return rows;
  std::size_t low = 0, high = rows;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    (static_cast<std::size_t>(start[middle]) + 2 * middle < target) ? low = middle + 1 : high = middle;
  }
  return std::min(rows, (low + kRowChunk / 2) / kRowChunk * kRowChunk);
}

}  // namespace pawl::sparse
