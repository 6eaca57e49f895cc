// eigen_matmul.cpp -- matmul by Eigen's product into a mapped matrix, compiled for this machine as its users would.
#include <Eigen/Core>

#include "benches/tensor/matmul_rows.hpp"

namespace pawl::bench {
namespace {

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T>
void multiply(std::size_t m, std::size_t n, std::size_t k, const T* a, const T* b, T* c) {
  using Index = Eigen::Index;
  const Eigen::Map<const Matrix<T>> x(a, static_cast<Index>(m), static_cast<Index>(k));
  const Eigen::Map<const Matrix<T>> y(b, static_cast<Index>(k), static_cast<Index>(n));
  Eigen::Map<Matrix<T>>(c, static_cast<Index>(m), static_cast<Index>(n)).noalias() = x * y;
}

const Registration rows([](Rows& r) {
  add_matmul_rows<float>(r, {"eigen", multiply<float>, Eigen::setNbThreads}, thread_counts());
  add_matmul_batched_rows<float>(r, {"eigen", multiply<float>, Eigen::setNbThreads}, thread_counts());
  if (!r.quick()) add_matmul_rows<double>(r, {"eigen", multiply<double>, Eigen::setNbThreads}, thread_counts());
  add_matmul_batched_rows<double>(r, {"eigen", multiply<double>, Eigen::setNbThreads}, thread_counts());
});

}  // namespace
}  // namespace pawl::bench
