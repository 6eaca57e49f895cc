// sddmm.kernel.hpp -- the entries of a sparse pattern times dot products of rows of two dense matrices.
//
// Four entries of a row together: each vector of the row of u is loaded once for them, and their sums are added up
// across the lanes by one transposition instead of four.
#pragma once
#include "kernels/sparse/quad.hpp"
#include "kernels/sparse/sparse_table.hpp"
#include "kernels/vec.hpp"

namespace pawl::PAWL_ISA_NS {

// out[i] = values[i] times the sum of the lanes of sums[i], for i < 4.
template <class T>
PAWL_INLINE void scale_by_sums(const T* values, const Vec<T> (&sums)[4], T* out) {
#if defined(PAWL_ISA_IS_avx2) || defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 8) {
    const auto half = [](Vec<double> v) PAWL_INLINE_LAMBDA -> __m256d {
#if defined(PAWL_ISA_IS_avx512)
      return _mm256_add_pd(_mm512_castpd512_pd256(v), _mm512_extractf64x4_pd(v, 1));
#else
      return v;
#endif
    };
    const __m256d ab = _mm256_hadd_pd(half(sums[0]), half(sums[1])), cd = _mm256_hadd_pd(half(sums[2]), half(sums[3]));
    const __m256d all = _mm256_add_pd(_mm256_permute2f128_pd(ab, cd, 0x21), _mm256_blend_pd(ab, cd, 0xc));
    quad_store<T>(out, quad_mul<T>(quad_load(values), all));
  } else {
    const auto quarter = [](Vec<float> v) PAWL_INLINE_LAMBDA -> __m128 {
#if defined(PAWL_ISA_IS_avx512)
      const __m256 h = _mm256_add_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1));
#else
      const __m256 h = v;
#endif
      return _mm_add_ps(_mm256_castps256_ps128(h), _mm256_extractf128_ps(h, 1));
    };
    const __m128 ab = _mm_hadd_ps(quarter(sums[0]), quarter(sums[1]));
    const __m128 cd = _mm_hadd_ps(quarter(sums[2]), quarter(sums[3]));
    quad_store<T>(out, quad_mul<T>(quad_load(values), _mm_hadd_ps(ab, cd)));
  }
#else
  unroll<4>([&](auto i) PAWL_INLINE_LAMBDA { out[i] = values[i] * reduce_add<T>(sums[i]); });
#endif
}

template <bool kFetch, class T, class I>
PAWL_INLINE void sddmm_of(const SddmmWork<T, I>& w, std::size_t begin, std::size_t end) {
  constexpr std::size_t L = lanes<T>;
  constexpr std::size_t kAhead = 12, kLine = 64 / sizeof(T);  // entries ahead, as products with dense matrices
  const std::size_t whole = w.width / L * L, rest = w.width - whole;
  const auto last = static_cast<std::size_t>(w.start[w.rows]);
  const auto row_of_v = [&](I column) PAWL_INLINE_LAMBDA {
    const auto c = static_cast<std::size_t>(column);
    return c < w.padded_from ? w.v + c * w.ldv : w.v_padded + (c - w.padded_from) * w.ldv;
  };
  const auto fetch = [&](std::size_t k, std::size_t n) PAWL_INLINE_LAMBDA {
    for (std::size_t i = k + kAhead; i < k + kAhead + n && i < last; ++i) {
      const T* const row = w.v + static_cast<std::size_t>(w.columns[i]) * w.ldv;
      for (std::size_t j = 0; j < w.width; j += kLine) prefetch(row + j);
    }
  };
  // The products of a row of u and N rows of v, by lanes.
  const auto products = [&]<std::size_t N>(const T* u, const T* const(&v)[N], Vec<T>(&sums)[N]) PAWL_INLINE_LAMBDA {
    for (std::size_t j = 0; j < whole; j += L) {
      const Vec<T> of_u = load(u + j);
      unroll<N>([&](auto i) PAWL_INLINE_LAMBDA { sums[i] = fma<T>(of_u, load(v[i] + j), sums[i]); });
    }
    if (rest == 0) return;
    const Vec<T> of_u = load_first(u + whole, rest);
    unroll<N>([&](auto i) PAWL_INLINE_LAMBDA { sums[i] = fma<T>(of_u, load_first(v[i] + whole, rest), sums[i]); });
  };
  for (std::size_t r = begin; r < end; ++r) {
    const T* const u = w.u + r * w.ldu;
    auto k = static_cast<std::size_t>(w.start[r]);
    const auto row_end = static_cast<std::size_t>(w.start[r + 1]);
    for (; k + 4 <= row_end; k += 4) {
      if constexpr (kFetch) fetch(k, 4);
      Vec<T> sums[4] = {Vec<T>(T(0)), Vec<T>(T(0)), Vec<T>(T(0)), Vec<T>(T(0))};
      products(
          u,
          {row_of_v(w.columns[k]), row_of_v(w.columns[k + 1]), row_of_v(w.columns[k + 2]), row_of_v(w.columns[k + 3])},
          sums);
      scale_by_sums<T>(w.values + k, sums, w.out + k);
    }
    const std::size_t left = row_end - k;
    if (left == 0) continue;
    if constexpr (kFetch) fetch(k, left);
    const auto one_by_one = [&]<std::size_t N>(const T* const(&v)[N]) PAWL_INLINE_LAMBDA {
      Vec<T> sums[N];
      unroll<N>([&](auto i) PAWL_INLINE_LAMBDA { sums[i] = Vec<T>(T(0)); });
      products(u, v, sums);
      unroll<N>([&](auto i) PAWL_INLINE_LAMBDA { w.out[k + i] = w.values[k + i] * reduce_add<T>(sums[i]); });
    };
    if (left == 1)
      one_by_one({row_of_v(w.columns[k])});
    else if (left == 2)
      one_by_one({row_of_v(w.columns[k]), row_of_v(w.columns[k + 1])});
    else
      one_by_one({row_of_v(w.columns[k]), row_of_v(w.columns[k + 1]), row_of_v(w.columns[k + 2])});
  }
}

template <class T, class I>
static void sddmm_rows(const SddmmWork<T, I>& w, std::size_t begin, std::size_t end) noexcept {
  if (w.width == 1) {
    for (std::size_t r = begin; r < end; ++r) {
      const T u = w.u[r * w.ldu];
      for (auto k = static_cast<std::size_t>(w.start[r]); k < static_cast<std::size_t>(w.start[r + 1]); ++k)
        w.out[k] = w.values[k] * (u * w.v[static_cast<std::size_t>(w.columns[k]) * w.ldv]);
    }
    return;
  }
  w.fetch ? sddmm_of<true>(w, begin, end) : sddmm_of<false>(w, begin, end);
}

}  // namespace pawl::PAWL_ISA_NS
