// sddmm.cpp -- a sparse pattern and two dense matrices to the entries of their product that the pattern names.
#include <algorithm>
#include <string>
#include <utility>

#include "kernels/sparse/row_parts.hpp"
#include "pawl/isa.hpp"
#include "pawl/parallel.hpp"
#include "pawl/sparse/operations.hpp"
#include "refuse.hpp"
#include "scattered.hpp"
#include "sparse/active_ops.hpp"

namespace pawl::sparse {
namespace {

void check_rows(const char* name, std::size_t length, std::size_t rows, std::size_t width, std::size_t stride) {
  if (stride < width)
    refuse(std::string("sddmm: the stride of ") + name + " is " + std::to_string(stride) + ", less than the width " +
           std::to_string(width));
  if (rows == 0 || width == 0) return;
  if (length < width || (length - width) / stride < rows - 1)
    refuse(std::string("sddmm: ") + name + " has " + std::to_string(length) + " elements, too few for " +
           std::to_string(rows) + " rows with stride " + std::to_string(stride));
}

}  // namespace

template <class T, class I>
Csr<T, I> sddmm(const Csr<T, I>& pattern, std::span<const T> u, std::size_t u_stride, std::span<const T> v,
                std::size_t v_stride, std::size_t width) {
  check_rows("u", u.size(), pattern.rows(), width, u_stride);
  check_rows("v", v.size(), pattern.cols(), width, v_stride);
  const std::size_t n = pattern.nonzeros(), cols = pattern.cols();
  Array<T> values(n);
  if (n > 0 && width == 0) {
    for (std::size_t k = 0; k < n; ++k) values[k] = pattern.values()[k] * T(0);
  } else if (n > 0) {
    // The rows of v behind whose last vector there may be no memory, with some behind them.
    constexpr std::size_t kWidest = kSliceRows<T>;
    const std::size_t vectors = (width + kWidest - 1) / kWidest * kWidest;
    const std::size_t padded_from = v.size() < vectors ? 0 : std::min(cols, (v.size() - vectors) / v_stride + 1);
    Array<T> padded(padded_from == cols ? 0 : (cols - 1 - padded_from) * v_stride + vectors);
    if (padded_from < cols)
      std::copy_n(v.data() + padded_from * v_stride, (cols - 1 - padded_from) * v_stride + width, padded.data());
    const SddmmWork<T, I> work{
        .start = pattern.row_start().data(),
        .columns = pattern.columns().data(),
        .rows = pattern.rows(),
        .values = pattern.values().data(),
        .u = u.data(),
        .ldu = u_stride,
        .v = v.data(),
        .ldv = v_stride,
        .v_padded = padded.data(),
        .padded_from = padded_from,
        .width = width,
        .out = values.data(),
        .fetch = cols * v_stride * sizeof(T) > assumed_cache_sizes().l2_bytes && is_scattered(pattern)};
    const auto kernel = sparse_ops<T, I>().sddmm_rows;
    on_threads(
        threads_for(n * width),
        [&](int t, int parts) {
          kernel(work, first_row(pattern.row_start(), t, parts), first_row(pattern.row_start(), t + 1, parts));
        },
        wake_for_products(n * width));
  }
  return Csr<T, I>::trusted(pattern.rows(), cols, Array<I>(pattern.row_start()), Array<I>(pattern.columns()),
                            std::move(values));
}

#define PAWL_INSTANTIATE(T, I)                                                                                 \
  template Csr<T, I> sddmm(const Csr<T, I>&, std::span<const T>, std::size_t, std::span<const T>, std::size_t, \
                           std::size_t);
PAWL_FOR_EACH_SPARSE_TYPE(PAWL_INSTANTIATE)

}  // namespace pawl::sparse
