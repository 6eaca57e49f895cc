// layout.cpp -- transpose, permute, concat and split of include/pawl/layout.hpp: checks, and which elements go where.
#include "pawl/layout.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "kernels/layout/active.hpp"
#include "kernels/layout/copy_view.hpp"
#include "kernels/layout/join_rows.hpp"
#include "parallel/parts.hpp"
#include "tensor/shape_text.hpp"
#include "tensor/with_extent.hpp"

namespace pawl {
namespace {

[[noreturn, gnu::cold]] void refuse(const char* function, const std::string& what) {
  throw std::invalid_argument(std::string(function) + ": " + what);
}

template <class T>
void transpose_matrix(std::span<const T> x, std::size_t rows, std::size_t columns, std::span<T> out) {
  if (x.size() != out.size() || x.size() != Shape{rows, columns}.elements())
    refuse("transpose", std::to_string(x.size()) + " elements into " + std::to_string(out.size()) +
                            " for a matrix of " + shape_text(Shape{rows, columns}));
  if (x.empty()) return;
  if (rows == 1 || columns == 1) {
    std::copy(x.begin(), x.end(), out.begin());
    return;
  }
  const auto run = detail::layout_ops<T>().transpose;
  // Each thread writes whole rows of the result; 16 columns of x are the widest tile.
  detail::for_parts(columns, 2 * x.size_bytes(), 16, [&](std::size_t begin, std::size_t end) {
    run(x.data() + begin, static_cast<std::ptrdiff_t>(columns), rows, end - begin, out.data() + begin * rows,
        static_cast<std::ptrdiff_t>(rows));
  });
}

void check_axis(const char* function, const Shape& shape, std::size_t axis) {
  if (axis >= shape.rank())
    refuse(function, "there is no axis " + std::to_string(axis) + " in shape " + shape_text(shape));
}

bool differ_in_axis_alone(const Shape& a, const Shape& b, std::size_t axis) {
  bool equal = a.rank() == b.rank();
  for (std::size_t d = 0; equal && d < a.rank(); ++d) equal = d == axis || a[d] == b[d];
  return equal;
}

// The length of the parts together along the axis.
template <class T>
std::size_t joined_length(std::span<const View<const T>> parts, std::size_t axis) {
  if (parts.empty()) refuse("concat", "no parts");
  const Shape& first = parts.front().shape();
  check_axis("concat", first, axis);
  std::size_t length = 0;
  for (const View<const T>& part : parts) {
    if (!differ_in_axis_alone(part.shape(), first, axis)) [[unlikely]]
      refuse("concat", "shapes " + shape_text(first) + " and " + shape_text(part.shape()) +
                           " differ in more than axis " + std::to_string(axis));
    length += part.shape()[axis];
  }
  return length;
}

// Each part into its place.
template <class T>
void join(std::span<const View<const T>> parts, std::size_t axis, const View<T>& out) {
  if (detail::join_rows(parts, axis, out)) return;
  T* to = out.data();
  for (const View<const T>& part : parts) {
    detail::copy_view(part, to, out.strides());
    to += static_cast<std::ptrdiff_t>(part.shape()[axis]) * out.strides()[axis];
  }
}

template <class T>
Tensor<T> joined(std::span<const View<const T>> parts, std::size_t axis) {
  const std::size_t length = joined_length(parts, axis);
  auto out = Tensor<T>::uninitialized(with_extent(parts.front().shape(), axis, length));
  join(parts, axis, out.view());
  return out;
}

template <class T>
void join_checked(std::span<const View<const T>> parts, std::size_t axis, const View<T>& out) {
  const std::size_t length = joined_length(parts, axis);
  const Shape& first = parts.front().shape();
  if (!differ_in_axis_alone(out.shape(), first, axis) || out.shape()[axis] != length) [[unlikely]]
    refuse("concat", "the parts together have shape " + shape_text(with_extent(first, axis, length)) + ", and out " +
                         shape_text(out.shape()));
  join(parts, axis, out);
}

template <class T>
void copy_checked(const View<const T>& from, const View<T>& to) {
  if (!(from.shape() == to.shape()))
    refuse("copy", "shapes " + shape_text(from.shape()) + " and " + shape_text(to.shape()) + " differ");
  detail::copy_view(from, to);
}

}  // namespace

void transpose(std::span<const float> x, std::size_t rows, std::size_t columns, std::span<float> out) {
  transpose_matrix<float>(x, rows, columns, out);
}
void transpose(std::span<const double> x, std::size_t rows, std::size_t columns, std::span<double> out) {
  transpose_matrix<double>(x, rows, columns, out);
}
void copy(const View<const float>& from, const View<float>& to) { copy_checked<float>(from, to); }
void copy(const View<const double>& from, const View<double>& to) { copy_checked<double>(from, to); }
Tensor<float> transpose(const View<const float>& x) { return Tensor<float>::copy_of(x.transpose()); }
Tensor<double> transpose(const View<const double>& x) { return Tensor<double>::copy_of(x.transpose()); }
Tensor<float> permute(const View<const float>& x, std::span<const std::size_t> axes) {
  return Tensor<float>::copy_of(x.permute(axes));
}
Tensor<double> permute(const View<const double>& x, std::span<const std::size_t> axes) {
  return Tensor<double>::copy_of(x.permute(axes));
}
void concat(std::span<const View<const float>> parts, std::size_t axis, const View<float>& out) {
  join_checked<float>(parts, axis, out);
}
void concat(std::span<const View<const double>> parts, std::size_t axis, const View<double>& out) {
  join_checked<double>(parts, axis, out);
}
Tensor<float> concat(std::span<const View<const float>> parts, std::size_t axis) { return joined<float>(parts, axis); }
Tensor<double> concat(std::span<const View<const double>> parts, std::size_t axis) {
  return joined<double>(parts, axis);
}

template <class T>
std::vector<View<T>> split(const View<T>& x, std::span<const std::size_t> lengths, std::size_t axis) {
  check_axis("split", x.shape(), axis);
  std::vector<View<T>> parts;
  parts.reserve(lengths.size());
  std::size_t begin = 0;
  for (const std::size_t length : lengths) {
    if (length > x.shape()[axis] - begin) break;
    parts.push_back(x.slice(axis, begin, begin + length));
    begin += length;
  }
  if (parts.size() != lengths.size() || begin != x.shape()[axis])
    refuse("split", "the lengths do not add up to axis " + std::to_string(axis) + " of shape " + shape_text(x.shape()));
  return parts;
}

template std::vector<View<float>> split(const View<float>&, std::span<const std::size_t>, std::size_t);
template std::vector<View<double>> split(const View<double>&, std::span<const std::size_t>, std::size_t);
template std::vector<View<const float>> split(const View<const float>&, std::span<const std::size_t>, std::size_t);
template std::vector<View<const double>> split(const View<const double>&, std::span<const std::size_t>, std::size_t);

}  // namespace pawl
