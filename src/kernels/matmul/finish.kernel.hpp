// finish.kernel.hpp -- what is done to a block of C once its sums are complete: a bias for each column, an activation.
#pragma once
#include "kernels/math/gelu.kernel.hpp"
#include "kernels/matmul/matmul_table.hpp"
#include "kernels/vec.hpp"

namespace pawl::PAWL_ISA_NS {

template <class T, Activation kActivation>
PAWL_INLINE Vec<T> activate(Vec<T> x) {
  if constexpr (kActivation == Activation::relu) return max<T>(Vec<T>(T(0)), x);  // in this order NaN stays NaN
  if constexpr (kActivation == Activation::gelu) return GeluErf{}.template of<T>(x);
  if constexpr (kActivation == Activation::gelu_tanh) return GeluTanh{}.template of<T>(x);
  return x;
}

template <class T, Activation kActivation>
static void finish_rows(std::size_t rows, std::size_t cols, T* c, std::size_t ldc, const T* bias) noexcept {
  constexpr std::size_t W = lanes<T>;
  for (std::size_t i = 0; i < rows; ++i, c += ldc) {
    std::size_t j = 0;
    for (; j + W <= cols; j += W) {
      const Vec<T> x = load<T>(c + j);
      store<T>(c + j, activate<T, kActivation>(bias ? x + load<T>(bias + j) : x));
    }
    if (j < cols) {
      const Vec<T> x = load_first<T>(c + j, cols - j);
      store_first<T>(c + j, activate<T, kActivation>(bias ? x + load_first<T>(bias + j, cols - j) : x), cols - j);
    }
  }
}

// c[i, j] = activation(c[i, j] + bias[j]); no bias if it is null.
//
// A pass of its own and not the end of a register tile: the block is in L2 then, and each end would double the tiles.
template <class T>
static void finish(std::size_t rows, std::size_t cols, T* c, std::size_t ldc, const T* bias,
                   Activation activation) noexcept {
  switch (activation) {
    case Activation::none:
      return finish_rows<T, Activation::none>(rows, cols, c, ldc, bias);
    case Activation::relu:
      return finish_rows<T, Activation::relu>(rows, cols, c, ldc, bias);
    case Activation::gelu:
      return finish_rows<T, Activation::gelu>(rows, cols, c, ldc, bias);
    case Activation::gelu_tanh:
      return finish_rows<T, Activation::gelu_tanh>(rows, cols, c, ldc, bias);
  }
}

}  // namespace pawl::PAWL_ISA_NS
