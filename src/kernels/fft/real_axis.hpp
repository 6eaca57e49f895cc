// real_axis.hpp -- many transforms of real numbers of one length, at any distances: an axis of an array, or a batch.
#pragma once
#include <cstddef>
#include <memory>

#include "kernels/fft/axis.hpp"
#include "kernels/fft/columns.hpp"
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

  /// Most transforms of one call where not takes_all().
  std::size_t panel() const noexcept { return columns_ ? 2 * vectors_ * ops_.lanes : kOneByOne; }
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
  // Functions of short lengths in one width, and the fewest transforms that fill its vectors.
  struct Short {
    typename FftReals<T>::Across across = nullptr, across_inverse = nullptr;
    typename FftReals<T>::Lines lines = nullptr, lines_inverse = nullptr;
    std::size_t least = 0;
  };
  void add_short(Isa isa);
  const Short& for_columns(std::size_t count) const noexcept;
  const Short& for_lines(std::size_t count) const noexcept;
  void one_forward(const T* in, std::ptrdiff_t stride, T* out, std::ptrdiff_t out_stride, T* workspace,
                   T scale) const noexcept;
  void one_inverse(const T* in, std::ptrdiff_t stride, T* out, std::ptrdiff_t out_stride, T* workspace,
                   T scale) const noexcept;
  void load(const T* in, const Places& places, std::size_t count, T* block) const noexcept;
  void store(const T* block, T* out, const Places& places, std::size_t count, T scale) const noexcept;
  void load_results(const T* in, const Places& places, std::size_t count, T* block) const noexcept;
  void store_results(const T* block, T* out, const Places& places, std::size_t count) const noexcept;

  static constexpr std::size_t kOneByOne = 64;  // for threads to share
  std::size_t n_, results_, vectors_ = 1, block_ = 0, widths_ = 0, least_columns_ = 0;
  const FftOps<T>& ops_;
  Short short_[3];  // the widest first
  std::shared_ptr<const RealLine<T>> line_;
  std::unique_ptr<const Columns<T>> columns_;  // null where n has a large prime factor
};

template <class T>
std::shared_ptr<const RealAxis<T>> shared_real_axis(std::size_t n, Isa isa);

extern template class RealAxis<float>;
extern template class RealAxis<double>;

}  // namespace pawl::fft
