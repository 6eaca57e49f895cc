// map.kernel.hpp -- a function of a vector -> a loop over contiguous elements that takes four vectors at a time.
#pragma once
#include <type_traits>

#include "kernels/simd/elementwise.kernel.hpp"
#include "kernels/vec_bits.hpp"

namespace pawl::PAWL_ISA_NS {

template <class F, class T>
concept HasOrdinaryWay = requires(F f, Vec<T> v) {
  f.of_ordinary(v);
};

#if defined(PAWL_ISA_IS_avx512)
// Bit patterns of magnitudes are ordered as the numbers are, NaN above all; those of negative numbers are above those
// of all positive ones. So ordinary lanes (exp.kernel.hpp) are those whose pattern is below that of kOrdinary.
template <class F>
PAWL_INLINE __m512i order_of(Vec<float> v) {
  return _mm512_castps_si512(F::kOrdinary < 0 ? v : magnitude<float>(v));
}
template <class F>
PAWL_INLINE __mmask16 ordinary_lanes(__m512i order) {
  return _mm512_cmplt_epu32_mask(order, _mm512_castps_si512(_mm512_set1_ps(F::kOrdinary)));
}
#endif

#if defined(PAWL_ISA_IS_avx512)
// F::of_others(v) is right for lanes that are not ordinary, and cheap: all lanes go both ways, and take what is theirs.
template <class F>
concept HasWayOfOthers = requires(F f, Vec<float> v) {
  f.of_others(v);
};

// Whether all were ordinary.
template <class F>
PAWL_INLINE bool both_ways(Vec<float> (&v)[4]) {
  __mmask16 all = 0xffff;
  unroll<4>([&](auto k) PAWL_INLINE_LAMBDA {
    const __mmask16 ordinary = ordinary_lanes<F>(order_of<F>(v[k]));
    v[k] = Vec<float>(_mm512_mask_blend_ps(ordinary, F{}.of_others(v[k]), F{}.of_ordinary(v[k])));
    all = _kand_mask16(all, ordinary);
  });
  return all == 0xffff;
}

// Once a turn had to go both ways, all do until so many in a row need not have.
inline constexpr std::size_t kOrdinaryTurns = 4;

// Lanes that are not ordinary, set aside until some vectors are full of them: each goes the way of its own argument,
// whatever its neighbours are, and the general way costs what it costs for so many elements.
template <class F>
class SetAside {
 public:
  PAWL_INLINE SetAside(float* out, std::size_t n) : out_(out), n_(n) {}

  // For out + i: keeps the lanes of v that are not ordinary, and leaves 0 for them.
  [[gnu::noinline]] void take(Vec<float> (&v)[4], std::size_t i) {
    if (count_ > kRoom || turns_ == kTurns) give_back();
    at_[turns_] = i;
    unroll<4>([&](auto k) PAWL_INLINE_LAMBDA {
      const auto rest = static_cast<__mmask16>(~ordinary_lanes<F>(order_of<F>(v[k])));
      lanes_[turns_][k] = rest;
      _mm512_storeu_ps(x_ + count_, _mm512_maskz_compress_ps(rest, v[k]));
      count_ += static_cast<std::size_t>(__builtin_popcount(rest));
      v[k] = Vec<float>(_mm512_maskz_mov_ps(static_cast<__mmask16>(~rest), v[k]));
    });
    ++turns_;
  }

