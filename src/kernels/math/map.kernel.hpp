// map.kernel.hpp -- a function of a vector -> a loop over contiguous elements that takes four vectors at a time.
#pragma once
#include <type_traits>

#include "kernels/simd/elementwise.kernel.hpp"
#include "kernels/vec_bits.hpp"

namespace pawl::PAWL_ISA_NS {

#if defined(PAWL_ISA_IS_avx512)
// F has a way that costs less for lanes of ordinary size (exp.kernel.hpp), or F::begin and F::end are the two halves of
// one; and of_others(v), which is right for the other lanes.
template <class F>
concept HasOthers = requires(F f, Vec<float> v) {
  f.of_others(v);
};
template <class F>
concept HasHalves = requires(F f, Vec<float> v) {
  f.end(f.begin(v));
};
// Beside these another type, F::Fine, for CPUs that look up in two registers as fast as in one: Zen 4 takes twice the
// time.
template <class F>
concept HasFine = requires {
  typename F::Fine;
}
&&!std::is_same_v<F, typename F::Fine>;

// Bit patterns of magnitudes are ordered as the numbers are, NaN above all; those of negative numbers are above those
// of all positive ones. So ordinary lanes are those whose pattern is below that of kOrdinary.
template <class F>
PAWL_INLINE __m512i order_of(Vec<float> v) {
  return _mm512_castps_si512(F::kOrdinary < 0 ? v : magnitude<float>(v));
}
template <class F>
PAWL_INLINE __mmask16 ordinary_lanes(__m512i order) {
  return _mm512_cmplt_epu32_mask(order, _mm512_castps_si512(_mm512_set1_ps(F::kOrdinary)));
}
template <class F, std::size_t N>
PAWL_INLINE bool all_ordinary(const Vec<float> (&v)[N]) {
  __m512i highest[(N + 1) / 2];
  unroll<(N + 1) / 2>([&](auto k) PAWL_INLINE_LAMBDA {
    highest[k] = order_of<F>(v[2 * k]);
    if constexpr (2 * k + 1 < N) highest[k] = _mm512_max_epu32(highest[k], order_of<F>(v[2 * k + 1]));
  });
  unroll<(N + 1) / 2>([&](auto k) PAWL_INLINE_LAMBDA { highest[0] = _mm512_max_epu32(highest[0], highest[k]); });
  return ordinary_lanes<F>(highest[0]) == 0xffff;
}

// All lanes go both ways, and take what is theirs: a result does not depend on its neighbours. F::kOthersAreAny: the
// way of the others gives the same for all. Whether all were ordinary.
template <class F, std::size_t N>
PAWL_INLINE bool both_ways(Vec<float> (&v)[N]) {
  __mmask16 all = 0xffff;
  unroll<N>([&](auto k) PAWL_INLINE_LAMBDA {
    const __mmask16 ordinary = ordinary_lanes<F>(order_of<F>(v[k]));
    if constexpr (requires { F::kOthersAreAny; }) {
      v[k] = F{}.of_others(v[k]);
    } else {
      v[k] = Vec<float>(_mm512_mask_blend_ps(ordinary, F{}.of_others(v[k]), F{}.of_ordinary(v[k])));
    }
    all = _kand_mask16(all, ordinary);
  });
  return all == 0xffff;
}

// Once a turn had to go both ways, all do until so many in a row need not have.
inline constexpr std::size_t kOrdinaryTurns = 4;
#endif

template <class T, bool kPast>
PAWL_INLINE void store_whole(T* out, Vec<T> v) {
  if constexpr (kPast)
    stream<T>(out, v);
  else
    store<T>(out, v);
}

// evaluate(v) of N vectors from i on, of which there are n - i elements, to out + i; unless it returns false.
// kPast: past the caches, where out + i is aligned and the vectors are whole.
template <class T, bool kPast, std::size_t N = 4, class Whole, class First, class Evaluate>
PAWL_INLINE bool one_turn(T* out, std::size_t i, std::size_t n, Whole whole, First first, Evaluate evaluate) {
  constexpr std::size_t W = lanes<T>;
  Vec<T> v[N];
  if (i + N * W <= n) [[likely]] {
    unroll<N>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = whole(i + k * W); });
    if (!evaluate(v)) return false;
    unroll<N>([&](auto k) PAWL_INLINE_LAMBDA { store_whole<T, kPast>(out + i + k * W, v[k]); });
  } else {
    const auto count = [&](std::size_t k) PAWL_INLINE_LAMBDA {
      const std::size_t at = i + k * W;
      return at >= n ? 0 : n - at < W ? n - at : W;
    };
    unroll<N>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = first(count(k) > 0 ? i + k * W : i, count(k)); });
    if (!evaluate(v)) return false;
    unroll<N>([&](auto k) PAWL_INLINE_LAMBDA { store_first<T>(count(k) > 0 ? out + i + k * W : out, v[k], count(k)); });
  }
  return true;
}

