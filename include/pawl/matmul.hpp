// matmul.hpp -- matrix products, f32 and f64, row-major with strides.
#pragma once
#include <cstddef>
#include <cstdint>

#include "pawl/tensor.hpp"

namespace pawl {

enum class Transpose : std::uint8_t { no, yes };

/// General matrix product: C = alpha * op(A) * op(B) + beta * C, where op(X) is X or its transpose.
///
/// Shapes     op(A) [m x k], op(B) [k x n], C [m x n], all row-major: element (i, j) of a stored matrix is x[i * ld +
/// j].
///            A is stored as [m x k] (ta = no) or [k x m] (ta = yes), B as [k x n] or [n x k]; each ld is at least the
///            number of stored columns. Elements between the columns and ld are neither read nor written.
/// Types      f32 or f64 throughout; sums are kept in that type.
/// Aliasing   C must not overlap A or B; A and B may be the same.
/// Alignment  any; 64 bytes is fastest.
/// Accuracy   |C - exact| <= (k + 2) * eps * (|alpha| |op(A)| |op(B)| + |beta C|) element by element, every variant and
/// every
///            number of threads (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.5). The
///            same call with the same variant and number of threads gives the same bits.
/// Special    beta = 0 does not read C, so that a NaN in it is gone; alpha = 0 or k = 0 does not read A and B (as in
/// BLAS).
///            NaN and infinity in what is read propagate.
/// Cost       2 m n k flop. Large products copy A and B in blocks into buffers that each calling thread keeps (at most
/// 9 MiB);
///            small ones and those of few rows do not.
/// Threads    num_threads(), where the product is large enough to gain (2 m n k above 2^21).
/// Errors     std::invalid_argument, before any work, if an ld is too small, a pointer is null where elements would be
/// read or
///            written, or a size overflows. std::bad_alloc if the buffers cannot be had.
/// Reference  pawl::reference::matmul in src/reference/matmul_ref.hpp
void matmul(Transpose ta, Transpose tb, std::size_t m, std::size_t n, std::size_t k, float alpha, const float* a,
            std::size_t lda, const float* b, std::size_t ldb, float beta, float* c, std::size_t ldc);
void matmul(Transpose ta, Transpose tb, std::size_t m, std::size_t n, std::size_t k, double alpha, const double* a,
            std::size_t lda, const double* b, std::size_t ldb, double beta, double* c, std::size_t ldc);

/// A [m x k] times B [k x n], the contract as above. Errors: std::invalid_argument, naming both shapes, if they do not
/// fit.
Tensor<float> matmul(const Tensor<float>& a, const Tensor<float>& b);
Tensor<double> matmul(const Tensor<double>& a, const Tensor<double>& b);

}  // namespace pawl
