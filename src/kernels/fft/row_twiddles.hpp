// row_twiddles.hpp -- the twiddles that the first half of a transform takes (FftPairs::Rows), there and back.
#pragma once
#include <cstddef>

#include "kernels/fft/aligned_array.hpp"
#include "kernels/fft/roots.hpp"

namespace pawl::fft {

/// Of a transform of rows x points pairs, `columns` of them side by side, in vectors of `lanes` pairs.
template <class T>
class RowTwiddles {
 public:
  RowTwiddles() = default;
  /// Errors: std::bad_alloc.
  RowTwiddles(std::size_t rows, std::size_t points, std::size_t columns, std::size_t lanes)
      : one_way_(elements(rows, points, columns, lanes)), both_(2 * one_way_) {
    const Roots roots(rows * points);
    T *forward = both_.data(), *inverse = forward + one_way_;
    for (std::size_t first = 0; first < points * columns; first += lanes)
      for (std::size_t k = 1; k < rows; ++k, forward += 4 * lanes, inverse += 4 * lanes)
        for (std::size_t lane = 0; lane < lanes && first + lane < points * columns; ++lane) {
          const auto root = roots(k * ((first + lane) / columns));
          const T re = static_cast<T>(root.real()), im = static_cast<T>(root.imag());
          const std::size_t a = 2 * lane, b = 2 * lanes + a;
          forward[a] = forward[a + 1] = inverse[a] = inverse[a + 1] = re;
          forward[b] = inverse[b + 1] = -im;
          forward[b + 1] = inverse[b] = im;
        }
  }

  /// Elements of one way.
  static std::size_t elements(std::size_t rows, std::size_t points, std::size_t columns, std::size_t lanes) noexcept {
    return (points * columns + lanes - 1) / lanes * (rows - 1) * 4 * lanes;
  }
  const T* data(bool inverse) const noexcept { return both_.data() + (inverse ? one_way_ : 0); }

 private:
  std::size_t one_way_ = 0;
  AlignedArray<T> both_;
};

}  // namespace pawl::fft
