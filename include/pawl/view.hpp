// view.hpp -- a pointer, a shape and strides: an N-dimensional array that owns nothing.
#pragma once
#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <type_traits>

namespace pawl {

/// Most dimensions that an array can have. Eight hold batch x head x block x tile nestings; more has not been needed.
inline constexpr std::size_t kMaxRank = 8;

/// Extents of each dimension, outermost first. Rank 0 is a single value.
class Shape {
 public:
  Shape() = default;
  /// Errors: std::invalid_argument if there are more than kMaxRank extents, or their product overflows.
  Shape(std::initializer_list<std::size_t> extents) : Shape(std::span(extents.begin(), extents.size())) {}
  explicit Shape(std::span<const std::size_t> extents) : rank_(extents.size()) {
    // In the caller, where the number of extents is mostly a constant: each operation makes a handful of shapes.
    const std::size_t rank = extents.size();
    if (rank > kMaxRank) [[unlikely]]
      refuse_rank(rank);
    std::size_t elements = 1;
    bool overflow = false, empty = false;
    for (std::size_t d = 0; d < rank; ++d) {
      const std::size_t extent = extents[d];
      extents_[d] = extent;
      empty = empty || extent == 0;
      overflow = __builtin_mul_overflow(elements, extent, &elements) || overflow;
    }
    elements_ = empty ? 0 : elements;
    // Offsets are signed, and elements are at most 8 bytes: below 2^60 elements neither they nor sizes in bytes
    // overflow.
    if (!empty && (overflow || elements > std::size_t{1} << 60)) [[unlikely]]
      refuse_size();
  }
  // Extent by extent: a compiler then passes on the values of a shape that was just made. A copy by vectors of 16 bytes
  // would wait until what was stored as 8 has left the store buffer, which takes as long as 40 additions.
  Shape(const Shape& other) noexcept
      : extents_{other.extents_[0], other.extents_[1], other.extents_[2], other.extents_[3],
                 other.extents_[4], other.extents_[5], other.extents_[6], other.extents_[7]},
        rank_(other.rank_),
        elements_(other.elements_) {}
  Shape& operator=(const Shape&) noexcept = default;

  std::size_t rank() const noexcept { return rank_; }
  std::size_t operator[](std::size_t dimension) const noexcept { return extents_[dimension]; }
  const std::size_t* begin() const noexcept { return extents_.data(); }
  const std::size_t* end() const noexcept { return extents_.data() + rank_; }
  /// Product of the extents: 1 for rank 0, 0 if any extent is 0.
  std::size_t elements() const noexcept { return elements_; }
  friend bool operator==(const Shape& a, const Shape& b) noexcept {
    // One by one: vectors would wait for extents that were just stored, as above.
    bool equal = a.rank_ == b.rank_;
    for (std::size_t d = 0; equal && d < a.rank_; ++d) equal = a.extents_[d] == b.extents_[d];
    return equal;
  }

 private:
  [[noreturn, gnu::cold]] static void refuse_rank(std::size_t rank);
  [[noreturn, gnu::cold]] static void refuse_size();

  std::array<std::size_t, kMaxRank> extents_{};
  std::size_t rank_ = 0, elements_ = 1;
};

/// Distances between neighbours of each dimension, in elements; may be 0 (broadcast) or negative.
using Strides = std::array<std::ptrdiff_t, kMaxRank>;

/// Strides of a contiguous row-major array of this shape.
inline Strides row_major(const Shape& shape) noexcept {
  Strides strides{};
  std::size_t next = 1;  // may wrap around where an extent of 0 makes strides meaningless
  for (std::size_t d = shape.rank(); d-- > 0;) {
    strides[d] = static_cast<std::ptrdiff_t>(next);
    next *= shape[d] > 0 ? shape[d] : 1;
  }
  return strides;
}

/// A strided view: element (i0, i1, ...) is data[i0 * strides[0] + i1 * strides[1] + ...]. Copying it copies no
/// element.
///
/// Valid as long as what it points to lives. T may be const. All functions that make another view cost O(rank) and
/// copy nothing; those that cannot be a view do not exist here (see Tensor).
template <class T>
class View {
 public:
  View(T* data, const Shape& shape) noexcept : data_(data), shape_(shape), strides_(row_major(shape)) {}
  View(T* data, const Shape& shape, const Strides& strides) noexcept
      : data_(data), shape_(shape), strides_{strides[0], strides[1], strides[2], strides[3],
                                             strides[4], strides[5], strides[6], strides[7]} {}

  T* data() const noexcept { return data_; }
  const Shape& shape() const noexcept { return shape_; }
  const Strides& strides() const noexcept { return strides_; }
  std::size_t rank() const noexcept { return shape_.rank(); }
  std::size_t elements() const noexcept { return shape_.elements(); }

  /// True if the elements lie in row-major order without gaps.
  bool is_contiguous() const noexcept;

  /// The elements of a contiguous view in order. Errors: std::invalid_argument if it is not contiguous.
  std::span<T> flat() const;

  /// The element at `index`. Errors: std::out_of_range, with the index and the shape; std::invalid_argument if the
  /// number of indices is not the rank.
  T& at(std::initializer_list<std::size_t> index) const;

  /// Dimensions in the order `axes`: dimension d of the result is axes[d] of this view.
  /// Errors: std::invalid_argument unless `axes` is a permutation of 0 .. rank - 1.
  View permute(std::span<const std::size_t> axes) const;
  View permute(std::initializer_list<std::size_t> axes) const { return permute(std::span(axes.begin(), axes.size())); }

  /// The last two dimensions exchanged. Errors: std::invalid_argument if the rank is below 2.
  View transpose() const;

  /// Elements begin, begin + step, ... below `end` of one dimension.
  /// Errors: std::out_of_range if begin > end or end is beyond the extent; std::invalid_argument if step is 0.
  View slice(std::size_t dimension, std::size_t begin, std::size_t end, std::size_t step = 1) const;

  /// One index of one dimension, which is left out of the result. Errors: std::out_of_range.
  View select(std::size_t dimension, std::size_t index) const;

  /// The same elements under another shape. Errors: std::invalid_argument if the numbers of elements differ, or if the
  /// view is not contiguous (copy it with Tensor::copy_of first).
  View reshape(const Shape& shape) const;

  operator View<const T>() const noexcept requires(!std::is_const_v<T>) { return {data_, shape_, strides_}; }

 private:
  // Strides are left to be written: what is made in its place is never copied while it is in the store buffer.
  View(T* data, std::span<const std::size_t> extents) : data_(data), shape_(extents), strides_{} {}

  T* data_;
  Shape shape_;
  Strides strides_;
};

extern template class View<float>;
extern template class View<const float>;
extern template class View<double>;
extern template class View<const double>;

}  // namespace pawl
