// finish.kernel.hpp -- what is done to a block of C once its sums are complete: a bias for each column, an activation.
#pragma once
#include "kernels/matmul/matmul_table.hpp"
#include "kernels/of_type.hpp"
#include "kernels/rows/bias.kernel.hpp"
#include "kernels/tables.hpp"

namespace pawl::PAWL_ISA_NS {

struct Unchanged {
  template <class T>
  PAWL_INLINE Vec<T> of(Vec<T> x) const {
    return x;
  }
};

// Rows without gaps as one array, if they end within a vector: 8 ns a row, as the next vector waits for the masked one.
template <class F, class T>
static void finish_rows(std::size_t rows, std::size_t cols, T* c, std::size_t ldc, const T* bias) noexcept {
  constexpr std::size_t W = lanes<T>;
  if (bias && ldc == cols && cols % W != 0 && cols <= RepeatedBias<T>::kMost && rows > 1)
    return bias_map_joined<F, T>(c, bias, c, rows, cols);
  const auto of = [](Vec<T> x) PAWL_INLINE_LAMBDA { return F{}.template of<T>(x); };
  for (std::size_t i = 0; i < rows; ++i, c += ldc) {
    std::size_t j = 0;
    for (; j + W <= cols; j += W) {
      const Vec<T> x = load<T>(c + j);
      store<T>(c + j, of(bias ? x + load<T>(bias + j) : x));
    }
    if (j < cols) {
      const Vec<T> x = load_first<T>(c + j, cols - j);
      store_first<T>(c + j, of(bias ? x + load_first<T>(bias + j, cols - j) : x), cols - j);
    }
  }
}

// By the functions of other tables of this variant, whose code need not be here again.
template <class T>
static void finish_rows_by(void (*with_bias)(const T*, const T*, T*, std::size_t, std::size_t) noexcept,
                           void (*without)(const T*, T*, std::size_t) noexcept, std::size_t rows, std::size_t cols,
                           T* c, std::size_t ldc, const T* bias) noexcept {
  const bool joined = ldc == cols;
  for (std::size_t i = 0; i < (joined ? 1 : rows); ++i, c += ldc)
    if (bias)
      with_bias(c, bias, c, joined ? rows : 1, cols);
    else
      without(c, c, joined ? rows * cols : cols);
}

// c[i, j] = activation(c[i, j] + bias[j]); no bias if it is null.
//
// A pass of its own and not the end of a register tile: the block is in L2 then, and each end would double the tiles.
template <class T>
static void finish(std::size_t rows, std::size_t cols, T* c, std::size_t ldc, const T* bias,
                   Activation activation) noexcept {
  const auto& with_bias = of_type<T>(rows_table);
  const auto& without = of_type<T>(math_table);
  switch (activation) {
    case Activation::none:
      return finish_rows<Unchanged, T>(rows, cols, c, ldc, bias);
    case Activation::relu:
      return finish_rows<Relu, T>(rows, cols, c, ldc, bias);
    case Activation::gelu:
      return finish_rows_by<T>(with_bias.bias_gelu, without.gelu, rows, cols, c, ldc, bias);
    case Activation::gelu_tanh:
      return finish_rows_by<T>(with_bias.bias_gelu_tanh, without.gelu_tanh, rows, cols, c, ldc, bias);
  }
}

}  // namespace pawl::PAWL_ISA_NS