#if defined(PAWL_ISA_IS_avx512)
// From i on; where it stopped.
template <class F, bool kPast, class Whole, class First>
[[gnu::noinline]] static std::size_t turns_both_ways(float* out, std::size_t i, std::size_t n, Whole whole,
                                                     First first) {
  constexpr std::size_t N = 4;
  for (std::size_t in_a_row = 0; in_a_row < kOrdinaryTurns && i < n; i += N * lanes<float>)
    one_turn<float, kPast, N>(out, i, n, whole, first, [&](Vec<float>(&v)[N]) PAWL_INLINE_LAMBDA {
      in_a_row = both_ways<F>(v) ? in_a_row + 1 : 0;
      return true;
    });
  return i;
}

// take(at, f(next(at))) for pairs of whole vectors from i on, the second half of one while the first half of the next
// goes on: four vectors of which all do the same at the same time took Zen 4 1.1 times as long, whose schedulers then
// hold what waits for the same units. Ends before a pair that is not whole, or for which go_on(at, v) says no; where
// that is.
template <class F, class Next, class GoOn, class Take>
#if !defined(__clang__)
[[gnu::optimize("no-schedule-insns")]]  // which puts the halves one after the other
#endif
PAWL_INLINE std::size_t
pairs_in_halves(std::size_t i, std::size_t n, Next next, GoOn go_on, Take take) {
  constexpr std::size_t W = lanes<float>;
  const F f{};
  if (i + 2 * W > n) return i;
  Vec<float> v[2] = {next(i), next(i + W)};
  if (!go_on(i, v)) return i;
  auto first = f.begin(v[0]), second = f.begin(v[1]);
  for (; i + 4 * W <= n; i += 2 * W) {
    v[0] = next(i + 2 * W);
    v[1] = next(i + 3 * W);
    if (!go_on(i + 2 * W, v)) break;
    const auto first_begun = f.begin(v[0]), second_begun = f.begin(v[1]);
    take(i, f.end(first));
    take(i + W, f.end(second));
    first = first_begun;
    second = second_begun;
  }
  take(i, f.end(first));
  take(i + W, f.end(second));
  return i + 2 * W;
}

// How much a SetAside holds. Beside its arrays g++ 12 keeps such members in memory, where each waits for the one
// before: gelu of values in (-9, 9) took 1.07 times as long.
struct AsideCount {
  std::size_t vectors = 0, lanes = 0;
};

// Lanes that are not ordinary: they go the way of theirs together, and are put back where the others are by then. So a
// result does not depend on its neighbours, and that way is paid for by those who need it.
template <class F>
class SetAside {
 public:
  SetAside() noexcept {}  // the arrays are written to before they are read

  PAWL_INLINE static bool has_room_for(std::size_t vectors, AsideCount held) {
    return held.vectors + vectors <= kVectors;
  }
  PAWL_INLINE void add(std::size_t at, Vec<float> v, AsideCount& held) {
    const auto lanes_aside = static_cast<__mmask16>(~ordinary_lanes<F>(order_of<F>(v)));
    _mm512_storeu_ps(values_ + held.lanes, _mm512_maskz_compress_ps(lanes_aside, v));
    where_[held.vectors] = at;
    masks_[held.vectors] = lanes_aside;
    held.vectors += lanes_aside != 0;
    held.lanes += static_cast<std::size_t>(__builtin_popcount(lanes_aside));
  }

  PAWL_INLINE void put_back(float* out, AsideCount held) {
    if (held.vectors == 0) return;
    unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { _mm512_storeu_ps(values_ + held.lanes + k * W, _mm512_setzero_ps()); });
    for (std::size_t at = 0; at < held.lanes; at += 4 * W) {
      Vec<float> v[4];
      unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = load<float>(values_ + at + k * W); });
      unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = F{}.of_others(v[k]); });
      unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { store<float>(values_ + at + k * W, v[k]); });
    }
    const float* from = values_;
    for (std::size_t k = 0; k < held.vectors; ++k) {
      const __m512 values = _mm512_maskz_expand_ps(masks_[k], _mm512_loadu_ps(from));
      _mm512_mask_storeu_ps(out + where_[k], masks_[k], values);
      from += __builtin_popcount(masks_[k]);
    }
  }

 private:
  static constexpr std::size_t W = lanes<float>, kVectors = 64;  // 4 KiB
  alignas(64) float values_[(kVectors + 4) * W];
  std::size_t where_[kVectors + 1];
  __mmask16 masks_[kVectors + 1];
};

