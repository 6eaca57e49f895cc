// real_direct.kernel.hpp -- short transforms of real numbers, there and back, as the sums that define them.
//
// The shortest are a matrix times the numbers. Longer ones of odd length take half of the operations: with
// s = x[j] + x[n - j] and d = x[j] - x[n - j], result k is the sum over j <= n / 2 of the pairs (s cos, -d sin), one
// multiply-add of a vector of results for each j. The inverse is the same sum over k of (re cos, -im sin), whose two
// parts are half the sum and half the difference of x[j] and x[n - j].
#pragma once
#include "kernels/fft/fft_table.hpp"
#include "kernels/fft/pairs.kernel.hpp"
#include "kernels/fft/real.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// each(v, sum) for every vector v of `first` plus the sums over j < count of terms(j) table[j][v]. Several vectors at
// once share the terms; two chains of each hide half of the latency and halve what rounding adds.
template <class T, class Terms, class Each>
PAWL_INLINE void table_sums(Terms terms, std::size_t count, Reg<T> first, const T* table, std::size_t vectors,
                            Each each) {
  const std::size_t row = vectors * lanes<T>;
  std::size_t done = 0;
  const auto some = [&]<std::size_t V>(std::integral_constant<std::size_t, V>) PAWL_INLINE_LAMBDA {
    const T* const columns = table + done * lanes<T>;
    Reg<T> even[V], odd[V];
    unroll<V>([&](auto v) PAWL_INLINE_LAMBDA {
      even[v] = first;
      odd[v] = broadcast<T>(T(0));
    });
    const auto add = [&](std::size_t j, Reg<T>(&sums)[V]) PAWL_INLINE_LAMBDA {
      const Reg<T> term = terms(j);
      unroll<V>([&](auto v) PAWL_INLINE_LAMBDA {
        sums[v] = mul_add<T>(term, load_reg<T>(columns + j * row + v * lanes<T>), sums[v]);
      });
    };
    std::size_t j = 0;
    for (; j + 2 <= count; j += 2) {
      add(j, even);
      add(j + 1, odd);
    }
    if (j < count) add(j, even);
    unroll<V>([&](auto v) PAWL_INLINE_LAMBDA { each(done + v, even[v] + odd[v]); });
    done += V;
  };
  while (done + 4 <= vectors) some(std::integral_constant<std::size_t, 4>{});
  if (done + 2 <= vectors) some(std::integral_constant<std::size_t, 2>{});
  if (done < vectors) some(std::integral_constant<std::size_t, 1>{});
}

/// (x, 0, x, 0, ...), or x in all lanes.
template <class T>
PAWL_INLINE Reg<T> real_part(T x, bool alone) {
  alignas(64) static constexpr T kOnes[2][16] = {{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
                                                 {1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0}};
  return broadcast<T>(x) * load_reg<T>(kOnes[alone ? 1 : 0]);
}

template <class T>
static void real_matrix(const T* in, std::size_t n, const T* table, T* out, std::size_t width, bool forward,
                        T scale) noexcept {
  constexpr std::size_t W = lanes<T>;
  const std::size_t vectors = (width + W - 1) / W;
  const std::size_t count = n - 1;
  // What follows in[0] are the terms: the other numbers, or the parts of the results from 1 on.
  const T* terms = in + (forward ? 1 : 2);
  T kept[kLargestRealMatrix];
  if (in == out) {
    for (std::size_t j = 0; j < count; ++j) kept[j] = terms[j];
    terms = kept;
  }
  const Reg<T> first = real_part<T>(in[0], forward);
  const Reg<T> s = broadcast<T>(scale);
  table_sums<T>([&](std::size_t j) PAWL_INLINE_LAMBDA { return broadcast<T>(terms[j]); }, count, first, table, vectors,
                [&](std::size_t v, Reg<T> sum) PAWL_INLINE_LAMBDA {
                  const std::size_t left = width - v * W;
                  if (left >= W)
                    store_reg<T>(out + v * W, sum * s);
                  else
                    store_reg_first<T>(out + v * W, sum * s, left);
                });
}

#if !defined(PAWL_ISA_IS_scalar)
/// The pair at p in every lane.
template <class T>
PAWL_INLINE Reg<T> broadcast_pair(const T* p) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4)
    return _mm512_castpd_ps(
        _mm512_broadcastsd_pd(_mm_castsi128_pd(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)))));
  else
    return _mm512_castps_pd(_mm512_broadcast_f32x4(_mm_castpd_ps(_mm_loadu_pd(p))));
