// operands.hpp -- what a caller passed -> operands that are known to fit, or one line on why they do not.
#pragma once
#include <cstddef>
#include <limits>
#include <string>

#include "pawl/matmul.hpp"

namespace pawl {

/// Errors: always, std::invalid_argument("matmul: " + why).
[[noreturn, gnu::cold]] void refuse_product(const std::string& why);

/// Errors: always, std::invalid_argument that says what check_operand() found.
[[noreturn, gnu::cold]] void refuse_operand(const char* name, const void* data, std::size_t rows, std::size_t cols,
                                            std::size_t ld);

/// Errors: std::invalid_argument if rows of `cols` elements, `ld` apart, overlap, have no memory, or have more than can
/// be addressed.
///
/// Inline: with the element's size known no division is left, of which the three operands of a product of 16 cubed took
/// a tenth of its time.
template <class T>
void check_operand(const char* name, const T* data, std::size_t rows, std::size_t cols, std::size_t ld) {
  constexpr std::size_t kMost = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / sizeof(T);
  std::size_t elements = 0;
  const bool none = rows == 0 || cols == 0;
  const bool fits = none || (data && !__builtin_mul_overflow(rows - 1, ld, &elements) && elements <= kMost &&
                             cols <= kMost - elements);
  if (ld < cols || !fits) [[unlikely]]
    refuse_operand(name, data, rows, cols, ld);
}

/// How a matrix lies in memory.
struct MatrixStorage {
  Transpose transpose;
  std::size_t ld;
};

/// How a two-dimensional view is stored. An extent of 1 has any stride: it is never stepped over.
/// Errors: std::invalid_argument if neither stride is 1, or rows overlap.
template <class T>
MatrixStorage storage_of(const char* name, const View<T>& x);
extern template MatrixStorage storage_of(const char*, const View<const float>&);
extern template MatrixStorage storage_of(const char*, const View<float>&);
extern template MatrixStorage storage_of(const char*, const View<const double>&);
extern template MatrixStorage storage_of(const char*, const View<double>&);

/// The leading dimension of a matrix that is written. Errors: std::invalid_argument unless its inner stride is 1.
template <class T>
std::size_t leading_dimension_of(const View<T>& c) {
  const MatrixStorage storage = storage_of("c", c);
  if (storage.transpose == Transpose::yes) refuse_product("the inner stride of c is not 1");
  return storage.ld;
}

/// Errors: std::invalid_argument unless there is no bias or one for each column.
void check_bias(std::size_t bias_elements, std::size_t cols);

}  // namespace pawl
