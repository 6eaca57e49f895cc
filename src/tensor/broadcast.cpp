// broadcast.cpp -- two views of shapes that agree but for extents of 1 -> loops over spans of simd's kernels.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "isa/active.hpp"
#include "kernels/tables.hpp"
#include "parallel/parts.hpp"
#include "pawl/layout.hpp"
#include "tensor/shape_text.hpp"

namespace pawl {
namespace {

template <class T>
const SimdOps<T>& ops() noexcept {
  const SimdTable& table = simd_table(detail::active_isa_inline());
  if constexpr (sizeof(T) == sizeof(float)) {
    return table.f32;
  } else {
    return table.f64;
  }
}

// An operation between rows of vectors, between rows and a value for each, and with these on the left.
template <class T>
struct Forms {
  typename SimdOps<T>::OfRows rows, with_values, from_values;
};

// Extent of dimension `d` counted from the last one, 1 beyond the first.
std::size_t from_last(const Shape& shape, std::size_t d) { return d < shape.rank() ? shape[shape.rank() - 1 - d] : 1; }

Shape common_shape(const char* function, const Shape& x, const Shape& y) {
  const std::size_t rank = std::max(x.rank(), y.rank());
  std::array<std::size_t, kMaxRank> extents{};
  for (std::size_t d = 0; d < rank; ++d) {
    const std::size_t a = from_last(x, d), b = from_last(y, d);
    if (a != b && a != 1 && b != 1)
      throw std::invalid_argument(std::string(function) + ": shapes " + shape_text(x) + " and " + shape_text(y) +
                                  " cannot be broadcast together");
    extents[rank - 1 - d] = a == 1 ? b : a;
  }
  return Shape(std::span<const std::size_t>(extents.data(), rank));
}

template <class T>
View<const T> broadcast(const char* function, const View<const T>& x, const Shape& shape) {
  const auto refuse = [&] {
    throw std::invalid_argument(std::string(function) + ": shape " + shape_text(x.shape()) +
                                " cannot be broadcast to " + shape_text(shape));
  };
  if (x.rank() > shape.rank()) refuse();
  Strides strides{};
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    const std::size_t extent = from_last(x.shape(), shape.rank() - 1 - d);
    if (extent != 1 && extent != shape[d]) refuse();
    const bool repeated = d + x.rank() < shape.rank() || extent == 1;
    strides[d] = repeated ? 0 : x.strides()[d + x.rank() - shape.rank()];
  }
  return {x.data(), shape, strides};
}

struct Dimension {
  std::size_t extent;
  std::ptrdiff_t x, y;
};

// The loops around spans, outermost first; neighbours that step as one for both operands are one.
struct Nest {
  std::array<Dimension, kMaxRank> dimensions;  // the first `rank` are set: 192 bytes of zeros took 6 ns
  std::size_t rank = 0;
};

// The stride of a view in dimension d of the shape of `rank` dimensions that it is broadcast to.
template <class T>
std::ptrdiff_t broadcast_stride(const View<const T>& x, std::size_t rank, std::size_t d) {
  const std::size_t missing = rank - x.rank();
  return d < missing || x.shape()[d - missing] == 1 ? 0 : x.strides()[d - missing];
}

// Straight from the operands: views of them in the common shape took as long as 300 elements do.
template <class T>
Nest nest_of(const Shape& shape, const View<const T>& x, const View<const T>& y) {
  Nest nest;
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    if (shape[d] == 1) continue;
    const Dimension next{shape[d], broadcast_stride(x, shape.rank(), d), broadcast_stride(y, shape.rank(), d)};
    if (nest.rank > 0) {
      Dimension& outer = nest.dimensions[nest.rank - 1];
      const auto extent = static_cast<std::ptrdiff_t>(next.extent);
      if (outer.x == next.x * extent && outer.y == next.y * extent) {
        outer = {outer.extent * next.extent, next.x, next.y};
        continue;
      }
    }
    nest.dimensions[nest.rank++] = next;
  }
  if (nest.rank == 0) nest.dimensions[nest.rank++] = {1, 1, 1};
  return nest;
}

