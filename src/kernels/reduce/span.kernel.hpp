// span.kernel.hpp -- contiguous elements -> mean and variance, place of an extreme, sums of squares and products.
//
// Each element comes from memory once: what needs two looks at the data takes them block by block, while it is in L1.
#pragma once
#include "kernels/simd/reduce.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// Half of the smallest L1 data cache in use (32 KiB).
template <class T>
inline constexpr std::size_t kBlock = 16384 / sizeof(T);

// K sums at once, four chains each; whole(i, s) adds the vectors at i to s[0 .. K), first(i, count, s) the last ones.
template <class T, std::size_t K, class Whole, class First>
PAWL_INLINE void sum_several(std::size_t n, T (&out)[K], Whole whole, First first) {
  constexpr std::size_t W = lanes<T>;
  Vec<T> s[4][K];
  unroll<4>([&](auto c) PAWL_INLINE_LAMBDA { unroll<K>([&](auto k) PAWL_INLINE_LAMBDA { s[c][k] = Vec<T>(T(0)); }); });
  std::size_t i = 0;
  for (; i + 4 * W <= n; i += 4 * W) unroll<4>([&](auto c) PAWL_INLINE_LAMBDA { whole(i + c * W, s[c]); });
  for (; i + W <= n; i += W) whole(i, s[0]);
  if (i < n) first(i, n - i, s[1]);
  unroll<K>([&](auto k) PAWL_INLINE_LAMBDA { out[k] = reduce_add<T>((s[0][k] + s[1][k]) + (s[2][k] + s[3][k])); });
}

// A part of the elements: their number, mean, and sum of squared distances from it.
struct Part {
  double count, mean, squares;
};

// Chan, Golub and LeVeque, Algorithms for computing the sample variance, The American Statistician 37 (1983).
PAWL_INLINE Part merge(Part a, Part b) {
  const double count = a.count + b.count, apart = b.mean - a.mean, share = b.count / count;
  return {count, a.mean + apart * share, a.squares + b.squares + apart * apart * a.count * share};
}

// The sums of x - centre and of (x - centre)^2 of n elements at most kBlock.
template <class T>
PAWL_INLINE void sum_distances(const T* x, std::size_t n, T centre, T (&sums)[2]) {
  const Vec<T> c(centre);
  sum_several<T, 2>(
      n, sums,
      [=](std::size_t i, Vec<T>(&to)[2]) PAWL_INLINE_LAMBDA {
        // The next block, while this one is worked on: nothing else asks memory for it before its turn.
        prefetch<T>(x + kBlock<T> + i);
        const Vec<T> d = load<T>(x + i) - c;
        to[0] = to[0] + d;
        to[1] = fma<T>(d, d, to[1]);
      },
      [=](std::size_t i, std::size_t count, Vec<T>(&to)[2]) PAWL_INLINE_LAMBDA {
        const Vec<T> d = keep_first<T>(load_first<T>(x + i, count) - c, count);
        to[0] = to[0] + d;
        to[1] = fma<T>(d, d, to[1]);
      });
}

// About a centre that four elements guess; the sum of the distances from it says by how much it is off. Only where that
// takes more than half of the squares away is a second pass due, about the mean (and for NaN and infinity).
template <class T>
static Part part_of(const T* x, std::size_t n) {
  const std::size_t quarter = n / 4;
  T centre = ((x[0] + x[quarter]) + (x[2 * quarter] + x[n - 1 - quarter])) * T(0.25), s[2];
  sum_distances<T>(x, n, centre, s);
  const double count = static_cast<double>(n);
  double off = static_cast<double>(s[0]) / count;
  if (!(off * static_cast<double>(s[0]) <= 0.5 * static_cast<double>(s[1]))) [[unlikely]] {
    centre += static_cast<T>(off);
    sum_distances<T>(x, n, centre, s);
    off = static_cast<double>(s[0]) / count;
  }
  const double squares = static_cast<double>(s[1]) - off * static_cast<double>(s[0]);
  return {count, static_cast<double>(centre) + off, squares < 0 ? 0 : squares};
}

