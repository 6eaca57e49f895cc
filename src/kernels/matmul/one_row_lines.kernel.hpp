// one_row_lines.kernel.hpp -- one row of A times B where it lies, whose rows begin within lines of the cache.
//
// A vector that begins within a line takes two, and from L2 twice the time. So columns are taken from the first line on
// that begins in a row, and rows go side by side that begin at the same place of a line: all of them, or every second,
// fourth, ... one.
#pragma once
#include "kernels/line_parts.kernel.hpp"
#include "kernels/matmul/one_row.kernel.hpp"
#include "pawl/isa.hpp"

namespace pawl::PAWL_ISA_NS {

#if defined(PAWL_ISA_IS_avx512)
// Columns at a time, whose sums wait in L1: 8 KiB of f32.
inline constexpr std::size_t kLineStrip = 2048;

/// Whether it was worth it, and is done. The order of summation depends on the shape alone.
template <class T>
PAWL_INLINE bool multiply_one_row_by_lines(const MatmulBlock<T>& x) {
  using Parts = LineParts<T>;
  constexpr std::size_t W = lanes<T>, kRows = kSideBySide.rows, kLeastCols = 6 * W;
  const std::size_t apart = Parts::rows_to_same_place(x.b_stride);
  if (x.cols < kLeastCols || x.depth * x.cols * sizeof(T) <= assumed_cache_sizes().l1d_bytes) return false;
  if (reinterpret_cast<std::uintptr_t>(x.b) % sizeof(T) != 0) return false;
  if (apart == 1 && !Parts::begins_within(x.b)) return false;
  if (x.depth <= kRows * apart) return false;
  const std::size_t a_step = x.a_layout == LeftLayout::rows ? 1 : x.a_stride;
  alignas(64) T sums[kLineStrip + 2 * W];
  for (std::size_t j = 0; j < x.cols; j += kLineStrip) {
    const std::size_t cols = x.cols - j < kLineStrip ? x.cols - j : kLineStrip;
    const auto chunk_at = [&](std::size_t row, std::size_t step) PAWL_INLINE_LAMBDA {
      const T* const b = x.b + row * x.b_stride + j;
      const std::size_t head = Parts::elements_to_line(b);
      // Where all rows begin at the same place, so do the sums.
      return OneRowChunk<T>{.a = x.a + row * a_step,
                            .a_step = step * a_step,
                            .b = b,
                            .ldb = step * x.b_stride,
                            .cols = cols,
                            .head = head < cols ? head : 0,
                            .next = b,
                            .scratch = sums + (apart == 1 ? Parts::elements_before(b) : 0),
                            .c = x.c + j,
                            .alpha = x.alpha,
                            .beta = x.beta};
    };
    std::size_t row = 0;
    for (; row + kRows * apart < x.depth; row += kRows * apart)
      for (std::size_t first = 0; first < apart; ++first) {
        const OneRowChunk<T> chunk = chunk_at(row + first, apart);
        if (row + first == 0)
          one_row_chunk<T, kRows, 0, true, false>(chunk);
        else
          one_row_chunk<T, kRows, 0, false, false>(chunk);
      }
    for (; row + kRows < x.depth; row += kRows) one_row_chunk<T, kRows, 0, false, false>(chunk_at(row, 1));
    one_row_rest<T, kRows, 0>(chunk_at(row, 1), x.depth - row);
  }
  return true;
}
#endif

}  // namespace pawl::PAWL_ISA_NS
