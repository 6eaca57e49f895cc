// line_chains.kernel.hpp -- an array that does not begin with a line -> sums of chains of its vectors, from loads of
// whole lines.
//
// A vector of a line's width that begins within one takes two, and from L2 twice the time. So vectors of whole lines
// are added up: lane j of a line is lane j - first of the vector that begins in it, or of the one before. Each chain of
// lines is a part of two chains of vectors then, and a shuffle in the end takes these out. Every number meets those
// that it would have met, in the same order: no bit of a sum depends on where an array begins. Only AVX-512, whose
// vectors are lines. Time of vectors over time so on an Emerald Rapids, 16 bytes off, sums and dot products of f32 and
// f64 in L1 and L2: 1.9 to 2.3 and 1.8 to 2.9, as long as from whole lines.
#pragma once
#include "kernels/line_parts.kernel.hpp"
#include "kernels/vec.hpp"

namespace pawl::PAWL_ISA_NS {

#if defined(PAWL_ISA_IS_avx512)
/// Where an array begins within its line.
template <class T>
class LineChains {
 public:
  explicit LineChains(const T* x) {
    const std::size_t first = LineParts<T>::elements_before(x);
    high_ = LineParts<T>::first(first);
    if constexpr (sizeof(T) == 4)
      place_ = _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(first)),
                                _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    else
      place_ =
          _mm512_add_epi64(_mm512_set1_epi64(static_cast<long long>(first)), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
    before_ = static_cast<std::ptrdiff_t>(first);
  }

  /// Whether n elements from x on are worth it: they do not begin with a line.
  static bool suits(const T* x, std::size_t n) { return n >= kLeast && LineParts<T>::begins_within(x); }

  /// sum[c] = the sum of the terms of the vectors at + c W, at + (c + kChains) W, ... of `turns` each, turns >= 1; `at`
  /// is a whole number of lines from the beginning. add(i, s, of): s and the terms of the line whose first lane is
  /// element i; of(p) are the numbers at p, where some of them are none of the array 0.
  template <std::size_t kChains, class Add>
  PAWL_INLINE void sum(std::size_t at, std::size_t turns, Vec<T> (&sum)[kChains], Add add) const {
    constexpr auto W = static_cast<std::ptrdiff_t>(lanes<T>), kTurn = static_cast<std::ptrdiff_t>(kChains) * W;
    std::ptrdiff_t i = static_cast<std::ptrdiff_t>(at) - before_;
    Vec<T> s[kChains];
    unroll<kChains>([&](auto c) PAWL_INLINE_LAMBDA {
      const auto whole = [](const T* p) PAWL_INLINE_LAMBDA { return load<T>(p); };
      const auto high = [this](const T* p) PAWL_INLINE_LAMBDA { return masked(high_, p); };
      if constexpr (c == 0)
        s[c] = add(i, Vec<T>(T(0)), high);
      else
        s[c] = add(i + static_cast<std::ptrdiff_t>(c) * W, Vec<T>(T(0)), whole);
    });
    for (std::size_t t = 1; t < turns; ++t) {
      i += kTurn;
      unroll<kChains>([&](auto c) PAWL_INLINE_LAMBDA {
        s[c] =
            add(i + static_cast<std::ptrdiff_t>(c) * W, s[c], [](const T* p) PAWL_INLINE_LAMBDA { return load<T>(p); });
      });
    }
    s[0] = add(i + kTurn, s[0], [this](const T* p) PAWL_INLINE_LAMBDA { return masked(static_cast<Mask>(~high_), p); });
    unroll<kChains>([&](auto c) PAWL_INLINE_LAMBDA { sum[c] = joined(s[c], s[(c + 1) % kChains]); });
  }

 private:
  using Mask = typename LineParts<T>::Mask;
  // Fewer elements are over before it pays.
  static constexpr std::size_t kLeast = 16 * lanes<T>;

  PAWL_INLINE static Vec<T> masked(Mask mask, const T* line) { return Vec<T>(LineParts<T>::load(mask, line)); }
  PAWL_INLINE Vec<T> joined(Vec<T> a, Vec<T> b) const {
    if constexpr (sizeof(T) == 4)
      return Vec<T>(_mm512_permutex2var_ps(a, place_, b));
    else
      return Vec<T>(_mm512_permutex2var_pd(a, place_, b));
  }

  __m512i place_;
  Mask high_;
  std::ptrdiff_t before_;
};
#endif

}  // namespace pawl::PAWL_ISA_NS
