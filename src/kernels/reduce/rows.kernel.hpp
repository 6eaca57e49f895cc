// rows.kernel.hpp -- rows of a matrix -> one sum or extreme each; the lanes of as many rows as a vector has lanes are
// folded together.
//
// Folding the lanes of one vector takes log2(lanes) steps that wait for each other, and each uses half the lanes of the
// one before: as much time as 16 vectors of a row take. Halves of two vectors fill whole vectors again, so that the
// lanes of W rows take W - 1 operations. The order is that of reduce_add with AVX-512: by halves.
#pragma once
#include <type_traits>

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

// Vectors of a row from which every row is folded by itself, where that gives the same bits: the steps of one row wait
// for each other, but the next row is loaded meanwhile, and no vector goes to memory and back. Time together over one
// by one: 80 f32 1.18, 256 f32 1.12, 16 f64 1.11, 96 f64 1.16; 48 f32 0.88, 10 f64 1.01 (500 to 1000 rows; Zen 4).
template <class T>
inline constexpr std::size_t kVectorsOneByOne = sizeof(T) == 4 ? 5 : 2;

// Four chains: additions take 2 to 4 cycles, two start in each, and the next row overlaps the end of this one; eight,
// as for long sums, have more to fold at the end of each row (x0.8 at 256 elements in L1).
inline constexpr std::size_t kRowChains = 4;

// Elements up to which no chain has more than kTurns terms.
template <class T>
inline constexpr std::size_t kLongestRow = kRowChains* kTurns* lanes<T>;

// A vector whose lanes add up to whole(i, s) over the vectors at i of at most kLongestRow elements; first(i, count, s)
// of what is left.
template <class T, class Whole, class First>
PAWL_INLINE Vec<T> row_terms(std::size_t n, Whole whole, First first) {
  constexpr std::size_t W = lanes<T>;
  Vec<T> s[kRowChains];
  unroll<kRowChains>([&](auto c) PAWL_INLINE_LAMBDA { s[c] = Vec<T>(T(0)); });
  std::size_t i = 0;
  for (; i + kRowChains * W <= n; i += kRowChains * W)
    unroll<kRowChains>([&](auto c) PAWL_INLINE_LAMBDA { s[c] = whole(i + c * W, s[c]); });
  // What is left goes to chains of its own, none of which waits for another.
  unroll<kRowChains - 1>([&](auto c) PAWL_INLINE_LAMBDA {
    if (i + W > n) return;
    s[c] = whole(i, s[c]);
    i += W;
  });
  if (i < n) s[kRowChains - 1] = first(i, n - i, s[kRowChains - 1]);
  return fold<T>(s);
}

// The same of kVectors vectors and less than one more: the same additions but for those of 0. With the loop of four
// chains 1203 rows of 9 f64 took 1.6 times as long (3.4 us; Zen 4).
template <class T, std::size_t kVectors, class Whole, class First>
PAWL_INLINE Vec<T> short_row_terms(std::size_t n, Whole whole, First first) {
  static_assert(kVectors < kRowChains);
  constexpr std::size_t W = lanes<T>, kWhole = kVectors * W;
  const Vec<T> zero(T(0));
  if constexpr (kVectors == 0) {
    return first(0, n, zero);
  } else {
    Vec<T> s[kVectors];
    unroll<kVectors>([&](auto c) PAWL_INLINE_LAMBDA { s[c] = whole(c * W, zero); });
    const auto left = [&]() PAWL_INLINE_LAMBDA { return first(kWhole, n - kWhole, zero); };
    if constexpr (kVectors == 1)
      return n > kWhole ? s[0] + left() : s[0];
    else if constexpr (kVectors == 2)
      return n > kWhole ? (s[0] + s[1]) + left() : s[0] + s[1];
    else
      return (s[0] + s[1]) + (n > kWhole ? s[2] + left() : s[2]);
  }
}