// Blocks are merged in pairs, pairs of pairs, ..., as a binary counter carries: log2 of their number roundings for
// each.
template <class T>
static void moments(const T* x, std::size_t n, double* mean, double* squares) noexcept {
  Part level[64];
  std::size_t blocks = 0, levels = 0;
  for (std::size_t i = 0; i < n; i += kBlock<T>, ++blocks) {
    Part part = part_of<T>(x + i, n - i < kBlock<T> ? n - i : kBlock<T>);
    for (std::size_t carry = blocks; carry & 1; carry >>= 1) part = merge(level[--levels], part);
    level[levels++] = part;
  }
  Part all = level[--levels];
  while (levels > 0) all = merge(level[--levels], all);
  *mean = all.mean;
  *squares = all.squares;
}

// The first of n elements that equals `value`, or that is NaN if `value` is; there is one.
template <class T>
PAWL_INLINE std::size_t find(const T* x, std::size_t n, T value) {
  constexpr std::size_t W = lanes<T>;
  std::size_t i = 0;
  if (value == value) {
    const Vec<T> v(value);
    for (; i + W <= n; i += W)
      if (const std::uint32_t equal = equal_lanes<T>(load<T>(x + i), v))
        return i + static_cast<std::size_t>(__builtin_ctz(equal));
    while (x[i] != value) ++i;
  } else {
    while (x[i] == x[i]) ++i;
  }
  return i;
}

#if defined(PAWL_ISA_IS_avx512)
// The place of the first smallest (largest) of 1 <= n < lanes elements, or of the first NaN. Loops over single elements
// mispredict where they end, but for one and two it takes less to compare them.
template <class T, bool kSmallest>
PAWL_INLINE std::size_t place_in_part_of_a_vector(const T* x, std::size_t n) {
  if (n <= 2) {
    const T a = x[0], b = x[n - 1];
    return a == a && (b != b || (kSmallest ? b < a : b > a)) ? 1 : 0;
  }
  constexpr std::uint32_t kAll = (std::uint32_t{1} << lanes<T>)-1;
  const Vec<T> v = load_first_again<T>(x, n);
  const std::uint32_t numbers = equal_lanes<T>(v, v);
  const std::uint32_t extremes = equal_lanes<T>(v, Vec<T>(reduce_extreme<T, kSmallest>(v)));
  return static_cast<std::size_t>(__builtin_ctz(numbers == kAll ? extremes : ~numbers));
}
#endif

// Only the block of the extreme is searched for it.
template <class T, bool kSmallest>
static std::size_t arg_extreme(const T* x, std::size_t n) noexcept {
#if defined(PAWL_ISA_IS_avx512)
  if (n < lanes<T>) return place_in_part_of_a_vector<T, kSmallest>(x, n);
#endif
  T best = x[0];
  std::size_t at = 0;
  for (std::size_t i = 0; i < n; i += kBlock<T>) {
    const T here = extreme<T, kSmallest>(x + i, n - i < kBlock<T> ? n - i : kBlock<T>);
    if (here != here || (kSmallest ? here < best : here > best)) {
      best = here;
      at = i;
      if (here != here) break;
    }
  }
  return at + find<T>(x + at, n - at, best);
}

// s and the squares of the vector at x + i, or of its first `count` lanes. As dot(x, x) would have it, each element
// would be loaded twice.
template <class T>
struct PlusSquares {
  const T* x;
  PAWL_INLINE Vec<T> operator()(std::size_t i, Vec<T> s) const {
    const Vec<T> v = load<T>(x + i);
    return fma<T>(v, v, s);
  }
  PAWL_INLINE Vec<T> operator()(std::size_t i, std::size_t count, Vec<T> s) const {
    const Vec<T> v = load_first<T>(x + i, count);
    return fma<T>(v, v, s);
  }
};

