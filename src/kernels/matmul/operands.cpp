// operands.cpp -- see operands.hpp.
#include "kernels/matmul/operands.hpp"

#include <stdexcept>

namespace pawl {

void refuse_product(const std::string& why) { throw std::invalid_argument("matmul: " + why); }

void refuse_operand(const char* name, const void* data, std::size_t rows, std::size_t cols, std::size_t ld) {
  if (ld < cols)
    refuse_product(std::string("ld") + name + " is " + std::to_string(ld) + ", below the row length " +
                   std::to_string(cols));
  if (!data) refuse_product(std::string(name) + " is null");
  refuse_product(std::string(name) + " has more bytes than can be addressed: " + std::to_string(rows) + " rows, " +
                 std::to_string(ld) + " elements apart");
}

template <class T>
MatrixStorage storage_of(const char* name, const View<T>& x) {
  const std::size_t rows = x.shape()[0], cols = x.shape()[1];
  const std::ptrdiff_t outer = x.strides()[0], inner = x.strides()[1];
  if (x.elements() == 0) return {Transpose::no, cols};
  const auto fits = [](std::ptrdiff_t along, std::size_t extent, std::ptrdiff_t across, std::size_t others) {
    return (along == 1 || extent == 1) && (others == 1 || across >= static_cast<std::ptrdiff_t>(extent));
  };
  if (fits(inner, cols, outer, rows)) return {Transpose::no, rows == 1 ? cols : static_cast<std::size_t>(outer)};
  if (fits(outer, rows, inner, cols)) return {Transpose::yes, cols == 1 ? rows : static_cast<std::size_t>(inner)};
  refuse_product(std::string(name) + " has strides " + std::to_string(outer) + " and " + std::to_string(inner) +
                 ": one must be 1 and the other not below the extent along it; copy it first (Tensor::copy_of)");
}

void check_bias(std::size_t bias_elements, std::size_t cols) {
  if (bias_elements != 0 && bias_elements != cols)
    refuse_product("bias has " + std::to_string(bias_elements) + " elements, c has " + std::to_string(cols) +
                   " columns");
}

template MatrixStorage storage_of(const char*, const View<const float>&);
template MatrixStorage storage_of(const char*, const View<float>&);
template MatrixStorage storage_of(const char*, const View<const double>&);
template MatrixStorage storage_of(const char*, const View<double>&);

}  // namespace pawl
