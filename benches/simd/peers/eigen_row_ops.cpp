// eigen_row_ops.cpp -- softmax and the norms by Eigen's arrays, row by row, compiled for this machine as its users
// would.
#include <Eigen/Core>
#include <unsupported/Eigen/SpecialFunctions>

#include "benches/simd/row_ops_rows.hpp"

namespace pawl::bench {
namespace {

template <class T>
using In = Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>;
template <class T>
using Out = Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>>;
using Index = Eigen::Index;

template <class T>
using Matrix = Eigen::Array<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using Row = Eigen::Array<T, 1, Eigen::Dynamic>;

template <class T>
RowOpsImplementation<T> eigen() {
  return {.impl = "eigen",
          .softmax =
              [](const T* x, T* z, std::size_t rows, std::size_t columns) {
                const auto n = static_cast<Index>(columns);
                for (std::size_t r = 0; r < rows; ++r, x += columns, z += columns) {
                  const In<T> row(x, n);
                  Out<T> out(z, n);
                  out = (row - row.maxCoeff()).exp();
                  out *= T(1) / out.sum();
                }
              },
          .log_softmax =
              [](const T* x, T* z, std::size_t rows, std::size_t columns) {
                const auto n = static_cast<Index>(columns);
                for (std::size_t r = 0; r < rows; ++r, x += columns, z += columns) {
                  const In<T> row(x, n);
                  const T top = row.maxCoeff();
                  Out<T>(z, n) = row - (top + std::log((row - top).exp().sum()));
                }
              },
          .softmax_axis0 =
              [](const T* x, T* z, std::size_t rows, std::size_t columns) {
                const Eigen::Map<const Matrix<T>> a(x, static_cast<Index>(rows), static_cast<Index>(columns));
                Eigen::Map<Matrix<T>> out(z, a.rows(), a.cols());
                const Row<T> top = a.colwise().maxCoeff();
                out = (a.rowwise() - top).exp();
                const Row<T> scale = out.colwise().sum().inverse();
                out.rowwise() *= scale;
              },
          .log_softmax_axis0 =
              [](const T* x, T* z, std::size_t rows, std::size_t columns) {
                const Eigen::Map<const Matrix<T>> a(x, static_cast<Index>(rows), static_cast<Index>(columns));
                Eigen::Map<Matrix<T>> out(z, a.rows(), a.cols());
                const Row<T> top = a.colwise().maxCoeff();
                const Row<T> sums = (a.rowwise() - top).exp().colwise().sum();
                out = a.rowwise() - (top + sums.log());
              },
          .layernorm =
              [](const T* x, const T* gain, const T* shift, T* z, std::size_t rows, std::size_t columns) {
                const auto n = static_cast<Index>(columns);
                for (std::size_t r = 0; r < rows; ++r, x += columns, z += columns) {
                  const In<T> row(x, n);
                  const T mean = row.mean(), variance = (row - mean).square().mean();
                  Out<T>(z, n) = (row - mean) * (T(1) / std::sqrt(variance + T(kRowOpsEpsilon))) * In<T>(gain, n) +
                                 In<T>(shift, n);
                }
              },
          .rmsnorm =
              [](const T* x, const T* gain, T* z, std::size_t rows, std::size_t columns) {
                const auto n = static_cast<Index>(columns);
                for (std::size_t r = 0; r < rows; ++r, x += columns, z += columns) {
                  const In<T> row(x, n);
                  Out<T>(z, n) = row * (T(1) / std::sqrt(row.square().mean() + T(kRowOpsEpsilon))) * In<T>(gain, n);
                }
              },
          .cross_entropy =
              [](const T* x, T* z, std::size_t rows, std::size_t columns) {
                const auto n = static_cast<Index>(columns);
                for (std::size_t r = 0; r < rows; ++r, x += columns) {
                  const In<T> row(x, n);
                  const T top = row.maxCoeff();
                  z[r] = top + std::log((row - top).exp().sum()) - row[kTarget];
                }
              },
          .batchnorm =
              [](const T* x, const T* gain, const T* shift, T* z, std::size_t rows, std::size_t columns) {
                const auto n = static_cast<Index>(columns);
                const In<T> g(gain, n), s(shift, n);
                const Eigen::Array<T, Eigen::Dynamic, 1> factor = g / (g + T(kRowOpsEpsilon)).sqrt();
                const Eigen::Array<T, Eigen::Dynamic, 1> offset = s - s * factor;
                for (std::size_t r = 0; r < rows; ++r, x += columns, z += columns)
                  Out<T>(z, n) = In<T>(x, n) * factor + offset;
              },
          .bias_gelu =
              [](const T* x, const T* bias, T* z, std::size_t rows, std::size_t columns) {
                const auto n = static_cast<Index>(columns);
                for (std::size_t r = 0; r < rows; ++r, x += columns, z += columns) {
                  const auto v = In<T>(x, n) + In<T>(bias, n);
                  Out<T>(z, n) = T(0.5) * v * (T(1) + (v * T(M_SQRT1_2)).erf());
                }
              }};
}

const Registration rows([](Rows& r) {
  add_row_ops_rows<float>(r, eigen<float>());
  if (!r.quick()) add_row_ops_rows<double>(r, eigen<double>());
});

}  // namespace
}  // namespace pawl::bench
