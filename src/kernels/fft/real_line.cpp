// real_line.cpp -- see real_line.hpp; the ways that are a complex transform, and the choice.
#include "kernels/fft/real_line.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <utility>

#include "kernels/fft/cache.hpp"
#include "kernels/fft/factors.hpp"
#include "kernels/fft/lines.hpp"
#include "kernels/fft/roots.hpp"
#include "pawl/parallel.hpp"

namespace pawl::fft {
namespace {

// The pairs are transformed in `out` and untangled there.
template <class T>
class HalvesLine final : public RealLine<T> {
 public:
  HalvesLine(std::size_t n, Isa isa)
      : ops_(fft_ops<T>(isa)), points_(n / 2), line_(shared_line<T>(points_, isa)), table_(2 * (points_ / 2 + 1)) {
    const Roots roots(n);
    for (std::size_t k = 0; k <= points_ / 2; ++k) {
      const auto root = roots(k);
      table_[2 * k] = static_cast<T>(root.imag());
      table_[2 * k + 1] = static_cast<T>(-root.real());
    }
  }
  std::size_t workspace_elements() const noexcept override {
    return up_to_line<T>(2 * points_) + line_->workspace_elements();
  }
  void forward(const T* in, T* out, T* workspace, T scale) const noexcept override {
    line_->run(in, out, workspace, false, T(1));
    ops_.split_line(out, table_.data(), points_, scale, 1, points_ / 2 + 1);
  }
  void inverse(const T* in, T* out, T* workspace, T scale) const noexcept override {
    T *const z = workspace, *const inner = workspace + up_to_line<T>(2 * points_);
    ops_.join_line(in, table_.data(), z, points_, scale, 1, points_ / 2 + 1);
    line_->run(z, out, inner, true, T(1));
  }

  bool some_on_threads() const noexcept override { return points_ >= line_->least_on_threads(); }
  void forward_on(int threads, const T* in, T* out, T* workspace, T scale) const noexcept override {
    line_->run_on(threads, in, out, workspace, false, T(1));
    in_parts(threads, [&](std::size_t begin, std::size_t end) {
      ops_.split_line(out, table_.data(), points_, scale, begin, end);
    });
  }
  void inverse_on(int threads, const T* in, T* out, T* workspace, T scale) const noexcept override {
    T *const z = workspace, *const inner = workspace + up_to_line<T>(2 * points_);
    in_parts(threads, [&](std::size_t begin, std::size_t end) {
      ops_.join_line(in, table_.data(), z, points_, scale, begin, end);
    });
    line_->run_on(threads, z, out, inner, true, T(1));
  }
  std::size_t workspace_elements_on(int threads) const noexcept override {
    return up_to_line<T>(2 * points_) + line_->workspace_elements_on(threads);
  }

 private:
  // The parts of split_line() and join_line(): whole grains, to the last also what is left.
  template <class Part>
  void in_parts(int threads, Part&& part) const noexcept {
    on_threads(
        threads,
        [&](int thread, int count) {
          const std::size_t grains = points_ / 2 / kUntangledGrain;
          const auto [first, last] = share(grains, thread, count);
          if (first < last)
            part(1 + first * kUntangledGrain, 1 + (last < grains ? last * kUntangledGrain : points_ / 2));
        },
        wake_for(points_));
  }

  const FftOps<T>& ops_;
  std::size_t points_;
  std::shared_ptr<const Line<T>> line_;
  AlignedArray<T> table_;
};

template <class T>
class ComplexLine final : public RealLine<T> {
 public:
  ComplexLine(std::size_t n, Isa isa) : n_(n), line_(shared_line<T>(n, isa)) {}
  std::size_t workspace_elements() const noexcept override {
    return up_to_line<T>(2 * n_) + line_->workspace_elements();
  }
  void forward(const T* in, T* out, T* workspace, T scale) const noexcept override {
    T *const z = workspace, *const inner = workspace + up_to_line<T>(2 * n_);
    for (std::size_t j = 0; j < n_; ++j) {
      z[2 * j] = in[j];
      z[2 * j + 1] = 0;
    }
    line_->run(z, z, inner, false, scale);
    std::copy_n(z, n_ + 1, out);  // (n + 1) / 2 pairs
    out[1] = 0;
  }
  void inverse(const T* in, T* out, T* workspace, T scale) const noexcept override {
    T *const z = workspace, *const inner = workspace + up_to_line<T>(2 * n_);
    z[0] = in[0];
    z[1] = 0;
    for (std::size_t k = 1; k <= n_ / 2; ++k) {
      z[2 * k] = z[2 * (n_ - k)] = in[2 * k];
      z[2 * k + 1] = in[2 * k + 1];
      z[2 * (n_ - k) + 1] = -in[2 * k + 1];
    }
    line_->run(z, z, inner, true, scale);
    for (std::size_t j = 0; j < n_; ++j) out[j] = z[2 * j];
  }

