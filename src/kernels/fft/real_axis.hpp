// real_axis.hpp -- many transforms of real numbers of one length, at any distances: an axis of an array, or a batch.
#pragma once
#include <cstddef>
#include <memory>

#include "kernels/fft/axis.hpp"
#include "kernels/fft/real_columns.hpp"
#include "kernels/fft/real_line.hpp"
#include "pawl/isa.hpp"

namespace pawl::fft {

/// n real numbers each <-> results 0 .. n / 2. Side by side in the lanes of vectors: short ones and columns that fill
/// them; few columns, and those of a length with a large prime factor, turned to lines and back; contiguous lines one
/// by one (RealLine). No transform shares any arithmetic with another. Places of real numbers are in real numbers.
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
  bool is_short_for_columns(std::size_t count) const noexcept { return widths_ > 0 && count > 1; }
  const Short& for_columns(std::size_t count, bool inverse) const noexcept;
  const Short& for_lines(std::size_t count) const noexcept;

  /// Most transforms of one call where not takes_all().
  std::size_t panel() const noexcept { return panel_; }
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
  // Whether so many go as lines though they are columns; of more, how many behind whole vectors do.
  bool go_as_lines(std::size_t count) const noexcept { return !columns_ || count < few_; }
  std::size_t rest_of(std::size_t count) const noexcept;
  void run_forward(const T* in, std::ptrdiff_t next, T* out, std::ptrdiff_t out_next, std::size_t count, T* workspace,
                   T scale) const noexcept;
  void run_inverse(const T* in, std::ptrdiff_t next, T* out, std::ptrdiff_t out_next, std::size_t count, T* workspace,
                   T scale) const noexcept;
  void lines_forward(const T* in, const Places& reals, T* out, const Places& results, std::size_t count, T* workspace,
                     T scale) const noexcept;
  void lines_inverse(const T* in, const Places& results, T* out, const Places& reals, std::size_t count, T* workspace,
                     T scale) const noexcept;
  void columns_forward(const T* in, const Places& reals, T* out, const Places& results, std::size_t count, T* workspace,
                       T scale) const noexcept;
  void columns_inverse(const T* in, const Places& results, T* out, const Places& reals, std::size_t count, T* workspace,
                       T scale) const noexcept;

  std::size_t n_, results_, line_elements_, row_ = 0;  // of dense lines and rows of real numbers
  std::size_t widths_ = 0, few_lines_ = 0, few_ = 0, panel_ = 1;
  const FftOps<T>& ops_;
  Short short_[3];  // the widest first
  std::shared_ptr<const RealLine<T>> line_;
  std::unique_ptr<const RealColumns<T>> columns_;  // null where n is short or has a large prime factor
};

template <class T>
std::shared_ptr<const RealAxis<T>> shared_real_axis(std::size_t n, Isa isa);

extern template class RealAxis<float>;
extern template class RealAxis<double>;

}  // namespace pawl::fft
