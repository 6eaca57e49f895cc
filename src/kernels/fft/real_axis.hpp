// real_axis.hpp -- many transforms of real numbers of one length, at any distances: an axis of an array, or a batch.
#pragma once
#include <cstddef>
#include <memory>

#include "kernels/fft/axis.hpp"
#include "kernels/fft/columns.hpp"
#include "kernels/fft/line.hpp"
#include "kernels/fft/real_line.hpp"
#include "pawl/isa.hpp"

namespace pawl::fft {

/// n real numbers each <-> results 0 .. n / 2. Side by side in the lanes of vectors, two as one complex transform:
/// short ones and all whose elements are not contiguous, unless n has a large prime factor. Others one by one
/// (RealLine). Places of real numbers are in real numbers.
template <class T>
class RealAxis {
 public:
  RealAxis(std::size_t n, Isa isa);

  /// Functions of short lengths in one width, the transforms that fill its vectors and what these cost.
  struct Short {
    typename FftReals<T>::Across across = nullptr, across_inverse = nullptr;
    typename FftReals<T>::Lines lines = nullptr, lines_inverse = nullptr;
    std::size_t lanes = 0, cost = 0;
  };
  /// Whether they are what so many contiguous lines or columns go through, and which.
  bool is_short_for_lines(std::size_t count) const noexcept { return widths_ > 0 && count > few_lines_; }
  bool is_short_for_columns(std::size_t count, bool back) const noexcept {
    return widths_ > 0 && count > 1 && !(back && one_pair_back(count));
  }
  const Short& for_columns(std::size_t count) const noexcept;
  const Short& for_lines(std::size_t count) const noexcept;

  /// Most transforms of one call where not takes_all().
  std::size_t panel() const noexcept {
    return columns_ ? 2 * vectors_ * ops_.lanes : pair_line_ ? (few_ - 1) / 2 * 2 : kOneByOne;
  }
  /// Whether a call takes any number of transforms with these places.
  bool takes_all(const Places& reals, const Places& results) const noexcept {
    return (reals.stride == 1 && results.stride == 1) || (widths_ > 0 && reals.next == 1 && results.next == 1);
  }
  std::size_t workspace_elements() const noexcept;

  /// `count` transforms from `in` to `out`, which are apart.
  void forward(const T* in, const Places& reals, T* out, const Places& results, std::size_t count, T* workspace,
               T scale) const noexcept;
  /// Back. The imaginary parts of results 0 and, for even n, n / 2 are not read.
  void inverse(const T* in, const Places& results, T* out, const Places& reals, std::size_t count, T* workspace,
               T scale) const noexcept;

 private:
  void add_short(Isa isa);
  // Back by twos, though short: 12 x 2 numbers took 0.58 (f32) and 0.84 (f64) of the time of vectors of two columns,
  // forward as long.
  bool one_pair_back(std::size_t count) const noexcept { return count == 2 && n_ >= (sizeof(T) == 4 ? 6 : 8); }
  void one_forward(const T* in, std::ptrdiff_t stride, T* out, std::ptrdiff_t out_stride, T* workspace,
                   T scale) const noexcept;
  void one_inverse(const T* in, std::ptrdiff_t stride, T* out, std::ptrdiff_t out_stride, T* workspace,
                   T scale) const noexcept;
  std::size_t rest_of(std::size_t count) const noexcept;
  void paired_forward(const T* in, std::ptrdiff_t stride, T* out, std::ptrdiff_t out_stride, std::size_t count,
                      T* workspace, T scale) const noexcept;
  void paired_inverse(const T* in, std::ptrdiff_t stride, T* out, std::ptrdiff_t out_stride, std::size_t count,
                      T* workspace, T scale) const noexcept;
  void load(const T* in, const Places& places, std::size_t count, T* block) const noexcept;
  void store(const T* block, T* out, const Places& places, std::size_t count, T scale) const noexcept;
  void load_results(const T* in, const Places& places, std::size_t count, T* block) const noexcept;
  void store_results(const T* block, T* out, const Places& places, std::size_t count) const noexcept;

  static constexpr std::size_t kOneByOne = 64;  // for threads to share
  std::size_t n_, results_, vectors_ = 1, block_ = 0, widths_ = 0, least_columns_ = 0;
  const FftOps<T>& ops_;
  Short short_[3];  // the widest first
  std::shared_ptr<const RealLine<T>> line_;
  std::shared_ptr<const Line<T>> pair_line_;  // of two real columns; null where short_ has functions
  std::size_t few_lines_ = 0;
  std::size_t few_ = 0;                        // fewer columns than this go so
  std::unique_ptr<const Columns<T>> columns_;  // null where n has a large prime factor
};

template <class T>
std::shared_ptr<const RealAxis<T>> shared_real_axis(std::size_t n, Isa isa);

extern template class RealAxis<float>;
extern template class RealAxis<double>;

}  // namespace pawl::fft
