// sleef_math.cpp -- the math functions by SLEEF's vector functions of at most 1 ulp, the widest that this CPU has.
//
// They are called as SLEEF's documentation shows: on whole vectors in a loop, and the last ones on a padded vector.
#include <immintrin.h>
#include <sleef.h>

#include "benches/simd/math_rows.hpp"

namespace pawl::bench {
namespace {

#if defined(__AVX512F__)
using Floats = __m512;
using Doubles = __m512d;
#define PAWL_SLEEF(function, lanes512, lanes256) Sleef_##function##lanes512##avx512f
#elif defined(__AVX2__)
using Floats = __m256;
using Doubles = __m256d;
#define PAWL_SLEEF(function, lanes512, lanes256) Sleef_##function##lanes256##avx2
#endif

#if defined(PAWL_SLEEF)
template <class T, class V, auto f>
void map(const T* x, T* out, std::size_t n) {
  constexpr std::size_t W = sizeof(V) / sizeof(T);
  std::size_t i = 0;
  for (; i + W <= n; i += W) {
    V v;
    __builtin_memcpy(&v, x + i, sizeof v);
    v = f(v);
    __builtin_memcpy(out + i, &v, sizeof v);
  }
  if (i < n) {
    T part[W] = {};
    for (std::size_t k = i; k < n; ++k) part[k - i] = x[k];
    V v;
    __builtin_memcpy(&v, part, sizeof v);
    v = f(v);
    __builtin_memcpy(part, &v, sizeof v);
    for (std::size_t k = i; k < n; ++k) out[k] = part[k - i];
  }
}

template <class T, class V>
V every(T value) {
  V v;
  for (std::size_t k = 0; k < sizeof(V) / sizeof(T); ++k) v[k] = value;
  return v;
}
constexpr auto kPow32 = [](Floats v) {
  return PAWL_SLEEF(powf, 16_u10, 8_u10)(v, every<float, Floats>(float(kPower)));
};
constexpr auto kPow64 = [](Doubles v) { return PAWL_SLEEF(pow, d8_u10, d4_u10)(v, every<double, Doubles>(kPower)); };

const Registration rows([](Rows& r) {
  add_math_rows(r, MathImplementation<float>{.impl = "sleef",
                                             .exp = map<float, Floats, PAWL_SLEEF(expf, 16_u10, 8_u10)>,
                                             .log = map<float, Floats, PAWL_SLEEF(logf, 16_u10, 8_u10)>,
                                             .tanh = map<float, Floats, PAWL_SLEEF(tanhf, 16_u10, 8_u10)>,
                                             .pow = map<float, Floats, kPow32>});
  add_math_rows(r, MathImplementation<float>{.impl = "sleef_3.5ulp",
                                             .log = map<float, Floats, PAWL_SLEEF(logf, 16_u35, 8_u35)>,
                                             .tanh = map<float, Floats, PAWL_SLEEF(tanhf, 16_u35, 8_u35)>});
  if (r.quick()) return;
  add_math_rows(r, MathImplementation<double>{.impl = "sleef",
                                              .exp = map<double, Doubles, PAWL_SLEEF(exp, d8_u10, d4_u10)>,
                                              .log = map<double, Doubles, PAWL_SLEEF(log, d8_u10, d4_u10)>,
                                              .tanh = map<double, Doubles, PAWL_SLEEF(tanh, d8_u10, d4_u10)>,
                                              .pow = map<double, Doubles, kPow64>});
  add_math_rows(r, MathImplementation<double>{.impl = "sleef_3.5ulp",
                                              .log = map<double, Doubles, PAWL_SLEEF(log, d8_u35, d4_u35)>,
                                              .tanh = map<double, Doubles, PAWL_SLEEF(tanh, d8_u35, d4_u35)>});
});
#endif

}  // namespace
}  // namespace pawl::bench