  // Their results, over those of 0.
  [[gnu::noinline]] void give_back() {
    for (std::size_t i = 0; i < 4; ++i) _mm512_storeu_ps(x_ + count_ + i * kWidth, _mm512_setzero_ps());
    for (std::size_t i = 0; i < count_; i += 4 * kWidth) {
      Vec<float> v[4];
      unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = Vec<float>(_mm512_load_ps(x_ + i + k * kWidth)); });
      unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = of_set_aside(v[k]); });
      unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { _mm512_store_ps(x_ + i + k * kWidth, v[k]); });
    }
    const float* from = x_;
    for (std::size_t t = 0; t < turns_; ++t) {
      float* to = out_ + at_[t];
      const bool whole = at_[t] + 4 * kWidth <= n_;
      unroll<4>([&](auto k) PAWL_INLINE_LAMBDA {
        const __mmask16 rest = lanes_[t][k];
        const __m512 results = _mm512_loadu_ps(from);
        // With stores under masks 1000 values in (-9, 9) take Zen 4 about 80 ns more.
        if (whole) [[likely]]
          _mm512_storeu_ps(to + k * kWidth, _mm512_mask_expand_ps(_mm512_loadu_ps(to + k * kWidth), rest, results));
        else
          _mm512_mask_storeu_ps(to + k * kWidth, rest, _mm512_maskz_expand_ps(rest, results));
        from += __builtin_popcount(rest);
      });
    }
    count_ = turns_ = 0;
  }

  PAWL_INLINE bool empty() const { return turns_ == 0; }

 private:
  // The general way, or one that F has for lanes that are not ordinary alone.
  PAWL_INLINE static Vec<float> of_set_aside(Vec<float> v) {
    if constexpr (requires { F{}.of_set_aside(v); })
      return F{}.of_set_aside(v);
    else
      return F{}.template of<float>(v);
  }

  static constexpr std::size_t kWidth = 16, kRoom = 512, kTurns = 64;  // 3.3 KiB, which stay in L1
  float* out_;
  std::size_t n_, count_ = 0, turns_ = 0;
  alignas(64) float x_[kRoom + 8 * kWidth];
  std::size_t at_[kTurns];
  __mmask16 lanes_[kTurns][4];
};
#endif

// evaluate(v) of the four vectors from i on, of which there are n - i elements, to out + i; unless it returns false.
// kPast: past the caches, where out + i is aligned and the vectors are whole.
template <class T, bool kPast, class Whole, class First, class Evaluate>
PAWL_INLINE bool one_turn(T* out, std::size_t i, std::size_t n, Whole whole, First first, Evaluate evaluate) {
  constexpr std::size_t W = lanes<T>;
  Vec<T> v[4];
  if (i + 4 * W <= n) [[likely]] {
    unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = whole(i + k * W); });
    if (!evaluate(v)) return false;
    unroll<4>([&](auto k) PAWL_INLINE_LAMBDA {
      if constexpr (kPast)
        stream<T>(out + i + k * W, v[k]);
      else
        store<T>(out + i + k * W, v[k]);
    });
  } else {
    const auto count = [&](std::size_t k) PAWL_INLINE_LAMBDA {
      const std::size_t at = i + k * W;
      return at >= n ? 0 : n - at < W ? n - at : W;
    };
    unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = first(count(k) > 0 ? i + k * W : i, count(k)); });
    if (!evaluate(v)) return false;
    unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { store_first<T>(count(k) > 0 ? out + i + k * W : out, v[k], count(k)); });
  }
  return true;
}

#if defined(PAWL_ISA_IS_avx512)
// From i on; where it stopped.
template <class F, class Whole, class First>
[[gnu::noinline]] static std::size_t turns_both_ways(float* out, std::size_t i, std::size_t n, Whole whole,
                                                     First first) {
  for (std::size_t in_a_row = 0; in_a_row < kOrdinaryTurns && i < n; i += 4 * lanes<float>)
    one_turn<float, false>(out, i, n, whole, first, [&](Vec<float>(&v)[4]) PAWL_INLINE_LAMBDA {
      in_a_row = both_ways<F>(v) ? in_a_row + 1 : 0;
      return true;
    });
  return i;
}
#endif

