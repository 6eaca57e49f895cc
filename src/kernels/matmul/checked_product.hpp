// checked_product.hpp -- operands that are known to fit -> C: at once if that is small, else by way of a Product.
#pragma once
#include <cstddef>

#include "kernels/matmul/product.hpp"
#include "kernels/matmul/small_product.hpp"
#include "kernels/matmul/threads.hpp"

namespace pawl {

/// What a product has besides its operands.
template <class T>
struct ProductEnd {
  T alpha = 1, beta = 0;
  const T* bias = nullptr;
  Activation activation = Activation::none;
};

/// c = activation(alpha * op(a) * op(b) + beta * c + bias), m, n >= 1. Errors: as multiply().
///
/// Inlined, since fourteen arguments would be handed on once more: small products take some 20 ns.
template <class T>
[[gnu::always_inline]] inline void multiply_checked(const MatmulOps<T>& kernels, bool transpose_a, bool transpose_b,
                                                    std::size_t m, std::size_t n, std::size_t k, const T* a,
                                                    std::size_t lda, const T* b, std::size_t ldb, T* c, std::size_t ldc,
                                                    const ProductEnd<T>& end) {
  if (end.bias == nullptr && end.activation == Activation::none && !may_want_threads<T>(m, n, k) &&
      multiply_directly(kernels, transpose_a, transpose_b, m, n, k, end.alpha, a, lda, b, ldb, end.beta, c, ldc))
    return;
  // Not by a list in braces, which g++ 12 clears by `rep stos` first.
  Product<T> x;
  x.transpose_a = transpose_a;
  x.transpose_b = transpose_b;
  x.m = m;
  x.n = n;
  x.k = k;
  x.alpha = end.alpha;
  x.a = a;
  x.lda = lda;
  x.b = b;
  x.ldb = ldb;
  x.beta = end.beta;
  x.c = c;
  x.ldc = ldc;
  x.bias = end.bias;
  x.activation = end.activation;
  drop_idle_transposes(x);
  multiply(kernels, x);
}

}  // namespace pawl
