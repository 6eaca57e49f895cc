// view.cpp -- shapes, strides and the views that follow from them.
#include "pawl/view.hpp"

#include <stdexcept>
#include <string>

#include "tensor/shape_text.hpp"

namespace pawl {

void Shape::refuse_rank(std::size_t rank) {
  throw std::invalid_argument("Shape: " + std::to_string(rank) + " dimensions; at most " + std::to_string(kMaxRank));
}

void Shape::refuse_size() { throw std::invalid_argument("Shape: more elements than memory can address"); }

std::string shape_text(const Shape& shape) {
  std::string text = "[";
  for (std::size_t extent : shape) text.append(text.size() > 1 ? ", " : "").append(std::to_string(extent));
  return text + "]";
}

template <class T>
bool View<T>::is_contiguous() const noexcept {
  if (elements() == 0) return true;
  std::ptrdiff_t expected = 1;
  for (std::size_t d = rank(); d-- > 0;) {
    if (shape_[d] == 1) continue;  // its stride is never used
    if (strides_[d] != expected) return false;
    expected *= static_cast<std::ptrdiff_t>(shape_[d]);
  }
  return true;
}

template <class T>
std::span<T> View<T>::flat() const {
  if (!is_contiguous())
    throw std::invalid_argument("View::flat: the view " + shape_text(shape_) + " is not contiguous");
  return {data_, elements()};
}

template <class T>
T& View<T>::at(std::initializer_list<std::size_t> index) const {
  if (index.size() != rank())
    throw std::invalid_argument("View::at: " + std::to_string(index.size()) + " indices for shape " +
                                shape_text(shape_));
  std::ptrdiff_t offset = 0;
  std::size_t d = 0;
  for (std::size_t i : index) {
    if (i >= shape_[d])
      throw std::out_of_range("View::at: index " + std::to_string(i) + " of dimension " + std::to_string(d) +
                              " in shape " + shape_text(shape_));
    offset += static_cast<std::ptrdiff_t>(i) * strides_[d++];
  }
  return data_[offset];
}

template <class T>
View<T> View<T>::permute(std::span<const std::size_t> axes) const {
  std::array<std::size_t, kMaxRank> extents{};
  std::array<bool, kMaxRank> seen{};
  bool valid = axes.size() == rank();
  for (std::size_t d = 0; valid && d < rank(); ++d) {
    valid = axes[d] < rank() && !seen[axes[d]];
    if (!valid) break;
    seen[axes[d]] = true;
    extents[d] = shape_[axes[d]];
  }
  if (!valid)
    throw std::invalid_argument("View::permute: the axes are no permutation of those of " + shape_text(shape_));
  View result(data_, std::span<const std::size_t>(extents.data(), rank()));
  for (std::size_t d = 0; d < rank(); ++d) result.strides_[d] = strides_[axes[d]];
  return result;
}

template <class T>
View<T> View<T>::transpose() const {
  if (rank() < 2)
    throw std::invalid_argument("View::transpose: shape " + shape_text(shape_) + " has no two dimensions");
  std::array<std::size_t, kMaxRank> axes{};
  for (std::size_t d = 0; d < rank(); ++d) axes[d] = d;
  std::swap(axes[rank() - 1], axes[rank() - 2]);
  return permute(std::span<const std::size_t>(axes.data(), rank()));
}

template <class T>
View<T> View<T>::slice(std::size_t dimension, std::size_t begin, std::size_t end, std::size_t step) const {
  if (dimension >= rank() || begin > end || end > shape_[dimension])
    throw std::out_of_range("View::slice: " + std::to_string(begin) + " to " + std::to_string(end) + " of dimension " +
                            std::to_string(dimension) + " in shape " + shape_text(shape_));
  if (step == 0) throw std::invalid_argument("View::slice: the step is 0");
  std::array<std::size_t, kMaxRank> extents{};
  for (std::size_t d = 0; d < rank(); ++d) extents[d] = shape_[d];
  extents[dimension] = begin == end ? 0 : (end - begin - 1) / step + 1;
  // An empty slice may begin at the end, where there is no element to point to.
  const std::ptrdiff_t offset = begin == end ? 0 : static_cast<std::ptrdiff_t>(begin) * strides_[dimension];
  View result(data_ + offset, std::span<const std::size_t>(extents.data(), rank()));
  for (std::size_t d = 0; d < rank(); ++d)
    // The stride of one element is never used, and a step may be larger than any stride.
    result.strides_[d] =
        d == dimension && extents[d] > 1 ? strides_[d] * static_cast<std::ptrdiff_t>(step) : strides_[d];
  return result;
}

template <class T>
View<T> View<T>::select(std::size_t dimension, std::size_t index) const {
  if (dimension >= rank() || index >= shape_[dimension])
    throw std::out_of_range("View::select: index " + std::to_string(index) + " of dimension " +
                            std::to_string(dimension) + " in shape " + shape_text(shape_));
  std::array<std::size_t, kMaxRank> extents{};
  const std::size_t left = rank() - 1;
  const auto from = [dimension](std::size_t d) { return d < dimension ? d : d + 1; };
  for (std::size_t d = 0; d < left; ++d) extents[d] = shape_[from(d)];
  View result(data_ + static_cast<std::ptrdiff_t>(index) * strides_[dimension],
              std::span<const std::size_t>(extents.data(), left));
  for (std::size_t d = 0; d < left; ++d) result.strides_[d] = strides_[from(d)];
  return result;
}

template <class T>
View<T> View<T>::reshape(const Shape& shape) const {
  if (shape.elements() != elements())
    throw std::invalid_argument("View::reshape: " + shape_text(shape_) + " has not as many elements as " +
                                shape_text(shape));
  if (!is_contiguous())
    throw std::invalid_argument("View::reshape: the view " + shape_text(shape_) +
                                " is not contiguous; copy it with Tensor::copy_of first");
  return {data_, shape};
}

template class View<float>;
template class View<const float>;
template class View<double>;
template class View<const double>;

}  // namespace pawl
