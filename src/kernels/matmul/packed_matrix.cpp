// packed_matrix.cpp -- include/pawl/packed_matrix.hpp: packing, and products with what was packed.
#include "pawl/packed_matrix.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>

#include "kernels/layout/active.hpp"
#include "kernels/matmul/blocking.hpp"
#include "kernels/matmul/checked_product.hpp"
#include "kernels/matmul/narrow.hpp"
#include "kernels/matmul/operands.hpp"
#include "kernels/matmul/turned_panels.hpp"
#include "tensor/shape_text.hpp"

namespace pawl {
namespace {

template <class T>
T* allocate(std::size_t elements) {
  constexpr std::size_t kLine = 64, kHugePage = std::size_t{2} << 20;  // bytes
  if (elements > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T) - kHugePage) throw std::bad_alloc();
  const std::size_t alignment = elements * sizeof(T) >= kHugePage ? kHugePage : kLine;
  const std::size_t bytes = (std::max<std::size_t>(elements, 1) * sizeof(T) + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, bytes);
  if (!memory) throw std::bad_alloc();
  if (alignment == kHugePage) madvise(memory, bytes, MADV_HUGEPAGE);  // advice: without it all works, slower
  return static_cast<T*>(memory);
}

// From row to row of a copy by rows: the columns if one vector holds them, whole vectors of more, but not whole pages.
template <class T>
std::size_t stride_of_rows(const MatmulOps<T>& kernels, std::size_t columns) noexcept {
  const std::size_t lanes = kernels.tile_cols / 2;
  if (columns <= lanes) return columns;
  const std::size_t whole = (columns + lanes - 1) / lanes * lanes;
  return whole * sizeof(T) % kPage == 0 ? whole + lanes : whole;
}

template <class T>
void call_matmul_packed(const View<const T>& a, const PackedMatrix<T>& b, const View<T>& c, const ProductEnd<T>& end) {
  const Shape b_shape{b.rows(), b.cols()};
  if (a.rank() != 2 || c.rank() != 2 || a.shape()[1] != b.rows() || c.shape()[0] != a.shape()[0] ||
      c.shape()[1] != b.cols())
    refuse_product(shape_text(a.shape()) + " times packed " + shape_text(b_shape) + " into " + shape_text(c.shape()) +
                   " does not fit");
  const MatrixStorage as = storage_of("a", a);
  const std::size_t m = c.shape()[0], n = c.shape()[1], k = b.rows(), ldc = leading_dimension_of(c);
  const bool ta = as.transpose == Transpose::yes;
  check_operand("a", a.data(), ta ? k : m, ta ? m : k, as.ld);
  check_operand("c", c.data(), m, n, ldc);
  if (m == 0 || n == 0) return;
  const MatmulOps<T>& kernels = matmul_ops<T>(b.isa());
  // What is small is not worth panels.
  if (b.by_rows() && is_small_shape<T>({ta, false, m, n, k}))
    return multiply_checked(kernels, ta, false, m, n, k, a.data(), as.ld, b.by_rows(), b.row_stride(), c.data(), ldc,
                            end);
  Product<T> x{ta, false, m, n, k, end.alpha, a.data(), as.ld, nullptr, 0, end.beta, c.data(), ldc};
  x.bias = end.bias;
  x.activation = end.activation;
  if (b.by_columns()) {
    // Some columns are left over beside whole vectors, which are read by rows: they are turned over meanwhile.
    const bool whole_vectors = b.by_rows() && n > kernels.tile_cols / 2;
    Product<T> y = x;
    y.transpose_b = !whole_vectors;
    y.b = whole_vectors ? b.by_rows() : b.by_columns();
    y.ldb = whole_vectors ? b.row_stride() : k;
    drop_idle_transposes(y);
    if (n == 1 || wants_dots(y) || suits_narrow(kernels, y)) return multiply(kernels, y);
  }
  x.packed = b.data();
  x.packed_cols = b.padded_cols();
  x.pack_depth = b.depth();
  multiply(kernels, x);
}

}  // namespace

