// long_row.hpp -- one row, too long for the caches of a core or for one thread -> its softmax or log-softmax.
//
// By blocks, whose places depend on nothing, so that every number of threads gives the same: exponentials beside the
// block's largest element and their sum, then what the largest of all makes of them. The row is read once less than by
// passes over all of it.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "kernels/rows/rows_table.hpp"
#include "parallel/parts.hpp"
#include "pawl/memory/aligned_buffer.hpp"

namespace pawl::detail {

/// The largest element of a row and the sum of exp(x - largest).
template <class T>
struct RowSum {
  T largest;
  double sum;
};

/// From those of its blocks, in f64 from the first to the last. Where a largest is -infinity the sum is left out, but
/// NaN in it shows.
template <class T>
RowSum<T> sum_of_blocks(std::span<const T> largest, std::span<const T> sums) noexcept {
  RowSum<T> row{*std::max_element(largest.begin(), largest.end()), 0};
  for (std::size_t b = 0; b < sums.size(); ++b)
    row.sum += static_cast<double>(sums[b]) * std::exp(static_cast<double>(largest[b]) - row.largest);
  return row;
}

/// The blocks of a row of n >= 1 elements, on threads where these pay.
template <class T>
class LongRow {
 public:
  LongRow(const RowsOps<T>& ops, std::size_t n)
      : ops_(ops), n_(n), blocks_((n + kRowBlock<T> - 1) / kRowBlock<T>), of_blocks_(2 * blocks_) {}

  void softmax(const T* x, T* out) {
    sum_up(ops_.exponentials_of_blocks, x, out);
    const RowSum<T> row = sum_of_blocks<T>(largest(), sums());
    T* const factors = largest().data();
    for (T& factor : largest()) factor = static_cast<T>(std::exp(static_cast<double>(factor) - row.largest) / row.sum);
    for_parts(n_, bytes(), kRowBlock<T>, [=, scale = ops_.scale_blocks](std::size_t begin, std::size_t end) {
      scale(out + begin, end - begin, factors + begin / kRowBlock<T>);
    });
  }

  void log_softmax(const T* x, T* out) {
    sum_up(ops_.sums_of_blocks, x, out);
    const RowSum<T> row = sum_of_blocks<T>(largest(), sums());
    for_parts(n_, bytes(), kRowBlock<T>, [=, part = ops_.log_softmax_part](std::size_t begin, std::size_t end) {
      part(x + begin, out + begin, end - begin, row.largest, static_cast<T>(row.sum));
    });
  }

 private:
  std::span<T> largest() noexcept { return {of_blocks_.data(), blocks_}; }
  std::span<T> sums() noexcept { return {of_blocks_.data() + blocks_, blocks_}; }
  std::size_t bytes() const noexcept { return 4 * n_ * sizeof(T); }  // with the exponentials, as for twice the traffic

  void sum_up(void (*blocks)(const T*, T*, std::size_t, T*, T*) noexcept, const T* x, T* out) {
    T *const largest_of = largest().data(), *const sums_of = sums().data();
    for_parts(n_, bytes(), kRowBlock<T>, [=](std::size_t begin, std::size_t end) {
      blocks(x + begin, out + begin, end - begin, largest_of + begin / kRowBlock<T>, sums_of + begin / kRowBlock<T>);
    });
  }

  const RowsOps<T>& ops_;
  std::size_t n_, blocks_;
  memory::AlignedBuffer<T> of_blocks_;
};

/// From here on a row is long, and worth threads. On one thread softmax by blocks took 1.02 to 1.08 times as long from
/// 256 to 512 KiB, and gains 1.1 to 1.3 from 1 MiB on, as it reads the row once less (f32, Emerald Rapids, AVX-512).
inline constexpr std::size_t kLongRowBytes = std::size_t{512} << 10;

/// (row.*way)(x, out) for each of the rows: by threads side by side if there are as many rows, else one after another,
/// each by all threads.
template <class T>
void for_long_rows(const RowsOps<T>& ops, const T* x, T* out, std::size_t rows, std::size_t columns,
                   void (LongRow<T>::*way)(const T*, T*)) {
  if (rows == 0) return;
  const int threads = rows < static_cast<std::size_t>(num_threads()) ? 1 : num_threads();
  std::vector<LongRow<T>> at_once;
  for (int t = 0; t < threads; ++t) at_once.emplace_back(ops, columns);
  on_threads(threads, [&, outer = sharers](int thread, int count) {
    const SharersScope scope(outer * static_cast<std::size_t>(count));
    const Range mine = share(rows, thread, count);
    for (std::size_t r = mine.begin; r < mine.end; ++r)
      (at_once[static_cast<std::size_t>(thread)].*way)(x + r * columns, out + r * columns);
  });
}

}  // namespace pawl::detail
