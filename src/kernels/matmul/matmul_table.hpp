// matmul_table.hpp -- the entries of the category `matmul`: packing, the product of packed blocks, and direct products.
#pragma once
#include <cstddef>

namespace pawl {

/// What is done to the product of two blocks when it reaches C: c = alpha * product + beta * c. beta = 0 does not read
/// c.
template <class T>
struct Update {
  T alpha, beta;
};

/// Entries for one element type. Strides are in elements; row_stride between rows, col_stride between columns.
template <class T>
struct MatmulOps {
  std::size_t mr;        ///< rows of C that a register tile holds
  std::size_t nr;        ///< columns of C that it holds
  std::size_t a_stride;  ///< elements between rows of a packed block of A: the largest kc, padded against aliasing

  /// A block of m x kc, kc <= MatmulOps::max_kc: row i goes to out[i * a_stride ...].
  void (*pack_a)(const T* a, std::size_t row_stride, std::size_t col_stride, std::size_t m, std::size_t kc,
                 T* out) noexcept;

  /// A block of kc x n: panels of nr columns, out[panel][p][0 .. nr), the last one filled up with zeros.
  void (*pack_b)(const T* b, std::size_t row_stride, std::size_t col_stride, std::size_t kc, std::size_t n,
                 T* out) noexcept;

  /// C [m x n] updated by the product of packed blocks.
  void (*product)(std::size_t m, std::size_t n, std::size_t kc, const T* a, const T* b, Update<T> update, T* c,
                  std::size_t ldc) noexcept;

  /// The same with A and B read in place, both row-major: for few rows, where packing B would cost more than it gains.
  void (*direct)(std::size_t m, std::size_t n, std::size_t kc, const T* a, std::size_t lda, const T* b, std::size_t ldb,
                 Update<T> update, T* c, std::size_t ldc) noexcept;

  /// y[j] = alpha * sum over p of x[p * x_stride] * b[j * ldb + p] + beta * y[j * y_stride], j < n: dot products with
  /// the rows of b.
  void (*dot_rows)(std::size_t n, std::size_t k, const T* x, std::size_t x_stride, const T* b, std::size_t ldb,
                   Update<T> update, T* y, std::size_t y_stride) noexcept;

  /// Most rows of A, in bytes per row, that a packed block has: kc elements fit the stride.
  std::size_t max_kc;
};

struct MatmulTable {
  MatmulOps<float> f32;
  MatmulOps<double> f64;
};

}  // namespace pawl
