// reduce.kernel.hpp -- contiguous elements -> one value (dot, sum, min, max), written once for every ISA.
#pragma once
#include "kernels/vec_bits.hpp"

namespace pawl::PAWL_ISA_NS {

// Eight accumulators: an FMA takes 4 cycles and two start in each, so fewer chains would wait for themselves.
inline constexpr std::size_t kChains = 8;

// Terms of one chain before its sum is set aside: 64 roundings, whatever the length of the whole.
inline constexpr std::size_t kTurns = 64;

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

template <class T>
PAWL_INLINE Vec<T> fold(const Vec<T> (&s)[kChains]) {
  return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

// Sums term(i) over vectors at i; the tail is masked with zeros, which add nothing. Short arrays never touch all
// chains; in long ones the chains are cut after kTurns terms and their sums added with compensation, so that the error
// does not grow with n (superblocks: Castaldo, Whaley and Chronopoulos, SIAM J. Sci. Comput. 31 (2008)).
template <class T, class Whole, class Tail>
PAWL_INLINE T sum_terms(std::size_t n, Whole whole, Tail tail) {
  constexpr std::size_t W = lanes<T>, kTurn = kChains * W;
  Vec<T> rest(T(0)), cut(T(0));
  std::size_t i = 0;
  if (n >= kTurn) {
    Vec<T> s[kChains];
    const auto clear = [&]() PAWL_INLINE_LAMBDA {
      unroll<kChains>([&](auto c) PAWL_INLINE_LAMBDA { s[c] = Vec<T>(T(0)); });
    };
    const auto sum_until = [&](std::size_t end) PAWL_INLINE_LAMBDA {
      for (; i < end; i += kTurn) unroll<kChains>([&](auto c) PAWL_INLINE_LAMBDA { s[c] = whole(i + c * W, s[c]); });
    };
    clear();
    if (n >= 2 * kTurns * kTurn) {
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
  return reduce_add<T>(rest + cut);
}

template <class T>
static T dot(const T* x, const T* y, std::size_t n) noexcept {
  return sum_terms<T>(
      n, [=](std::size_t i, Vec<T> s) PAWL_INLINE_LAMBDA { return fma<T>(load<T>(x + i), load<T>(y + i), s); },
      [=](std::size_t i, std::size_t count, Vec<T> s)
          PAWL_INLINE_LAMBDA { return fma<T>(load_first<T>(x + i, count), load_first<T>(y + i, count), s); });
}

template <class T>
static T sum(const T* x, std::size_t n) noexcept {
  return sum_terms<T>(
      n, [=](std::size_t i, Vec<T> s) PAWL_INLINE_LAMBDA { return s + load<T>(x + i); },
      [=](std::size_t i, std::size_t count, Vec<T> s) PAWL_INLINE_LAMBDA { return s + load_first<T>(x + i, count); });
}

// Smallest (or largest) of all lanes, none of them NaN.
template <class T, bool kSmallest>
PAWL_INLINE T reduce_extreme(Vec<T> v) {
  return kSmallest ? -reduce_max<T>(negate<T>(v)) : reduce_max<T>(v);
}

// The smallest (or largest) of n >= 1 elements, NaN if any is NaN. min and max return their second argument where the
// first is NaN (vec.hpp), so NaNs would be skipped: the sum of 0 * x, NaN for a NaN or an infinity, tells that a look
// is due.
template <class T, bool kSmallest>
static T extreme(const T* x, std::size_t n) noexcept {
  constexpr std::size_t W = lanes<T>;
  const auto pick = [](Vec<T> a, Vec<T> b) { return kSmallest ? min<T>(a, b) : max<T>(a, b); };
  T result = x[0], oddity = T(0);
  if (n >= W) {
    const Vec<T> zero(T(0));
    Vec<T> best = load<T>(x), oddities = best * zero;
    std::size_t i = W;
    if (n >= kChains * W) {
      // As many chains for the oddities as for the extremes: one chain of additions took three times as long as all the
      // rest.
      Vec<T> m[kChains], odd[kChains];
      unroll<kChains>([&](auto c) PAWL_INLINE_LAMBDA {
        m[c] = load<T>(x + c * W);
        odd[c] = m[c] * zero;
      });
      for (i = kChains * W; i + kChains * W <= n; i += kChains * W)
        unroll<kChains>([&](auto c) PAWL_INLINE_LAMBDA {
          const Vec<T> v = load<T>(x + i + c * W);
          m[c] = pick(v, m[c]);
          odd[c] = fma<T>(v, zero, odd[c]);
        });
      best = pick(pick(pick(m[0], m[1]), pick(m[2], m[3])), pick(pick(m[4], m[5]), pick(m[6], m[7])));
      oddities = fold<T>(odd);
    }
    const auto take = [&](std::size_t at) PAWL_INLINE_LAMBDA {
      const Vec<T> v = load<T>(x + at);
      best = pick(v, best);
      oddities = fma<T>(v, zero, oddities);
    };
    for (; i + W <= n; i += W) take(i);
    if (i < n) take(n - W);  // with elements that were seen before
    result = reduce_extreme<T, kSmallest>(best);
    oddity = reduce_add<T>(oddities);
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      result = (kSmallest ? x[i] < result : x[i] > result) ? x[i] : result;
      oddity += x[i] * T(0);
    }
  }
  if (oddity == T(0)) return result;
  for (std::size_t i = 0; i < n; ++i)
    if (__builtin_isnan(x[i])) return x[i];
  return result;
}

}  // namespace pawl::PAWL_ISA_NS