// The same for LineChains.
template <class T>
struct PlusSquaresOfLines {
  const T* x;
  template <class Of>
  PAWL_INLINE Vec<T> operator()(std::ptrdiff_t i, Vec<T> s, Of of) const {
    const Vec<T> v = of(x + i);
    return fma<T>(v, v, s);
  }
};

template <class T>
static T squares(const T* x, std::size_t n) noexcept {
#if defined(PAWL_ISA_IS_avx512)
  if (wants_lines(x, n, n * sizeof(T))) return reduce_add<T>(sum_of_lines<T, true>(x, n, PlusSquaresOfLines<T>{x}));
#endif
  return sum_terms<T, true>(n, PlusSquares<T>{x}, PlusSquares<T>{x});
}

template <class T>
static T scaled_squares(const T* x, T scale, std::size_t n) noexcept {
  const Vec<T> f(scale);
  return sum_terms<T>(
      n,
      [=](std::size_t i, Vec<T> s) PAWL_INLINE_LAMBDA {
        const Vec<T> v = load<T>(x + i) * f;
        return fma<T>(v, v, s);
      },
      [=](std::size_t i, std::size_t count, Vec<T> s) PAWL_INLINE_LAMBDA {
        const Vec<T> v = load_first<T>(x + i, count) * f;
        return fma<T>(v, v, s);
      });
}

// Blocks of kTurns terms a chain, whose sums are added with compensation, as in sum_terms.
template <class T, bool kScaled>
PAWL_INLINE void cosine_sums_of(const T* x, const T* y, Vec<T> fx, Vec<T> fy, std::size_t n, double* sums) {
  constexpr std::size_t kPart = kTurns * 4 * lanes<T>;
  const auto add = [=](Vec<T> a, Vec<T> b, Vec<T>(&to)[3]) PAWL_INLINE_LAMBDA {
    if constexpr (kScaled) {
      a = a * fx;
      b = b * fy;
    }
    to[0] = fma<T>(a, b, to[0]);
    to[1] = fma<T>(a, a, to[1]);
    to[2] = fma<T>(b, b, to[2]);
  };
  double error[3] = {};
  sums[0] = sums[1] = sums[2] = 0;
  for (std::size_t i = 0; i < n; i += kPart) {
    const T *px = x + i, *py = y + i;
    T part[3];
    sum_several<T, 3>(
        n - i < kPart ? n - i : kPart, part,
        [=](std::size_t k, Vec<T>(&to)[3]) PAWL_INLINE_LAMBDA { add(load<T>(px + k), load<T>(py + k), to); },
        [=](std::size_t k, std::size_t count, Vec<T>(&to)[3])
            PAWL_INLINE_LAMBDA { add(load_first<T>(px + k, count), load_first<T>(py + k, count), to); });
    unroll<3>([&](auto k) PAWL_INLINE_LAMBDA {
      const double term = static_cast<double>(part[k]), s = sums[k] + term, taken = s - sums[k];
      error[k] += (sums[k] - (s - taken)) + (term - taken);
      sums[k] = s;
    });
  }
  // Beside an infinity the error is NaN, and the sum stands alone.
  unroll<3>([&](auto k) PAWL_INLINE_LAMBDA {
    if (error[k] == error[k]) sums[k] += error[k];
  });
}

template <class T>
static void cosine_sums(const T* x, const T* y, T scale_x, T scale_y, std::size_t n, double* sums) noexcept {
  if (scale_x == T(1) && scale_y == T(1))
    cosine_sums_of<T, false>(x, y, Vec<T>(T(1)), Vec<T>(T(1)), n, sums);
  else
    cosine_sums_of<T, true>(x, y, Vec<T>(scale_x), Vec<T>(scale_y), n, sums);
}

}  // namespace pawl::PAWL_ISA_NS
