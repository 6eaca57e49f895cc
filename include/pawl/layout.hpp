// layout.hpp -- the same elements in another arrangement: transpose, permute, concat, split, broadcast.
//
// Functions that return a View copy nothing (slice and select are its members); those that return a Tensor, or write to
// a span, copy each element once.
#pragma once
#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

#include "pawl/tensor.hpp"
#include "pawl/view.hpp"

namespace pawl {

/// Transpose of a matrix: out[j * rows + i] = x[i * columns + j].
///
/// Shapes     x [rows * columns] row-major, out the same number; they must not overlap.
/// Accuracy   exact.
/// Cost       reads and writes each element once, in tiles of registers; allocates nothing.
/// Errors     std::invalid_argument if a length is not rows * columns.
/// Reference  pawl::reference::transpose in src/reference/layout_ref.hpp
void transpose(std::span<const float> x, std::size_t rows, std::size_t columns, std::span<float> out);
void transpose(std::span<const double> x, std::size_t rows, std::size_t columns, std::span<double> out);

/// to[index] = from[index] for every index: with View::permute, slice, broadcast_to it is each function below into
/// memory that exists.
///
/// Shapes     equal; any strides. The two must not overlap.
/// Cost       runs of neighbours are copied whole; where neighbours in one are no neighbours in the other, matrices are
///            transposed in tiles. Allocates nothing.
/// Errors     std::invalid_argument if shapes differ.
/// Reference  pawl::reference::gather in src/reference/layout_ref.hpp
void copy(const View<const float>& from, const View<float>& to);
void copy(const View<const double>& from, const View<double>& to);

/// A contiguous tensor with the last two dimensions of x exchanged (View::transpose is the same without a copy).
///
/// Errors     std::invalid_argument if x has fewer than two dimensions.
Tensor<float> transpose(const View<const float>& x);
Tensor<double> transpose(const View<const double>& x);

/// A contiguous tensor whose dimension d is dimension axes[d] of x (View::permute is the same without a copy).
///
/// Cost       that of copy.
/// Errors     std::invalid_argument unless `axes` is a permutation of 0 .. rank - 1.
/// Reference  pawl::reference::gather
Tensor<float> permute(const View<const float>& x, std::span<const std::size_t> axes);
Tensor<double> permute(const View<const double>& x, std::span<const std::size_t> axes);
inline Tensor<float> permute(const View<const float>& x, std::initializer_list<std::size_t> axes) {
  return permute(x, std::span(axes.begin(), axes.size()));
}
inline Tensor<double> permute(const View<const double>& x, std::initializer_list<std::size_t> axes) {
  return permute(x, std::span(axes.begin(), axes.size()));
}

/// The parts one after the other along `axis`.
///
/// Shapes     all parts have the same rank >= 1 and, but for `axis`, the same extents; any strides.
/// Errors     std::invalid_argument if there is no part, or shapes or axis do not fit; nothing has been written then.
/// Aliasing   out and the parts apart.
void concat(std::span<const View<const float>> parts, std::size_t axis, const View<float>& out);
void concat(std::span<const View<const double>> parts, std::size_t axis, const View<double>& out);

/// The same as a new tensor.
Tensor<float> concat(std::span<const View<const float>> parts, std::size_t axis);
Tensor<double> concat(std::span<const View<const double>> parts, std::size_t axis);
inline Tensor<float> concat(std::initializer_list<View<const float>> parts, std::size_t axis) {
  return concat(std::span(parts.begin(), parts.size()), axis);
}
inline Tensor<double> concat(std::initializer_list<View<const double>> parts, std::size_t axis) {
  return concat(std::span(parts.begin(), parts.size()), axis);
}

/// Views of consecutive parts of x with the given lengths along `axis`; nothing is copied.
///
/// Errors     std::invalid_argument if there is no such axis, or the lengths do not add up to its extent.
template <class T>
std::vector<View<T>> split(const View<T>& x, std::span<const std::size_t> lengths, std::size_t axis);
template <class T>
std::vector<View<T>> split(const View<T>& x, std::initializer_list<std::size_t> lengths, std::size_t axis) {
  return split(x, std::span(lengths.begin(), lengths.size()), axis);
}
extern template std::vector<View<float>> split(const View<float>&, std::span<const std::size_t>, std::size_t);
extern template std::vector<View<double>> split(const View<double>&, std::span<const std::size_t>, std::size_t);
extern template std::vector<View<const float>> split(const View<const float>&, std::span<const std::size_t>,
                                                     std::size_t);
extern template std::vector<View<const double>> split(const View<const double>&, std::span<const std::size_t>,
                                                      std::size_t);

/// x seen with a larger shape: extents are matched from the last one; missing ones, and those of 1, are repeated
/// (stride 0). Nothing is copied.
///
/// Errors     std::invalid_argument if an extent is neither 1 nor that of `shape`, or x has more dimensions.
View<const float> broadcast_to(const View<const float>& x, const Shape& shape);
View<const double> broadcast_to(const View<const double>& x, const Shape& shape);

/// out = x op y elementwise, both broadcast to the shape that their extents agree on (of 1 and n, it is n); the
/// contracts of simd.hpp hold.
///
/// Cost       an operand that is repeated along the last dimensions is read from cache, whatever the size of the other.
/// Errors     std::invalid_argument, naming both shapes, if two extents differ and neither is 1.
/// Reference  pawl::reference::{add, sub, mul, div} of src/reference/simd_ref.hpp at gathered operands
Tensor<float> add(const View<const float>& x, const View<const float>& y);
Tensor<double> add(const View<const double>& x, const View<const double>& y);
Tensor<float> sub(const View<const float>& x, const View<const float>& y);
Tensor<double> sub(const View<const double>& x, const View<const double>& y);
Tensor<float> mul(const View<const float>& x, const View<const float>& y);
Tensor<double> mul(const View<const double>& x, const View<const double>& y);
Tensor<float> div(const View<const float>& x, const View<const float>& y);
Tensor<double> div(const View<const double>& x, const View<const double>& y);

/// The same into memory that exists: out is contiguous and has the common shape.
///
/// Aliasing   out may be x or y if that has its shape; an operand of another shape that begins in out is copied first.
/// Errors     also std::invalid_argument if out is neither.
void add(const View<const float>& x, const View<const float>& y, const View<float>& out);
void add(const View<const double>& x, const View<const double>& y, const View<double>& out);
void sub(const View<const float>& x, const View<const float>& y, const View<float>& out);
void sub(const View<const double>& x, const View<const double>& y, const View<double>& out);
void mul(const View<const float>& x, const View<const float>& y, const View<float>& out);
void mul(const View<const double>& x, const View<const double>& y, const View<double>& out);
void div(const View<const float>& x, const View<const float>& y, const View<float>& out);
void div(const View<const double>& x, const View<const double>& y, const View<double>& out);

}  // namespace pawl
