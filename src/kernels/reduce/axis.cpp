// axis.cpp -- reductions along one axis of a view: shapes, checks, and the choice between rows and columns.
#include <cmath>
#include <stdexcept>
#include <string>

#include "kernels/reduce/active.hpp"
#include "pawl/reduce.hpp"
#include "tensor/shape_text.hpp"

namespace pawl {
namespace {

using detail::long_array_isa;
using detail::reduce_ops;
using detail::simd_ops;

[[noreturn, gnu::cold]] void refuse(const char* function, const std::string& what) {
  throw std::invalid_argument(std::string(function) + ": " + what);
}

// A contiguous array as [outer][length][inner], the middle one being the axis; and the result's shape.
struct Axis {
  std::size_t outer = 1, length = 0, inner = 1;
  Shape out;
};

Axis split(const char* function, const Shape& shape, std::size_t axis, bool keepdims, std::size_t shortest) {
  if (axis >= shape.rank())
    refuse(function, "there is no axis " + std::to_string(axis) + " in shape " + shape_text(shape));
  if (shape[axis] < shortest)
    refuse(function, "axis " + std::to_string(axis) + " of shape " + shape_text(shape) + " is too short; at least " +
                         std::to_string(shortest) + " elements are needed");
  std::size_t outer = 1, inner = 1;
  std::array<std::size_t, kMaxRank> extents{};
  std::size_t rank = 0;
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    if (d != axis) {
      (d < axis ? outer : inner) *= shape[d];
      extents[rank++] = shape[d];
    } else if (keepdims) {
      extents[rank++] = 1;
    }
  }
  return {outer, shape[axis], inner, Shape(std::span<const std::size_t>(extents.data(), rank))};
}

// Calls run(first element, axis) with the elements in row-major order, copied if they are not.
template <class T, class Run>
void on_contiguous(View<const T> x, Run run) {
  if (x.is_contiguous()) return run(x.data());
  const auto copy = Tensor<T>::copy_of(x);
  run(copy.data());
}

// rows(p, count, out) -> the results of `count` rows of a.length contiguous elements; columns(p, out) -> those of a
// [length][inner] array.
template <class T, class Rows, class Columns>
Tensor<T> reduce(const Axis& a, View<const T> x, Rows rows, Columns columns) {
  auto out = Tensor<T>::uninitialized(a.out);
  if (a.out.elements() == 0) return out;
  on_contiguous<T>(x, [&](const T* p) {
    detail::for_parts(a.outer, x.elements() * sizeof(T), 1, [&](std::size_t begin, std::size_t end) {
      if (a.inner == 1) return rows(p + begin * a.length, end - begin, out.data() + begin);
      for (std::size_t o = begin; o < end; ++o) columns(p + o * a.length * a.inner, out.data() + o * a.inner);
    });
  });
  return out;
}

// What `row(p, n)` gives for one row, as reduce() wants it.
template <class T, class Row>
auto each_row(const Axis& a, Row row) {
  return [&a, row](const T* p, std::size_t count, T* out) {
    for (std::size_t r = 0; r < count; ++r) out[r] = row(p + r * a.length, a.length);
  };
}

template <class T>
Tensor<T> sum_along(View<const T> x, std::size_t axis, bool keepdims) {
  const Axis a = split("sum", x.shape(), axis, keepdims, 0);
  if (a.length == 0) return Tensor<T>::zeros(a.out);
  const auto rows = reduce_ops<T>(long_array_isa(x.elements() * sizeof(T))).sum_rows;
  return reduce<T>(
      a, x, [&](const T* p, std::size_t count, T* out) { rows(p, count, a.length, out); },
      [&](const T* p, T* out) { reduce_ops<T>().sum_columns(p, a.length, a.inner, out); });
}

template <class T>
void divide_by_length(const Axis& a, std::size_t n, T* out) {
  for (std::size_t k = 0; k < n; ++k) out[k] /= static_cast<T>(a.length);
}

template <class T>
void mean_of_columns(const Axis& a, const T* p, T* out) {
  reduce_ops<T>().sum_columns(p, a.length, a.inner, out);
  divide_by_length(a, a.inner, out);
}

template <class T>
Tensor<T> mean_along(View<const T> x, std::size_t axis, bool keepdims) {
  const Axis a = split("mean", x.shape(), axis, keepdims, 1);
  const auto rows = reduce_ops<T>(long_array_isa(x.elements() * sizeof(T))).mean_rows;
  return reduce<T>(
      a, x, [&](const T* p, std::size_t count, T* out) { rows(p, count, a.length, out); },
      [&](const T* p, T* out) { mean_of_columns<T>(a, p, out); });
}

template <class T, bool kRoot>
Tensor<T> variance_along(const char* function, View<const T> x, std::size_t axis, std::size_t ddof, bool keepdims) {
  const Axis a = split(function, x.shape(), axis, keepdims, ddof + 1);
  const auto finish = [&](double squares) {
    const double v = squares / static_cast<double>(a.length - ddof);
    return static_cast<T>(kRoot ? std::sqrt(v) : v);
  };
  return reduce<T>(a, x,
                   each_row<T>(a,
                               [&](const T* p, std::size_t n) {
                                 double mean = 0, squares = 0;
                                 reduce_ops<T>().moments(p, n, &mean, &squares);
                                 return finish(squares);
                               }),
                   [&](const T* p, T* out) {
                     auto means = Tensor<T>::uninitialized(Shape{a.inner});  // of each thread's own
                     mean_of_columns<T>(a, p, means.data());
                     reduce_ops<T>().squares_columns(p, means.data(), a.length, a.inner, out);
                     for (std::size_t j = 0; j < a.inner; ++j) out[j] = finish(static_cast<double>(out[j]));
                   });
}

template <class T>
Tensor<T> norm_along(View<const T> x, std::size_t axis, bool keepdims) {
  const Axis a = split("norm", x.shape(), axis, keepdims, 0);
  if (a.length == 0) return Tensor<T>::zeros(a.out);
  const auto zeros = Tensor<T>::zeros(Shape{a.inner});
  return reduce<T>(a, x, each_row<T>(a, [](const T* p, std::size_t n) { return norm(std::span<const T>(p, n)); }),
                   [&](const T* p, T* out) {
                     reduce_ops<T>().squares_columns(p, zeros.data(), a.length, a.inner, out);
                     simd_ops<T>().sqrt(out, out, a.inner);
                   });
}

template <class T, bool kSmallest>
Tensor<T> extreme_along(const char* function, View<const T> x, std::size_t axis, bool keepdims) {
  const Axis a = split(function, x.shape(), axis, keepdims, 1);
  const ReduceOps<T>& reading = reduce_ops<T>(long_array_isa(x.elements() * sizeof(T)));
  const auto rows = kSmallest ? reading.min_rows : reading.max_rows;
  const auto columns = kSmallest ? reduce_ops<T>().min_columns : reduce_ops<T>().max_columns;
  return reduce<T>(
      a, x, [&](const T* p, std::size_t count, T* out) { rows(p, count, a.length, out); },
      [&](const T* p, T* out) { columns(p, a.length, a.inner, out); });
}

template <class T, bool kSmallest>
std::vector<std::size_t> places_along(const char* function, View<const T> x, std::size_t axis) {
  const Axis a = split(function, x.shape(), axis, false, 1);
  const auto row = kSmallest ? reduce_ops<T>().argmin : reduce_ops<T>().argmax;
  const auto columns = kSmallest ? reduce_ops<T>().argmin_columns : reduce_ops<T>().argmax_columns;
  std::vector<std::size_t> out(a.out.elements());
  if (out.empty()) return out;
  on_contiguous<T>(x, [&](const T* p) {
    std::size_t* to = out.data();
    for (std::size_t o = 0; o < a.outer; ++o, p += a.length * a.inner, to += a.inner) {
      if (a.inner == 1)
        *to = row(p, a.length);
      else
        columns(p, a.length, a.inner, to);
    }
  });
  return out;
}

using F = View<const float>;
using D = View<const double>;
using Places = std::vector<std::size_t>;

}  // namespace

