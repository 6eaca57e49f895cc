// axis.cpp -- reductions along one axis of a view: shapes, checks, and the choice between rows and columns.
#include <algorithm>
#include <cmath>
#include <limits>
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

[[noreturn, gnu::cold]] void refuse(const char* function, const std::string& what) {
  throw std::invalid_argument(std::string(function) + ": " + what);
}

[[noreturn, gnu::cold]] void refuse_axis(const char* function, const Shape& shape, std::size_t axis,
                                         std::size_t shortest) {
  if (axis >= shape.rank())
    refuse(function, "there is no axis " + std::to_string(axis) + " in shape " + shape_text(shape));
  refuse(function, "axis " + std::to_string(axis) + " of shape " + shape_text(shape) + " is too short; at least " +
                       std::to_string(shortest) + " elements are needed");
}

inline void check_axis(const char* function, const Shape& shape, std::size_t axis, std::size_t shortest) {
  if (axis >= shape.rank() || shape[axis] < shortest) [[unlikely]]
    refuse_axis(function, shape, axis, shortest);
}

// The result's shape, checked.
Shape reduced(const char* function, const Shape& shape, std::size_t axis, bool keepdims, std::size_t shortest) {
  check_axis(function, shape, axis, shortest);
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

// The same for results that have a place.
void check_place(const char* function, const Shape& shape, std::size_t axis, std::size_t shortest, std::size_t place) {
  check_axis(function, shape, axis, shortest);
  std::size_t results = 1;
  for (std::size_t d = 0; d < shape.rank(); ++d)
    if (d != axis) results *= shape[d];
  if (place != results) [[unlikely]]
    refuse(function, "shape " + shape_text(shape) + " without axis " + std::to_string(axis) + " has " +
                         std::to_string(results) + " elements, `out` has " + std::to_string(place));
}

// Elements of a row up to which rows are turned into columns of a block in L1 first, and from how many rows on, where
// one fold of lanes ends them and where several folds or searches do: each takes as long as some vectors do.
template <class T>
constexpr std::size_t kNarrow = 64 / sizeof(T);
constexpr std::size_t kManyOfOneFold = 16, kManyOfSeveral = 4;
// Columns of a thread's strip, at least: four vectors of AVX-512 (f32), whole lines.
constexpr std::size_t kStrip = 64;
// Rows of a block: at most 8 KiB, which leaves the smallest L1 room for what the columns need.
constexpr std::size_t kBlockRows = 128;
constexpr Blocks kOneBlock{1, 0};

// body(begin, end) for parts of n results or strips of them, on all threads if `bytes` are worth it.
template <class Body>
void for_results(std::size_t n, std::size_t bytes, Body body) {
  if (bytes < detail::kWorthReducingBytes) return body(std::size_t{0}, n);
  detail::for_parts_on_threads(n, bytes, 1, body);
}

// rows(p, stride, count, out) -> the results of `count` rows of `length` neighbours; columns(p, blocks, stride, count,
// out) -> those of as many columns of `length` rows in each block. Both for any part of the results.
template <class T, class Result, class Rows, class Columns>
void reduce_loops(const AxisLoops& loops, const T* x, Result* out, std::size_t many, Rows rows, Columns columns) {
  const bool by_rows = loops.form == AxisLoops::Form::rows;
  const std::size_t bytes = loops.outer * loops.side * loops.length * sizeof(T);
  if (!by_rows && loops.rank == 1 && loops.side <= kStrip) {
    // Few columns: a call for each block would take as long as some ten rows do.
    return for_results(loops.outer, bytes, [&](std::size_t begin, std::size_t end) {
      const Blocks blocks{end - begin, loops.dimensions[0].step};
      columns(x + loops.offset(begin), blocks, loops.step, loops.side, out + begin * loops.side);
    });
  }
  const auto some_rows = [&](const T* p, std::size_t count, Result* to) {
    if (loops.length > kNarrow<T> || loops.side < many) return rows(p, loops.side_step, count, to);
    alignas(64) T block[kNarrow<T> * kBlockRows];
    for (std::size_t r = 0; r < count; r += kBlockRows) {
      const std::size_t some = std::min(kBlockRows, count - r);
      detail::layout_ops<T>().transpose(p + static_cast<std::ptrdiff_t>(r) * loops.side_step, loops.side_step, some,
                                        loops.length, block, kBlockRows);
      columns(block, kOneBlock, kBlockRows, some, to + r);
    }
  };
  // One matrix, one thread: what follows would divide three times, as long as the sum of a row of 100 elements.
  if (loops.outer == 1 && bytes < detail::kWorthReducingBytes) [[likely]]
    return by_rows ? some_rows(x, loops.side, out) : columns(x, kOneBlock, loops.step, loops.side, out);
  // Threads get whole rows, or strips of columns, whose sums do not depend on who adds them up.
  const std::size_t strip = by_rows ? 1 : kStrip, each = (loops.side + strip - 1) / strip;
  for_results(loops.outer * each, bytes, [&](std::size_t begin, std::size_t end) {
    for (std::size_t some; begin < end; begin += some) {
      some = std::min(each - begin % each, end - begin);
      const std::size_t o = begin / each, at = begin % each * strip;
      const std::size_t count = std::min(some * strip, loops.side - at);
      const T* p = x + loops.offset(o) + static_cast<std::ptrdiff_t>(at) * loops.side_step;
      Result* to = out + o * loops.side + at;
      if (by_rows)
        some_rows(p, count, to);
      else
        columns(p, kOneBlock, loops.step, count, to);
    }
  });
}

// out is contiguous, in the order of x without the axis, which is not empty.
template <class T, class Result, class Rows, class Columns>
void reduce(const View<const T>& x, std::size_t axis, Result* out, std::size_t many, Rows rows, Columns columns) {
  if (x.elements() == 0) return;
  const Shape& shape = x.shape();
  const Strides& strides = x.strides();
  // A matrix of neighbours and one thread: what follows takes as long as some 100 elements.
  if (shape.rank() == 2 && x.elements() * sizeof(T) < detail::kWorthReducingBytes) [[likely]] {
    const std::size_t m = shape[0], n = shape[1];
    if (n == 1 && strides[0] == 1) {
      if (axis == 0 || m == 1) return rows(x.data(), 1, 1, out);
      return columns(x.data(), kOneBlock, 1, m, out);
    } else if (n > 1 && strides[1] == 1) {
      if (axis == 0 && (m == 1 || strides[0] != 1)) return columns(x.data(), kOneBlock, strides[0], n, out);
      if (axis == 1 && (n > kNarrow<T> || m < many)) return rows(x.data(), strides[0], m, out);
    }
  }
  const AxisLoops loops = detail::axis_loops(shape, strides, axis);
  if (loops.form != AxisLoops::Form::neither) [[likely]]
    return reduce_loops(loops, x.data(), out, many, rows, columns);
  const auto copy = Tensor<T>::copy_of(x);
  reduce_loops(detail::axis_loops(shape, row_major(shape), axis), copy.data(), out, many, rows, columns);
}

// What follows writes results that are checked: `out` has their number.
template <class T>
void sum_to(const View<const T>& x, std::size_t axis, std::span<T> out) {
  const std::size_t length = x.shape()[axis];
  if (length == 0) {
    std::ranges::fill(out, T(0));
    return;
  }
  const auto rows = reduce_ops<T>(long_array_isa(x.elements() * sizeof(T))).sum_rows;
  reduce<T>(
      x, axis, out.data(), kManyOfOneFold,
      [=](const T* p, std::ptrdiff_t stride, std::size_t count, T* to) { rows(p, stride, count, length, to); },
      [=](const T* p, Blocks blocks, std::ptrdiff_t stride, std::size_t count, T* to) {
        reduce_ops<T>().sum_columns(p, blocks, stride, length, count, to);
      });
}

template <class T>
void mean_to(const View<const T>& x, std::size_t axis, std::span<T> out) {
  const std::size_t length = x.shape()[axis];
  const auto rows = reduce_ops<T>(long_array_isa(x.elements() * sizeof(T))).mean_rows;
  reduce<T>(
      x, axis, out.data(), kManyOfOneFold,
      [=](const T* p, std::ptrdiff_t stride, std::size_t count, T* to) { rows(p, stride, count, length, to); },
      [=](const T* p, Blocks blocks, std::ptrdiff_t stride, std::size_t count, T* to) {
        reduce_ops<T>().mean_columns(p, blocks, stride, length, count, to);
      });
}

// The least length that is above it; SIZE_MAX, which no axis has, for itself.
constexpr std::size_t more_than(std::size_t ddof) { return ddof + 1 > ddof ? ddof + 1 : ddof; }

template <class T, bool kRoot>
void variance_to(const View<const T>& x, std::size_t axis, std::size_t ddof, std::span<T> out) {
  const std::size_t length = x.shape()[axis];
  const T divisor = static_cast<T>(length - ddof);
  reduce<T>(
      x, axis, out.data(), kManyOfSeveral,
      [=](const T* p, std::ptrdiff_t stride, std::size_t count, T* to) {
        reduce_ops<T>().spread_rows(p, stride, count, length, divisor, kRoot, to);
      },
      [=](const T* p, Blocks blocks, std::ptrdiff_t stride, std::size_t count, T* to) {
        reduce_ops<T>().spread_columns(p, blocks, stride, length, count, divisor, kRoot, to);
      });
}

template <class T>
void norm_to(const View<const T>& x, std::size_t axis, std::span<T> out) {
  const std::size_t length = x.shape()[axis];
  if (length == 0) {
    std::ranges::fill(out, T(0));
    return;
  }
  reduce<T>(
      x, axis, out.data(), kManyOfOneFold,
      [=](const T* p, std::ptrdiff_t stride, std::size_t count, T* to) {
        // Roots of squares that neither overflowed nor lost digits by vanishing, as detail::safe_squares() has it.
        using Limits = std::numeric_limits<T>;
        const T least = std::sqrt(static_cast<T>(length) * Limits::min()), most = std::sqrt(Limits::max());
        reduce_ops<T>().norm_rows(p, stride, count, length, to);
        for (std::size_t r = 0; r < count; ++r)
          if (!(to[r] >= least && to[r] <= most)) [[unlikely]]
            to[r] = norm(std::span<const T>(p + static_cast<std::ptrdiff_t>(r) * stride, length));
      },
      [=](const T* p, Blocks blocks, std::ptrdiff_t stride, std::size_t count, T* to) {
        reduce_ops<T>().norm_columns(p, blocks, stride, length, count, to);
      });
}

template <class T, bool kSmallest>
void extreme_to(const View<const T>& x, std::size_t axis, std::span<T> out) {
  const std::size_t length = x.shape()[axis];
  const ReduceOps<T>& reading = reduce_ops<T>(long_array_isa(x.elements() * sizeof(T)));
  const auto rows = kSmallest ? reading.min_rows : reading.max_rows;
  const auto columns = kSmallest ? reduce_ops<T>().min_columns : reduce_ops<T>().max_columns;
  reduce<T>(
      x, axis, out.data(), kManyOfOneFold,
      [=](const T* p, std::ptrdiff_t stride, std::size_t count, T* to) { rows(p, stride, count, length, to); },
      [=](const T* p, Blocks blocks, std::ptrdiff_t stride, std::size_t count, T* to) {
        columns(p, blocks, stride, length, count, to);
      });
}

template <class T, bool kSmallest>
void places_to(const View<const T>& x, std::size_t axis, std::span<std::size_t> out) {
  const std::size_t length = x.shape()[axis];
  if (length == 1) {
    std::ranges::fill(out, 0);
    return;
  }
  const auto rows = kSmallest ? reduce_ops<T>().argmin_rows : reduce_ops<T>().argmax_rows;
  const auto columns = kSmallest ? reduce_ops<T>().argmin_columns : reduce_ops<T>().argmax_columns;
  reduce<T>(
      x, axis, out.data(), kManyOfSeveral,
      [=](const T* p, std::ptrdiff_t stride, std::size_t count, std::size_t* to) {
        rows(p, stride, count, length, to);
      },
      [=](const T* p, Blocks blocks, std::ptrdiff_t stride, std::size_t count, std::size_t* to) {
        columns(p, blocks, stride, length, count, to);
      });
}

// A new tensor of the results that write(its elements) gives.
template <class T, class Write>
Tensor<T> made(const char* function, const Shape& shape, std::size_t axis, bool keepdims, std::size_t shortest,
               Write write) {
  auto out = Tensor<T>::uninitialized(reduced(function, shape, axis, keepdims, shortest));
  write(out.flat());
  return out;
}

template <class Write>
std::vector<std::size_t> made_places(const char* function, const Shape& shape, std::size_t axis, Write write) {
  std::vector<std::size_t> out(reduced(function, shape, axis, false, 1).elements());
  write(std::span(out));
  return out;
}

// The same into a place.
template <class T, class Write>
void put(const char* function, const Shape& shape, std::size_t axis, std::size_t shortest, std::span<T> out,
         Write write) {
  check_place(function, shape, axis, shortest, out.size());
  write(out);
}

}  // namespace

