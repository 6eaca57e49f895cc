// matmul_ref.hpp -- the specification of include/pawl/matmul.hpp: three loops in long double, sharing no code with the
// kernels.
#pragma once
#include <cmath>
#include <cstddef>

namespace pawl::reference {

/// One element of a product, and the magnitude that its error bound is written in.
struct MatmulElement {
  long double value = 0, magnitude = 0;
};

/// alpha * (sum of op(A)[i, p] * op(B)[p, j] for p < k) + beta * c, where element (i, j) of a matrix X of leading
/// dimension ldx is x[i * ldx + j]. beta = 0 ignores c; alpha = 0 ignores A and B.
template <class T>
MatmulElement matmul_element(bool transpose_a, bool transpose_b, std::size_t i, std::size_t j, std::size_t k, T alpha,
                             const T* a, std::size_t lda, const T* b, std::size_t ldb, T beta, T c) {
  MatmulElement result;
  if (alpha != T(0)) {
    for (std::size_t p = 0; p < k; ++p) {
      const long double x = transpose_a ? a[p * lda + i] : a[i * lda + p];
      const long double y = transpose_b ? b[j * ldb + p] : b[p * ldb + j];
      result.value += x * y;
      result.magnitude += std::fabs(x * y);
    }
    result.value *= alpha;
    result.magnitude *= std::fabs(static_cast<long double>(alpha));
  }
  if (beta != T(0)) {
    result.value += static_cast<long double>(beta) * c;
    result.magnitude += std::fabs(static_cast<long double>(beta) * c);
  }
  return result;
}

}  // namespace pawl::reference
