// quant_table.hpp -- the entries of the category `quant`.
#pragma once
#include <cstddef>
#include <cstdint>

#include "kernels/quant/low_bits_formats.hpp"

namespace pawl {

/// f32 <-> codes of type Q. `streaming`: stores bypass the caches. Contracts are in include/pawl/quant/affine.hpp.
template <class Q>
struct QuantizeOps {
  void (*quantize)(const float* x, std::size_t n, float reciprocal, std::int32_t zero_point, Q* q,
                   bool streaming) noexcept;
  /// The same, and the range of `next` [n], widened to hold 0 (NaN left out or making it NaN). Either may be null.
  void (*quantize_and_range)(const float* x, std::size_t n, float reciprocal, std::int32_t zero_point, Q* q,
                             const float* next, float* range) noexcept;
  void (*dequantize)(const Q* q, std::size_t n, float scale, std::int32_t zero_point, float* x,
                     bool streaming) noexcept;
  void (*requantize)(const std::int32_t* sums, std::size_t n, float multiplier, std::int32_t zero_point, Q* q,
                     bool streaming) noexcept;
  /// out[i] = clamp(round((a[i] - zero_a) * factor_a + (b[i] - zero_b) * factor_b) + zero_out)
  void (*add)(const Q* a, const Q* b, std::size_t n, std::int32_t zero_a, std::int32_t zero_b, float factor_a,
              float factor_b, std::int32_t zero_out, Q* out) noexcept;
  /// out[i] = max(a[i], zero_point)
  void (*relu)(const Q* a, std::size_t n, Q zero_point, Q* out) noexcept;
  /// rows x cols with factors and zero points per row, or, where those are null, `middle`.
  void (*quantize_rows)(const float* x, std::size_t rows, std::size_t cols, const float* reciprocals,
                        const std::int32_t* zero_points, std::int32_t middle, Q* q) noexcept;
  void (*dequantize_rows)(const Q* q, std::size_t rows, std::size_t cols, const float* scales,
                          const std::int32_t* zero_points, std::int32_t middle, float* x, bool streaming) noexcept;
  /// Rows `stride` elements apart with factors per column and one zero point; `each`: a zero point per column, as f32.
  void (*quantize_columns)(const float* x, std::size_t rows, std::size_t cols, std::size_t stride,
                           const float* reciprocals, std::int32_t zero_point, Q* q) noexcept;
  void (*quantize_each)(const float* x, std::size_t rows, std::size_t cols, std::size_t stride,
                        const float* reciprocals, const float* zero_points, Q* q) noexcept;
  void (*dequantize_columns)(const Q* q, std::size_t rows, std::size_t cols, std::size_t stride, const float* scales,
                             std::int32_t zero_point, float* x) noexcept;
  void (*dequantize_each)(const Q* q, std::size_t rows, std::size_t cols, std::size_t stride, const float* scales,
                          const float* zero_points, float* x) noexcept;
  /// Codes of `rows` rows by factors per row, and the largest magnitudes of `next_rows` others of the same length: of
  /// finite elements, NaN left out, or infinite or NaN where there are others. Either may be none.
  void (*quantize_and_find)(const float* x, std::size_t rows, std::size_t cols, const float* reciprocals,
                            std::int32_t zero_point, Q* q, const float* next, std::size_t next_rows,
                            float* magnitudes) noexcept;
};

/// 16-bit floats by their bits.
struct HalfOps {
  void (*from_f32)(const float* x, std::size_t n, std::uint16_t* out, bool streaming) noexcept;
  void (*to_f32)(const std::uint16_t* x, std::size_t n, float* out, bool streaming) noexcept;
};

/// Scales and zero points of many rows or columns.
struct ParameterOps {
  bool (*scales_fit)(const float* scales, std::size_t n) noexcept;  ///< all finite and at least 2^-126
  bool (*zeros_fit)(const std::int32_t* zero_points, std::size_t n, std::int32_t lowest) noexcept;  ///< all codes
  bool (*zeros_differ)(const std::int32_t* zero_points, std::size_t n) noexcept;
  void (*reciprocals)(const float* scales, std::size_t n, float* out) noexcept;
  /// As choose_params() of [-magnitude, magnitude] and of [low, high] (low <= 0 <= high; `lowest` code), and 1 / scale.
  /// False where one is not finite: its results are not to be used.
  bool (*symmetric)(const float* magnitudes, std::size_t n, float* scales, float* reciprocals) noexcept;
  bool (*affine)(const float* lows, const float* highs, std::size_t n, std::int32_t lowest, float* scales,
                 std::int32_t* zero_points, float* reciprocals) noexcept;
  void (*zeros_as_f32)(const std::int32_t* zero_points, std::size_t n, float* out) noexcept;
};

struct QuantTable {
  QuantizeOps<std::int8_t> s8;
  QuantizeOps<std::uint8_t> u8;
  HalfOps bf16, f16;
  /// range[0] = smallest, range[1] = largest element, NaN left out; +inf, -inf if there is none.
  void (*range)(const float* x, std::size_t n, float* range) noexcept;
  /// Of each row low <= 0 and high >= 0 that hold it: of finite elements, NaN left out, or
  /// not finite.
  void (*find_ranges)(const float* x, std::size_t rows, std::size_t cols, float* lows, float* highs) noexcept;
  ParameterOps parameters;
  LowBitsFormats low_bits;
};

}  // namespace pawl