template <class T>
void PackedMatrix<T>::Free::operator()(T* p) const noexcept {
  std::free(p);
}

template <class T>
PackedMatrix<T>::PackedMatrix(const View<const T>& b) : isa_(active_isa()) {
  if (b.rank() != 2) refuse_product(shape_text(b.shape()) + " cannot be packed: it must have rank 2");
  const MatrixStorage storage = storage_of("b", b);
  rows_ = b.shape()[0];
  cols_ = b.shape()[1];
  const bool transposed = storage.transpose == Transpose::yes;
  check_operand("b", b.data(), transposed ? cols_ : rows_, transposed ? rows_ : cols_, storage.ld);
  const MatmulOps<T>& kernels = matmul_ops<T>(isa_);
  padded_cols_ = (cols_ + kernels.tile_cols - 1) / kernels.tile_cols * kernels.tile_cols;
  depth_ = rows_ == 0
               ? 1
               : largest_blocking(rows_, sizeof(T), kernels.tile_rows, kernels.tile_cols, assumed_cache_sizes()).kc;
  const bool narrow = are_few_columns(kernels, cols_);
  const bool small =
      rows_ <= kMostSmallBytes && cols_ <= kMostSmallBytes && rows_ * cols_ * sizeof(T) <= kMostSmallBytes;
  if (small) row_stride_ = stride_of_rows(kernels, cols_);
  elements_ = rows_ * (padded_cols_ + row_stride_ + (narrow ? cols_ : 0));
  data_.reset(allocate<T>(elements_));
  if (cols_ == 0) return;
  if (narrow) {
    T* const columns = data_.get() + rows_ * (padded_cols_ + row_stride_);
    if (transposed)
      for (std::size_t j = 0; j < cols_; ++j) std::copy_n(b.data() + j * storage.ld, rows_, columns + j * rows_);
    else
      detail::turn_over(b.data(), storage.ld, rows_, cols_, columns, rows_);
    by_columns_ = columns;
  }
  if (small) {
    T* const by_rows = data_.get() + rows_ * padded_cols_;
    if (transposed)
      detail::turn_over(b.data(), storage.ld, cols_, rows_, by_rows, row_stride_);
    else
      for (std::size_t p = 0; p < rows_; ++p) std::copy_n(b.data() + p * storage.ld, cols_, by_rows + p * row_stride_);
    by_rows_ = by_rows;
  }
  for (std::size_t p = 0; p < rows_; p += depth_) {
    const std::size_t depth = std::min(depth_, rows_ - p);
    T* const panels = data_.get() + p * padded_cols_;
    if (transposed)
      pack_turned(kernels, b.data() + p, storage.ld, depth, cols_, panels);
    else
      kernels.pack_b(b.data() + p * storage.ld, storage.ld, depth, cols_, panels);
  }
}

template class PackedMatrix<float>;
template class PackedMatrix<double>;

void matmul(const View<const float>& a, const PackedMatrix<float>& b, const View<float>& c, float alpha, float beta) {
  call_matmul_packed<float>(a, b, c, {.alpha = alpha, .beta = beta});
}
void matmul(const View<const double>& a, const PackedMatrix<double>& b, const View<double>& c, double alpha,
            double beta) {
  call_matmul_packed<double>(a, b, c, {.alpha = alpha, .beta = beta});
}
void matmul_bias(const View<const float>& a, const PackedMatrix<float>& b, std::span<const float> bias,
                 const View<float>& c, Activation activation) {
  check_bias(bias.size(), b.cols());
  call_matmul_packed<float>(a, b, c, {1, 0, bias.empty() ? nullptr : bias.data(), activation});
}
void matmul_bias(const View<const double>& a, const PackedMatrix<double>& b, std::span<const double> bias,
                 const View<double>& c, Activation activation) {
  check_bias(bias.size(), b.cols());
  call_matmul_packed<double>(a, b, c, {1, 0, bias.empty() ? nullptr : bias.data(), activation});
}

}  // namespace pawl
