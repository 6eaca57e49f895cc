// transpose.kernel.hpp -- W vectors -> their transpose, in registers.
//
// By halves of ever larger parts: first the square blocks inside 128 bits, then 128-bit lanes, then halves of 512 bits;
// W log2 W shuffles in all.
#pragma once
#include "kernels/fft/register.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

#if defined(PAWL_ISA_IS_avx512)
// Pairs of vectors 128 bits apart exchange their odd and even lanes of 128 bits.
template <class T>
PAWL_INLINE void exchange_128(Reg<T>& a, Reg<T>& b) {
  if constexpr (sizeof(T) == 4) {
    const __m512 x = a, y = b;
    a = _mm512_mask_shuffle_f32x4(x, 0xF0F0, y, y, 0xA0);
    b = _mm512_mask_shuffle_f32x4(y, 0x0F0F, x, x, 0xF5);
  } else {
    const __m512d x = a, y = b;
    a = _mm512_mask_shuffle_f64x2(x, 0xCC, y, y, 0xA0);
    b = _mm512_mask_shuffle_f64x2(y, 0x33, x, x, 0xF5);
  }
}
template <class T>
PAWL_INLINE void exchange_256(Reg<T>& a, Reg<T>& b) {
  if constexpr (sizeof(T) == 4) {
    const __m512 x = a, y = b;
    a = _mm512_shuffle_f32x4(x, y, 0x44);
    b = _mm512_shuffle_f32x4(x, y, 0xEE);
  } else {
    const __m512d x = a, y = b;
    a = _mm512_shuffle_f64x2(x, y, 0x44);
    b = _mm512_shuffle_f64x2(x, y, 0xEE);
  }
}
#define PAWL_UNPACK(half, suffix, a, b) _mm512_unpack##half##_##suffix(a, b)
#define PAWL_AS_PD(x) _mm512_castps_pd(x)
#define PAWL_AS_PS(x) _mm512_castpd_ps(x)
#elif defined(PAWL_ISA_IS_avx2)
template <class T>
PAWL_INLINE void exchange_128(Reg<T>& a, Reg<T>& b) {
  if constexpr (sizeof(T) == 4) {
    const __m256 x = a, y = b;
    a = _mm256_permute2f128_ps(x, y, 0x20);
    b = _mm256_permute2f128_ps(x, y, 0x31);
  } else {
    const __m256d x = a, y = b;
    a = _mm256_permute2f128_pd(x, y, 0x20);
    b = _mm256_permute2f128_pd(x, y, 0x31);
  }
}
#define PAWL_UNPACK(half, suffix, a, b) _mm256_unpack##half##_##suffix(a, b)
#define PAWL_AS_PD(x) _mm256_castps_pd(x)
#define PAWL_AS_PS(x) _mm256_castpd_ps(x)
#elif defined(PAWL_ISA_IS_sse2)
#define PAWL_UNPACK(half, suffix, a, b) _mm_unpack##half##_##suffix(a, b)
#define PAWL_AS_PD(x) _mm_castps_pd(x)
#define PAWL_AS_PS(x) _mm_castpd_ps(x)
#endif

// The square blocks inside 128 bits: 4 x 4 of f32, 2 x 2 of f64.
#if defined(PAWL_UNPACK)
template <class T>
PAWL_INLINE void transpose_in_128(Reg<T>* v) {
  if constexpr (sizeof(T) == 4) {
    const auto ab0 = PAWL_AS_PD(PAWL_UNPACK(lo, ps, v[0], v[1])), ab1 = PAWL_AS_PD(PAWL_UNPACK(hi, ps, v[0], v[1]));
    const auto cd0 = PAWL_AS_PD(PAWL_UNPACK(lo, ps, v[2], v[3])), cd1 = PAWL_AS_PD(PAWL_UNPACK(hi, ps, v[2], v[3]));
    v[0] = PAWL_AS_PS(PAWL_UNPACK(lo, pd, ab0, cd0));
    v[1] = PAWL_AS_PS(PAWL_UNPACK(hi, pd, ab0, cd0));
    v[2] = PAWL_AS_PS(PAWL_UNPACK(lo, pd, ab1, cd1));
    v[3] = PAWL_AS_PS(PAWL_UNPACK(hi, pd, ab1, cd1));
  } else {
    const auto a = PAWL_UNPACK(lo, pd, v[0], v[1]), b = PAWL_UNPACK(hi, pd, v[0], v[1]);
    v[0] = a;
    v[1] = b;
  }
}
#elif defined(PAWL_ISA_IS_neon)
template <class T>
PAWL_INLINE void transpose_in_128(Reg<T>* v) {
  if constexpr (sizeof(T) == 4) {
    const float32x4_t ac0 = vzip1q_f32(v[0], v[2]), ac1 = vzip2q_f32(v[0], v[2]);
    const float32x4_t bd0 = vzip1q_f32(v[1], v[3]), bd1 = vzip2q_f32(v[1], v[3]);
    v[0] = vzip1q_f32(ac0, bd0);
    v[1] = vzip2q_f32(ac0, bd0);
    v[2] = vzip1q_f32(ac1, bd1);
    v[3] = vzip2q_f32(ac1, bd1);
  } else {
    const float64x2_t a = vzip1q_f64(v[0], v[1]), b = vzip2q_f64(v[0], v[1]);
    v[0] = a;
    v[1] = b;
  }
}
#endif

/// v[0 .. lanes): lane j of vector i becomes lane i of vector j.
template <class T>
PAWL_INLINE void transpose(Reg<T>* v) {
  [[maybe_unused]] constexpr std::size_t W = lanes<T>;
#if !defined(PAWL_ISA_IS_scalar)
  constexpr std::size_t kBlock = 16 / sizeof(T);
  unroll<W / kBlock>([&](auto block) PAWL_INLINE_LAMBDA { transpose_in_128<T>(v + block * kBlock); });
#if defined(PAWL_ISA_IS_avx512) || defined(PAWL_ISA_IS_avx2)
  unroll<W>([&](auto i) PAWL_INLINE_LAMBDA {
    if constexpr (i / kBlock % 2 == 0) exchange_128<T>(v[i], v[i + kBlock]);
  });
#endif
#if defined(PAWL_ISA_IS_avx512)
  unroll<W / 2>([&](auto i) PAWL_INLINE_LAMBDA { exchange_256<T>(v[i], v[i + W / 2]); });
#endif
#else
  (void)v;
#endif
}

#undef PAWL_UNPACK
#undef PAWL_AS_PD
#undef PAWL_AS_PS

}  // namespace pawl::PAWL_ISA_NS
