// axis.cpp -- reductions along one axis of a view: shapes, checks, and the choice between rows and columns.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "kernels/layout/active.hpp"
#include "kernels/reduce/active.hpp"
#include "kernels/reduce/axis_loops.hpp"
#include "parallel/parts.hpp"
#include "pawl/reduce.hpp"
#include "tensor/shape_text.hpp"

namespace pawl {
namespace {

using detail::AxisLoops;
using detail::long_array_isa;
using detail::reduce_ops;
using detail::simd_ops;

[[noreturn, gnu::cold]] void refuse(const char* function, const std::string& what) {
  throw std::invalid_argument(std::string(function) + ": " + what);
}

// The result's shape, checked.
Shape reduced(const char* function, const Shape& shape, std::size_t axis, bool keepdims, std::size_t shortest) {
  if (axis >= shape.rank())
    refuse(function, "there is no axis " + std::to_string(axis) + " in shape " + shape_text(shape));
  if (shape[axis] < shortest)
    refuse(function, "axis " + std::to_string(axis) + " of shape " + shape_text(shape) + " is too short; at least " +
                         std::to_string(shortest) + " elements are needed");
  std::array<std::size_t, kMaxRank> extents;
  std::size_t rank = 0;
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    if (d != axis)
      extents[rank++] = shape[d];
    else if (keepdims)
      extents[rank++] = 1;
  }
  return Shape(std::span<const std::size_t>(extents.data(), rank));
}

// Elements of a row up to which rows are turned into columns of a block in L1 first, and from how many rows on, where
// one call does them all and where each takes a call: what ends a row takes as long as some vectors do.
template <class T>
constexpr std::size_t kNarrow = 64 / sizeof(T);
constexpr std::size_t kManyInOneCall = 16, kManyCalls = 4;
// Columns of a thread's strip, at least: four vectors of AVX-512 (f32), whole lines.
constexpr std::size_t kStrip = 64;
// Rows of a block: at most 8 KiB, which leaves the smallest L1 room for what the columns need.
constexpr std::size_t kBlockRows = 128;

// rows(p, stride, count, out) -> the results of `count` rows of `length` neighbours; columns(p, stride, count, out) ->
// those of as many columns of `length` rows. Both for any part of the results.
template <class T, class Result, class Rows, class Columns>
void reduce_loops(const AxisLoops& loops, const T* x, Result* out, std::size_t many, Rows rows, Columns columns) {
  const bool by_rows = loops.form == AxisLoops::Form::rows;
  const auto some_rows = [&](const T* p, std::size_t count, Result* to) {
    if (loops.length > kNarrow<T> || loops.side < many) return rows(p, loops.side_step, count, to);
    alignas(64) T block[kNarrow<T> * kBlockRows];
    for (std::size_t r = 0; r < count; r += kBlockRows) {
      const std::size_t some = std::min(kBlockRows, count - r);
      detail::layout_ops<T>().transpose(p + static_cast<std::ptrdiff_t>(r) * loops.side_step, loops.side_step, some,
                                        loops.length, block, kBlockRows);
      columns(block, kBlockRows, some, to + r);
    }
  };
  // Threads get whole rows, or strips of columns, whose sums do not depend on who adds them up.
  const std::size_t strip = by_rows ? 1 : kStrip, each = (loops.side + strip - 1) / strip;
  detail::for_parts(loops.outer * each, loops.outer * loops.side * loops.length * sizeof(T), 1,
                    [&](std::size_t begin, std::size_t end) {
                      for (std::size_t some; begin < end; begin += some) {
                        some = std::min(each - begin % each, end - begin);
                        const std::size_t o = begin / each, at = begin % each * strip;
                        const std::size_t count = std::min(some * strip, loops.side - at);
                        const T* p = x + loops.offset(o) + static_cast<std::ptrdiff_t>(at) * loops.side_step;
                        Result* to = out + o * loops.side + at;
                        if (by_rows)
                          some_rows(p, count, to);
                        else
                          columns(p, loops.step, count, to);
                      }
                    });
}

// out is contiguous, in the order of x without the axis, which is not empty.
template <class T, class Result, class Rows, class Columns>
void reduce(View<const T> x, std::size_t axis, Result* out, std::size_t many, Rows rows, Columns columns) {
  if (x.elements() == 0) return;
  const AxisLoops loops = detail::axis_loops(x.shape(), x.strides(), axis);
  if (loops.form != AxisLoops::Form::neither) [[likely]]
    return reduce_loops(loops, x.data(), out, many, rows, columns);
  const auto copy = Tensor<T>::copy_of(x);
  reduce_loops(detail::axis_loops(x.shape(), row_major(x.shape()), axis), copy.data(), out, many, rows, columns);
}

// What `row(p)` gives for one row, as reduce() wants it.
template <class T, class Row>
auto each_row(Row row) {
  return [row](const T* p, std::ptrdiff_t stride, std::size_t count, auto* out) {
    for (std::size_t r = 0; r < count; ++r, p += stride) out[r] = row(p);
  };
}

template <class T>
Tensor<T> sum_along(View<const T> x, std::size_t axis, bool keepdims) {
  const Shape shape = reduced("sum", x.shape(), axis, keepdims, 0);
  const std::size_t length = x.shape()[axis];
  if (length == 0) return Tensor<T>::zeros(shape);
  auto out = Tensor<T>::uninitialized(shape);
  const auto rows = reduce_ops<T>(long_array_isa(x.elements() * sizeof(T))).sum_rows;
  reduce<T>(
      x, axis, out.data(), kManyInOneCall,
      [=](const T* p, std::ptrdiff_t stride, std::size_t count, T* to) { rows(p, stride, count, length, to); },
      [=](const T* p, std::ptrdiff_t stride, std::size_t count, T* to) {
        reduce_ops<T>().sum_columns(p, stride, length, count, to);
      });
  return out;
}

template <class T>
void mean_of_columns(const T* p, std::ptrdiff_t stride, std::size_t length, std::size_t count, T* out) {
  reduce_ops<T>().sum_columns(p, stride, length, count, out);
  for (std::size_t k = 0; k < count; ++k) out[k] /= static_cast<T>(length);
}

template <class T>
Tensor<T> mean_along(View<const T> x, std::size_t axis, bool keepdims) {
  auto out = Tensor<T>::uninitialized(reduced("mean", x.shape(), axis, keepdims, 1));
  const std::size_t length = x.shape()[axis];
  const auto rows = reduce_ops<T>(long_array_isa(x.elements() * sizeof(T))).mean_rows;
  reduce<T>(
      x, axis, out.data(), kManyInOneCall,
      [=](const T* p, std::ptrdiff_t stride, std::size_t count, T* to) { rows(p, stride, count, length, to); },
      [=](const T* p, std::ptrdiff_t stride, std::size_t count, T* to) {
        mean_of_columns<T>(p, stride, length, count, to);
      });
  return out;
}

// Columns whose means are kept beside their sums of squares: 4 KiB of f64.
constexpr std::size_t kMeans = 512;

template <class T, bool kRoot>
Tensor<T> variance_along(const char* function, View<const T> x, std::size_t axis, std::size_t ddof, bool keepdims) {
  auto out = Tensor<T>::uninitialized(reduced(function, x.shape(), axis, keepdims, ddof + 1));
  const std::size_t length = x.shape()[axis];
  const auto finish = [=](double squares) {
    const double v = squares / static_cast<double>(length - ddof);
    return static_cast<T>(kRoot ? std::sqrt(v) : v);
  };
  reduce<T>(x, axis, out.data(), kManyCalls, each_row<T>([=](const T* p) {
              double mean = 0, squares = 0;
              reduce_ops<T>().moments(p, length, &mean, &squares);
              return finish(squares);
            }),
            [=](const T* p, std::ptrdiff_t stride, std::size_t count, T* to) {
              alignas(64) T means[kMeans];
              for (std::size_t j = 0; j < count; j += kMeans) {
                const std::size_t some = std::min(kMeans, count - j);
                mean_of_columns<T>(p + j, stride, length, some, means);
                reduce_ops<T>().squares_columns(p + j, stride, means, length, some, to + j);
              }
              for (std::size_t j = 0; j < count; ++j) to[j] = finish(static_cast<double>(to[j]));
            });
  return out;
}

template <class T>
Tensor<T> norm_along(View<const T> x, std::size_t axis, bool keepdims) {
  const Shape shape = reduced("norm", x.shape(), axis, keepdims, 0);
  const std::size_t length = x.shape()[axis];
  if (length == 0) return Tensor<T>::zeros(shape);
  auto out = Tensor<T>::uninitialized(shape);
  reduce<T>(x, axis, out.data(), kManyCalls,
            each_row<T>([=](const T* p) { return norm(std::span<const T>(p, length)); }),
            [=](const T* p, std::ptrdiff_t stride, std::size_t count, T* to) {
              alignas(64) static constexpr T kZeros[kMeans]{};
              for (std::size_t j = 0; j < count; j += kMeans)
                reduce_ops<T>().squares_columns(p + j, stride, kZeros, length, std::min(kMeans, count - j), to + j);
              simd_ops<T>().sqrt(to, to, count);
            });
  return out;
}

template <class T, bool kSmallest>
Tensor<T> extreme_along(const char* function, View<const T> x, std::size_t axis, bool keepdims) {
  auto out = Tensor<T>::uninitialized(reduced(function, x.shape(), axis, keepdims, 1));
  const std::size_t length = x.shape()[axis];
  const ReduceOps<T>& reading = reduce_ops<T>(long_array_isa(x.elements() * sizeof(T)));
  const auto rows = kSmallest ? reading.min_rows : reading.max_rows;
  const auto columns = kSmallest ? reduce_ops<T>().min_columns : reduce_ops<T>().max_columns;
  reduce<T>(
      x, axis, out.data(), kManyInOneCall,
      [=](const T* p, std::ptrdiff_t stride, std::size_t count, T* to) { rows(p, stride, count, length, to); },
      [=](const T* p, std::ptrdiff_t stride, std::size_t count, T* to) { columns(p, stride, length, count, to); });
  return out;
}

template <class T, bool kSmallest>
std::vector<std::size_t> places_along(const char* function, View<const T> x, std::size_t axis) {
  std::vector<std::size_t> out(reduced(function, x.shape(), axis, false, 1).elements());
  const std::size_t length = x.shape()[axis];
  const auto row = kSmallest ? reduce_ops<T>().argmin : reduce_ops<T>().argmax;
  const auto columns = kSmallest ? reduce_ops<T>().argmin_columns : reduce_ops<T>().argmax_columns;
  reduce<T>(x, axis, out.data(), kManyCalls, each_row<T>([=](const T* p) { return row(p, length); }),
            [=](const T* p, std::ptrdiff_t stride, std::size_t count, std::size_t* to) {
              columns(p, stride, length, count, to);
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