// body(a constant: length / lanes, or kRowChains if that is less).
template <class T, class Body>
PAWL_INLINE void with_vectors_of_row(std::size_t length, Body body) {
  using std::integral_constant;
  static_assert(kRowChains == 4);
  switch (length / lanes<T>) {
    case 0:
      return body(integral_constant<std::size_t, 0>{});
    case 1:
      return body(integral_constant<std::size_t, 1>{});
    case 2:
      return body(integral_constant<std::size_t, 2>{});
    case 3:
      return body(integral_constant<std::size_t, 3>{});
    default:
      return body(integral_constant<std::size_t, kRowChains>{});
  }
}

// A vector whose lanes add up to the terms of a row of kVectors vectors, or of kRowChains of them or more.
template <class T, std::size_t kVectors, class Whole, class First>
PAWL_INLINE Vec<T> terms_of_row(std::size_t n, Whole whole, First first) {
  if constexpr (kVectors < kRowChains)
    return short_row_terms<T, kVectors>(n, whole, first);
  else
    return row_terms<T>(n, whole, first);
}

#if defined(PAWL_ISA_IS_avx512)
// As row_terms() of a row that begins within a line, to the bit. add: as LineChains takes it.
template <class T, class Add>
PAWL_INLINE Vec<T> row_terms_of_lines(const T* x, std::size_t n, Add add) {
  constexpr std::size_t W = lanes<T>, kTurn = kRowChains * W;
  const std::size_t turns = n / kTurn;
  Vec<T> s[kRowChains];
  LineChains<T>(x).template sum<kRowChains>(0, turns, s, add);
  std::size_t i = turns * kTurn;
  unroll<kRowChains - 1>([&](auto c) PAWL_INLINE_LAMBDA {
    if (i + W > n) return;
    s[c] = add(static_cast<std::ptrdiff_t>(i), s[c], [](const T* p) PAWL_INLINE_LAMBDA { return load<T>(p); });
    i += W;
  });
  if (i < n)
    s[kRowChains - 1] = add(static_cast<std::ptrdiff_t>(i), s[kRowChains - 1],
                            [=](const T* p) PAWL_INLINE_LAMBDA { return load_first<T>(p, n - i); });
  return fold<T>(s);
}
#endif

template <class T, std::size_t kVectors>
PAWL_INLINE Vec<T> row_sum(const T* x, std::size_t n) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (kVectors == kRowChains)
    if (LineChains<T>::suits(x, n))
      return row_terms_of_lines<T>(
          x, n, [=](std::ptrdiff_t i, Vec<T> s, auto of) PAWL_INLINE_LAMBDA { return s + of(x + i); });
#endif
  return terms_of_row<T, kVectors>(
      n, [=](std::size_t i, Vec<T> s) PAWL_INLINE_LAMBDA { return s + load<T>(x + i); },
      [=](std::size_t i, std::size_t count, Vec<T> s) PAWL_INLINE_LAMBDA { return s + load_first<T>(x + i, count); });
}

// v[k] = of(k) for the first `count`, 0 for the others. A constant number of rows: 5 % faster at 256 elements than
// `count` of them.
template <class T, class Of>
PAWL_INLINE void each_row(Vec<T> (&v)[lanes<T>], std::size_t count, Of of) {
  constexpr std::size_t W = lanes<T>;
  if (count == W) [[likely]] {
    for (std::size_t k = 0; k < W; ++k) v[k] = of(k);
  } else {
    for (std::size_t k = 0; k < count; ++k) v[k] = of(k);
    for (std::size_t k = count; k < W; ++k) v[k] = Vec<T>(T(0));
  }
}

template <class T>
PAWL_INLINE Vec<T> add_lanes(const Vec<T> (&v)[lanes<T>]) {
  return fold_lanes<T>(v, [](Vec<T> a, Vec<T> b) { return a + b; });
}