// out[i] = f(at(i)) for i from `begin` on; first(i, count) is part of a vector, the rest of which is 0. Four vectors a
// turn, whose operations the compiler mixes (CMakeLists.txt): each is a long chain of multiply-adds, and one chain
// after the other fills the CPU's schedulers with instructions that wait. The last turn takes four too: it costs little
// more than one, which would wait for itself.
template <class F, class T, bool kPast, class Whole, class First>
PAWL_INLINE void map_turns(T* out, std::size_t begin, std::size_t n, F f, Whole whole, First first) {
#if defined(PAWL_ISA_IS_avx512)
  constexpr bool kHasOrdinaryWay = HasOrdinaryWay<F, T>, kSetsAside = kHasOrdinaryWay && !HasWayOfOthers<F>;
  [[maybe_unused]] auto others = [&] {
    if constexpr (kSetsAside)
      return SetAside<F>(out, n);
    else
      return out;
  }();
#endif
  std::size_t i = begin;
  const auto evaluate = [&](Vec<T>(&v)[4]) PAWL_INLINE_LAMBDA {
#if defined(PAWL_ISA_IS_avx512)
    // By the ordinary way, where there is one.
    if constexpr (kHasOrdinaryWay) {
      const __m512i highest = _mm512_max_epu32(_mm512_max_epu32(order_of<F>(v[0]), order_of<F>(v[1])),
                                               _mm512_max_epu32(order_of<F>(v[2]), order_of<F>(v[3])));
      const bool ordinary = ordinary_lanes<F>(highest) == 0xffff;
      if constexpr (kSetsAside) {
        if (!ordinary) [[unlikely]] {
          Vec<T> mixed[4] = {v[0], v[1], v[2], v[3]};  // so that v itself stays in registers
          others.take(mixed, i);
          unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = mixed[k]; });
        }
      }
      unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = f.of_ordinary(v[k]); });
      // Asked after the work, which then does not wait for the answer.
      if constexpr (!kSetsAside)
        if (!ordinary) [[unlikely]]
          return false;
      return true;
    }
#endif
    unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = f.template of<T>(v[k]); });
    return true;
  };
  // Nothing but turns that end well in the inner loop: constants stay in registers where it calls nothing.
  while (true) {
    for (; i < n; i += 4 * lanes<T>)
      if (!one_turn<T, kPast>(out, i, n, whole, first, evaluate)) [[unlikely]]
        break;
    if (i >= n) break;
#if defined(PAWL_ISA_IS_avx512)
    if constexpr (kHasOrdinaryWay && !kSetsAside) i = turns_both_ways<F>(out, i, n, whole, first);
#endif
  }
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (kSetsAside)
    if (!others.empty()) [[unlikely]]
      others.give_back();
#endif
}

// Whether f can go past the caches: what is set aside is read back, which a line that has left the caches should not be
// (and by a block in L1 that is copied, gelu of 16 M elements took 1.2 times as long: it is no longer than memory is).
template <class F, class T>
inline constexpr bool kCanGoPast =
#if defined(PAWL_ISA_IS_avx512)
    !HasOrdinaryWay<F, T> || HasWayOfOthers<F>;
#else
    true;
#endif

// out[i] = f(at(i)), past the caches: the elements up to a line of out, then whole lines.
template <class F, class T, class Whole, class First>
static void map_past(T* out, std::size_t n, F f, Whole whole, First first) {
  constexpr std::size_t kLine = 64 / sizeof(T);
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(out) % 64 / sizeof(T), to_line = (kLine - beyond) % kLine,
                    head = to_line < n ? to_line : n;
  map_turns<F, T, false>(out, 0, head, f, whole, first);
  map_turns<F, T, true>(out, head, n, f, whole, first);
  stream_end();
}

// out[i] = f(at(i)).
template <class F, class T, class Whole, class First>
PAWL_INLINE void map_four(T* out, std::size_t n, F f, Whole whole, First first) {
  map_turns<F, T, false>(out, 0, n, f, whole, first);
}

}  // namespace pawl::PAWL_ISA_NS
