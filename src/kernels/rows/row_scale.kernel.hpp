// row_scale.kernel.hpp -- one row in L1 -> its mean, the squares of the distances from it, and what it is scaled by.
#pragma once
#include "kernels/reduce/rows.kernel.hpp"
#include "kernels/simd/reduce.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

template <class T>
PAWL_INLINE T root(T x) {
  if constexpr (sizeof(T) == 4)
    return __builtin_sqrtf(x);
  else
    return __builtin_sqrt(x);
}

// A vector whose lanes add up to the sum of (x - centre)^2.
template <class T>
PAWL_INLINE Vec<T> squares_vector(const T* x, std::size_t n, T centre) {
  const Vec<T> c(centre);
  return sum_of_terms<T>(
      n,
      [=](std::size_t i, Vec<T> s) PAWL_INLINE_LAMBDA {
        const Vec<T> d = load<T>(x + i) - c;
        return fma<T>(d, d, s);
      },
      [=](std::size_t i, std::size_t count, Vec<T> s) PAWL_INLINE_LAMBDA {
        const Vec<T> d = keep_first<T>(load_first<T>(x + i, count) - c, count);
        return fma<T>(d, d, s);
      });
}

template <class T>
struct RowMoments {
  T mean, squares;  // squares: the sum of (x - mean)^2
};

// The moments of a row in two passes; about 0 if not kCentred.
template <class T, bool kCentred>
PAWL_INLINE RowMoments<T> moments_in_two(const T* x, std::size_t n) {
  const T mean = kCentred ? sum<T>(x, n) / static_cast<T>(n) : T(0);
  return {mean, reduce_add<T>(squares_vector<T>(x, n, mean))};
}

// The moments of a row in one pass about a centre that four of its elements guess. What the squares lose is the square
// of the distance from the mean to the centre: if that is more than their mean, a second pass sums them about the mean
// (as for NaN and infinity).
template <class T, bool kCentred>
PAWL_INLINE RowMoments<T> moments_of_row(const T* x, std::size_t n) {
  constexpr std::size_t W = lanes<T>;
  if (!kCentred || n < 4 * W || n > kLongestRow<T>) return moments_in_two<T, kCentred>(x, n);
  const T centre = ((x[0] + x[n / 4]) + (x[n / 2] + x[n - 1 - n / 4])) * T(0.25);
  const Vec<T> c(centre), one(T(1)), zero(T(0));
  Vec<T> s[4] = {zero, zero, zero, zero}, q[4] = {zero, zero, zero, zero};
  const auto take = [&](auto k, Vec<T> d) PAWL_INLINE_LAMBDA {
    // The same sum by the adders and by the multipliers, of which this loop has as many to do.
    s[k] = k % 2 == 0 ? s[k] + d : fma<T>(d, one, s[k]);
    q[k] = fma<T>(d, d, q[k]);
  };
  std::size_t i = 0;
  for (; i + 4 * W <= n; i += 4 * W) unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { take(k, load<T>(x + i + k * W) - c); });
  unroll<3>([&](auto k) PAWL_INLINE_LAMBDA {
    if (i + W > n) return;
    take(k, load<T>(x + i) - c);
    i += W;
  });
  if (i < n) take(std::integral_constant<int, 3>{}, keep_first<T>(load_first<T>(x + i, n - i) - c, n - i));
  const T shifts = reduce_add<T>(fold<T>(s)), squares = reduce_add<T>(fold<T>(q));
  const T off = shifts * (T(1) / static_cast<T>(n)), mean = centre + off, lost = off * shifts;
  if (lost <= squares * T(0.5)) [[likely]]
    return {mean, squares - lost};
  return {mean, reduce_add<T>(squares_vector<T>(x, n, mean))};
}

// As many rows as a vector has lanes are taken together while they fill a quarter of the smallest L1 at most.
template <class T>
PAWL_INLINE bool rows_fit_together(std::size_t columns) {
  constexpr std::size_t kTogetherBytes = 8192;
  return columns <= kTogetherBytes / sizeof(T) / lanes<T>;
}

// 1 / sqrt(mean of the squares + epsilon). 1 / n is ready before, and a product takes 8 cycles less than a quotient.
// The mean of short rows stays a quotient: so rows of equal numbers mostly have exactly theirs.
template <class T>
PAWL_INLINE T scale_of(RowMoments<T> row, std::size_t n, T epsilon) {
  return T(1) / root<T>(row.squares * (T(1) / static_cast<T>(n)) + epsilon);
}

}  // namespace pawl::PAWL_ISA_NS