// Both forms of a function: `write` gives the results, an axis has at least `shortest` elements.
#define PAWL_ALONG_AXIS(T, function, shortest, write)                                                             \
  Tensor<T> function(const View<const T>& x, std::size_t axis, bool keepdims) {                                   \
    return made<T>(#function, x.shape(), axis, keepdims, shortest, [&](std::span<T> to) { write(x, axis, to); }); \
  }                                                                                                               \
  void function(const View<const T>& x, std::size_t axis, std::span<T> out) {                                     \
    put(#function, x.shape(), axis, shortest, out, [&](std::span<T> to) { write(x, axis, to); });                 \
  }
#define PAWL_SPREAD_ALONG_AXIS(T, function, root)                                                 \
  Tensor<T> function(const View<const T>& x, std::size_t axis, std::size_t ddof, bool keepdims) { \
    return made<T>(#function, x.shape(), axis, keepdims, more_than(ddof),                         \
                   [&](std::span<T> to) { variance_to<T, root>(x, axis, ddof, to); });            \
  }                                                                                               \
  void function(const View<const T>& x, std::size_t axis, std::span<T> out, std::size_t ddof) {   \
    put(#function, x.shape(), axis, more_than(ddof), out,                                         \
        [&](std::span<T> to) { variance_to<T, root>(x, axis, ddof, to); });                       \
  }
#define PAWL_PLACES_ALONG_AXIS(T, function, smallest)                                                                 \
  std::vector<std::size_t> function(const View<const T>& x, std::size_t axis) {                                       \
    return made_places(#function, x.shape(), axis,                                                                    \
                       [&](std::span<std::size_t> to) { places_to<T, smallest>(x, axis, to); });                      \
  }                                                                                                                   \
  void function(const View<const T>& x, std::size_t axis, std::span<std::size_t> out) {                               \
    put(#function, x.shape(), axis, 1, out, [&](std::span<std::size_t> to) { places_to<T, smallest>(x, axis, to); }); \
  }
#define PAWL_ALL_ALONG_AXIS(T)                       \
  PAWL_ALONG_AXIS(T, sum, 0, sum_to)                 \
  PAWL_ALONG_AXIS(T, mean, 1, mean_to)               \
  PAWL_ALONG_AXIS(T, norm, 0, norm_to)               \
  PAWL_ALONG_AXIS(T, min, 1, (extreme_to<T, true>))  \
  PAWL_ALONG_AXIS(T, max, 1, (extreme_to<T, false>)) \
  PAWL_SPREAD_ALONG_AXIS(T, variance, false)         \
  PAWL_SPREAD_ALONG_AXIS(T, stddev, true)            \
  PAWL_PLACES_ALONG_AXIS(T, argmin, true)            \
  PAWL_PLACES_ALONG_AXIS(T, argmax, false)

PAWL_ALL_ALONG_AXIS(float)
PAWL_ALL_ALONG_AXIS(double)

}  // namespace pawl
