// packed_matrix.hpp -- the right operand of many products, copied once into the order in which they read it.
#pragma once
#include <cstddef>
#include <memory>
#include <span>

#include "pawl/activation.hpp"
#include "pawl/isa.hpp"
#include "pawl/view.hpp"

namespace pawl {

/// A matrix [k, n], such as the weights of a layer, packed for products with it on the right.
///
/// Worth it when the matrix is used several times, above all with few rows on the left: the product then reads it in
/// one stream. Packed for the variant that is active when it is made; products with it run that variant. Immutable:
/// any number of threads may multiply with it at once.
///
/// Cost       reads k n elements and writes them, and zeros up to whole panels of columns. A matrix of few columns (up
///            to 5 vectors, not all of them whole) is kept by columns too, and one of at most 128 KiB by rows, for
///            products that are faster so.
/// Errors     std::invalid_argument unless b has rank 2 and one of its strides is 1; std::bad_alloc.
template <class T>
class PackedMatrix {
 public:
  explicit PackedMatrix(const View<const T>& b);

  std::size_t rows() const noexcept { return rows_; }
  std::size_t cols() const noexcept { return cols_; }
  Isa isa() const noexcept { return isa_; }
  std::size_t size_bytes() const noexcept { return elements_ * sizeof(T); }

  /// For each depth() rows of the matrix (fewer at the end): panels of columns, as wide as the variant's register tile,
  /// each depth x width and one after another, filled up with zeros.
  const T* data() const noexcept { return data_.get(); }
  std::size_t depth() const noexcept { return depth_; }
  std::size_t padded_cols() const noexcept { return padded_cols_; }
  /// Column after column, each of rows() elements, or null.
  const T* by_columns() const noexcept { return by_columns_; }
  /// Row after row, row_stride() elements apart, or null.
  const T* by_rows() const noexcept { return by_rows_; }
  std::size_t row_stride() const noexcept { return row_stride_; }

 private:
  struct Free {
    void operator()(T* p) const noexcept;
  };
  std::size_t rows_, cols_, padded_cols_, depth_, row_stride_ = 0, elements_;
  Isa isa_;
  std::unique_ptr<T[], Free> data_;
  const T *by_columns_ = nullptr, *by_rows_ = nullptr;  // behind the panels
};

extern template class PackedMatrix<float>;
extern template class PackedMatrix<double>;

/// c = alpha * a * b + beta * c: the contract of pawl/matmul.hpp with b packed.
///
/// Shapes     a [m, k], b [k, n], c [m, n]; in a one of the strides must be 1, in c the inner one.
/// Accuracy   as matmul.
/// Errors     std::invalid_argument, naming the shapes, if they or the strides do not fit; std::bad_alloc.
/// Reference  pawl::reference::matmul_element
void matmul(const View<const float>& a, const PackedMatrix<float>& b, const View<float>& c, float alpha = 1,
            float beta = 0);
void matmul(const View<const double>& a, const PackedMatrix<double>& b, const View<double>& c, double alpha = 1,
            double beta = 0);

/// c = activation(a * b + bias): matmul_bias of pawl/matmul.hpp with b packed.
void matmul_bias(const View<const float>& a, const PackedMatrix<float>& b, std::span<const float> bias,
                 const View<float>& c, Activation activation = Activation::none);
void matmul_bias(const View<const double>& a, const PackedMatrix<double>& b, std::span<const double> bias,
                 const View<double>& c, Activation activation = Activation::none);

}  // namespace pawl
