// eigen_axis.cpp -- reductions along an axis by Eigen's partial reductions, compiled for this machine as its users
// would.
#include <Eigen/Core>

#include "benches/tensor/axis_rows.hpp"

namespace pawl::bench {
namespace {

using N = std::size_t;
using Index = Eigen::Index;

template <class T>
Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> matrix(const T* x, N m, N n) {
  return {x, static_cast<Index>(m), static_cast<Index>(n)};
}
template <class T>
Eigen::Map<Eigen::Array<T, 1, Eigen::Dynamic>> row(T* out, N n) {
  return {out, static_cast<Index>(n)};
}
template <class T>
Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>> column(T* out, N m) {
  return {out, static_cast<Index>(m)};
}

template <class T>
void variance(const T* x, N m, N n, N axis, T* out) {
  const auto a = matrix(x, m, n);
  if (axis == 0) {
    const Eigen::Array<T, 1, Eigen::Dynamic> means = a.colwise().mean();
    row(out, n) = (a.rowwise() - means).square().colwise().mean();
  } else {
    const Eigen::Array<T, Eigen::Dynamic, 1> means = a.rowwise().mean();
    column(out, m) = (a.colwise() - means).square().rowwise().mean();
  }
}

template <class T>
AxisImplementation<T> eigen() {
  return {.impl = "eigen",
          .sum =
              [](const T* x, N m, N n, N axis, T* out) {
                if (axis == 0)
                  row(out, n) = matrix(x, m, n).colwise().sum();
                else
                  column(out, m) = matrix(x, m, n).rowwise().sum();
              },
          .mean =
              [](const T* x, N m, N n, N axis, T* out) {
                if (axis == 0)
                  row(out, n) = matrix(x, m, n).colwise().mean();
                else
                  column(out, m) = matrix(x, m, n).rowwise().mean();
              },
          .variance = variance<T>,
          .stddev =
              [](const T* x, N m, N n, N axis, T* out) {
                variance(x, m, n, axis, out);
                auto results = row(out, axis == 0 ? n : m);
                results = results.sqrt();
              },
          .max =
              [](const T* x, N m, N n, N axis, T* out) {
                if (axis == 0)
                  row(out, n) = matrix(x, m, n).colwise().maxCoeff();
                else
                  column(out, m) = matrix(x, m, n).rowwise().maxCoeff();
              },
          .argmax =
              [](const T* x, N m, N n, N axis, N* out) {
                const auto a = matrix(x, m, n);
                Index at = 0;
                for (Index k = 0; k < static_cast<Index>(axis == 0 ? n : m); ++k) {
                  if (axis == 0)
                    a.col(k).maxCoeff(&at);
                  else
                    a.row(k).maxCoeff(&at);
                  out[k] = static_cast<N>(at);
                }
              },
          .sum_slice =
              [](const T* x, N m, N n, N stride, N axis, T* out) {
                const auto a = matrix(x, m, stride).leftCols(static_cast<Index>(n));
                if (axis == 0)
                  row(out, n) = a.colwise().sum();
                else
                  column(out, m) = a.rowwise().sum();
              }};
}

const Registration rows([](Rows& r) {
  add_axis_rows<float>(r, eigen<float>());
  if (!r.quick()) add_axis_rows<double>(r, eigen<double>());
});

}  // namespace
}  // namespace pawl::bench