template <class F, class Whole, class First>
#if !defined(__clang__)
[[gnu::optimize("no-schedule-insns")]]
#endif
[[gnu::noinline]] static void
map_pairs(float* out, std::size_t n, Whole whole, First first) {
  constexpr std::size_t W = lanes<float>;
  SetAside<F> others;
  AsideCount held;
  const auto go_on = [&](std::size_t at, const Vec<float>(&v)[2]) PAWL_INLINE_LAMBDA {
    if (!all_ordinary<F>(v)) [[unlikely]] {
      if (!others.has_room_for(2, held)) return false;
      others.add(at, v[0], held);
      others.add(at + W, v[1], held);
    }
    return true;
  };
  const auto take = [=](std::size_t at, Vec<float> v) PAWL_INLINE_LAMBDA { store<float>(out + at, v); };
  std::size_t i = 0;
  do {
    i = pairs_in_halves<F>(i, n, whole, go_on, take);
    for (; i < n && n - i < 2 * W && others.has_room_for(1, held); i += W) {  // what is left of the last pair
      const std::size_t count = n - i < W ? n - i : W;
      const Vec<float> v = count == W ? whole(i) : first(i, count);
      others.add(i, v, held);
      store_first<float>(out + i, F{}.of_ordinary(v), count);
    }
    others.put_back(out, held);
    held = {};
  } while (i < n);
}

// The same past the caches, where a vector is written once: by way of a block that stays in L1, and from there a vector
// at a time while the next block is computed. A block at once, stores past the caches wait for each other: gelu of 16 M
// elements took 1.1 to 1.2 times as long (Emerald Rapids).
template <class F, class Whole, class First>
static void map_pairs_past(float* out, std::size_t n, Whole whole, First first) {
  constexpr std::size_t W = lanes<float>, kBlock = 64 * W;
  alignas(64) float blocks[2][kBlock];
  const auto send = [](float* to, const float* from) PAWL_INLINE_LAMBDA { stream<float>(to, load<float>(from)); };
  std::size_t i = 0, b = 0, size = 0, before = 0;
  for (; i < n; i += size, b = 1 - b, before = size) {
    float* const to = out + i - before;
    const float* const done = blocks[1 - b];
    size = n - i < kBlock ? n - i : kBlock;
    const auto of_block = [&](auto next) PAWL_INLINE_LAMBDA {
      map_pairs<F>(blocks[b], size, next,
                   [&](std::size_t at, std::size_t count) PAWL_INLINE_LAMBDA { return first(i + at, count); });
    };
    if (before == 0) {
      of_block([&](std::size_t at) PAWL_INLINE_LAMBDA { return whole(i + at); });
      continue;
    }
    of_block([&](std::size_t at) PAWL_INLINE_LAMBDA {  // for each whole vector
      send(to + at, done + at);
      return whole(i + at);
    });
    for (std::size_t at = size / W * W; at < before; at += W) send(to + at, done + at);
  }
  const float* const last = blocks[1 - b];
  std::size_t at = 0;
  for (; at + W <= size; at += W) send(out + n - size + at, last + at);
  if (at < size) store_first<float>(out + n - size + at, load<float>(last + at), size - at);
}

template <class F, bool kPast, class Whole, class First>
PAWL_INLINE void map_in_pairs(float* out, std::size_t begin, std::size_t n, Whole whole, First first) {
  const auto whole_after = [=](std::size_t i) PAWL_INLINE_LAMBDA { return whole(begin + i); };
  const auto first_after = [=](std::size_t i, std::size_t count) PAWL_INLINE_LAMBDA { return first(begin + i, count); };
  if constexpr (kPast)
    map_pairs_past<F>(out + begin, n - begin, whole_after, first_after);
  else
    map_pairs<F>(out + begin, n - begin, whole_after, first_after);
}
#endif

