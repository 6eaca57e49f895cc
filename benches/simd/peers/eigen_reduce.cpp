// eigen_reduce.cpp -- the same reductions by Eigen's arrays, compiled for this machine as its users would.
#include <Eigen/Core>

#include "benches/simd/reduce_rows.hpp"

namespace pawl::bench {
namespace {

template <class T>
using In = Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>;
using Index = Eigen::Index;

template <class T>
In<T> in(const T* x, std::size_t n) {
  return {x, static_cast<Index>(n)};
}

template <class T>
ReduceImplementation<T> eigen() {
  return {.impl = "eigen",
          .mean = [](const T* x, std::size_t n) { return in(x, n).mean(); },
          .variance =
              [](const T* x, std::size_t n) {
                const auto v = in(x, n);
                return (v - v.mean()).square().mean();
              },
          .stddev =
              [](const T* x, std::size_t n) {
                const auto v = in(x, n);
                return std::sqrt((v - v.mean()).square().mean());
              },
          .argmax =
              [](const T* x, std::size_t n) {
                Index at = 0;
                in(x, n).maxCoeff(&at);
                return static_cast<std::size_t>(at);
              },
          .norm = [](const T* x, std::size_t n) { return in(x, n).matrix().norm(); },
          .cosine_similarity =
              [](const T* x, const T* y, std::size_t n) {
                const auto a = in(x, n).matrix(), b = in(y, n).matrix();
                return a.dot(b) / (a.norm() * b.norm());
              }};
}

const Registration rows([](Rows& r) {
  add_reduce_rows<float>(r, eigen<float>());
  if (!r.quick()) add_reduce_rows<double>(r, eigen<double>());
});

}  // namespace
}  // namespace pawl::bench
