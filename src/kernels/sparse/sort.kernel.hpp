// sort.kernel.hpp -- a short row in any order to ascending columns, without a branch that depends on the columns.
#pragma once
#include "kernels/vec.hpp"

namespace pawl::PAWL_ISA_NS {

#if defined(PAWL_ISA_IS_avx512)
template <class I>
inline constexpr std::size_t index_lanes = 64 / sizeof(I);

// Bits of the lanes whose column is below `column`, and of those that equal it, among the `count` first.
struct Compared {
  unsigned below, equal;
};
template <class I>
PAWL_INLINE Compared compare(const I* columns, std::size_t count, I column) {
  if constexpr (sizeof(I) == 4) {
    const auto active = static_cast<__mmask16>(count >= 16 ? 0xffffu : (1u << count) - 1);
    const __m512i v = _mm512_maskz_loadu_epi32(active, columns), c = _mm512_set1_epi32(column);
    return {_mm512_mask_cmplt_epi32_mask(active, v, c), _mm512_mask_cmpeq_epi32_mask(active, v, c)};
  } else {
    const auto active = static_cast<__mmask8>(count >= 8 ? 0xffu : (1u << count) - 1);
    const __m512i v = _mm512_maskz_loadu_epi64(active, columns), c = _mm512_set1_epi64(column);
    return {_mm512_mask_cmplt_epi64_mask(active, v, c), _mm512_mask_cmpeq_epi64_mask(active, v, c)};
  }
}
#endif

template <class T, class I>
static bool sort_short_row(const I* columns, const T* values, std::size_t n, I* out_columns, T* out_values) noexcept {
#if defined(PAWL_ISA_IS_avx512)
  // An entry's place is the number of entries before it: smaller columns, and equal ones that came earlier.
  constexpr std::size_t W = index_lanes<I>;
  unsigned duplicates = 0;
  if (n <= W) {
    for (std::size_t i = 0; i < n; ++i) {
      const Compared c = compare(columns, n, columns[i]);
      const unsigned earlier = c.equal & ((1u << i) - 1);
      const auto place = static_cast<std::size_t>(__builtin_popcount(c.below | earlier));
      duplicates |= earlier;
      out_columns[place] = columns[i];
      out_values[place] = values[i];
    }
    return duplicates != 0;
  }
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t place = 0;
    for (std::size_t k = 0; k < n; k += W) {
      const Compared c = compare(columns + k, n - k, columns[i]);
      const unsigned earlier = c.equal & (i <= k ? 0u : i - k >= W ? ~0u : (1u << (i - k)) - 1);
      place += static_cast<std::size_t>(__builtin_popcount(c.below | earlier));
      duplicates |= earlier;
    }
    out_columns[place] = columns[i];
    out_values[place] = values[i];
  }
  return duplicates != 0;
#else
  bool duplicates = false;
  for (std::size_t i = 0; i < n; ++i) {
    const I column = columns[i];
    const T value = values[i];
    std::size_t k = i;
    for (; k > 0 && out_columns[k - 1] > column; --k) {
      out_columns[k] = out_columns[k - 1];
      out_values[k] = out_values[k - 1];
    }
    duplicates |= k > 0 && out_columns[k - 1] == column;
    out_columns[k] = column;
    out_values[k] = value;
  }
  return duplicates;
#endif
}

}  // namespace pawl::PAWL_ISA_NS
