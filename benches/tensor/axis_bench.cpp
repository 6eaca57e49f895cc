// axis_bench.cpp -- our rows of the reductions along an axis: the public functions, result tensor included.
#include <algorithm>

#include "axis_rows.hpp"
#include "pawl/reduce.hpp"

namespace pawl::bench {
namespace {

template <class T>
View<const T> matrix(const T* x, std::size_t m, std::size_t n) {
  return {x, Shape{m, n}};
}

template <class Result, class T>
void hand_out(const Result& result, T* out) {
  const auto values = std::span(result);
  std::copy(values.begin(), values.end(), out);
}

template <class T>
AxisImplementation<T> public_functions() {
  using N = std::size_t;
  return {
      .impl = "pawl",
      .sum = [](const T* x, N m, N n, N axis, T* out) { hand_out(sum(matrix(x, m, n), axis).flat(), out); },
      .mean = [](const T* x, N m, N n, N axis, T* out) { hand_out(mean(matrix(x, m, n), axis).flat(), out); },
      .variance = [](const T* x, N m, N n, N axis, T* out) { hand_out(variance(matrix(x, m, n), axis).flat(), out); },
      .stddev = [](const T* x, N m, N n, N axis, T* out) { hand_out(stddev(matrix(x, m, n), axis).flat(), out); },
      .max = [](const T* x, N m, N n, N axis, T* out) { hand_out(max(matrix(x, m, n), axis).flat(), out); },
      .argmax = [](const T* x, N m, N n, N axis, N* out) { hand_out(argmax(matrix(x, m, n), axis), out); },
      .sum_slice =
          [](const T* x, N m, N n, N stride, N axis, T* out) {
            const View<const T> slice(x, Shape{m, n}, Strides{static_cast<std::ptrdiff_t>(stride), 1});
            hand_out(sum(slice, axis).flat(), out);
          }};
}

const Registration rows([](Rows& r) {
  add_axis_rows<float>(r, public_functions<float>());
  if (!r.quick()) add_axis_rows<double>(r, public_functions<double>());
});

}  // namespace
}  // namespace pawl::bench
