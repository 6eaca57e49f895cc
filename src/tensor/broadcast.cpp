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

// An operation: its name, and its entries between rows of vectors, between rows and a value for each, and with these on
// the left. Constants, so that a call loads the one entry that it takes.
template <class T>
struct Operation {
  using Entry = typename SimdOps<T>::OfRows SimdOps<T>::*;
  const char* name;
  Entry rows, with_values, from_values;
};
template <class T>
constexpr Operation<T> kAdd{"add", &SimdOps<T>::add_rows, &SimdOps<T>::add_values, &SimdOps<T>::add_values};
template <class T>
constexpr Operation<T> kSub{"sub", &SimdOps<T>::sub_rows, &SimdOps<T>::sub_values, &SimdOps<T>::values_sub};
template <class T>
constexpr Operation<T> kMul{"mul", &SimdOps<T>::mul_rows, &SimdOps<T>::mul_values, &SimdOps<T>::mul_values};
template <class T>
constexpr Operation<T> kDiv{"div", &SimdOps<T>::div_rows, &SimdOps<T>::div_values, &SimdOps<T>::values_div};

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

// The loops around spans, innermost first; neighbours that step as one for both operands are one. An array for each
// property: a Dimension that is copied whole is read by vectors just after its parts were stored, which waits for the
// stores (three such copies took 15 ns, half of 2 x 1 elements plus as many; Zen 5).
struct Nest {
  std::array<std::size_t, kMaxRank> extent;  // the first `rank` of each are set
  std::array<std::ptrdiff_t, kMaxRank> x, y;
  std::size_t rank = 0;
};

// The loops of x and y over the elements of an array of this shape; false unless it is the one that they are broadcast
// to, and contiguous (`strides`; null: it is). In one pass, straight from the operands: views of them in the common
// shape took as long as 300 elements.
template <class T>
bool make_nest(const Shape& shape, const Strides* strides, const View<const T>& x, const View<const T>& y, Nest& nest) {
  bool common = shape.rank() == std::max(x.rank(), y.rank()), contiguous = true;
  std::size_t before = 1, extent = 1;  // elements so far, and of the dimension that may still grow
  std::ptrdiff_t x_step = 1, y_step = 1;
  const auto set = [&] {
    nest.extent[nest.rank] = extent;
    nest.x[nest.rank] = x_step;
    nest.y[nest.rank] = y_step;
    ++nest.rank;
  };
  nest.rank = 0;
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    const std::size_t next = from_last(shape, d), a = from_last(x.shape(), d), b = from_last(y.shape(), d);
    common = common && next == (a == 1 ? b : a) && (b == 1 || b == next);
    if (next == 1) continue;
    if (strides != nullptr) {
      contiguous = contiguous && (*strides)[shape.rank() - 1 - d] == static_cast<std::ptrdiff_t>(before);
      before *= next;
    }
    const std::ptrdiff_t by_x = a == 1 ? 0 : x.strides()[x.rank() - 1 - d],
                         by_y = b == 1 ? 0 : y.strides()[y.rank() - 1 - d];
    const auto whole = static_cast<std::ptrdiff_t>(extent);
    if (extent != 1 && by_x == x_step * whole && by_y == y_step * whole) {
      extent *= next;
      continue;
    }
    if (extent != 1) set();
    extent = next;
    x_step = by_x;
    y_step = by_y;
  }
  set();
  return common && (contiguous || shape.elements() == 0);
}

// leaf(x, y, out) -> the end of what it wrote, for every index of the dimensions from d - 1 down to `inner`.
template <class T, class Leaf>
T* for_each(const Nest& nest, std::size_t d, std::size_t inner, const T* x, const T* y, T* out, const Leaf& leaf) {
  if (d == inner) return leaf(x, y, out);
  for (std::size_t i = 0; i < nest.extent[d - 1]; ++i, x += nest.x[d - 1], y += nest.y[d - 1])
    out = for_each(nest, d - 1, inner, x, y, out, leaf);
  return out;
}

template <class T>
void run_alone(const Nest& nest, const T* x, const T* y, T* out, const Operation<T>& operation) {
  using Steps = typename SimdOps<T>::Steps;
  const bool has_rows = nest.rank > 1, has_outer = nest.rank > 2;
  const std::size_t n = nest.extent[0], rows = has_rows ? nest.extent[1] : 1, outer = has_outer ? nest.extent[2] : 1;
  const Steps x_steps{has_outer ? nest.x[2] : 0, has_rows ? nest.x[1] : 0},
      y_steps{has_outer ? nest.y[2] : 0, has_rows ? nest.y[1] : 0};
  const bool y_values = nest.y[0] == 0, x_values = !y_values && nest.x[0] == 0;
  const auto run = ops<T>().*(y_values ? operation.with_values : x_values ? operation.from_values : operation.rows);
  const auto leaf = [=](const T* a, const T* b, T* to) {
    if (x_values)
      run(b, y_steps, a, x_steps, to, outer, rows, n);
    else
      run(a, x_steps, b, y_steps, to, outer, rows, n);
    return to + outer * rows * n;
  };
  if (nest.rank <= 3) [[likely]]
    leaf(x, y, out);
  else
    for_each(nest, nest.rank, 3, x, y, out, leaf);
}