// out[i] = f(at(i)) for i from `begin` on; first(i, count) is part of a vector, the rest of which is 0. Four vectors a
// turn, whose operations the compiler mixes (CMakeLists.txt): each is a long chain of multiply-adds, and one chain
// after the other fills the CPU's schedulers with instructions that wait. The last turn takes four too: it costs little
// more than one, which would wait for itself.
template <class F, class T, bool kPast, class Whole, class First>
PAWL_INLINE void map_turns(T* out, std::size_t begin, std::size_t n, F f, Whole whole, First first) {
#if defined(PAWL_ISA_IS_avx512)
  constexpr bool kOrdinaryWay = sizeof(T) == 4 && HasOthers<F>;
  if constexpr (sizeof(T) == 4 && HasHalves<F>) return map_in_pairs<F, kPast>(out, begin, n, whole, first);
#endif
  std::size_t i = begin;
  const auto evaluate = [&](Vec<T>(&v)[4]) PAWL_INLINE_LAMBDA {
#if defined(PAWL_ISA_IS_avx512)
    if constexpr (kOrdinaryWay) {
      const bool ordinary = all_ordinary<F>(v);
      unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = F{}.of_ordinary(v[k]); });
      if (!ordinary) [[unlikely]]
        return false;
      return true;  // asked after the work, which then does not wait for the answer
    } else
#endif
    {
      unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = f.template of<T>(v[k]); });
      return true;
    }
  };
  // Nothing but turns that end well in the inner loop: constants stay in registers where it calls nothing.
  while (true) {
    for (; i < n; i += 4 * lanes<T>)
      if (!one_turn<T, kPast>(out, i, n, whole, first, evaluate)) [[unlikely]]
        break;
    if (i >= n) break;
#if defined(PAWL_ISA_IS_avx512)
    if constexpr (kOrdinaryWay) i = turns_both_ways<F, kPast>(out, i, n, whole, first);
#endif
  }
}

// out[i] = f(at(i)), past the caches: the elements up to a line of out, then whole lines. kFence: as of fill.
template <class F, class T, bool kFence = true, class Whole, class First>
static void map_past(T* out, std::size_t n, F f, Whole whole, First first) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4 && HasFine<F>)
    if (!detail::splits_512_bits) return map_past<typename F::Fine, T, kFence>(out, n, {}, whole, first);
#endif
  constexpr std::size_t kLine = 64 / sizeof(T);
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(out) % 64 / sizeof(T), to_line = (kLine - beyond) % kLine,
                    head = to_line < n ? to_line : n;
  map_turns<F, T, false>(out, 0, head, f, whole, first);
  map_turns<F, T, true>(out, head, n, f, whole, first);
  if constexpr (kFence) stream_end();
}

// v[k] = f(v[k]), each lane the way that it goes in map_turns.
template <class F, class T, std::size_t N>
PAWL_INLINE void evaluate_few(Vec<T> (&v)[N], F f) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4 && HasOthers<F>) {
    if (!all_ordinary<F>(v)) [[unlikely]]
      both_ways<F>(v);
    else
      unroll<N>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = F{}.of_ordinary(v[k]); });
  } else
#endif
  {
    unroll<N>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = f.template of<T>(v[k]); });
  }
}

// One or two vectors, the last of which may be part of one. A turn of four took as long as it does for four: gelu of
// two f64 69 ns, 20 so (Zen 5).
template <class F, class T, class First>
[[gnu::noinline]] static void map_few(T* out, std::size_t n, F f, First first) {
  constexpr std::size_t W = lanes<T>;
  if (n <= W) {
    Vec<T> v[1] = {first(0, n)};
    evaluate_few<F, T>(v, f);
    return store_first<T>(out, v[0], n);
  }
  Vec<T> v[2] = {first(0, W), first(W, n - W)};
  evaluate_few<F, T>(v, f);
  store<T>(out, v[0]);
  store_first<T>(out + W, v[1], n - W);
}

#if defined(PAWL_ISA_IS_avx512)
// Functions of two halves have a loop that begins with one vector.
template <class F, class T>
inline constexpr bool kWorthFew = sizeof(T) == 8 || !HasHalves<F>;
#else
template <class F, class T>
inline constexpr bool kWorthFew = lanes<T> > 1;
#endif

// out[i] = f(at(i)).
template <class F, class T, class Whole, class First>
PAWL_INLINE void map_four(T* out, std::size_t n, F f, Whole whole, First first) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4 && HasFine<F>)
    if (!detail::splits_512_bits) return map_four<typename F::Fine, T>(out, n, {}, whole, first);
#endif
  if constexpr (kWorthFew<F, T>)
    if (n <= 2 * lanes<T>) return map_few<F, T>(out, n, f, first);
  map_turns<F, T, false>(out, 0, n, f, whole, first);
}

}  // namespace pawl::PAWL_ISA_NS
