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
};

}  // namespace pawl
