// fft_long.hpp -- the entries of the category `fft` that do a line of 60 to 640 points in one function.
#pragma once
#include <cstddef>
#include <cstdint>

namespace pawl {

inline constexpr std::size_t kMostLong = 640;

template <class T>
struct FftLong {
  /// FftPairs::rows of `rows` and then columns: of n = rows * columns pairs, with the twiddles of the former; out may
  /// be in. What lies between is on the stack: to 10 KiB.
  struct Line {
    std::uint16_t n, rows;
    void (*run)(const T* in, T* out, const T* twiddles, bool inverse, T scale) noexcept;
  };
  std::size_t count;  ///< 0: there are none
  Line lines[80];     ///< by n

  /// Null if there is none of n points.
  const Line* find(std::size_t n) const noexcept {
    if (n <= kMostLong)
      for (std::size_t i = 0; i < count; ++i)
        if (lines[i].n == n) return &lines[i];
    return nullptr;
  }
};

}  // namespace pawl
