// axis.hpp -- many transforms of one length, at any distances: what batches and each axis of an array are made of.
#pragma once
#include <cstddef>
#include <memory>

#include "kernels/fft/columns.hpp"
#include "kernels/fft/line.hpp"
#include "pawl/isa.hpp"

namespace pawl::fft {

/// Where elements are, in pairs: element j of transform c is at data[2 (j * stride + c * next)].
struct Places {
  std::ptrdiff_t stride, next;
};

/// Transforms side by side in the lanes of vectors, wherever at least one of both distances is 1; long contiguous ones
/// one after another.
template <class T>
class Axis {
 public:
  Axis(std::size_t n, Isa isa);

  std::size_t size() const noexcept { return n_; }
  /// Most transforms of one run(): as many as stay in the cache.
  std::size_t panel() const noexcept { return vectors_ * ops_.lanes; }
  /// Whether run() takes any number of transforms with these places: nothing lies between in and out.
  bool takes_all(Places in, Places out) const noexcept {
    return (lines_of_ && in.stride == 1 && out.stride == 1) || (across_ && in.next == 1 && out.next == 1);
  }
  /// Whether each transform is a line by itself, the same to the bit however many go to one run().
  bool takes_one_by_one(const Places& in, const Places& out) const noexcept {
    return in.stride == 1 && out.stride == 1 && (lines_of_ || lines_first_);
  }
  std::size_t workspace_elements() const noexcept { return workspace_; }

  /// `count` <= panel() transforms, or any number if takes_all(), from `in` to `out`, which may be the same array with
  /// the same places. (Places by reference: by value they are stored by halves and loaded whole, which waits.)
  void run(const T* in, const Places& in_places, T* out, const Places& out_places, std::size_t count, T* workspace,
           bool swapped, T scale) const noexcept;

 private:
  void run_turned(const T* in, const Places& in_places, T* out, const Places& out_places, std::size_t count,
                  T* workspace, bool swapped, T scale) const noexcept;
  void load(const T* in, Places places, std::size_t count, T* block, bool swapped) const noexcept;
  void store(const T* block, T* out, Places places, std::size_t count, bool swapped, T scale) const noexcept;

  std::size_t n_;
  const FftOps<T>& ops_;
  std::shared_ptr<const Line<T>> line_;
  std::shared_ptr<const Columns<T>> columns_;  // null where n has a large prime factor
  std::size_t vectors_, block_, workspace_;
  typename FftPairs<T>::Lines lines_of_ = nullptr;  // of short contiguous transforms
  typename FftPairs<T>::Across across_ = nullptr;   // of short ones side by side
  bool lines_first_;                                // contiguous transforms are faster one by one
  std::size_t few_;                                 // fewer than this are
  std::size_t few_columns_;                         // fewer than this go as lines
};

template <class T>
std::shared_ptr<const Axis<T>> shared_axis(std::size_t n, Isa isa);

extern template class Axis<float>;
extern template class Axis<double>;

}  // namespace pawl::fft
