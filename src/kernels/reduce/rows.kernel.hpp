// rows.kernel.hpp -- rows of a matrix -> one sum or extreme each; the lanes of as many rows as a vector has lanes are
// folded together.
//
// Folding the lanes of one vector takes log2(lanes) steps that wait for each other, and each uses half the lanes of the
// one before: as much time as 16 vectors of a row take. Halves of two vectors fill whole vectors again, so that the
// lanes of W rows take W - 1 operations. The order is that of reduce_add with AVX-512: by halves.
#pragma once
#include "kernels/simd/reduce.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

#if !defined(PAWL_ISA_IS_scalar)
/// Lanes of a and b, counted on from a's to b's.
template <class T, class Place, std::size_t... I>
PAWL_INLINE Vec<T> shuffled(Vec<T> a, Vec<T> b, Place place, std::index_sequence<I...>) {
  using R = typename Vec<T>::register_type;
  (void)place;
  return Vec<T>((R)__builtin_shufflevector((R)a, (R)b, static_cast<int>(Place{}(I))...));
}

/// op(every lane group that is first of two, every one that is second), a's before b's within each 2 kWithin lanes; a
/// group has kSize lanes.
template <class T, std::size_t kSize, std::size_t kWithin, class Op>
PAWL_INLINE Vec<T> fold_halves(Vec<T> a, Vec<T> b, Op op) {
  constexpr auto place = [](std::size_t i, bool second) {
    const std::size_t part = i / kWithin * kWithin, at = i % kWithin, from = at * 2 / kWithin,
                      half = at % (kWithin / 2);
    return from * lanes<T> + part + half / kSize * 2 * kSize + half % kSize + (second ? kSize : 0);
  };
  constexpr auto all = std::make_index_sequence<lanes<T>>{};
  return op(shuffled<T>(
                a, b, [](std::size_t i) constexpr { return decltype(place){}(i, false); }, all),
            shuffled<T>(
                a, b, [](std::size_t i) constexpr { return decltype(place){}(i, true); }, all));
}

/// Lane k of the result is the fold of v[k].
template <class T, class Op>
PAWL_INLINE Vec<T> fold_lanes(const Vec<T> (&v)[lanes<T>], Op op) {
  constexpr std::size_t W = lanes<T>, L = 16 / sizeof(T), kParts = W / L;
  // Lane L j + e of the result comes from 128 bits j of quarter e, which are the rows e, e + L, e + 2 L, ...
  const auto quarter = [&](std::size_t e) PAWL_INLINE_LAMBDA {
    if constexpr (kParts == 1)
      return v[e];
    else if constexpr (kParts == 2)
      return fold_halves<T, L, W>(v[e], v[e + L], op);
    else
      return fold_halves<T, L, W>(fold_halves<T, 2 * L, W>(v[e], v[e + L], op),
                                  fold_halves<T, 2 * L, W>(v[e + 2 * L], v[e + 3 * L], op), op);
  };
  if constexpr (L == 2)
    return fold_halves<T, 1, 2>(quarter(0), quarter(1), op);
  else
    return fold_halves<T, 1, 4>(fold_halves<T, 2, 4>(quarter(0), quarter(1), op),
                                fold_halves<T, 2, 4>(quarter(2), quarter(3), op), op);
}
#else
template <class T, class Op>
PAWL_INLINE Vec<T> fold_lanes(const Vec<T> (&v)[1], Op) {
  return v[0];
}
#endif

// Rows up to which their lanes are folded one by one: together, each of W rows takes a step, whether it is there or not
// (2 rows of 104 f32, the whole call: 105 ns, 63 one by one; Zen 4). Elsewhere reduce_add adds in another order than
// fold_lanes, and no bit may depend on which rows stand together.
#if defined(PAWL_ISA_IS_avx512)
inline constexpr std::size_t kRowsOneByOne = 4;
#else
inline constexpr std::size_t kRowsOneByOne = 0;
#endif

// Four chains: additions take 2 to 4 cycles, two start in each, and the next row overlaps the end of this one; eight,
// as for long sums, have more to fold at the end of each row (x0.8 at 256 elements in L1).
inline constexpr std::size_t kRowChains = 4;

// Elements up to which no chain has more than kTurns terms.
template <class T>
inline constexpr std::size_t kLongestRow = kRowChains* kTurns* lanes<T>;

