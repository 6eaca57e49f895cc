// simd_table.hpp -- the entries of the category `simd`: loops over contiguous elements.
#pragma once
#include <cstddef>

namespace pawl {

/// Entries for one element type. Pointers may be misaligned; n = 0 is fine; contracts are in include/pawl/simd.hpp.
template <class T>
struct SimdOps {
  void (*add)(const T* x, const T* y, T* out, std::size_t n) noexcept;
  void (*sub)(const T* x, const T* y, T* out, std::size_t n) noexcept;
  void (*mul)(const T* x, const T* y, T* out, std::size_t n) noexcept;
  void (*div)(const T* x, const T* y, T* out, std::size_t n) noexcept;
  void (*add_value)(const T* x, T y, T* out, std::size_t n) noexcept;
  void (*sub_value)(const T* x, T y, T* out, std::size_t n) noexcept;  // x - y
  void (*value_sub)(const T* x, T y, T* out, std::size_t n) noexcept;  // y - x
  void (*mul_value)(const T* x, T y, T* out, std::size_t n) noexcept;
  void (*div_value)(const T* x, T y, T* out, std::size_t n) noexcept;  // x / y
  void (*value_div)(const T* x, T y, T* out, std::size_t n) noexcept;  // y / x
  /// From a row to the next, and from `rows` of them to the next ones, in elements; 0: the same again.
  struct Steps {
    std::ptrdiff_t outer, row;
  };
  /// The same of `outer` times `rows` rows of n elements; out has no gaps.
  using OfRows = void (*)(const T* x, Steps x_steps, const T* y, Steps y_steps, T* out, std::size_t outer,
                          std::size_t rows, std::size_t n) noexcept;
  OfRows add_rows, sub_rows, mul_rows, div_rows;
  /// y is one value for each row; the second of a pair has it on the left.
  OfRows add_values, sub_values, values_sub, mul_values, div_values, values_div;
  void (*fill)(T value, T* out, std::size_t n) noexcept;
  void (*axpy)(T alpha, const T* x, T* y, std::size_t n) noexcept;
  void (*relu)(const T* x, T* out, std::size_t n) noexcept;
  void (*clamp)(T low, T high, const T* x, T* out, std::size_t n) noexcept;
  void (*sqrt)(const T* x, T* out, std::size_t n) noexcept;
  T (*dot)(const T* x, const T* y, std::size_t n) noexcept;
  T (*sum)(const T* x, std::size_t n) noexcept;
  T (*min)(const T* x, std::size_t n) noexcept;
  T (*max)(const T* x, std::size_t n) noexcept;
};

struct SimdTable {
  SimdOps<float> f32;
  SimdOps<double> f64;
};

}  // namespace pawl
