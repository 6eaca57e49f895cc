// fft_halves.hpp -- the entries of the category `fft` that do a line of 145 to 4096 points in two functions, or one.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace pawl {

/// The longest transform that is a half.
inline constexpr std::size_t kMostHalf = 64;

/// Two halves of a transform of rows * columns pairs (AcrossTwiddles of both).
template <class T>
struct FftHalves {
  /// down[rows]: all columns, the results of each side by side; out apart from in.
  using Down = void (*)(const T* in, std::size_t columns, T* out, bool inverse) noexcept;
  std::array<Down, kMostHalf + 1> down;  ///< null where there is none
  /// across[columns]: the twiddles of `count` of the rows and the transforms across them, all from the first of these
  /// on; out may be in.
  using Across = void (*)(const T* in, std::size_t rows, std::size_t count, T* out, const T* twiddles,
                          bool inverse) noexcept;
  std::array<Across, kMostHalf + 1> across;
  void (*scale)(T* numbers, std::size_t count, T factor) noexcept;

  /// Both halves of n = rows * columns pairs in one function; out may be in: then what lies between is on the stack, to
  /// 32 KiB.
  struct Whole {
    std::uint16_t n, rows;
    void (*run)(const T* in, T* out, const T* twiddles, bool inverse, T scale) noexcept;
  };
  std::array<Whole, 3> whole;  ///< n = 0: none

  const Whole* find_whole(std::size_t n) const noexcept {
    for (const Whole& line : whole)
      if (line.n == n && n > 0) return &line;
    return nullptr;
  }
};

}  // namespace pawl
