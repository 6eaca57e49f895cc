// row_piece.hpp -- the length from which a row of a sparse matrix is summed by pieces, which several threads can share.
#pragma once
#include <cstddef>

namespace pawl {

/// A longer row is the sum, from left to right, of the sums of pieces of so many entries. One thread does it as well,
/// so that the result does not depend on the number of threads. 16,384 entries take some microseconds, as waking a
/// thread.
inline constexpr std::size_t kRowPiece = 16'384;

}  // namespace pawl
