// fft_turns.hpp -- the entries of the category `fft` that turn few columns to lines and back.
#pragma once
#include <cstddef>

namespace pawl {

/// Distances between rows in elements of T; in and out apart.
template <class T>
struct FftTurns {
  /// rows x columns pairs -> their transpose: element r of row c of `out` is element c of row r.
  void (*turn_pairs)(const T* in, std::ptrdiff_t in_row, std::size_t rows, std::size_t columns, T* out,
                     std::ptrdiff_t out_row) noexcept;

  /// The transform z of n pairs, n >= 2, whose parts were two real columns -> rows 0 to n / 2 of the two pairs that are
  /// their results, times scale.
  void (*split_paired)(const T* z, std::size_t n, T* out, std::ptrdiff_t row, T scale) noexcept;
  /// Back: the imaginary parts of rows 0 and, for even n, n / 2 do not count.
  void (*join_paired)(const T* in, std::ptrdiff_t row, std::size_t n, T* z) noexcept;
};

}  // namespace pawl
