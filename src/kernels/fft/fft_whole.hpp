// fft_whole.hpp -- the entries of the category `fft` that do both halves of a short transform at once.
#pragma once
#include <array>
#include <cstddef>

namespace pawl {

/// The longest of them.
inline constexpr std::size_t kMostWhole = 144;

template <class T>
struct FftWhole {
  /// FftPairs::rows of `rows` and then columns: of n = rows * columns pairs, with the twiddles of the former; out may
  /// be in.
  struct Line {
    std::size_t rows;  ///< 0: there is none
    void (*run)(const T* in, T* out, const T* twiddles, bool inverse, T scale) noexcept;
  };
  std::array<Line, kMostWhole + 1> of;  ///< n points
};

}  // namespace pawl