// A vector whose lanes add up to the sum of at most kLongestRow elements.
template <class T>
PAWL_INLINE Vec<T> row_sum(const T* x, std::size_t n) {
  constexpr std::size_t W = lanes<T>;
  Vec<T> s[kRowChains];
  unroll<kRowChains>([&](auto c) PAWL_INLINE_LAMBDA { s[c] = Vec<T>(T(0)); });
  std::size_t i = 0;
  for (; i + kRowChains * W <= n; i += kRowChains * W)
    unroll<kRowChains>([&](auto c) PAWL_INLINE_LAMBDA { s[c] = s[c] + load<T>(x + i + c * W); });
  // What is left goes to chains of its own, none of which waits for another.
  unroll<kRowChains - 1>([&](auto c) PAWL_INLINE_LAMBDA {
    if (i + W > n) return;
    s[c] = s[c] + load<T>(x + i);
    i += W;
  });
  if (i < n) s[kRowChains - 1] = s[kRowChains - 1] + load_first<T>(x + i, n - i);
  return fold<T>(s);
}

/// out[r] = sum, or mean, of row r. The division is here, where it takes its time while the next rows are on their way.
template <class T, bool kMean>
static void sum_rows(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t length, T* out) noexcept {
  constexpr std::size_t W = lanes<T>;
  const auto row = [=](std::size_t r) PAWL_INLINE_LAMBDA { return x + static_cast<std::ptrdiff_t>(r) * stride; };
  for (std::size_t r = 0; r < rows; r += W) {
    const std::size_t count = rows - r < W ? rows - r : W;
    if (count <= kRowsOneByOne && length <= kLongestRow<T>) {
      for (std::size_t k = 0; k < count; ++k) {
        const T sum = reduce_add<T>(row_sum<T>(row(r + k), length));
        out[r + k] = kMean ? sum / static_cast<T>(length) : sum;
      }
      return;
    }
    Vec<T> v[W];
    if (length <= kLongestRow<T> && count == W) [[likely]] {
      // A constant number of rows: 5 % faster at 256 elements than `count` of them.
      for (std::size_t k = 0; k < W; ++k) v[k] = row_sum<T>(row(r + k), length);
    } else if (length <= kLongestRow<T>) {
      for (std::size_t k = 0; k < count; ++k) v[k] = row_sum<T>(row(r + k), length);
    } else {
      for (std::size_t k = 0; k < count; ++k) v[k] = sum_vector<T>(row(r + k), length);
    }
    for (std::size_t k = count; k < W; ++k) v[k] = Vec<T>(T(0));
    Vec<T> sums = fold_lanes<T>(v, [](Vec<T> a, Vec<T> b) { return a + b; });
    if constexpr (kMean) sums = sums / Vec<T>(static_cast<T>(length));
    store_first<T>(out + r, sums, count);
  }
}

/// out[r] = the smallest (largest) element of row r, NaN if there is one.
template <class T, bool kSmallest>
static void extreme_rows(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t length, T* out) noexcept {
  constexpr std::size_t W = lanes<T>;
  const auto row = [=](std::size_t r) PAWL_INLINE_LAMBDA { return x + static_cast<std::ptrdiff_t>(r) * stride; };
  if (length < W) {
    for (std::size_t r = 0; r < rows; ++r) out[r] = extreme<T, kSmallest>(row(r), length);
    return;
  }
  for (std::size_t r = 0; r < rows; r += W) {
    const std::size_t count = rows - r < W ? rows - r : W;
    if (count <= kRowsOneByOne) {
      for (std::size_t k = r; k < rows; ++k) out[k] = extreme<T, kSmallest>(row(k), length);
      return;
    }
    Vec<T> best[W], odd(T(0));
    for (std::size_t k = 0; k < count; ++k) {
      Vec<T> oddities;
      extreme_vector<T, kSmallest, kRowChains>(row(r + k), length, best[k], oddities);
      odd = odd + oddities;
    }
    for (std::size_t k = count; k < W; ++k) best[k] = Vec<T>(T(0));
    store_first<T>(out + r, fold_lanes<T>(best, pick<T, kSmallest>), count);
    if (equal_lanes<T>(odd, Vec<T>(T(0))) == (std::uint32_t{1} << W) - 1) continue;
    for (std::size_t k = 0; k < count; ++k) out[r + k] = extreme<T, kSmallest>(row(r + k), length);
  }
}

}  // namespace pawl::PAWL_ISA_NS
