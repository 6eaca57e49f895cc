// dot_lines.kernel.hpp -- one to four rows of A times a transposed B whose rows begin within lines: dot products from
// loads of whole lines of B.
//
// A vector that begins within a line takes two, and from L2 twice the time. Lanes of a line are later lanes of a vector
// and the first ones of the next, so the lanes of a sum of lines are those of a sum of vectors, turned round. They are
// folded by halves, of which each adds up the same pairs wherever the lanes begin: no bit differs. Rows of A, which
// stay in L1, are read where each line of B needs them; so rows of B go together that begin at the same place of a
// line: all of them, or every second, fourth, ... one.
#pragma once
#include "kernels/line_parts.kernel.hpp"
#include "kernels/matmul/dot_rows.kernel.hpp"
#include "pawl/isa.hpp"

namespace pawl::PAWL_ISA_NS {

#if defined(PAWL_ISA_IS_avx512)
// Rows of A that go so.
inline constexpr std::size_t kMostLineRows = 4;

// Rows of B at a time, at least: as many chains of FMAs as hide their latency, so that each sum has one, as dot_tile
// has it.
template <std::size_t M>
inline constexpr std::size_t kLeastLineCols = (kDotChains + M - 1) / M;

// M rows and N columns of C, from column j on and `apart` columns apart, whose rows of B begin at the same place of a
// line.
template <class T, std::size_t M, std::size_t N>
static void dot_tile_by_lines(const MatmulBlock<T>& x, std::size_t j, std::size_t apart) noexcept {
  constexpr std::size_t W = lanes<T>;
  static_assert(dot_steps(M * N) == 1);
  using Parts = LineParts<T>;
  const T* const first_row = x.b + j * x.b_stride;
  const std::size_t before = Parts::elements_before(first_row), step = apart * x.b_stride;
  const T *b = first_row - before, *a = x.a - before;
  Vec<T> sum[M * N];
  unroll<M * N>([&](auto s) PAWL_INLINE_LAMBDA { sum[s] = Vec<T>(T(0)); });
  const auto add = [&](auto load_a, auto load_b) PAWL_INLINE_LAMBDA {
    Vec<T> row[M];
    unroll<M>([&](auto i) PAWL_INLINE_LAMBDA { row[i] = kept<T>(load_a(a + i * x.a_stride)); });
    unroll<N>([&](auto n) PAWL_INLINE_LAMBDA {
      Vec<T> y = load_b(b + n * step);
      if constexpr (M > 1) y = kept<T>(y);
      unroll<M>([&](auto i) PAWL_INLINE_LAMBDA { sum[i * N + n] = fma<T>(row[i], y, sum[i * N + n]); });
    });
    a += W;
    b += W;
  };
  // Of A whole vectors within its rows, whose lanes are moved: a masked load that reaches into a page that is not there
  // takes some 130 ns (Emerald Rapids), and the line before A may be in one: 2 x 22, k = 128, f32 took 4.2 times as
  // long.
  const auto load_b = [](auto mask) {
    return [=](const T* p) PAWL_INLINE_LAMBDA { return Vec<T>(Parts::load(mask, p)); };
  };
  const auto first = Parts::first(before);
  add([=](const T* p) PAWL_INLINE_LAMBDA { return Vec<T>(Parts::load_into(first, p + before)); }, load_b(first));
  std::size_t left = x.depth - (W - before);
  const auto whole = [](const T* p) PAWL_INLINE_LAMBDA { return load<T>(p); };
  for (; left >= W; left -= W) add(whole, whole);
  if (left != 0) {
    const auto last = Parts::first(W - left);
    add([=](const T* p) PAWL_INLINE_LAMBDA { return Vec<T>(Parts::load_from(last, p + left - W)); },
        load_b(static_cast<typename Parts::Mask>(~(~0U << left))));
  }
  alignas(64) T out[(M * N + W - 1) / W * W];
  fold_sums<T, M * N>(sum, x.alpha, out);
  for (std::size_t i = 0; i < M; ++i)
    for (std::size_t n = 0; n < N; ++n) {
      T& to = x.c[i * x.ldc + (j + n * apart) * x.c_step];
      to = x.beta == T(0) ? out[i * N + n] : out[i * N + n] + x.beta * to;
    }
}

template <class T, std::size_t M, std::size_t N = kLeastLineCols<M>>
PAWL_INLINE void dots_by_lines(const MatmulBlock<T>& x, std::size_t j, std::size_t apart, std::size_t cols) {
  if (cols == N) return dot_tile_by_lines<T, M, N>(x, j, apart);
  if constexpr (N < kDotCols<M>) dots_by_lines<T, M, N + 1>(x, j, apart, cols);
}

// The first columns of C, of which some `apart` go together; how many they are. What is left goes by vectors, at least
// kLeastLineCols together: fewer have more chains each, and other bits.
template <class T, std::size_t M>
PAWL_INLINE std::size_t multiply_dots_of_lines(const MatmulBlock<T>& x, std::size_t apart) {
  constexpr std::size_t kLeast = kLeastLineCols<M>, kMost = kDotCols<M>;
  std::size_t each = x.cols / apart;
  const auto rest = [&] { return x.cols - each * apart; };
  while (each >= kLeast && rest() != 0 && rest() < kLeast) --each;
  if (each < kLeast) return 0;
  const std::size_t turns = (each + kMost - 1) / kMost, height = each / turns, higher = each % turns;
  for (std::size_t t = 0, j = 0; t < turns; ++t) {
    const std::size_t cols = height + (t < higher ? 1 : 0);
    for (std::size_t first = 0; first < apart; ++first) dots_by_lines<T, M>(x, j + first, apart, cols);
    j += cols * apart;
  }
  return each * apart;
}

/// The first columns of C, those that go so; how many they are.
template <class T>
PAWL_INLINE std::size_t multiply_dots_by_lines(const MatmulBlock<T>& x) {
  // Rows of four vectors in L1 lose by it: 64 x 64 f32 took 1.1 times as long.
  constexpr std::size_t W = lanes<T>, kLeastDepth = 4 * W, kLeastInL1 = 8 * W;
  const std::size_t apart = LineParts<T>::rows_to_same_place(x.b_stride);
  if (x.rows > kMostLineRows || x.depth < kLeastDepth) return 0;
  if (x.depth < kLeastInL1 && x.cols * x.depth * sizeof(T) <= assumed_cache_sizes().l1d_bytes) return 0;
  if (apart == 1 && !LineParts<T>::begins_within(x.b)) return 0;
  if (reinterpret_cast<std::uintptr_t>(x.b) % sizeof(T) != 0) return 0;
  switch (x.rows) {
    case 1:
      return multiply_dots_of_lines<T, 1>(x, apart);
    case 2:
      return multiply_dots_of_lines<T, 2>(x, apart);
    case 3:
      return multiply_dots_of_lines<T, 3>(x, apart);
    default:
      return multiply_dots_of_lines<T, kMostLineRows>(x, apart);
  }
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
