// dot_lines.kernel.hpp -- one row of A times a transposed B whose rows begin within lines: dot products from loads of
// whole lines of B.
//
// A vector that begins within a line takes two, and from L2 twice the time. Lanes of a line are later lanes of a vector
// and the first ones of the next, so the lanes of a sum of lines are those of a sum of vectors, turned round. They are
// folded by halves, of which each adds up the same pairs wherever the lanes begin: no bit differs. The row of A, which
// stays in L1, is read where each line of B needs it; so rows of B go together that begin at the same place of a line:
// all of them, or every second, fourth, ... one.
#pragma once
#include "kernels/line_parts.kernel.hpp"
#include "kernels/matmul/dot_rows.kernel.hpp"
#include "pawl/isa.hpp"

namespace pawl::PAWL_ISA_NS {

#if defined(PAWL_ISA_IS_avx512)
// Rows of B at a time: as many chains of FMAs as hide their latency, and twice that.
inline constexpr std::size_t kLeastLineRows = 8, kMostLineRows = 16;

// N columns of C, from column j on and `apart` columns apart, whose rows of B begin at the same place of a line.
template <class T, std::size_t N>
static void dot_tile_by_lines(const MatmulBlock<T>& x, std::size_t j, std::size_t apart) noexcept {
  constexpr std::size_t W = lanes<T>;
  static_assert(dot_steps(N) == 1);  // one chain for each sum, as dot_tile has it
  using Parts = LineParts<T>;
  const T* const first_row = x.b + j * x.b_stride;
  const std::size_t before = Parts::elements_before(first_row), step = apart * x.b_stride;
  const T *b = first_row - before, *a = x.a - before;
  Vec<T> sum[N];
  unroll<N>([&](auto n) PAWL_INLINE_LAMBDA { sum[n] = Vec<T>(T(0)); });
  const auto masked = [&](auto mask) PAWL_INLINE_LAMBDA {
    const Vec<T> row(Parts::load_anywhere(mask, a));
    unroll<N>([&](auto n)
                  PAWL_INLINE_LAMBDA { sum[n] = fma<T>(row, Vec<T>(Parts::load(mask, b + n * step)), sum[n]); });
    a += W;
    b += W;
  };
  masked(Parts::first(before));
  std::size_t left = x.depth - (W - before);
  for (; left >= W; left -= W, a += W, b += W) {
    const Vec<T> row = kept<T>(load<T>(a));
    unroll<N>([&](auto n) PAWL_INLINE_LAMBDA { sum[n] = fma<T>(row, load<T>(b + n * step), sum[n]); });
  }
  if (left != 0) masked(static_cast<typename Parts::Mask>(~(~0U << left)));
  write_dots<T, 1, N, false>(sum, x.alpha, x.beta, x.c + j * x.c_step, apart * x.c_step);
}

template <class T, std::size_t N = kLeastLineRows>
PAWL_INLINE void dots_by_lines(const MatmulBlock<T>& x, std::size_t j, std::size_t apart, std::size_t rows) {
  if (rows == N) return dot_tile_by_lines<T, N>(x, j, apart);
  if constexpr (N < kMostLineRows) dots_by_lines<T, N + 1>(x, j, apart, rows);
}

/// The first columns of C, those that go so; how many they are.
template <class T>
PAWL_INLINE std::size_t multiply_dots_by_lines(const MatmulBlock<T>& x) {
  // Rows of four vectors in L1 lose by it: 64 x 64 f32 took 1.1 times as long.
  constexpr std::size_t W = lanes<T>, kLine = 64 / sizeof(T), kLeastDepth = 4 * W, kLeastInL1 = 8 * W;
  const std::size_t beyond = x.b_stride % kLine;
  if (x.rows != 1 || x.depth < kLeastDepth) return 0;
  if (x.depth < kLeastInL1 && x.cols * x.depth * sizeof(T) <= assumed_cache_sizes().l1d_bytes) return 0;
  if (beyond == 0 && !LineParts<T>::begins_within(x.b)) return 0;
  if (reinterpret_cast<std::uintptr_t>(x.b) % sizeof(T) != 0) return 0;
  std::size_t apart = 1;  // rows from one to the next that begins at the same place
  while (beyond * apart % kLine != 0) apart *= 2;
  // What is left goes by vectors, at least kLeastLineRows rows together: fewer have more chains each, and other bits.
  std::size_t each = x.cols / apart;
  const auto rest = [&] { return x.cols - each * apart; };
  while (each >= kLeastLineRows && rest() != 0 && rest() < kLeastLineRows) --each;
  if (each < kLeastLineRows) return 0;
  const std::size_t turns = (each + kMostLineRows - 1) / kMostLineRows, height = each / turns, higher = each % turns;
  for (std::size_t t = 0, j = 0; t < turns; ++t) {
    const std::size_t rows = height + (t < higher ? 1 : 0);
    for (std::size_t first = 0; first < apart; ++first) dots_by_lines<T>(x, j + first, apart, rows);
    j += rows * apart;
  }
  return each * apart;
}
#endif

/// Every column of C.
template <class T>
static void multiply_dots(const MatmulBlock<T>& x) noexcept {
#if defined(PAWL_ISA_IS_avx512)
  if (const std::size_t done = multiply_dots_by_lines<T>(x); done != 0) {
    MatmulBlock<T> rest = x;
    rest.b += done * x.b_stride;
    rest.c += done * x.c_step;
    rest.cols -= done;
    if (rest.cols != 0) multiply_dots_by_vectors<T>(rest);
    return;
  }
#endif
  multiply_dots_by_vectors<T>(x);
}

}  // namespace pawl::PAWL_ISA_NS