 private:
  std::size_t n_;  // odd
  std::shared_ptr<const Line<T>> line_;
};

template <class T>
std::shared_ptr<const RealLine<T>> make_real_line(std::size_t n, Isa isa) {
  const FftOps<T>& ops = fft_ops<T>(isa);
  const RealChoice choice = choose_real_way(n, ops);
  switch (choice.way) {
    case RealWay::halves:
      return std::make_shared<const HalvesLine<T>>(n, isa);
    case RealWay::single:
      return make_real_single_line<T>(n, isa);
    case RealWay::matrix:
      return make_real_matrix_line<T>(n, isa);
    case RealWay::direct:
      return make_real_direct_line(n, ops);
    case RealWay::split:
      return make_real_split_line(choice.rows, choice.columns, ops);
    case RealWay::divided:
      return make_real_divided_line<T>(choice.rows, choice.columns, isa);
    case RealWay::rader:
      return make_real_rader_line<T>(n, isa);
    case RealWay::complex:
      break;
  }
  return std::make_shared<const ComplexLine<T>>(n, isa);
}

// Rows of RealWay::divided for odd n, 0 where another way is faster. On a Zen 4 of 378 odd products from 21 to 3100,
// with avx512 (and avx2), the others' time over that of
//   a few times a prime above 127, convolutions without it: 1.54 (1.74) for f32, 1.63 (2.13) for f64,
//   a few times one from 17 on, without it sums over columns: 2.55 and 2.0, 129 to 381 = 3 p of f32 5 to 7,
//   rows that are done by two short halves, or all at once: 1.58 (1.59) and 1.50 (1.81)
// by geometric means over those that are chosen here.
template <class T>
std::size_t divided_rows(std::size_t n, std::size_t largest, const FftOps<T>& ops) {
  const std::size_t w = ops.lanes, few = n / largest;
  const auto exists = [&](std::size_t rows) {
    return rows < std::size(ops.reals->divide) && ops.reals->divide[rows] != nullptr;
  };
  if (w == 1 || largest == n) return 0;
  if (largest > kLargestRadix) {
    if (!exists(few)) {
      // Some of several factors, where a complex line is a convolution of all points: its lines are divided again.
      constexpr std::size_t kLeastPoints = 1000;
      if (largest <= kLargestPrimePass || n < kLeastPoints) return 0;
      for (std::size_t rows = std::size(ops.reals->divide) - 1; rows >= 3; --rows)
        if (few % rows == 0 && exists(rows)) return rows;
      return 0;
    }
    const std::size_t most = w >= 16 ? 15 : w >= 8 ? 9 : w >= 4 ? 5 : 3, least = w >= 16 ? 112 : 85;
    return largest > kLargestPrimePass || (few <= most && n >= least) ? few : 0;
  }
  const auto chosen = [&](std::initializer_list<std::size_t> rows, std::size_t most_columns) -> std::size_t {
    for (std::size_t r : rows) {
      const std::size_t m = n / r;
      if (n % r != 0 || m < 7 || m > most_columns) continue;
      if ((m < std::size(ops.pairs->lines_of) && ops.pairs->lines_of[m]) || choose_pairs(m, *ops.pairs).rows > 0)
        return r;
    }
    return 0;
  };
  if (sizeof(T) == 4) return n >= 99 && n < 1200 ? chosen({11, 15, 9, 7, 13, 5, 3}, 105) : 0;
  if (n < 63) return 0;
  if (const std::size_t rows = chosen({9, 7}, 35); rows > 0) return rows;
  if (const std::size_t rows = chosen({13}, 65); rows > 0) return rows;
  return chosen({5, 3}, 35);
}

}  // namespace

template <class T>
RealChoice choose_real_way(std::size_t n, const FftOps<T>& ops) {
  const std::size_t w = ops.lanes;
  if (n < std::size(ops.pairs->real_single) && ops.pairs->real_single[n]) return {RealWay::single};
  if (n % 2 == 0) return {RealWay::halves};
  // Rows of a matrix that are one vector or two: of 11 and 13 numbers, since the other odd lengths here are `single`.
  constexpr std::size_t kMostByMatrix = 16, kLanes = 8;
  if (n > 1 && n <= kMostByMatrix && w >= kLanes) return {RealWay::matrix};
  const std::size_t largest = largest_factor(n);
  if (const std::size_t rows = divided_rows(n, largest, ops); rows > 0) return {RealWay::divided, rows, n / rows};
  // Multiply-adds of vectors, up to which the sums are faster than a complex line of two short halves, or else than
  // `split` (their table then leaves L1), and the length from which `split` is faster than the former: measured on
  // Zen 5 with AVX-512, all odd composite lengths to 130 and 60 to 3125.
  constexpr std::size_t kFewSums = 350, kMostSums = 800, kSplitFromLanes = 24;
  const bool short_halves = choose_pairs(n, *ops.pairs).rows > 0;
  const std::size_t sums = n / 2 * ((n + w) / w);
  // Convolutions of primes up to 127 in f64 took 0.57 (113, 127) to 0.75 (97) of the time, on a Zen 4, but their error
  // is 1.1 to 1.27 times that of FFTW, of the sums 0.7.
  if (n > w && n > 1 && n < kLargestDirect && ops.real_direct &&
      (largest == n || sums <= (short_halves ? kFewSums : kMostSums)))
    return {RealWay::direct};
  if (short_halves && n < kSplitFromLanes * w) return {RealWay::complex};
  if (largest == n && n > kLargestDirect && n < (std::size_t{1} << 32)) return {RealWay::rader};
  if (!is_smooth(n) || largest == n) return {RealWay::complex};
  // Elements touched times the depth of each half, as in choose_way().
  const auto vectors = [](std::size_t count, std::size_t lanes) { return (count + lanes - 1) / lanes; };
  RealChoice best{RealWay::complex};
  double best_cost = 1e300;
  for (std::size_t rows : divisors(n)) {
    const std::size_t columns = n / rows, half = rows / 2 + 1;
    if (rows == 1 || columns == 1) continue;
    const double first =
        static_cast<double>(rows * vectors(columns, 2 * w)) * (std::log2(static_cast<double>(rows)) + 4);
    const double second =
        static_cast<double>(columns * vectors(half, w)) * (std::log2(static_cast<double>(columns)) + 4);
    const double balance = 1 + 0.02 * std::fabs(std::log2(static_cast<double>(rows) / static_cast<double>(columns)));
    const double cost = (first + second) * balance;
    if (cost < best_cost) {
      best_cost = cost;
      best = {RealWay::split, rows, columns};
    }
  }
  return best;
}

namespace {
template <class T>
auto& cache() {
  static auto& lines = *new Cache<std::pair<std::size_t, Isa>, RealLine<T>>;  // never destroyed, as in lines.cpp
  return lines;
}
}  // namespace

template <class T>
std::shared_ptr<const RealLine<T>> shared_real_line(std::size_t n, Isa isa) {
  return cache<T>().get({n, isa}, [&] { return make_real_line<T>(n, isa); });
}

void forget_real_lines() {
  cache<float>().clear();
  cache<double>().clear();
}

template RealChoice choose_real_way(std::size_t, const FftOps<float>&);
template RealChoice choose_real_way(std::size_t, const FftOps<double>&);
template std::shared_ptr<const RealLine<float>> shared_real_line(std::size_t, Isa);
template std::shared_ptr<const RealLine<double>> shared_real_line(std::size_t, Isa);

}  // namespace pawl::fft
