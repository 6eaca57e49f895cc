// across_twiddles.hpp -- the twiddles that the second half of a transform takes (FftHalves), there and back.
#pragma once
#include <cstddef>

#include "kernels/fft/aligned_array.hpp"
#include "kernels/fft/roots.hpp"

namespace pawl::fft {

/// Of a transform of rows x columns pairs, in vectors of `lanes` pairs: for each vector of rows k and each column j
/// from 1 on exp(-2 pi i j k / n), as pairs, or their conjugates.
template <class T>
class AcrossTwiddles {
 public:
  /// Errors: std::bad_alloc.
  AcrossTwiddles(std::size_t rows, std::size_t columns, std::size_t lanes)
      : per_row_(2 * (columns - 1)), one_way_((rows + lanes - 1) / lanes * lanes * per_row_), both_(2 * one_way_) {
    const Roots roots(rows * columns);
    T *forward = both_.data(), *inverse = forward + one_way_;
    for (std::size_t first = 0; first < rows; first += lanes)
      for (std::size_t j = 1; j < columns; ++j, forward += 2 * lanes, inverse += 2 * lanes)
        for (std::size_t lane = 0; lane < lanes && first + lane < rows; ++lane) {
          const auto root = roots(j * (first + lane));
          forward[2 * lane] = inverse[2 * lane] = static_cast<T>(root.real());
          forward[2 * lane + 1] = static_cast<T>(root.imag());
          inverse[2 * lane + 1] = -forward[2 * lane + 1];
        }
  }
  /// From a row on that begins a vector.
  const T* data(bool inverse, std::size_t row = 0) const noexcept {
    return both_.data() + (inverse ? one_way_ : 0) + row * per_row_;
  }

 private:
  std::size_t per_row_, one_way_;  // elements
  AlignedArray<T> both_;
};

}  // namespace pawl::fft
