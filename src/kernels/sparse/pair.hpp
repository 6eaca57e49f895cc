// pair.hpp -- two elements as one value, from neighbouring places or from two; two indices by one load.
//
// What a product with scattered columns waits for in the caches are its loads and stores, of which a Zen 4 begins three
// a cycle: two of anything by one of them is a gain even where the values come and go one by one.
#pragma once
#include <bit>
#include <cstring>

#include "kernels/vec.hpp"

namespace pawl::PAWL_ISA_NS {

struct TwoIndices {
  std::size_t first, second;
};
/// p[0] and p[1], which are not negative.
template <class I>
PAWL_INLINE TwoIndices two_indices(const I* p) {
  if constexpr (sizeof(I) == 4 && std::endian::native == std::endian::little) {
    std::uint64_t both;
    std::memcpy(&both, p, sizeof both);
    return {static_cast<std::uint32_t>(both), both >> 32};
  } else {
    return {static_cast<std::size_t>(p[0]), static_cast<std::size_t>(p[1])};
  }
}

#if defined(__x86_64__) && !defined(PAWL_ISA_IS_scalar)
template <class T>
struct Pair;
template <>
struct Pair<double> {
  __m128d both;
  PAWL_INLINE static Pair set(double x) { return {_mm_set1_pd(x)}; }
  PAWL_INLINE static Pair load(const double* p) { return {_mm_loadu_pd(p)}; }
  PAWL_INLINE static Pair load(const double* first, const double* second) {
    return {_mm_loadh_pd(_mm_load_sd(first), second)};
  }
  PAWL_INLINE void store(double* first, double* second) const {
    _mm_store_sd(first, both);
    _mm_storeh_pd(second, both);
  }
  /// x y + z.
  PAWL_INLINE static Pair multiply_add(Pair x, Pair y, Pair z) {
#if defined(PAWL_ISA_IS_sse2)
    return {_mm_add_pd(_mm_mul_pd(x.both, y.both), z.both)};
#else
    return {_mm_fmadd_pd(x.both, y.both, z.both)};
#endif
  }
};
template <>
struct Pair<float> {
  __m128 both;  // in the lower half
  PAWL_INLINE static Pair set(float x) { return {_mm_set1_ps(x)}; }
  PAWL_INLINE static Pair load(const float* p) {
    return {_mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)))};
  }
  PAWL_INLINE static Pair load(const float* first, const float* second) {
    return {_mm_unpacklo_ps(_mm_load_ss(first), _mm_load_ss(second))};
  }
  PAWL_INLINE void store(float* first, float* second) const {
    _mm_store_ss(first, both);
    _mm_store_ss(second, _mm_shuffle_ps(both, both, 1));
  }
  PAWL_INLINE static Pair multiply_add(Pair x, Pair y, Pair z) {
#if defined(PAWL_ISA_IS_sse2)
    return {_mm_add_ps(_mm_mul_ps(x.both, y.both), z.both)};
#else
    return {_mm_fmadd_ps(x.both, y.both, z.both)};
#endif
  }
};
#else
template <class T>
struct Pair {
  T a, b;
  PAWL_INLINE static Pair set(T x) { return {x, x}; }
  PAWL_INLINE static Pair load(const T* p) { return {p[0], p[1]}; }
  PAWL_INLINE static Pair load(const T* first, const T* second) { return {*first, *second}; }
  PAWL_INLINE void store(T* first, T* second) const {
    *first = a;
    *second = b;
  }
  PAWL_INLINE static Pair multiply_add(Pair x, Pair y, Pair z) { return {x.a * y.a + z.a, x.b * y.b + z.b}; }
};
#endif

}  // namespace pawl::PAWL_ISA_NS
