// dense_places.hpp -- the numbers of several transforms at any distances <-> dense rows (transforms are neighbours) or
// lines (the numbers of one are).
#pragma once
#include <cstddef>

#include "kernels/fft/axis.hpp"
#include "kernels/fft/fft_table.hpp"

namespace pawl::fft {

/// Number j of transform c goes from in[j from.stride + c from.next] to out[j to.stride + c to.next], n numbers of
/// `count` transforms each. Turned in registers where one side has rows and the other one lines. in and out apart.
template <class T>
class DensePlaces {
 public:
  explicit DensePlaces(const FftOps<T>& ops) noexcept : ops_(ops) {}

  /// `out` is dense: rows or lines begin whole vectors apart, and what lies between them may be written.
  void gather(const T* in, const Places& from, std::size_t n, std::size_t count, T* out,
              const Places& to) const noexcept;
  /// `in` is dense.
  void scatter(const T* in, const Places& from, std::size_t n, std::size_t count, T* out,
               const Places& to) const noexcept;
  /// Of pairs; distances in pairs.
  void pairs(const T* in, const Places& from, std::size_t n, std::size_t count, T* out,
             const Places& to) const noexcept;

 private:
  const FftOps<T>& ops_;
};

extern template class DensePlaces<float>;
extern template class DensePlaces<double>;

}  // namespace pawl::fft
