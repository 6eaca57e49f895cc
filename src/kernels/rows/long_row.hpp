// long_row.hpp -- one row, too long for the caches of a core or for one thread -> its softmax, log-softmax, layernorm
// or rmsnorm.
//
// By blocks, whose places depend on nothing, so that every number of threads gives the same: exponentials beside the
// block's largest element and their sum, or a block's mean and the squares of the distances from it; then what those of
// all blocks make of it. The row is read once less than by passes over all of it.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "isa/streaming.hpp"
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

/// The mean of a row and its variance, divided by n.
struct RowMeans {
  double mean, variance;
};

/// From the means of its blocks, which have kRowBlock<T> elements but the last, and their sums of squares of distances
/// from these (Chan, Golub, LeVeque, Updating formulae and a pairwise algorithm for computing sample variances, 1979,
/// for all blocks at once). NaN and infinity show in both.
template <class T>
RowMeans means_of_blocks(std::span<const T> means, std::span<const T> squares, std::size_t n) noexcept {
  const auto size = static_cast<double>(n);
  const auto elements = [=](std::size_t b) {
    return static_cast<double>(std::min(kRowBlock<T>, n - b * kRowBlock<T>));
  };
  double mean = 0, sum = 0;
  for (std::size_t b = 0; b < means.size(); ++b) mean += elements(b) / size * static_cast<double>(means[b]);
  for (std::size_t b = 0; b < means.size(); ++b) {
    const double off = static_cast<double>(means[b]) - mean;
    sum += static_cast<double>(squares[b]) + elements(b) * (off * off);
  }
  return {mean, sum / size};
}

/// The blocks of a row of n >= 1 elements, on threads where these pay.
template <class T>
class LongRow {
 public:
  /// For `rows` rows of n elements one after another.
  LongRow(const RowsOps<T>& ops, std::size_t n, std::size_t rows)
      : ops_(ops), n_(n), rows_(rows), blocks_((n + kRowBlock<T> - 1) / kRowBlock<T>), of_blocks_(2 * blocks_) {}

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

  /// gain and shift may be null: 1 and 0.
  void layernorm(const T* x, const T* gain, const T* shift, T epsilon, T* out) {
    normalize(ops_.centred_moments_of_blocks, x, gain, shift, epsilon, out);
  }
  void rmsnorm(const T* x, const T* gain, T epsilon, T* out) {
    normalize(ops_.moments_of_blocks, x, gain, nullptr, epsilon, out);
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

  void normalize(void (*blocks)(const T*, std::size_t, T*, T*) noexcept, const T* x, const T* gain, const T* shift,
                 T epsilon, T* out) {
    T *const means = of_blocks_.data(), *const squares = means + blocks_;
    for_parts(n_, n_ * sizeof(T), kRowBlock<T>, [=](std::size_t begin, std::size_t end) {
      blocks(x + begin, end - begin, means + begin / kRowBlock<T>, squares + begin / kRowBlock<T>);
    });
    const RowMeans row = means_of_blocks<T>({means, blocks_}, {squares, blocks_}, n_);
    const T centre = static_cast<T>(row.mean);
    const T scale = static_cast<T>(1 / std::sqrt(row.variance + static_cast<double>(epsilon)));
    const bool past = x != out && worth_streaming_bytes(2 * rows_ * n_ * sizeof(T) * sharers);
    for_parts(n_, 2 * n_ * sizeof(T), kRowBlock<T>,
              [=, part = ops_.normalize_part](std::size_t begin, std::size_t end) {
                part(x + begin, gain ? gain + begin : nullptr, shift ? shift + begin : nullptr, centre, scale,
                     out + begin, end - begin, past);
              });
  }

  const RowsOps<T>& ops_;
  std::size_t n_, rows_, blocks_;
  memory::AlignedBuffer<T> of_blocks_;
};

/// From here on a row is long, and worth threads. On one thread softmax by blocks took 1.02 to 1.08 times as long from
/// 256 to 512 KiB, and gains 1.1 to 1.3 from 1 MiB on, as it reads the row once less (f32, Emerald Rapids, AVX-512).
inline constexpr std::size_t kLongRowBytes = std::size_t{512} << 10;

/// way(row, x, out) for each of the rows: by threads side by side if there are as many rows, else one after another,
/// each by all threads.
template <class T, class Way>
void for_long_rows(const RowsOps<T>& ops, const T* x, T* out, std::size_t rows, std::size_t columns, Way way) {
  if (rows == 0) return;
  const int threads = rows < static_cast<std::size_t>(num_threads()) ? 1 : num_threads();
  std::vector<LongRow<T>> at_once;
  for (int t = 0; t < threads; ++t) {
    const Range mine = share(rows, t, threads);
    at_once.emplace_back(ops, columns, mine.end - mine.begin);
  }
  on_threads(threads, [&, outer = sharers](int thread, int count) {
    const SharersScope scope(outer * static_cast<std::size_t>(count));
    const Range mine = share(rows, thread, count);
    for (std::size_t r = mine.begin; r < mine.end; ++r)
      way(at_once[static_cast<std::size_t>(thread)], x + r * columns, out + r * columns);
  });
}

}  // namespace pawl::detail