#elif defined(PAWL_ISA_IS_avx2)
  if constexpr (sizeof(T) == 4)
    return _mm256_castpd_ps(
        _mm256_broadcastsd_pd(_mm_castsi128_pd(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)))));
  else
    return _mm256_broadcast_pd(reinterpret_cast<const __m128d*>(p));
#elif defined(PAWL_ISA_IS_sse2)
  if constexpr (sizeof(T) == 4) {
    const __m128i pair = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
    return _mm_castsi128_ps(_mm_unpacklo_epi64(pair, pair));
  } else {
    return _mm_loadu_pd(p);
  }
#else
  if constexpr (sizeof(T) == 4) {
    const float32x2_t pair = vld1_f32(p);
    return vcombine_f32(pair, pair);
  } else {
    return vld1q_f64(p);
  }
#endif
}

// call(j) for the vectors j .. j + W - 1 that cover 1 .. n / 2; with n > W all of them end below n.
template <class T, class Call>
PAWL_INLINE void for_half(std::size_t n, Call call) {
  for (std::size_t j = 1; j <= n / 2; j += lanes<T>) call(j);
}

template <class T>
static void real_direct(const T* in, std::size_t n, const T* table, T* out, bool forward, T scale) noexcept {
  constexpr std::size_t W = lanes<T>, P = pair_lanes<T>;
  const std::size_t half = n / 2, vectors = (half + P) / P;
  alignas(64) T memory[2 * (kLargestDirect + 2 * W)];
  const T first = in[0];
  const auto pair_terms = [](const T* terms) PAWL_INLINE_LAMBDA {
    return [terms](std::size_t j) PAWL_INLINE_LAMBDA { return broadcast_pair<T>(terms + 2 * j); };
  };
  if (forward) {
    for_half<T>(n, [&](std::size_t j) PAWL_INLINE_LAMBDA {
      const Reg<T> a = load_reg<T>(in + j), b = reversed<T>(load_reg<T>(in + n + 1 - j - W));
      store_pairs<T>(memory + 2 * (j - 1), {a + b, a - b}, false);
    });
    const Reg<T> s = broadcast<T>(scale);
    table_sums<T>(pair_terms(memory), half, real_part<T>(first, true), table, vectors,
                  [&](std::size_t v, Reg<T> sum) PAWL_INLINE_LAMBDA {
                    const std::size_t left = n + 1 - v * W;
                    if (left >= W)
                      store_reg<T>(out + v * W, sum * s);
                    else
                      store_reg_first<T>(out + v * W, sum * s, left);
                  });
    return;
  }
  table_sums<T>(pair_terms(in + 2), half, real_part<T>(first / 2, true), table, vectors,
                [&](std::size_t v, Reg<T> sum) PAWL_INLINE_LAMBDA { store_reg<T>(memory + v * W, sum); });
  for (std::size_t i = 0; i < 2 * W; ++i) memory[vectors * W + i] = 0;
  const Reg<T> s = broadcast<T>(2 * scale);
  // Lanes beyond n / 2 write below it; what belongs there comes after.
  for_half<T>(n, [&](std::size_t j) PAWL_INLINE_LAMBDA {
    const Cx<T> z = load_pairs<T>(memory + 2 * j, false);
    store_reg<T>(out + n + 1 - j - W, reversed<T>((z.re - z.im) * s));
  });
  for (std::size_t j = 0; j <= half; j += W) {
    const Cx<T> z = load_pairs<T>(memory + 2 * j, false);
    store_reg_first<T>(out + j, (z.re + z.im) * s, half + 1 - j < W ? half + 1 - j : W);
  }
}
#endif

}  // namespace pawl::PAWL_ISA_NS
