// broadcast.cpp -- two views of shapes that agree but for extents of 1 -> loops over spans of simd's kernels.
#include <algorithm>
#include <bit>
#include <functional>
#include <stdexcept>
#include <string>

#include "isa/active.hpp"
#include "kernels/tables.hpp"
#include "pawl/detail/short_spans.hpp"
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
View<const T> broadcast(const char* function, View<const T> x, const Shape& shape) {
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

// f is the operation itself, for rows that are too short for a call.
template <class T, class F>
void run(const Nest& nest, const T* x, const T* y, T* out, const Forms<T>& forms, F f) {
  const Dimension last = nest.dimensions[nest.rank - 1];
  const std::size_t n = last.extent;
  // Several narrow rows to a vector of AVX-512, each with a value of its own (spans_by_row.kernel.hpp).
  if (nest.rank > 1 && (last.x == 0 || last.y == 0) && n * sizeof(T) <= 64 && std::has_single_bit(n) &&
      detail::active_isa_inline() == Isa::avx512) {
    const Dimension& rows = nest.dimensions[nest.rank - 2];
    const auto step = static_cast<std::ptrdiff_t>(n);
    if (last.y == 0 ? rows.x == step && rows.y == 1 : rows.y == step && rows.x == 1) {
      for_each(nest, 0, nest.rank - 2, x, y, out, [&](const T* a, const T* b, T* to) {
        if (last.y == 0)
          forms.with_values(a, step, b, 1, to, rows.extent, n);
        else
          forms.from_values(b, step, a, 1, to, rows.extent, n);
        return to + rows.extent * n;
      });
      return;
    }
  }
  if ((last.x == 0 || last.y == 0) && n * sizeof(T) <= detail::kShortBytes) {
    for_each(nest, 0, nest.rank - 1, x, y, out, [&](const T* a, const T* b, T* to) {
      if (last.y == 0)
        detail::short_map(std::span<const T>(a, n), std::span<T>(to, n), [f, v = *b](auto e) { return f(e, v); });
      else
        detail::short_map(std::span<const T>(b, n), std::span<T>(to, n), [f, v = *a](auto e) { return f(v, e); });
      return to + n;
    });
    return;
  }
  const Dimension rows = nest.rank > 1 ? nest.dimensions[nest.rank - 2] : Dimension{1, 0, 0};
  const std::size_t outer = nest.rank > 1 ? nest.rank - 2 : 0;
  if (last.x == 0 || last.y == 0) {
    for_each(nest, 0, outer, x, y, out, [&](const T* a, const T* b, T* to) {
      if (last.y == 0)
        forms.with_values(a, rows.x, b, rows.y, to, rows.extent, n);
      else
        forms.from_values(b, rows.y, a, rows.x, to, rows.extent, n);
      return to + rows.extent * n;
    });
    return;
  }
  for_each(nest, 0, outer, x, y, out, [&](const T* a, const T* b, T* to) {
    forms.rows(a, rows.x, b, rows.y, to, rows.extent, n);
    return to + rows.extent * n;
  });
}

// Whether spans along the last dimension are neighbours, or there is none to speak of.
template <class T>
bool has_runs(const View<const T>& x) {
  for (std::size_t d = x.rank(); d-- > 0;)
    if (x.shape()[d] != 1) return x.strides()[d] == 1 || x.strides()[d] == 0;
  return true;
}

// Both operands are broadcast to `shape`.
template <class T, class F>
void apply_to(const View<const T>& x, const View<const T>& y, const Shape& shape, T* out, const Forms<T>& forms, F f) {
  if (shape.elements() == 0) return;
  if (!has_runs(x)) return apply_to<T>(Tensor<T>::copy_of(x).view(), y, shape, out, forms, f);
  if (!has_runs(y)) return apply_to<T>(x, Tensor<T>::copy_of(y).view(), shape, out, forms, f);
  const Nest nest = nest_of(shape, x, y);
  if (const Dimension last = nest.dimensions[nest.rank - 1]; last.x == 0 && last.y == 0 && last.extent > 1) {
    // Views that were broadcast before: neither has runs.
    const auto whole = Tensor<T>::copy_of(broadcast("broadcast_to", x, shape));
    return run<T>(nest_of(shape, whole.view(), y), whole.data(), y.data(), out, forms, f);
  }
  run<T>(nest, x.data(), y.data(), out, forms, f);
}

template <class T, class F>
Tensor<T> apply(const char* function, const View<const T>& x, const View<const T>& y, const Forms<T>& forms, F f) {
  auto out = Tensor<T>::uninitialized(common_shape(function, x.shape(), y.shape()));
  apply_to<T>(x, y, out.shape(), out.data(), forms, f);
  return out;
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

template <class T, class F>
void apply(const char* function, const View<const T>& x, const View<const T>& y, const View<T>& out,
           const Forms<T>& forms, F f) {
  if (!is_common_shape(out.shape(), x.shape(), y.shape()) || !out.is_contiguous()) {
    const Shape shape = common_shape(function, x.shape(), y.shape());
    throw std::invalid_argument(std::string(function) + ": the result has shape " + shape_text(shape) +
                                ", and out is not a contiguous view of it but " + shape_text(out.shape()));
  }
  apply_to<T>(x, y, out.shape(), out.data(), forms, f);
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

using F = View<const float>;
using D = View<const double>;

}  // namespace

F broadcast_to(F x, const Shape& shape) { return broadcast("broadcast_to", x, shape); }
D broadcast_to(D x, const Shape& shape) { return broadcast("broadcast_to", x, shape); }
Tensor<float> add(F x, F y) { return apply<float>("add", x, y, add_forms<float>(), std::plus<>{}); }
Tensor<double> add(D x, D y) { return apply<double>("add", x, y, add_forms<double>(), std::plus<>{}); }
Tensor<float> sub(F x, F y) { return apply<float>("sub", x, y, sub_forms<float>(), std::minus<>{}); }
Tensor<double> sub(D x, D y) { return apply<double>("sub", x, y, sub_forms<double>(), std::minus<>{}); }
Tensor<float> mul(F x, F y) { return apply<float>("mul", x, y, mul_forms<float>(), std::multiplies<>{}); }
Tensor<double> mul(D x, D y) { return apply<double>("mul", x, y, mul_forms<double>(), std::multiplies<>{}); }
Tensor<float> div(F x, F y) { return apply<float>("div", x, y, div_forms<float>(), std::divides<>{}); }
Tensor<double> div(D x, D y) { return apply<double>("div", x, y, div_forms<double>(), std::divides<>{}); }
void add(F x, F y, View<float> out) { apply<float>("add", x, y, out, add_forms<float>(), std::plus<>{}); }
void add(D x, D y, View<double> out) { apply<double>("add", x, y, out, add_forms<double>(), std::plus<>{}); }
void sub(F x, F y, View<float> out) { apply<float>("sub", x, y, out, sub_forms<float>(), std::minus<>{}); }
void sub(D x, D y, View<double> out) { apply<double>("sub", x, y, out, sub_forms<double>(), std::minus<>{}); }
void mul(F x, F y, View<float> out) { apply<float>("mul", x, y, out, mul_forms<float>(), std::multiplies<>{}); }
void mul(D x, D y, View<double> out) { apply<double>("mul", x, y, out, mul_forms<double>(), std::multiplies<>{}); }
void div(F x, F y, View<float> out) { apply<float>("div", x, y, out, div_forms<float>(), std::divides<>{}); }
void div(D x, D y, View<double> out) { apply<double>("div", x, y, out, div_forms<double>(), std::divides<>{}); }

}  // namespace pawl