Tensor<float> sum(F x, std::size_t axis, bool keepdims) { return sum_along<float>(x, axis, keepdims); }
Tensor<double> sum(D x, std::size_t axis, bool keepdims) { return sum_along<double>(x, axis, keepdims); }
Tensor<float> mean(F x, std::size_t axis, bool keepdims) { return mean_along<float>(x, axis, keepdims); }
Tensor<double> mean(D x, std::size_t axis, bool keepdims) { return mean_along<double>(x, axis, keepdims); }
Tensor<float> variance(F x, std::size_t axis, std::size_t ddof, bool keepdims) {
  return variance_along<float, false>("variance", x, axis, ddof, keepdims);
}
Tensor<double> variance(D x, std::size_t axis, std::size_t ddof, bool keepdims) {
  return variance_along<double, false>("variance", x, axis, ddof, keepdims);
}
Tensor<float> stddev(F x, std::size_t axis, std::size_t ddof, bool keepdims) {
  return variance_along<float, true>("stddev", x, axis, ddof, keepdims);
}
Tensor<double> stddev(D x, std::size_t axis, std::size_t ddof, bool keepdims) {
  return variance_along<double, true>("stddev", x, axis, ddof, keepdims);
}
Tensor<float> norm(F x, std::size_t axis, bool keepdims) { return norm_along<float>(x, axis, keepdims); }
Tensor<double> norm(D x, std::size_t axis, bool keepdims) { return norm_along<double>(x, axis, keepdims); }
Tensor<float> min(F x, std::size_t axis, bool keepdims) { return extreme_along<float, true>("min", x, axis, keepdims); }
Tensor<double> min(D x, std::size_t axis, bool keepdims) {
  return extreme_along<double, true>("min", x, axis, keepdims);
}
Tensor<float> max(F x, std::size_t axis, bool keepdims) {
  return extreme_along<float, false>("max", x, axis, keepdims);
}
Tensor<double> max(D x, std::size_t axis, bool keepdims) {
  return extreme_along<double, false>("max", x, axis, keepdims);
}
Places argmin(F x, std::size_t axis) { return places_along<float, true>("argmin", x, axis); }
Places argmin(D x, std::size_t axis) { return places_along<double, true>("argmin", x, axis); }
Places argmax(F x, std::size_t axis) { return places_along<float, false>("argmax", x, axis); }
Places argmax(D x, std::size_t axis) { return places_along<double, false>("argmax", x, axis); }

}  // namespace pawl
