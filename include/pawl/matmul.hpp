// matmul.hpp -- matrix products: C = alpha op(A) op(B) + beta C, for f32 and f64.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "pawl/activation.hpp"
#include "pawl/tensor.hpp"
#include "pawl/view.hpp"

namespace pawl {

/// op(X) of a product: X itself or its transpose.
enum class Transpose : std::uint8_t { no, yes };

/// Matrix product: C = alpha * op(A) * op(B) + beta * C, that is
/// C[i, j] = alpha * (sum of op(A)[i, p] * op(B)[p, j] for p < k) + beta * C[i, j].
///
/// Shapes     op(A) [m, k], op(B) [k, n], C [m, n], row-major. lda, ldb, ldc are the distances in elements between the
///            starts of neighbouring rows as stored: A is [m, k] with lda >= k, or [k, m] with lda >= m if transposed;
///            B is [k, n] with ldb >= n, or [n, k] with ldb >= k; ldc >= n. What lies between the rows is neither read
///            nor written. m or n = 0 does nothing; k = 0 or alpha = 0 scales C by beta.
/// Types      f32 or f64 throughout.
/// Aliasing   C must not overlap A or B; A and B may overlap.
/// Alignment  any; 64 bytes for B, C and whole rows of them is fastest.
/// Accuracy   |C - exact| <= (k + 2) * eps * (|alpha| |op(A)| |op(B)| + |beta C|), componentwise, eps = 2^-23 (f32) or
///            2^-52 (f64), every variant, as long as nothing underflows (Higham, Accuracy and Stability of Numerical
///            Algorithms, 2nd ed., section 3.5). Variants and numbers of threads may differ in the last bits (order of
///            summation); one variant with one number of threads never differs from itself.
/// NaN, inf   propagate as the formula says, except as in the BLAS: with beta = 0, C is not read, so what it held does
///            not matter; with alpha = 0, A and B are not read.
/// Cost       2 m n k flop; reads each operand and writes C. From 16 Mflop (f64: 8) on a product runs on several
///            threads, at most num_threads(); from 0.4 Mflop (0.2) on where calls follow each other within 50 us.
///            May allocate for packed copies, which each thread keeps for later calls: at most a quarter of L3 for B
///            and half of L2 for A.
/// Errors     std::invalid_argument, before any work, if a leading dimension is too small, a pointer to a matrix with
///            elements is null, or a matrix has more bytes than can be addressed; std::bad_alloc, after which C may
///            hold anything.
/// Reference  pawl::reference::matmul in src/reference/matmul_ref.hpp
void matmul(Transpose transpose_a, Transpose transpose_b, std::size_t m, std::size_t n, std::size_t k, float alpha,
            const float* a, std::size_t lda, const float* b, std::size_t ldb, float beta, float* c, std::size_t ldc);
void matmul(Transpose transpose_a, Transpose transpose_b, std::size_t m, std::size_t n, std::size_t k, double alpha,
            const double* a, std::size_t lda, const double* b, std::size_t ldb, double beta, double* c,
            std::size_t ldc);

/// The same for views: c = alpha * a * b + beta * c, with the contract above.
///
/// Shapes     a [m, k], b [k, n], c [m, n]. In a and b one of the two strides must be 1 (a transposed view is fine),
///            in c the inner one; the other stride is at least the extent along the first, as in a matrix and its
///            parts.
/// Errors     std::invalid_argument, naming the shapes, if they or the strides do not fit.
void matmul(const View<const float>& a, const View<const float>& b, const View<float>& c, float alpha = 1,
            float beta = 0);
void matmul(const View<const double>& a, const View<const double>& b, const View<double>& c, double alpha = 1,
            double beta = 0);

/// a [m, k] times b [k, n] as a new tensor [m, n]; contract above.
Tensor<float> matmul(const Tensor<float>& a, const Tensor<float>& b);
Tensor<double> matmul(const Tensor<double>& a, const Tensor<double>& b);

/// A layer: c = activation(a * b + bias), that is c[i, j] = activation(sum of a[i, p] * b[p, j] for p < k + bias[j]).
///
/// Shapes     a [m, k], b [k, n], bias [n] or empty for none, c [m, n]; strides as above.
/// Aliasing   c overlaps neither a, b nor bias.
/// Accuracy   the sum with its bias as matmul's with beta = 1; then the activation's own (simd.hpp, math.hpp).
/// Cost       matmul's, and one pass over c while it is in L2.
/// Errors     std::invalid_argument, naming the shapes, if they do not fit; std::bad_alloc.
/// Reference  pawl::reference::matmul_element, then the activation's
void matmul_bias(const View<const float>& a, const View<const float>& b, std::span<const float> bias,
                 const View<float>& c, Activation activation = Activation::none);
void matmul_bias(const View<const double>& a, const View<const double>& b, std::span<const double> bias,
                 const View<double>& c, Activation activation = Activation::none);

/// A batch of products: c[s] = alpha * a[s] * b[s] + beta * c[s] for each s.
///
/// Shapes     a [batch, m, k], b [batch, k, n] or [k, n] for one that all share, c [batch, m, n]. Strides of each
///            matrix as above; the matrices of a batch may lie anywhere, those of c not on top of each other.
/// Accuracy   as matmul; each product is the same to the bit as on its own with one thread, unless the batch has fewer
///            products than threads, or all share b and the rows of all a, and of all c, lie as those of one matrix:
///            then the batch is one product.
/// Cost       2 batch m n k flop. Threads share out the batch, or each product where the batch has fewer than threads.
/// Errors     std::invalid_argument, naming the shapes, if they or the strides do not fit; std::bad_alloc.
void matmul_batched(const View<const float>& a, const View<const float>& b, const View<float>& c, float alpha = 1,
                    float beta = 0);
void matmul_batched(const View<const double>& a, const View<const double>& b, const View<double>& c, double alpha = 1,
                    double beta = 0);

}  // namespace pawl