// Threads share the outermost dimension.
template <class T>
void run(const Nest& nest, const T* x, const T* y, T* out, const Operation<T>& operation, std::size_t elements) {
  const std::size_t bytes = 3 * elements * sizeof(T);
  if (bytes < detail::kWorthThreadsBytes) [[likely]]
    return run_alone(nest, x, y, out, operation);
  const std::size_t last = nest.rank - 1, extent = nest.extent[last], each = elements / extent;
  const std::size_t grain = nest.rank == 1 ? detail::kPartGrain : 1;
  detail::for_parts(extent, bytes, grain, [&](std::size_t begin, std::size_t end) {
    Nest part = nest;
    part.extent[last] = end - begin;
    const auto at = static_cast<std::ptrdiff_t>(begin);
    run_alone(part, x + at * nest.x[last], y + at * nest.y[last], out + begin * each, operation);
  });
}

// Spans have neighbours, or one value.
bool is_run(std::ptrdiff_t step) { return step == 0 || step == 1; }

template <class T>
void apply_to(const Operation<T>& operation, const View<const T>& x, const View<const T>& y, const Shape& shape, T* out,
              const Nest& nest);

// The same with one operand, to be found by its address, copied to a tensor.
template <class T>
[[gnu::noinline]] void apply_to_copy(const Operation<T>& operation, const View<const T>& x, const View<const T>& y,
                                     const View<const T>& copied, const Shape& shape, T* out) {
  const auto copy = Tensor<T>::copy_of(copied);
  const View<const T>&a = &copied == &y ? x : copy.view(), &b = &copied == &y ? copy.view() : y;
  Nest nest;
  make_nest(shape, nullptr, a, b, nest);
  apply_to(operation, a, b, shape, out, nest);
}

template <class T>
void apply_to(const Operation<T>& operation, const View<const T>& x, const View<const T>& y, const Shape& shape, T* out,
              const Nest& nest) {
  if (shape.elements() == 0) return;
  if (!is_run(nest.x[0])) [[unlikely]]
    return apply_to_copy(operation, x, y, x, shape, out);
  if (!is_run(nest.y[0])) [[unlikely]]
    return apply_to_copy(operation, x, y, y, shape, out);
  if (nest.x[0] == 0 && nest.y[0] == 0 && nest.extent[0] > 1) [[unlikely]] {
    // Views that were broadcast before: neither has runs.
    const View<const T> whole = broadcast("broadcast_to", x, shape);
    return apply_to_copy(operation, whole, y, whole, shape, out);
  }
  run<T>(nest, x.data(), y.data(), out, operation, shape.elements());
}

template <class T>
Tensor<T> made(const Operation<T>& operation, const View<const T>& x, const View<const T>& y) {
  const Shape shape = common_shape(operation.name, x.shape(), y.shape());
  auto out = Tensor<T>::uninitialized(shape);
  Nest nest;
  make_nest(shape, nullptr, x, y, nest);
  apply_to(operation, x, y, shape, out.data(), nest);
  return out;
}

// Whether x, to be broadcast to `out`, lies among the results, which would be written over before it is read again: a
// row or a column of the matrix that it is taken from.
template <class T>
bool is_repeated_part(const View<const T>& x, const View<T>& out) {
  return x.data() >= out.data() && x.data() < out.data() + out.elements() && !(x.shape() == out.shape());
}

template <class T>
void apply(const Operation<T>& operation, const View<const T>& x, const View<const T>& y, const View<T>& out) {
  Nest nest;
  if (!make_nest(out.shape(), &out.strides(), x, y, nest)) [[unlikely]] {
    const Shape shape = common_shape(operation.name, x.shape(), y.shape());
    throw std::invalid_argument(std::string(operation.name) + ": the result has shape " + shape_text(shape) +
                                ", and out is not a contiguous view of it but " + shape_text(out.shape()));
  }
  if (is_repeated_part(x, out)) [[unlikely]]
    return apply<T>(operation, Tensor<T>::copy_of(x).view(), y, out);
  if (is_repeated_part(y, out)) [[unlikely]]
    return apply<T>(operation, x, Tensor<T>::copy_of(y).view(), out);
  apply_to(operation, x, y, out.shape(), out.data(), nest);
}

using F = const View<const float>&;
using D = const View<const double>&;

}  // namespace

View<const float> broadcast_to(F x, const Shape& shape) { return broadcast("broadcast_to", x, shape); }
View<const double> broadcast_to(D x, const Shape& shape) { return broadcast("broadcast_to", x, shape); }
Tensor<float> add(F x, F y) { return made(kAdd<float>, x, y); }
Tensor<double> add(D x, D y) { return made(kAdd<double>, x, y); }
Tensor<float> sub(F x, F y) { return made(kSub<float>, x, y); }
Tensor<double> sub(D x, D y) { return made(kSub<double>, x, y); }
Tensor<float> mul(F x, F y) { return made(kMul<float>, x, y); }
Tensor<double> mul(D x, D y) { return made(kMul<double>, x, y); }
Tensor<float> div(F x, F y) { return made(kDiv<float>, x, y); }
Tensor<double> div(D x, D y) { return made(kDiv<double>, x, y); }
void add(F x, F y, const View<float>& out) { apply(kAdd<float>, x, y, out); }
void add(D x, D y, const View<double>& out) { apply(kAdd<double>, x, y, out); }
void sub(F x, F y, const View<float>& out) { apply(kSub<float>, x, y, out); }
void sub(D x, D y, const View<double>& out) { apply(kSub<double>, x, y, out); }
void mul(F x, F y, const View<float>& out) { apply(kMul<float>, x, y, out); }
void mul(D x, D y, const View<double>& out) { apply(kMul<double>, x, y, out); }
void div(F x, F y, const View<float>& out) { apply(kDiv<float>, x, y, out); }
void div(D x, D y, const View<double>& out) { apply(kDiv<double>, x, y, out); }

}  // namespace pawl
