// reduce.kernel.hpp -- contiguous elements -> one value (dot, sum, min, max), written once for every ISA.
#pragma once
#include "kernels/simd/boundary.kernel.hpp"
#include "kernels/simd/line_chains.kernel.hpp"
#include "kernels/simd/nan_look.kernel.hpp"
#include "kernels/vec_bits.hpp"
#include "pawl/isa.hpp"

namespace pawl::PAWL_ISA_NS {

// Eight accumulators: an FMA takes 4 cycles and two start in each, so fewer chains would wait for themselves.
inline constexpr std::size_t kChains = 8;

// Terms of one chain before its sum is set aside: 64 roundings, whatever the length of the whole.
inline constexpr std::size_t kTurns = 64;

// Elements from which one array is read at kStreams places at once: at the start of every page the prefetchers begin
// anew and the page's address is looked up, and now the other goes on meanwhile. sum, mean, norm and max, time before
// over since: 1.0 while L3 holds the array, from there on 1.07 to 1.18 with pages of 4 KiB and 1.0 to 1.15 with huge
// ones. Four places gave 1.07 to 1.28 with small pages, but 0.86 to 1.0 with huge ones (Zen 4). The two arrays of a
// dot product gained nothing.
inline constexpr std::size_t kFar = std::size_t{1} << 17, kStreams = 2, kStreamChains = kChains / kStreams;

// The vector of chain c where the streams, `part` elements apart, have come to i.
template <class T>
PAWL_INLINE std::size_t place_in_stream(std::size_t c, std::size_t part, std::size_t i) {
  return c / kStreamChains * part + i + c % kStreamChains * lanes<T>;
}

// sum += term; what the addition rounds away goes to `error` (two-sum: Knuth, The Art of Computer Programming, 4.2.2).
template <class T>
PAWL_INLINE void add_compensated(Vec<T>& sum, Vec<T>& error, Vec<T> term) {
  const Vec<T> s = sum + term, part = s - sum;
  error = error + ((sum - (s - part)) + (term - part));
  sum = s;
}

// sum + error. Beside an infinity the error is NaN, and the sum stands alone.
template <class T>
PAWL_INLINE Vec<T> compensated(Vec<T> sum, Vec<T> error) {
  return sum + select_less<T>(magnitude<T>(error), Vec<T>(std::numeric_limits<T>::infinity()), error, Vec<T>(T(0)));
}

// The fold of four or eight chains.
template <class T, std::size_t kCount, class Op>
PAWL_INLINE Vec<T> fold_chains(const Vec<T> (&s)[kCount], Op op) {
  static_assert(kCount == 4 || kCount == 8);
  const Vec<T> first = op(op(s[0], s[1]), op(s[2], s[3]));
  if constexpr (kCount == 8)
    return op(first, op(op(s[4], s[5]), op(s[6], s[7])));
  else
    return first;
}

template <class T, std::size_t kCount>
PAWL_INLINE Vec<T> fold(const Vec<T> (&s)[kCount]) {
  return fold_chains<T>(s, [](Vec<T> a, Vec<T> b) PAWL_INLINE_LAMBDA { return a + b; });
}

// A vector whose lanes add up to the sum of term(i) over vectors at i; the tail is masked with zeros, which add
// nothing. Short arrays never touch all chains; in long ones the chains are cut after kTurns terms and their sums added
// with compensation, so that the error does not grow with n (superblocks: Castaldo, Whaley and Chronopoulos, SIAM J.
// Sci. Comput. 31 (2008)). kByStreams: of long arrays, at several places at once.
template <class T, bool kByStreams = false, class Whole, class Tail>
PAWL_INLINE Vec<T> sum_of_terms(std::size_t n, Whole whole, Tail tail) {
  constexpr std::size_t W = lanes<T>, kTurn = kChains * W;
  Vec<T> rest(T(0)), cut(T(0));
  std::size_t i = 0;
  if (n >= kTurn) {
    Vec<T> s[kChains];
    const auto clear = [&]() PAWL_INLINE_LAMBDA {
      unroll<kChains>([&](auto c) PAWL_INLINE_LAMBDA { s[c] = Vec<T>(T(0)); });
    };
    if constexpr (kByStreams) {
      if (n >= kFar) [[unlikely]] {
        constexpr std::size_t kStep = kStreamChains * W, kCut = kTurns * kStep;
        const std::size_t part = n / kStreams / kCut * kCut;
        Vec<T> sum(T(0)), error(T(0));
        for (std::size_t end = kCut; end <= part; end += kCut) {
          clear();
          for (std::size_t at = end - kCut; at < end; at += kStep)
            unroll<kChains>([&](auto c) PAWL_INLINE_LAMBDA { s[c] = whole(place_in_stream<T>(c, part, at), s[c]); });
          add_compensated<T>(sum, error, fold<T>(s));
        }
        rest = compensated<T>(sum, error);
        i = kStreams * part;  // less than kTurns turns are left
      }
    }
    const auto sum_until = [&](std::size_t end) PAWL_INLINE_LAMBDA {
      for (; i < end; i += kTurn) unroll<kChains>([&](auto c) PAWL_INLINE_LAMBDA { s[c] = whole(i + c * W, s[c]); });
    };
    clear();
    if (n - i >= 2 * kTurns * kTurn) {
      Vec<T> sum(T(0)), error(T(0));
      do {
        sum_until(i + kTurns * kTurn);
        add_compensated<T>(sum, error, fold<T>(s));
        clear();
      } while (i + kTurns * kTurn <= n);
      rest = compensated<T>(sum, error);
    }
    sum_until(i + (n - i) / kTurn * kTurn);
    rest = rest + fold<T>(s);
  }
  for (; i + W <= n; i += W) rest = whole(i, rest);
  if (i < n) cut = tail(i, n - i, cut);
  return rest + cut;
}

template <class T, bool kByStreams = false, class Whole, class Tail>
PAWL_INLINE T sum_terms(std::size_t n, Whole whole, Tail tail) {
  return reduce_add<T>(sum_of_terms<T, kByStreams>(n, whole, tail));
}

#if defined(PAWL_ISA_IS_avx512)
// As sum_of_terms<T, kByStreams>() of what begins at x within a line, to the bit. add: as LineChains takes it.
template <class T, bool kByStreams, class Add>
PAWL_INLINE Vec<T> sum_of_lines(const T* x, std::size_t n, Add add) {
  constexpr std::size_t W = lanes<T>, kTurn = kChains * W;
  const LineChains<T> chains(x);
  const auto term = [&](std::size_t at, Vec<T> s) PAWL_INLINE_LAMBDA {
    return add(static_cast<std::ptrdiff_t>(at), s, [](const T* p) PAWL_INLINE_LAMBDA { return load<T>(p); });
  };
  Vec<T> s[kChains], rest(T(0)), cut(T(0));
  std::size_t i = 0;
  if (kByStreams && n >= kFar) {
    constexpr std::size_t kCut = kTurns * kStreamChains * W;
    const std::size_t part = n / kStreams / kCut * kCut;
    Vec<T> sum(T(0)), error(T(0));
    for (std::size_t at = 0; at < part; at += kCut) {
      static_assert(kStreams == 2);
      Vec<T> first[kStreamChains], second[kStreamChains];
      chains.template sum<kStreamChains>(at, kTurns, first, add);
      chains.template sum<kStreamChains>(part + at, kTurns, second, add);
      unroll<kStreamChains>([&](auto c) PAWL_INLINE_LAMBDA {
        s[c] = first[c];
        s[kStreamChains + c] = second[c];
      });
      add_compensated<T>(sum, error, fold<T>(s));
    }
    rest = compensated<T>(sum, error);
    i = kStreams * part;
  }
  if (n - i >= 2 * kTurns * kTurn) {
    Vec<T> sum(T(0)), error(T(0));
    do {
      chains.template sum<kChains>(i, kTurns, s, add);
      add_compensated<T>(sum, error, fold<T>(s));
      i += kTurns * kTurn;
    } while (i + kTurns * kTurn <= n);
    rest = compensated<T>(sum, error);
  }
  if (const std::size_t turns = (n - i) / kTurn; turns > 0) {
    chains.template sum<kChains>(i, turns, s, add);
    rest = rest + fold<T>(s);
    i += turns * kTurn;
  }
  for (; i + W <= n; i += W) rest = term(i, rest);
  if (i < n)
    cut = add(static_cast<std::ptrdiff_t>(i), cut,
              [=](const T* p) PAWL_INLINE_LAMBDA { return load_first<T>(p, n - i); });
  return rest + cut;
}

// Whether arrays are read line by line, of n elements in all and `bytes` bytes: L2 is what two lines for a vector cost.
template <class T>
PAWL_INLINE bool wants_lines(const T* x, std::size_t n, std::size_t bytes) {
  return LineChains<T>::suits(x, n) && (n < kFar || bytes <= assumed_cache_sizes().l2_bytes);
}
#endif

template <class T>
static T dot(const T* x, const T* y, std::size_t n) noexcept {
#if defined(PAWL_ISA_IS_avx512)
  const auto apart = reinterpret_cast<std::uintptr_t>(x) - reinterpret_cast<std::uintptr_t>(y);
  if (apart % 64 == 0 && wants_lines(x, n, 2 * n * sizeof(T)))
    return reduce_add<T>(sum_of_lines<T, false>(
        x, n, [=](std::ptrdiff_t i, Vec<T> s, auto of) PAWL_INLINE_LAMBDA { return fma<T>(of(x + i), of(y + i), s); }));
#endif
  return sum_terms<T>(
      n, [=](std::size_t i, Vec<T> s) PAWL_INLINE_LAMBDA { return fma<T>(load<T>(x + i), load<T>(y + i), s); },
      [=](std::size_t i, std::size_t count, Vec<T> s)
          PAWL_INLINE_LAMBDA { return fma<T>(load_first<T>(x + i, count), load_first<T>(y + i, count), s); });
}

// A vector whose lanes add up to the sum.
template <class T>
PAWL_INLINE Vec<T> sum_vector(const T* x, std::size_t n) {
#if defined(PAWL_ISA_IS_avx512)
  if (wants_lines(x, n, n * sizeof(T)))
    return sum_of_lines<T, true>(x, n,
                                 [=](std::ptrdiff_t i, Vec<T> s, auto of) PAWL_INLINE_LAMBDA { return s + of(x + i); });
#endif
  return sum_of_terms<T, true>(
      n, [=](std::size_t i, Vec<T> s) PAWL_INLINE_LAMBDA { return s + load<T>(x + i); },
      [=](std::size_t i, std::size_t count, Vec<T> s) PAWL_INLINE_LAMBDA { return s + load_first<T>(x + i, count); });
}

template <class T>
static T sum(const T* x, std::size_t n) noexcept {
  return reduce_add<T>(sum_vector<T>(x, n));
}

// Smallest (or largest) of all lanes, none of them NaN.
template <class T, bool kSmallest>
PAWL_INLINE T reduce_extreme(Vec<T> v) {
  return kSmallest ? -reduce_max<T>(negate<T>(v)) : reduce_max<T>(v);
}

// The smaller (or larger) of each lane.
template <class T, bool kSmallest>
PAWL_INLINE Vec<T> pick(Vec<T> a, Vec<T> b) {
  return kSmallest ? min<T>(a, b) : max<T>(a, b);
}

// Chains of the extremes of a turn: as many as of what is beside them, or no more than fit into 16 registers with it.
#if defined(PAWL_ISA_IS_avx512)
template <std::size_t kCount>
inline constexpr std::size_t kExtremeChains = kCount;
#else
template <std::size_t kCount>
inline constexpr std::size_t kExtremeChains = 4;
#endif

// Of n >= lanes elements: a vector whose extreme is theirs but for NaNs, and whether there is one. min and max return
// their second argument where the first is NaN (vec.hpp), so NaNs are skipped. The look for them has as many chains as
// the turn has vectors: one chain of additions took three times as long as all the rest. AVX2, time with eight chains
// of extremes over time with four: 1.12 to 1.3 for 1000 elements and more within the caches (Emerald Rapids).
template <class T, bool kSmallest, std::size_t kCount = kChains>
PAWL_INLINE Ordered<T> extreme_vector(const T* x, std::size_t n, Vec<T>& best) {
  constexpr std::size_t W = lanes<T>, kTurn = kCount * W, kBests = kExtremeChains<kCount>;
  std::size_t i = 0;
  Ordered<T> ordered = all_ordered<T>();
  if (n < kTurn) {
    best = load<T>(x);
  } else {
    Vec<T> m[kBests];
    NanLook<T, kCount> look;
    const auto two_of_first = [&](auto pair) PAWL_INLINE_LAMBDA {
      constexpr std::size_t c = 2 * pair;
      const Vec<T> v = load<T>(x + c * W), next = load<T>(x + (c + 1) * W);
      m[c % kBests] = c < kBests ? v : pick<T, kSmallest>(v, m[c % kBests]);
      m[(c + 1) % kBests] = c + 1 < kBests ? next : pick<T, kSmallest>(next, m[(c + 1) % kBests]);
      look.at_two(c, v, next);
    };
    unroll<kCount / 2>(two_of_first);
    // From a boundary on: an element that is seen twice changes nothing.
    i = kTurn - beyond_boundary<T>(x, n);
    // Two chains at places next to each other.
    const auto take_two = [&](auto pair, std::size_t at) PAWL_INLINE_LAMBDA {
      constexpr std::size_t c = 2 * pair;
      const Vec<T> v = load<T>(x + at), next = load<T>(x + at + W);
      m[c % kBests] = pick<T, kSmallest>(v, m[c % kBests]);
      m[(c + 1) % kBests] = pick<T, kSmallest>(next, m[(c + 1) % kBests]);
      look.at_two(c, v, next);
    };
    if constexpr (kCount == kChains) {
      if (n >= kFar) [[unlikely]] {
        constexpr std::size_t kStep = kStreamChains * W;
        const std::size_t part = (n - i) / kStreams / kStep * kStep;
        for (std::size_t at = 0; at < part; at += kStep)
          unroll<kChains / 2>([&](auto pair)
                                  PAWL_INLINE_LAMBDA { take_two(pair, place_in_stream<T>(2 * pair, part, i + at)); });
        i += kStreams * part;
      }
    }
    for (; i + kTurn <= n; i += kTurn)
      unroll<kCount / 2>([&](auto pair) PAWL_INLINE_LAMBDA { take_two(pair, i + 2 * pair * W); });
    best = fold_chains<T>(m, pick<T, kSmallest>);
    ordered = look.result();
  }
  if (i == n) return ordered;
  NanLook<T, 1> rest;
  const auto take = [&](std::size_t at) PAWL_INLINE_LAMBDA {
    const Vec<T> v = load<T>(x + at);
    best = pick<T, kSmallest>(v, best);
    rest.at(std::size_t{0}, v);
  };
  for (; i + W <= n; i += W) take(i);
  if (i < n) take(n - W);  // with elements that were seen before
  return both_ordered<T>(ordered, rest.result());
}

#if defined(PAWL_ISA_IS_avx512)
/// x[0 .. n), 1 <= n <= lanes, and x[0] again in the lanes beyond: an element that is seen twice changes nothing.
template <class T>
PAWL_INLINE Vec<T> load_first_again(const T* x, std::size_t n) {
  if constexpr (sizeof(T) == 4)
    return Vec<T>(_mm512_mask_loadu_ps(_mm512_set1_ps(*x), static_cast<__mmask16>((1u << n) - 1), x));
  else
    return Vec<T>(_mm512_mask_loadu_pd(_mm512_set1_pd(*x), static_cast<__mmask8>((1u << n) - 1), x));
}
#endif

// The first NaN of n elements, `otherwise` if there is none.
template <class T>
static T first_nan(const T* x, std::size_t n, T otherwise) {
  constexpr std::size_t W = lanes<T>;
  std::size_t i = 0;
  for (; i + W <= n; i += W) {
    const Vec<T> v = load<T>(x + i);
    if (equal_lanes<T>(v, v) != (std::uint32_t{1} << W) - 1) break;
  }
  for (; i < n; ++i)
    if (__builtin_isnan(x[i])) return x[i];
  return otherwise;
}

// The smallest (or largest) of n >= 1 elements, NaN if any is NaN.
template <class T, bool kSmallest>
static T extreme(const T* x, std::size_t n) noexcept {
  T result = x[0];
  if (n >= lanes<T>) {
    Vec<T> best;
    const Ordered<T> ordered = extreme_vector<T, kSmallest>(x, n, best);
    result = reduce_extreme<T, kSmallest>(best);
    if (none_is_nan<T>(ordered)) [[likely]]
      return result;
  } else {
#if defined(PAWL_ISA_IS_avx512)
    constexpr std::uint32_t kAll = (std::uint32_t{1} << lanes<T>)-1;
    const Vec<T> v = load_first_again<T>(x, n);
    if (equal_lanes<T>(v, v) == kAll) [[likely]]
      return reduce_extreme<T, kSmallest>(v);
#else
    T oddity(0);
    for (std::size_t i = 0; i < n; ++i) {
      result = (kSmallest ? x[i] < result : x[i] > result) ? x[i] : result;
      oddity += x[i] * T(0);
    }
    if (oddity == T(0)) return result;
#endif
  }
  return first_nan<T>(x, n, result);
}

}  // namespace pawl::PAWL_ISA_NS
