// eigen_simd.cpp -- the same operations by Eigen's arrays, compiled for this machine as its users would.
#include <Eigen/Core>

#include "benches/simd/simd_rows.hpp"

namespace pawl::bench {
namespace {

template <class T>
using In = Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>;
template <class T>
using Out = Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>>;
using Index = Eigen::Index;

template <class T>
In<T> in(const T* x, std::size_t n) {
  return {x, static_cast<Index>(n)};
}
template <class T>
Out<T> out(T* x, std::size_t n) {
  return {x, static_cast<Index>(n)};
}

template <class T>
SimdImplementation<T> eigen() {
  return {.impl = "eigen",
          .add = [](const T* x, const T* y, T* z, std::size_t n) { out(z, n) = in(x, n) + in(y, n); },
          .sub = [](const T* x, const T* y, T* z, std::size_t n) { out(z, n) = in(x, n) - in(y, n); },
          .mul = [](const T* x, const T* y, T* z, std::size_t n) { out(z, n) = in(x, n) * in(y, n); },
          .div = [](const T* x, const T* y, T* z, std::size_t n) { out(z, n) = in(x, n) / in(y, n); },
          .axpy = [](T alpha, const T* x, T* y, std::size_t n) { out(y, n) += alpha * in(x, n); },
          .relu = [](const T* x, T* z, std::size_t n) { out(z, n) = in(x, n).max(T(0)); },
          .dot = [](const T* x, const T* y, std::size_t n) { return in(x, n).matrix().dot(in(y, n).matrix()); },
          .sum = [](const T* x, std::size_t n) { return in(x, n).sum(); },
          .min = [](const T* x, std::size_t n) { return in(x, n).minCoeff(); },
          .max = [](const T* x, std::size_t n) { return in(x, n).maxCoeff(); },
          .add_value = [](const T* x, T y, T* z, std::size_t n) { out(z, n) = in(x, n) + y; },
          .clamp = [](T low, T high, const T* x, T* z, std::size_t n) { out(z, n) = in(x, n).max(low).min(high); },
          .sqrt = [](const T* x, T* z, std::size_t n) { out(z, n) = in(x, n).sqrt(); }};
}

const Registration rows([](Rows& r) {
  add_simd_rows<float>(r, eigen<float>());
  if (!r.quick()) add_simd_rows<double>(r, eigen<double>());
});

}  // namespace
}  // namespace pawl::bench