template <class T, class Leaf>
T* for_each(const Nest& nest, std::size_t d, std::size_t inner, const T* x, const T* y, T* out, const Leaf& leaf) {
  if (d == inner) return leaf(x, y, out);
  const Dimension& dimension = nest.dimensions[d];
  for (std::size_t i = 0; i < dimension.extent; ++i, x += dimension.x, y += dimension.y)
    out = for_each(nest, d + 1, inner, x, y, out, leaf);
  return out;
}

template <class T>
void run_alone(const Nest& nest, const T* x, const T* y, T* out, const Forms<T>& forms) {
  using Steps = typename SimdOps<T>::Steps;
  const Dimension last = nest.dimensions[nest.rank - 1], none{1, 0, 0};
  const Dimension rows = nest.rank > 1 ? nest.dimensions[nest.rank - 2] : none;
  const Dimension outer = nest.rank > 2 ? nest.dimensions[nest.rank - 3] : none;
  const Steps x_steps{outer.x, rows.x}, y_steps{outer.y, rows.y};
  for_each(nest, 0, nest.rank > 3 ? nest.rank - 3 : 0, x, y, out, [&](const T* a, const T* b, T* to) {
    if (last.y == 0)
      forms.with_values(a, x_steps, b, y_steps, to, outer.extent, rows.extent, last.extent);
    else if (last.x == 0)
      forms.from_values(b, y_steps, a, x_steps, to, outer.extent, rows.extent, last.extent);
    else
      forms.rows(a, x_steps, b, y_steps, to, outer.extent, rows.extent, last.extent);
    return to + outer.extent * rows.extent * last.extent;
  });
}

// Threads share the outermost dimension.
template <class T>
void run(const Nest& nest, const T* x, const T* y, T* out, const Forms<T>& forms, std::size_t elements) {
  const std::size_t bytes = 3 * elements * sizeof(T);
  if (bytes < detail::kWorthThreadsBytes) [[likely]]
    return run_alone(nest, x, y, out, forms);
  const Dimension first = nest.dimensions[0];
  const std::size_t each = elements / first.extent, grain = nest.rank == 1 ? detail::kPartGrain : 1;
  detail::for_parts(first.extent, bytes, grain, [&](std::size_t begin, std::size_t end) {
    Nest part = nest;
    part.dimensions[0].extent = end - begin;
    const auto at = static_cast<std::ptrdiff_t>(begin);
    run_alone(part, x + at * first.x, y + at * first.y, out + begin * each, forms);
  });
}

// Spans have neighbours, or one value.
bool is_run(std::ptrdiff_t step) { return step == 0 || step == 1; }

// Both operands are broadcast to `shape`.
template <class T>
void apply_to(const View<const T>& x, const View<const T>& y, const Shape& shape, T* out, const Forms<T>& forms) {
  if (shape.elements() == 0) return;
  const Nest nest = nest_of(shape, x, y);
  const Dimension last = nest.dimensions[nest.rank - 1];
  if (!is_run(last.x)) return apply_to<T>(Tensor<T>::copy_of(x).view(), y, shape, out, forms);
  if (!is_run(last.y)) return apply_to<T>(x, Tensor<T>::copy_of(y).view(), shape, out, forms);
  if (last.x == 0 && last.y == 0 && last.extent > 1) {
    // Views that were broadcast before: neither has runs.
    const auto whole = Tensor<T>::copy_of(broadcast("broadcast_to", x, shape));
    return run<T>(nest_of(shape, whole.view(), y), whole.data(), y.data(), out, forms, shape.elements());
  }
  run<T>(nest, x.data(), y.data(), out, forms, shape.elements());
}

template <class T>
Tensor<T> apply(const char* function, const View<const T>& x, const View<const T>& y, const Forms<T>& forms) {
  auto out = Tensor<T>::uninitialized(common_shape(function, x.shape(), y.shape()));
  apply_to<T>(x, y, out.shape(), out.data(), forms);
  return out;
}

// Whether x, to be broadcast to `shape`, lies among the results, which would be written over before it is read again: a
// row or a column of the matrix that it is taken from.
template <class T>
bool is_repeated_part(const View<const T>& x, const Shape& shape, const T* begin, const T* end) {
  return x.data() >= begin && x.data() < end && !(x.shape() == shape);
}

