// yardsticks.isa.cpp -- compiled once per ISA; the loops that say what this machine can do, written for nothing else.
//
// Plain vector types of the compiler and not vec.hpp: yardsticks must not change when the kernels' vocabulary does, and
// they build without the kernels.
#include <utility>

#include "benches/support/yardstick_table.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace pawl::PAWL_ISA_NS {

#if defined(PAWL_ISA_IS_avx512)
static constexpr std::size_t kBytes = 64, kChains = 16;  // 32 registers; FMA latency 4 x 2 units needs 8
#elif defined(PAWL_ISA_IS_avx2)
static constexpr std::size_t kBytes = 32, kChains = 10;  // 16 registers: 10 accumulators and two operands fit
#elif defined(PAWL_ISA_IS_scalar)
static constexpr std::size_t kBytes = 0, kChains = 10;
#else
static constexpr std::size_t kBytes = 16, kChains = 10;
#endif

template <class T, std::size_t bytes>
struct VectorOf {
  typedef T type __attribute__((vector_size(bytes), aligned(64 < bytes ? 64 : bytes), may_alias));
};
template <class T>
struct VectorOf<T, 0> {
  using type = T;
};
template <class T>
using V = typename VectorOf<T, kBytes>::type;
template <class T>
static constexpr std::size_t kLanes = sizeof(V<T>) / sizeof(T);

// Keeps a value in a vector register: the compiler may neither merge the chains nor drop them.
template <class X>
static inline __attribute__((always_inline)) void keep(X& x) {
#if defined(PAWL_ISA_IS_avx512)
  asm volatile("" : "+v"(x));
#elif defined(__x86_64__)
  asm volatile("" : "+x"(x));
#else
  asm volatile("" : "+w"(x));
#endif
}

template <class T>
static inline __attribute__((always_inline)) V<T> multiply_add(V<T> a, V<T> b, V<T> c) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4)
    return (V<T>)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
  else
    return (V<T>)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(PAWL_ISA_IS_avx2)
  if constexpr (sizeof(T) == 4)
    return (V<T>)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
  else
    return (V<T>)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
  return a * b + c;
#endif
}

// Packs and not loops over the arrays: only constant indices keep the array in registers at every optimisation level.
template <class T, std::size_t... J>
static double run_fma(std::index_sequence<J...>, std::size_t rounds) noexcept {
  V<T> b = V<T>{} + T(0.999), c = V<T>{} + T(0.001);  // converges to 1: neither overflow nor denormals
  V<T> chain[] = {(V<T>{} + T(J))...};
  for (std::size_t i = 0; i < rounds; ++i) ((chain[J] = multiply_add<T>(chain[J], b, c), keep(chain[J])), ...);
  return 2.0 * double(kLanes<T>) * double(sizeof...(J)) * double(rounds);
}

static double fma_f32(std::size_t rounds) noexcept {
  return run_fma<float>(std::make_index_sequence<kChains>{}, rounds);
}
static double fma_f64(std::size_t rounds) noexcept {
  return run_fma<double>(std::make_index_sequence<kChains>{}, rounds);
}

template <std::size_t... J>
static float run_read(std::index_sequence<J...>, const float* x, std::size_t n) noexcept {
  constexpr std::size_t W = kLanes<float>;
  V<float> s[] = {(V<float>{} + float(J))...};
  for (std::size_t i = 0; i < n; i += sizeof...(J) * W)
    ((s[J] = s[J] + *reinterpret_cast<const V<float>*>(x + i + J * W), keep(s[J])), ...);
  V<float> sum = (s[J] + ...);
  float buffer[kLanes<float>];
  __builtin_memcpy(buffer, &sum, sizeof buffer);
  return buffer[0];
}

static float read(const float* x, std::size_t n) noexcept { return run_read(std::make_index_sequence<8>{}, x, n); }

static void copy(const float* x, float* y, std::size_t n) noexcept {
  constexpr std::size_t W = kLanes<float>;
  for (std::size_t i = 0; i < n; i += 4 * W) {
#pragma GCC unroll 4
    for (std::size_t j = 0; j < 4; ++j) {
      V<float> v = *reinterpret_cast<const V<float>*>(x + i + j * W);
      keep(v);  // or the loop becomes a call of memcpy
      *reinterpret_cast<V<float>*>(y + i + j * W) = v;
    }
  }
}

static void stream_copy(const float* x, float* y, std::size_t n) noexcept {
#if defined(__x86_64__)
  for (std::size_t i = 0; i < n; i += 16) {  // a cache line a turn: write combining wants whole lines
#if defined(PAWL_ISA_IS_avx512)
    _mm512_stream_ps(y + i, _mm512_load_ps(x + i));
#elif defined(PAWL_ISA_IS_avx2)
    _mm256_stream_ps(y + i, _mm256_load_ps(x + i));
    _mm256_stream_ps(y + i + 8, _mm256_load_ps(x + i + 8));
#else
    for (std::size_t j = 0; j < 16; j += 4) _mm_stream_ps(y + i + j, _mm_load_ps(x + i + j));
#endif
  }
  _mm_sfence();
#else
  copy(x, y, n);
#endif
}

static void triad(const float* x, const float* y, float* z, std::size_t n) noexcept {
  constexpr std::size_t W = kLanes<float>;
  V<float> three = V<float>{} + 3.0f;
  keep(three);
  for (std::size_t i = 0; i < n; i += 4 * W) {
#pragma GCC unroll 4
    for (std::size_t j = 0; j < 4; ++j)
      *reinterpret_cast<V<float>*>(z + i + j * W) = multiply_add<float>(
          *reinterpret_cast<const V<float>*>(y + i + j * W), three, *reinterpret_cast<const V<float>*>(x + i + j * W));
  }
}

extern const bench::YardstickTable yardstick_table;
constinit const bench::YardstickTable yardstick_table{fma_f32, fma_f64, read, copy, stream_copy, triad};

}  // namespace pawl::PAWL_ISA_NS
