// eigen_math.cpp -- the math functions by Eigen's arrays, compiled for this machine as its users would.
#include <Eigen/Core>
#include <unsupported/Eigen/SpecialFunctions>

#include "benches/simd/math_rows.hpp"

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
MathImplementation<T> eigen() {
  return {.impl = "eigen",
          .exp = [](const T* x, T* z, std::size_t n) { out(z, n) = in(x, n).exp(); },
          .log = [](const T* x, T* z, std::size_t n) { out(z, n) = in(x, n).log(); },
          .tanh = [](const T* x, T* z, std::size_t n) { out(z, n) = in(x, n).tanh(); },
          .sigmoid = [](const T* x, T* z, std::size_t n) { out(z, n) = in(x, n).logistic(); },
          .gelu =
              [](const T* x, T* z, std::size_t n) {
                const auto v = in(x, n);
                out(z, n) = T(0.5) * v * (T(1) + (v * T(M_SQRT1_2)).erf());
              },
          .gelu_tanh =
              [](const T* x, T* z, std::size_t n) {
                const auto v = in(x, n);
                out(z, n) =
                    T(0.5) * v * (T(1) + (v * (T(0.7978845608028654) + T(0.035677408136300125) * v * v)).tanh());
              },
          .pow = [](const T* x, T* z, std::size_t n) { out(z, n) = in(x, n).pow(T(kPower)); }};
}

const Registration rows([](Rows& r) {
  add_math_rows<float>(r, eigen<float>());
  if (!r.quick()) add_math_rows<double>(r, eigen<double>());
});

}  // namespace
}  // namespace pawl::bench
