// row_squares.kernel.hpp -- rows of a matrix -> the norm of each, and the variance or its root.
//
// Divisions and roots are here, where sums are in registers: a pass of its own over a few results waits until the
// masked stores of the one before have reached L1 (norms of 3 x 10 f32 took as long again).
#pragma once
#include "kernels/reduce/rows.kernel.hpp"
#include "kernels/reduce/span.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

PAWL_INLINE float root_of(float x) { return __builtin_sqrtf(x); }
PAWL_INLINE double root_of(double x) { return __builtin_sqrt(x); }
template <class T>
PAWL_INLINE Vec<T> root_of(Vec<T> x) {
  return square_root<T>(x);
}

/// out[r] = the root of the sum of squares of row r.
template <class T>
static void norm_rows(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t length, T* out) noexcept {
  if (length > kLongestRow<T>) {
    for (std::size_t r = 0; r < rows; ++r)
      out[r] = root_of(squares<T>(x + static_cast<std::ptrdiff_t>(r) * stride, length));
    return;
  }
  with_vectors_of_row<T>(length, [=](auto vectors) PAWL_INLINE_LAMBDA {
    fold_rows<T>(
        x, stride, rows, length, out,
        [=](const T* p) PAWL_INLINE_LAMBDA {
#if defined(PAWL_ISA_IS_avx512)
          if constexpr (vectors == kRowChains)
            if (LineChains<T>::suits(p, length)) return row_terms_of_lines<T>(p, length, PlusSquaresOfLines<T>{p});
#endif
          return terms_of_row<T, vectors>(length, PlusSquares<T>{p}, PlusSquares<T>{p});
        },
        [](auto sum) PAWL_INLINE_LAMBDA { return root_of(sum); });
  });
}

// Elements of a row up to which as many rows as a vector has lanes stay in L1 while they are read twice: 16 KiB.
template <class T>
inline constexpr std::size_t kRowsInL1 = kBlock<T> / lanes<T>;

// Vectors whose lanes add up to the sums of x - centre and of (x - centre)^2.
template <class T>
struct Distances {
  Vec<T> sum, squares;
};

template <class T, std::size_t kVectors>
PAWL_INLINE Distances<T> distances_from(const T* x, std::size_t n, T centre) {
  constexpr std::size_t W = lanes<T>;
  const Vec<T> c(centre), zero(T(0));
  // Two chains of each; arrays of vectors stay in registers with g++ 12, one of structures does not.
  Vec<T> sum[2] = {zero, zero}, squares[2] = {zero, zero};
  const auto add = [&](auto chain, Vec<T> d) PAWL_INLINE_LAMBDA {
    sum[chain] = sum[chain] + d;
    squares[chain] = fma<T>(d, d, squares[chain]);
  };
  constexpr std::integral_constant<std::size_t, 0> even{};
  constexpr std::integral_constant<std::size_t, 1> odd{};
  std::size_t i = 0;
  if constexpr (kVectors == 0) {
    // All that there is follows.
  } else if constexpr (kVectors < kRowChains) {
    unroll<kVectors>(
        [&](auto k) PAWL_INLINE_LAMBDA { add(std::integral_constant<std::size_t, k % 2>{}, load<T>(x + k * W) - c); });
    i = kVectors * W;
  } else {
    for (; i + 2 * W <= n; i += 2 * W)
      unroll<2>([&](auto k) PAWL_INLINE_LAMBDA { add(k, load<T>(x + i + k * W) - c); });
    if (i + W <= n) {
      add(even, load<T>(x + i) - c);
      i += W;
    }
  }
  if (i < n) add(odd, keep_first<T>(load_first<T>(x + i, n - i) - c, n - i));
  return {sum[0] + sum[1], squares[0] + squares[1]};
}

template <class T, std::size_t kVectors, class Finish>
PAWL_INLINE void spread_short_rows(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t length, T* out,
                                   Finish finish) {
  constexpr std::size_t W = lanes<T>;
  const auto row = [=](std::size_t r) PAWL_INLINE_LAMBDA { return x + static_cast<std::ptrdiff_t>(r) * stride; };
  const T n = static_cast<T>(length);
  for (std::size_t r = 0; r < rows; r += W) {
    const std::size_t count = rows - r < W ? rows - r : W;
    if (count <= kRowsOneByOne) {
      for (std::size_t k = r; k < rows; ++k) {
        const T centre = reduce_add<T>(row_sum<T, kVectors>(row(k), length)) / n;
        const Distances<T> d = distances_from<T, kVectors>(row(k), length, centre);
        const T off = reduce_add<T>(d.sum), spread = reduce_add<T>(d.squares) - off * off / n;
        out[k] = finish(spread < T(0) ? T(0) : spread);
      }
      return;
    }
    Vec<T> v[W], offs[W];
    each_row<T>(v, count, [&](std::size_t k) PAWL_INLINE_LAMBDA { return row_sum<T, kVectors>(row(r + k), length); });
    alignas(64) T centres[W];
    store<T>(centres, add_lanes<T>(v) / Vec<T>(n));
    for (std::size_t k = count; k < W; ++k) offs[k] = Vec<T>(T(0));
    each_row<T>(v, count, [&](std::size_t k) PAWL_INLINE_LAMBDA {
      const Distances<T> d = distances_from<T, kVectors>(row(r + k), length, centres[k]);
      offs[k] = d.sum;
      return d.squares;
    });
    const Vec<T> off = add_lanes<T>(offs), spread = add_lanes<T>(v) - off * off / Vec<T>(n);
    store_first<T>(out + r, finish(max<T>(Vec<T>(T(0)), spread)), count);  // in this order a NaN is handed through
  }
}

/// out[r] = the sum of (x - mean)^2 of row r over divisor, or the root of that. Two passes; the sum of the distances
/// says by how much the rounded mean is off (the corrected two-pass algorithm: Chan, Golub and LeVeque, The American
/// Statistician 37 (1983)).
template <class T>
static void spread_rows(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t length, T divisor, bool root,
                        T* out) noexcept {
  const auto finish = [=](auto spread) PAWL_INLINE_LAMBDA {
    const auto variance = spread / decltype(spread)(divisor);
    return root ? root_of(variance) : variance;
  };
  if (length > kRowsInL1<T>) {
    for (std::size_t r = 0; r < rows; ++r) {
      double mean = 0, spread = 0;
      moments<T>(x + static_cast<std::ptrdiff_t>(r) * stride, length, &mean, &spread);
      out[r] = finish(static_cast<T>(spread));
    }
    return;
  }
  with_vectors_of_row<T>(length, [=](auto vectors) PAWL_INLINE_LAMBDA {
    spread_short_rows<T, vectors>(x, stride, rows, length, out, finish);
  });
}

}  // namespace pawl::PAWL_ISA_NS
