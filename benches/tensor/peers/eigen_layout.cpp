// eigen_layout.cpp -- rearranging by Eigen's matrices and tensors, compiled for this machine as its users would.
#include <Eigen/Core>
#include <unsupported/Eigen/CXX11/Tensor>

#include "benches/tensor/layout_rows.hpp"

namespace pawl::bench {
namespace {

using N = std::size_t;
using A = std::array<N, 4>;
using Index = Eigen::Index;

template <class T>
using Matrix = Eigen::Array<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
Eigen::Map<const Matrix<T>> in(const T* x, N m, N n) {
  return {x, static_cast<Index>(m), static_cast<Index>(n)};
}
template <class T>
Eigen::Map<Matrix<T>> into(T* x, N m, N n) {
  return {x, static_cast<Index>(m), static_cast<Index>(n)};
}

template <class T>
void permute(const T* x, const A& extents, const A& axes, T* out) {
  Eigen::array<Index, 4> from, to, order;
  for (N d = 0; d < 4; ++d) {
    from[d] = static_cast<Index>(extents[d]);
    order[d] = static_cast<Index>(axes[d]);
    to[d] = static_cast<Index>(extents[axes[d]]);
  }
  const Eigen::TensorMap<const Eigen::Tensor<T, 4, Eigen::RowMajor>> source(x, from);
  Eigen::TensorMap<Eigen::Tensor<T, 4, Eigen::RowMajor>>(out, to) = source.shuffle(order);
}

template <class T>
LayoutImplementation<T> eigen() {
  return {.impl = "eigen",
          .transpose = [](const T* x, N m, N n, T* out) { into(out, n, m) = in(x, m, n).transpose(); },
          .permute = permute<T>,
          .concat =
              [](const T* x, const T* y, N m, N n, T* out) {
                auto whole = into(out, m, 2 * n);
                whole.leftCols(static_cast<Index>(n)) = in(x, m, n);
                whole.rightCols(static_cast<Index>(n)) = in(y, m, n);
              },
          .add_row =
              [](const T* x, const T* row, N m, N n, T* out) {
                const Eigen::Map<const Eigen::Array<T, 1, Eigen::Dynamic>> r(row, static_cast<Index>(n));
                into(out, m, n) = in(x, m, n).rowwise() + r;
              },
          .add_column =
              [](const T* x, const T* column, N m, N n, T* out) {
                const Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>> c(column, static_cast<Index>(m));
                into(out, m, n) = in(x, m, n).colwise() + c;
              }};
}

const Registration rows([](Rows& r) {
  add_layout_rows<float>(r, eigen<float>());
  if (!r.quick()) add_layout_rows<double>(r, eigen<double>());
});

}  // namespace
}  // namespace pawl::bench
