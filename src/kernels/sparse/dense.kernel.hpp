// dense.kernel.hpp -- a row of a dense matrix to the entries that are not small.
#pragma once
#include "kernels/sparse/compress.kernel.hpp"
#include "kernels/vec.hpp"

namespace pawl::PAWL_ISA_NS {

#if defined(PAWL_ISA_IS_avx512)
// Lanes of p[0 .. lanes) with |p[i]| > threshold or NaN, among those of `active`.
PAWL_INLINE unsigned lanes_above(__m512d v, double threshold, unsigned active) {
  return _mm512_mask_cmp_pd_mask(static_cast<__mmask8>(active), _mm512_abs_pd(v), _mm512_set1_pd(threshold),
                                 _CMP_NLE_UQ);
}
PAWL_INLINE unsigned lanes_above(__m512 v, float threshold, unsigned active) {
  return _mm512_mask_cmp_ps_mask(static_cast<__mmask16>(active), _mm512_abs_ps(v), _mm512_set1_ps(threshold),
                                 _CMP_NLE_UQ);
}
#endif

template <class T>
static std::size_t count_above(const T* p, std::size_t n, T threshold) noexcept {
  std::size_t count = 0;
#if defined(PAWL_ISA_IS_avx512)
  constexpr std::size_t L = lanes<T>;
  std::size_t i = 0;
  for (; i + L <= n; i += L)
    count += static_cast<std::size_t>(__builtin_popcount(lanes_above(load(p + i), threshold, ~0u)));
  const unsigned rest = (1u << (n - i)) - 1;
  return count + static_cast<std::size_t>(__builtin_popcount(lanes_above(load_first(p + i, n - i), threshold, rest)));
#else
  for (std::size_t i = 0; i < n; ++i) count += !(__builtin_fabs(p[i]) <= threshold);
  return count;
#endif
}

template <class T, class I>
static std::size_t keep_above(const T* p, std::size_t n, T threshold, I* columns, T* values) noexcept {
  std::size_t out = 0;
#if defined(PAWL_ISA_IS_avx512)
  constexpr std::size_t L = lanes<T>;
  const auto add = [&](std::size_t i, Vec<T> v, unsigned mask) PAWL_INLINE_LAMBDA {
    if (mask != 0) out += store_chosen(v, mask, i, columns + out, values + out);
  };
  std::size_t i = 0;
  for (; i + L <= n; i += L) {
    const Vec<T> v = load(p + i);
    add(i, v, lanes_above(v, threshold, ~0u));
  }
  const Vec<T> v = load_first(p + i, n - i);
  add(i, v, lanes_above(v, threshold, (1u << (n - i)) - 1));
#else
  for (std::size_t i = 0; i < n; ++i) {  // without a branch, which would be foreseen badly
    const T value = p[i];
    columns[out] = static_cast<I>(i);
    values[out] = value;
    out += !(__builtin_fabs(value) <= threshold);
  }
#endif
  return out;
}

}  // namespace pawl::PAWL_ISA_NS