// out[r] = finish(sum of the lanes of of(row r)).
template <class T, class Of, class Finish>
PAWL_INLINE void fold_rows(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t length, T* out, Of of,
                           Finish finish) {
  constexpr std::size_t W = lanes<T>;
  const std::size_t one_by_one = kRowsOneByOne != 0 && length >= kVectorsOneByOne<T> * W ? rows : kRowsOneByOne;
  const auto row = [=](std::size_t r) PAWL_INLINE_LAMBDA { return x + static_cast<std::ptrdiff_t>(r) * stride; };
  for (std::size_t r = 0; r < rows; r += W) {
    const std::size_t count = rows - r < W ? rows - r : W;
    if (rows - r <= one_by_one) {
      for (std::size_t k = r; k < rows; ++k) out[k] = finish(reduce_add<T>(of(row(k))));
      return;
    }
    Vec<T> v[W];
    each_row<T>(v, count, [&](std::size_t k) PAWL_INLINE_LAMBDA { return of(row(r + k)); });
    store_first<T>(out + r, finish(add_lanes<T>(v)), count);
  }
}

/// out[r] = sum, or mean, of row r. The division is here, where it takes its time while the next rows are on their way.
template <class T, bool kMean>
static void sum_rows(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t length, T* out) noexcept {
  const auto finish = [&](auto sum) PAWL_INLINE_LAMBDA {
    if constexpr (kMean)
      return sum / decltype(sum)(static_cast<T>(length));
    else
      return sum;
  };
  if (length > kLongestRow<T>) {
    return fold_rows<T>(
        x, stride, rows, length, out, [=](const T* p) PAWL_INLINE_LAMBDA { return sum_vector<T>(p, length); }, finish);
  }
  with_vectors_of_row<T>(length, [=](auto vectors) PAWL_INLINE_LAMBDA {
    fold_rows<T>(
        x, stride, rows, length, out, [=](const T* p) PAWL_INLINE_LAMBDA { return row_sum<T, vectors>(p, length); },
        finish);
  });
}

// Chains of the extremes of a row: eight from twice as many vectors on with AVX-512, where extremes are all that is
// left for them to wait for. Time with four over time with eight, 256 x 256 in L2, an Emerald Rapids: f32 and f64 1.14.
template <class T>
PAWL_INLINE bool long_enough_for_all_chains([[maybe_unused]] std::size_t length) {
#if defined(PAWL_ISA_IS_avx512)
  return length >= 2 * kChains * lanes<T>;
#else
  return false;
#endif
}

// Lane k of `extremes` = the smallest (largest) element of row k but for NaNs, k < count; whether there are none.
// length >= lanes.
template <class T, bool kSmallest, std::size_t kCount, class Row>
PAWL_INLINE bool extremes_by_chains(Row row, std::size_t count, std::size_t length, Vec<T>& extremes) {
  constexpr std::size_t W = lanes<T>;
  Vec<T> best[W];
  Ordered<T> ordered = all_ordered<T>();
  for (std::size_t k = 0; k < count; ++k)
    ordered = both_ordered<T>(ordered, extreme_vector<T, kSmallest, kCount>(row(k), length, best[k]));
  for (std::size_t k = count; k < W; ++k) best[k] = Vec<T>(T(0));
  extremes = fold_lanes<T>(best, pick<T, kSmallest>);
  return none_is_nan<T>(ordered);
}

template <class T, bool kSmallest, class Row>
PAWL_INLINE bool extremes_of_rows(Row row, std::size_t count, std::size_t length, Vec<T>& extremes) {
  return long_enough_for_all_chains<T>(length)
             ? extremes_by_chains<T, kSmallest, kChains>(row, count, length, extremes)
             : extremes_by_chains<T, kSmallest, kRowChains>(row, count, length, extremes);
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
    Vec<T> extremes;
    const bool plain = extremes_of_rows<T, kSmallest>([=](std::size_t k) PAWL_INLINE_LAMBDA { return row(r + k); },
                                                      count, length, extremes);
    store_first<T>(out + r, extremes, count);
    if (plain) continue;
    for (std::size_t k = 0; k < count; ++k) out[r + k] = extreme<T, kSmallest>(row(r + k), length);
  }
}

}  // namespace pawl::PAWL_ISA_NS
