// strided_copy.hpp -- elements of an array at any distances -> the same at others.
#pragma once
#include <cstddef>

#include "kernels/fft/fft_turns.hpp"
#include "pawl/isa.hpp"
#include "pawl/view.hpp"

namespace pawl::fft {

/// Elements of `numbers` T each, 2 (pairs) or 1 (real numbers), in both arrays; strides in elements. Rows that are
/// contiguous in both are copied, those that are columns of the other array are turned in registers. in and out apart.
template <class T>
class StridedCopy {
 public:
  explicit StridedCopy(Isa isa) noexcept;

  void pairs(const Shape& shape, const T* in, const std::ptrdiff_t* in_strides, T* out,
             const std::ptrdiff_t* out_strides) const noexcept;
  void reals(const Shape& shape, const T* in, const std::ptrdiff_t* in_strides, T* out,
             const std::ptrdiff_t* out_strides) const noexcept;

 private:
  const FftTurns<T>& pairs_;
  const FftTurns<float>& numbers_of_8_bytes_;  // a double is as large as a pair of float
};

/// The dimension of more than one element that has stride 1, rank if there is none.
inline std::size_t contiguous_dimension(const Shape& shape, const std::ptrdiff_t* strides) noexcept {
  std::size_t d = 0;
  while (d < shape.rank() && (strides[d] != 1 || shape[d] == 1)) ++d;
  return d;
}

/// Whether a transform from one to the other goes by way of row-major copies. Elsewhere axes have no neighbours in one
/// of both: 6 x 47 real numbers of f32 with column-major results took 0.4 of the time, 3 x 144 of f64 0.38. Where both
/// have the same contiguous dimension and only gaps differ, copies cost more than they gain: 8 x 8 pairs of f64
/// took 1.5 times as long.
inline bool goes_by_copies(const Shape& shape, const std::ptrdiff_t* in_strides,
                           const std::ptrdiff_t* out_strides) noexcept {
  return contiguous_dimension(shape, in_strides) != contiguous_dimension(shape, out_strides);
}

extern template class StridedCopy<float>;
extern template class StridedCopy<double>;

}  // namespace pawl::fft
