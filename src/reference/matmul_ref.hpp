// matmul_ref.hpp -- the specification of matmul: three loops in long double, sharing no code with the kernels.
#pragma once
#include <cmath>
#include <cstddef>

namespace pawl::reference {

/// One element of alpha op(A) op(B) + beta C, and the magnitude that its error bound is written in.
struct Element {
  long double value = 0, magnitude = 0;
};

/// Element (i, j); a_transposed means that A is stored as [k x m], b_transposed that B is stored as [n x k].
template <class T>
Element matmul_element(bool a_transposed, bool b_transposed, std::size_t i, std::size_t j, std::size_t k, T alpha,
                       const T* a, std::size_t lda, const T* b, std::size_t ldb, T beta, T c) {
  Element sum;
  for (std::size_t p = 0; p < k && alpha != T(0); ++p) {
    const long double x = a_transposed ? a[p * lda + i] : a[i * lda + p];
    const long double y = b_transposed ? b[j * ldb + p] : b[p * ldb + j];
    sum.value += x * y;
    sum.magnitude += std::fabs(x * y);
  }
  const long double old = beta == T(0) ? 0.0L : static_cast<long double>(beta) * c;
  return {static_cast<long double>(alpha) * sum.value + old,
          std::fabs(static_cast<long double>(alpha)) * sum.magnitude + std::fabs(old)};
}

}  // namespace pawl::reference