// Whether `shape` is what x and y are broadcast to.
bool is_common_shape(const Shape& shape, const Shape& x, const Shape& y) {
  if (shape.rank() != std::max(x.rank(), y.rank())) return false;
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    const std::size_t a = from_last(x, d), b = from_last(y, d), extent = from_last(shape, d);
    if (extent != (a == 1 ? b : a) || (b != 1 && b != extent)) return false;
  }
  return true;
}

template <class T>
void apply(const char* function, const View<const T>& x, const View<const T>& y, const View<T>& out,
           const Forms<T>& forms) {
  if (!is_common_shape(out.shape(), x.shape(), y.shape()) || !out.is_contiguous()) {
    const Shape shape = common_shape(function, x.shape(), y.shape());
    throw std::invalid_argument(std::string(function) + ": the result has shape " + shape_text(shape) +
                                ", and out is not a contiguous view of it but " + shape_text(out.shape()));
  }
  const T* const end = out.data() + out.elements();
  if (is_repeated_part(x, out.shape(), out.data(), end)) [[unlikely]]
    return apply_to<T>(Tensor<T>::copy_of(x).view(), y, out.shape(), out.data(), forms);
  if (is_repeated_part(y, out.shape(), out.data(), end)) [[unlikely]]
    return apply_to<T>(x, Tensor<T>::copy_of(y).view(), out.shape(), out.data(), forms);
  apply_to<T>(x, y, out.shape(), out.data(), forms);
}

template <class T>
Forms<T> add_forms() {
  const SimdOps<T>& o = ops<T>();
  return {o.add_rows, o.add_values, o.add_values};
}
template <class T>
Forms<T> sub_forms() {
  const SimdOps<T>& o = ops<T>();
  return {o.sub_rows, o.sub_values, o.values_sub};
}
template <class T>
Forms<T> mul_forms() {
  const SimdOps<T>& o = ops<T>();
  return {o.mul_rows, o.mul_values, o.mul_values};
}
template <class T>
Forms<T> div_forms() {
  const SimdOps<T>& o = ops<T>();
  return {o.div_rows, o.div_values, o.values_div};
}

using F = const View<const float>&;
using D = const View<const double>&;

}  // namespace

View<const float> broadcast_to(F x, const Shape& shape) { return broadcast("broadcast_to", x, shape); }
View<const double> broadcast_to(D x, const Shape& shape) { return broadcast("broadcast_to", x, shape); }
Tensor<float> add(F x, F y) { return apply<float>("add", x, y, add_forms<float>()); }
Tensor<double> add(D x, D y) { return apply<double>("add", x, y, add_forms<double>()); }
Tensor<float> sub(F x, F y) { return apply<float>("sub", x, y, sub_forms<float>()); }
Tensor<double> sub(D x, D y) { return apply<double>("sub", x, y, sub_forms<double>()); }
Tensor<float> mul(F x, F y) { return apply<float>("mul", x, y, mul_forms<float>()); }
Tensor<double> mul(D x, D y) { return apply<double>("mul", x, y, mul_forms<double>()); }
Tensor<float> div(F x, F y) { return apply<float>("div", x, y, div_forms<float>()); }
Tensor<double> div(D x, D y) { return apply<double>("div", x, y, div_forms<double>()); }
void add(F x, F y, const View<float>& out) { apply<float>("add", x, y, out, add_forms<float>()); }
void add(D x, D y, const View<double>& out) { apply<double>("add", x, y, out, add_forms<double>()); }
void sub(F x, F y, const View<float>& out) { apply<float>("sub", x, y, out, sub_forms<float>()); }
void sub(D x, D y, const View<double>& out) { apply<double>("sub", x, y, out, sub_forms<double>()); }
void mul(F x, F y, const View<float>& out) { apply<float>("mul", x, y, out, mul_forms<float>()); }
void mul(D x, D y, const View<double>& out) { apply<double>("mul", x, y, out, mul_forms<double>()); }
void div(F x, F y, const View<float>& out) { apply<float>("div", x, y, out, div_forms<float>()); }
void div(D x, D y, const View<double>& out) { apply<double>("div", x, y, out, div_forms<double>()); }

}  // namespace pawl
