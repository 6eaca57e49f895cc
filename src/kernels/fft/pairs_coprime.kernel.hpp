// pairs_coprime.kernel.hpp -- A B pairs -> their transform, A and B without a common factor, all of it in registers.
//
// Good's mapping ("The interaction algorithm and practical Fourier analysis", 1958), as CoprimeButterfly, but side by
// side: transforms of A points with vectors of B's index, squares of them transposed, transforms of B points with
// vectors of A's. There are no twiddles, so neither their products nor what these round, and nothing waits in memory
// between the halves; but numbers are loaded and stored one by one, since those of a vector lie A apart.
#pragma once
#include "kernels/fft/butterfly.kernel.hpp"
#include "kernels/fft/pairs.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

#if defined(PAWL_ISA_IS_avx2)
/// Numbers i[0] to i[pair_lanes - 1] at p.
PAWL_INLINE Px<double> gather_px(const double* p, const std::size_t (&i)[2]) {
  return {_mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(p + 2 * i[0])), _mm_loadu_pd(p + 2 * i[1]), 1)};
}
PAWL_INLINE Px<float> gather_px(const float* p, const std::size_t (&i)[4]) {
  const auto two = [p](std::size_t a, std::size_t b) PAWL_INLINE_LAMBDA {
    return _mm_unpacklo_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p + 2 * a)),
                              _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p + 2 * b)));
  };
  return {_mm256_castsi256_ps(_mm256_inserti128_si256(_mm256_castsi128_si256(two(i[0], i[1])), two(i[2], i[3]), 1))};
}
PAWL_INLINE void scatter_px(double* p, const std::size_t (&i)[2], Px<double> x) {
  _mm_storeu_pd(p + 2 * i[0], _mm256_castpd256_pd128(x.v));
  _mm_storeu_pd(p + 2 * i[1], _mm256_extractf128_pd(x.v, 1));
}
PAWL_INLINE void scatter_px(float* p, const std::size_t (&i)[4], Px<float> x) {
  const auto two = [p](std::size_t a, std::size_t b, __m128i v) PAWL_INLINE_LAMBDA {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(p + 2 * a), v);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(p + 2 * b), _mm_unpackhi_epi64(v, v));
  };
  const __m256i v = _mm256_castps_si256(x.v);
  two(i[0], i[1], _mm256_castsi256_si128(v));
  two(i[2], i[3], _mm256_extracti128_si256(v, 1));
}

/// As FftPairs::Single. A is a multiple of the pairs in a vector.
template <class T, std::size_t A, std::size_t B>
static void pairs_coprime(const T* in, T* out, bool inverse, T scale) noexcept {
  constexpr std::size_t P = pair_lanes<T>, kGroups = (B + P - 1) / P;
  static_assert(A % P == 0);
  const Direction<Px<T>> d = direction<T>(inverse);
  const Reg<T> s = broadcast<T>(scale);
  Px<T> x[kGroups][A];  // lanes: P neighbours of B's index, some of the last group undefined
  unroll<kGroups>([&](auto g) PAWL_INLINE_LAMBDA {
    unroll<A>([&](auto a) PAWL_INLINE_LAMBDA {
      std::size_t places[P];
      unroll<P>([&](auto i) PAWL_INLINE_LAMBDA {
        constexpr std::size_t b = g * P + i < B ? g * P + i : B - 1;
        places[i] = (B * a + A * b) % (A * B);
      });
      x[g][a] = g * P + 1 == B ? load_one<T>(in + 2 * places[0]) : gather_px(in, places);
    });
    Butterfly<Px<T>, A>::run(x[g], d);
  });
  unroll<A / P>([&](auto h) PAWL_INLINE_LAMBDA {
    Px<T> y[B];
    unroll<kGroups>([&](auto g) PAWL_INLINE_LAMBDA {
      Px<T> square[P];
      unroll<P>([&](auto i) PAWL_INLINE_LAMBDA { square[i] = x[g][h * P + i]; });
      transpose_px<T>(square);
      unroll<P>([&](auto i) PAWL_INLINE_LAMBDA {
        if constexpr (g * P + i < B) y[g * P + i] = square[i];
      });
    });
    Butterfly<Px<T>, B>::run(y, d);
    unroll<B>([&](auto k) PAWL_INLINE_LAMBDA {
      std::size_t places[P];
      unroll<P>([&](auto i) PAWL_INLINE_LAMBDA { places[i] = CoprimeButterfly<Px<T>, A, B>::result(h * P + i, k); });
      scatter_px(out, places, Px<T>{y[k].v * s});
    });
  });
}
#endif

}  // namespace pawl::PAWL_ISA_NS
