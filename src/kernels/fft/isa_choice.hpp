// isa_choice.hpp -- how many numbers go side by side -> the variant whose vectors of pairs suit them.
//
// A CPU with avx512 runs avx2 too. Vectors of 32 bytes leave fewer lanes empty, and where the CPU works on 64 bytes
// half by half (Zen 4) cost half as much; but there are 16 of them, and 32 of the others. The rules are those of a
// table of times on a Zen 4 of all butterflies to 25 points, 3 to 20 at a time.
#pragma once
#include <cstddef>

#include "pawl/isa.hpp"

namespace pawl::fft {

/// For `count` columns of n points side by side; alone: one call, after one of lines.
template <class T>
Isa isa_for_columns(std::size_t count, std::size_t n, Isa isa, bool alone = false) noexcept;

/// For blocks of `count` columns by twos: that in which they fill half a vector, if there is one.
template <class T>
Isa isa_for_halves(std::size_t count, Isa isa) noexcept;

/// For `count` contiguous lines of n points, which are transposed in tiles.
template <class T>
Isa isa_for_lines(std::size_t count, std::size_t n, Isa isa) noexcept;

/// For rows of h pairs, two of which are read for one that is written.
template <class T>
Isa isa_for_rows(std::size_t h, Isa isa) noexcept;

/// For blocks of `count` columns, the last of whose vectors goes in and out with a mask: with avx2 that takes longer
/// than a whole vector of avx512.
template <class T>
Isa isa_for_blocks(std::size_t count, Isa isa) noexcept;

/// For `count` real columns, of which a vector takes as many as it has numbers.
template <class T>
Isa isa_for_real_columns(std::size_t count, Isa isa) noexcept;

}  // namespace pawl::fft
