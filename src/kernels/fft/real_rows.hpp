// real_rows.hpp -- the last axis of transforms of real arrays along several: rows of pairs, already or yet to be
// transformed along the other axes, <-> half of the results.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>

#include "kernels/fft/aligned_array.hpp"
#include "kernels/fft/axis.hpp"
#include "kernels/fft/sweep.hpp"

namespace pawl::fft {

/// The table of FftOps::split_rows and join_rows.
template <class T>
AlignedArray<T> real_rows_table(std::size_t h);

/// An array of real numbers whose last extent is 2 h, as one of pairs of extent h. After complex transforms along all
/// axes the result k of a row needs the result h - k of the row that is its mirror image along the other axes, so that
/// rows are done two by two. The other axes then run over h columns, not h + 1, and rows never wait for each other.
template <class T>
class RealRows {
 public:
  /// Whether rows of n real numbers can be done so.
  static bool can(std::size_t n, Isa isa) noexcept;

  /// results: the shape of the results, h + 1 along `halved`, whose elements are contiguous. others: the other axes
  /// that are transformed, at least one, the innermost first.
  RealRows(const Shape& results, std::size_t halved, std::span<const std::size_t> others, Isa isa);

  /// Of a thread.
  std::size_t workspace_elements() const noexcept {
    return std::max(2 * at_once_ * row_ + axis_->workspace_elements(), columns_->workspace_elements());
  }
  /// True if forward() and inverse() transform along the innermost of the other axes too: z is then not yet, or no
  /// longer, transformed along it.
  bool takes_columns() const noexcept { return by_place_; }

  /// z has h pairs a row and may be in the place of out, with its strides.
  void forward(Pairs<T> z, Pairs<T> out, T* workspace, std::size_t thread_elements, int threads,
               T scale) const noexcept;
  /// in and z apart.
  void inverse(Pairs<const T> in, Pairs<T> z, T* workspace, std::size_t thread_elements, int threads,
               T scale) const noexcept;

 private:
  // `count` rows side by side and their mirror images, in reverse; offsets of the first of both in two arrays.
  struct Group {
    std::ptrdiff_t a, b, other_a, other_b;
    std::size_t count;
  };
  // before(), call() for each group and after() of one place along the remaining dimensions and its mirror image;
  // before and after with the group of the first rows of both, only by_place_.
  template <class Before, class Call, class After>
  void for_groups(const std::ptrdiff_t* strides, const std::ptrdiff_t* other, int threads, Before&& before, Call&& call,
                  After&& after) const noexcept;
  void run_columns(Pairs<T> z, std::ptrdiff_t a, std::ptrdiff_t b, T* workspace, bool swapped) const noexcept;

  Shape shape_;
  std::size_t halved_, inner_, half_, row_, at_once_;  // inner_: the axis along which rows go side by side
  bool transformed_[kMaxRank] = {};
  const FftOps<T>& ops_;
  bool by_place_;
  std::shared_ptr<const Axis<T>> axis_, columns_;  // along rows and along inner_
  AlignedArray<T> table_;
};

extern template class RealRows<float>;
extern template class RealRows<double>;

}  // namespace pawl::fft
