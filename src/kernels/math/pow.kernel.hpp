// pow.kernel.hpp -- x -> x^y for one y, written once for every ISA: f32 in the arithmetic of f64.
//
// x^y = +-exp(y log|x|). An error of the exponent is one of the result times 104 (f32) or 745 (f64), so that the
// logarithm needs 7 or 10 more bits than the result: f32 has them in f64; f64 asks the C library, element by element.
#pragma once
#include "kernels/math/exp.kernel.hpp"
#include "kernels/math/log.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

PAWL_INLINE Vec<double> load_widened(const float* p) {
#if defined(PAWL_ISA_IS_avx512)
  return Vec<double>(_mm512_cvtps_pd(_mm256_loadu_ps(p)));
#elif defined(PAWL_ISA_IS_avx2)
  return Vec<double>(_mm256_cvtps_pd(_mm_loadu_ps(p)));
#else
  alignas(64) double wide[lanes<double>];
  for (std::size_t i = 0; i < lanes<double>; ++i) wide[i] = static_cast<double>(p[i]);
  return load<double>(wide);
#endif
}

PAWL_INLINE void store_narrowed(float* p, Vec<double> v) {
#if defined(PAWL_ISA_IS_avx512)
  _mm256_storeu_ps(p, _mm512_cvtpd_ps(v));
#elif defined(PAWL_ISA_IS_avx2)
  _mm_storeu_ps(p, _mm256_cvtpd_ps(v));
#else
  alignas(64) double wide[lanes<double>];
  store<double>(wide, v);
  for (std::size_t i = 0; i < lanes<double>; ++i) p[i] = static_cast<float>(wide[i]);
#endif
}

// y is finite and not 0. Zeros and infinities come out of log and exp by themselves.
struct Power {
  double y;
  bool whole, odd;

  PAWL_INLINE explicit Power(double exponent) : y(exponent) {
    // From 2^53 on every number is even.
    const double size = exponent < 0 ? -exponent : exponent;
    const bool large = size >= 0x1p53;
    const auto n = static_cast<std::int64_t>(large ? 0 : size);
    whole = large || static_cast<double>(n) == size;
    odd = whole && !large && n % 2 == 1;
  }

  PAWL_INLINE Vec<double> of(Vec<double> x) const {
    const Vec<double> zero(0.0), size = magnitude<double>(x);
    const Vec<double> result = Exp{}.of<double>(Vec<double>(y) * Log{}.of<double>(size));
    if (odd) return with_sign<double>(result, x);
    if (whole) return result;
    // A negative number has no such power; -infinity counts as beyond all numbers.
    const Vec<double> infinity(std::numeric_limits<double>::infinity()), nan(std::numeric_limits<double>::quiet_NaN());
    return select_less<double>(x, zero, select_less<double>(size, infinity, nan, result), result);
  }
};

template <class T>
static void pow(const T* x, T y, T* out, std::size_t n) noexcept {
  // x^0 is 1 and 1^y is 1, also where the other is NaN; 0 * infinity in the exponent would say otherwise.
  const bool plain = sizeof(T) == 4 && y - y == T(0) && y != T(0);
  if (!plain) {
    for (std::size_t i = 0; i < n; ++i)
      out[i] = static_cast<T>(__builtin_pow(static_cast<double>(x[i]), static_cast<double>(y)));
    return;
  }
  if constexpr (sizeof(T) == 4) {
    constexpr std::size_t W = lanes<double>;
    const Power power(static_cast<double>(y));
    std::size_t i = 0;
    for (; i + 2 * W <= n; i += 2 * W) {
      const Vec<double> a = power.of(load_widened(x + i)), b = power.of(load_widened(x + i + W));
      store_narrowed(out + i, a);
      store_narrowed(out + i + W, b);
    }
    for (; i < n; i += W) {
      const std::size_t count = n - i < W ? n - i : W;
      alignas(64) float part[W] = {};
      for (std::size_t k = 0; k < count; ++k) part[k] = x[i + k];
      store_narrowed(part, power.of(load_widened(part)));
      for (std::size_t k = 0; k < count; ++k) out[i + k] = part[k];
    }
  }
}

}  // namespace pawl::PAWL_ISA_NS
