// line_parts.kernel.hpp -- an address within a line -> how far lines are, and loads of parts of them.
#pragma once
#include <cstdint>
#include <type_traits>

#include "kernels/vec.hpp"

namespace pawl::PAWL_ISA_NS {

#if defined(PAWL_ISA_IS_avx512)
/// The lines that hold an array of T whose first element may not be the first of its line.
template <class T>
struct LineParts {
  using Register = typename Vec<T>::register_type;
  using Mask = std::conditional_t<sizeof(T) == 4, __mmask16, __mmask8>;
  static constexpr std::size_t kLine = 64 / sizeof(T);  // elements

  /// Elements of the line of x before it.
  static std::size_t elements_before(const T* x) { return reinterpret_cast<std::uintptr_t>(x) % 64 / sizeof(T); }
  /// Whether there are some, and x has the alignment of T.
  static bool begins_within(const T* x) {
    const auto address = reinterpret_cast<std::uintptr_t>(x);
    return address % 64 != 0 && address % sizeof(T) == 0;
  }
  /// Elements from x to the first line that begins at x or beyond.
  static std::size_t elements_to_line(const T* x) {
    const std::size_t before = elements_before(x);
    return before == 0 ? 0 : kLine - before;
  }
  /// Rows `stride` elements apart: how many there are from one to the next that begins at the same place of a line.
  static std::size_t rows_to_same_place(std::size_t stride) {
    std::size_t rows = 1;
    while (stride % kLine * rows % kLine != 0) rows *= 2;
    return rows;
  }
  /// The lanes of the array in its first line.
  static Mask first(std::size_t before) { return static_cast<Mask>(~0U << before); }

  /// These lanes of a line, 0 in the others, which are not read.
  PAWL_INLINE static Register load(Mask mask, const T* line) {
    if constexpr (sizeof(T) == 4)
      return _mm512_maskz_load_ps(mask, line);
    else
      return _mm512_maskz_load_pd(mask, line);
  }
  /// A whole vector from p, whose elements from 0 on go to these lanes in turn; 0 in the others.
  PAWL_INLINE static Register load_into(Mask mask, const T* p) {
    if constexpr (sizeof(T) == 4)
      return _mm512_maskz_expand_ps(mask, _mm512_loadu_ps(p));
    else
      return _mm512_maskz_expand_pd(mask, _mm512_loadu_pd(p));
  }
  /// These lanes of a whole vector from p in turn; 0 behind them.
  PAWL_INLINE static Register load_from(Mask mask, const T* p) {
    if constexpr (sizeof(T) == 4)
      return _mm512_maskz_compress_ps(mask, _mm512_loadu_ps(p));
    else
      return _mm512_maskz_compress_pd(mask, _mm512_loadu_pd(p));
  }
};
#endif

}  // namespace pawl::PAWL_ISA_NS
