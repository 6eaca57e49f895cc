// axis_bench.cpp -- our rows of the reductions along an axis: the public functions, into an array that is there, as the
// peers are called.
#include <span>

#include "axis_rows.hpp"
#include "pawl/reduce.hpp"

namespace pawl::bench {
namespace {

using N = std::size_t;

template <class T>
View<const T> matrix(const T* x, N m, N n) {
  return {x, Shape{m, n}};
}

// The place for the results of m x n elements without `axis`.
template <class T>
std::span<T> place(T* out, N m, N n, N axis) {
  return {out, axis == 0 ? n : m};
}

template <class T>
AxisImplementation<T> public_functions() {
  return {
      .impl = "pawl",
      .sum = [](const T* x, N m, N n, N axis, T* out) { sum(matrix(x, m, n), axis, place(out, m, n, axis)); },
      .mean = [](const T* x, N m, N n, N axis, T* out) { mean(matrix(x, m, n), axis, place(out, m, n, axis)); },
      .variance = [](const T* x, N m, N n, N axis, T* out) { variance(matrix(x, m, n), axis, place(out, m, n, axis)); },
      .stddev = [](const T* x, N m, N n, N axis, T* out) { stddev(matrix(x, m, n), axis, place(out, m, n, axis)); },
      .max = [](const T* x, N m, N n, N axis, T* out) { max(matrix(x, m, n), axis, place(out, m, n, axis)); },
      .argmax = [](const T* x, N m, N n, N axis, N* out) { argmax(matrix(x, m, n), axis, place(out, m, n, axis)); },
      .sum_slice =
          [](const T* x, N m, N n, N stride, N axis, T* out) {
            const View<const T> slice(x, Shape{m, n}, Strides{static_cast<std::ptrdiff_t>(stride), 1});
            sum(slice, axis, place(out, m, n, axis));
          }};
}

const Registration rows([](Rows& r) {
  add_axis_rows<float>(r, public_functions<float>());
  if (!r.quick()) add_axis_rows<double>(r, public_functions<double>());
});

}  // namespace
}  // namespace pawl::bench
