// isa_choice.cpp -- see isa_choice.hpp.
#include "kernels/fft/isa_choice.hpp"

#include "isa/datapath.hpp"

namespace pawl::fft {
namespace {

template <class T>
constexpr std::size_t kHalf = 32 / (2 * sizeof(T));  // pairs in a vector of avx2

}  // namespace

template <class T>
Isa isa_for_columns(std::size_t count, std::size_t n, Isa isa, bool alone) noexcept {
  if (isa != Isa::avx512) return isa;
  if (count > kHalf<T>) {
    // Vectors of 64 bytes wait for lines that were stored by 32: 4 x 4, 5 x 5 and 6 x 6 points of f64 took 0.92 to 0.96
    // of the time, but 4 x 4 x 4 1.09 times as long.
    const bool waits = alone && sizeof(T) == 8 && count >= 4 && count <= 6 && n <= 8;
    return detail::splits_512_bits && waits ? Isa::avx2 : isa;
  }
  // From some 14 points on half of the registers are too few; numbers that are no half of a vector need a mask.
  return count % 2 != 0 || n < 14 ? Isa::avx2 : isa;
}

template <class T>
Isa isa_for_halves(std::size_t count, Isa isa) noexcept {
  return isa == Isa::avx512 && 2 * count <= kHalf<T> ? Isa::avx2 : isa;
}

template <class T>
Isa isa_for_lines(std::size_t count, std::size_t n, Isa isa) noexcept {
  if (isa != Isa::avx512) return isa;
  // A transposition of 2 x 2 or 4 x 4 has fewer shuffles for each number than one of twice as many. 16 points of f64
  // are 4 x 4 in whole vectors, and so are two lines of 8, whose results columns of 64 bytes wait less for.
  const bool square = sizeof(T) == 8 && (n == 16 || n == 24 || (n == 8 && count <= 8));
  return count <= kHalf<T> || (detail::splits_512_bits && !square) ? Isa::avx2 : isa;
}

template <class T>
Isa isa_for_rows(std::size_t h, Isa isa) noexcept {
  return isa == Isa::avx512 && (h <= kHalf<T> || detail::splits_512_bits) ? Isa::avx2 : isa;
}

template <class T>
Isa isa_for_blocks(std::size_t count, Isa isa) noexcept {
  constexpr std::size_t narrow = 2 * kHalf<T>, wide = 2 * narrow;  // columns in a vector
  if (isa != Isa::avx512 || count % narrow != 0) return isa;
  const bool emptier = count % wide != 0;
  return count == narrow || (detail::splits_512_bits && emptier) ? Isa::avx2 : isa;
}

template <class T>
Isa isa_for_real_columns(std::size_t count, Isa isa) noexcept {
  constexpr std::size_t half = 2 * kHalf<T>, wide = 2 * half;  // columns in a vector
  if (isa != Isa::avx512) return isa;
  // Halves of 64 bytes one by one take half of the time or little more: 3 to 8 columns of 18 to 1000 numbers of f32
  // took 0.65 to 0.85 of the time, 9 to 16 1.02 to 1.4 times as long.
  const std::size_t last = count % wide;
  return count <= half || (detail::splits_512_bits && count < 2 * wide && last > 0 && last <= half) ? Isa::avx2 : isa;
}

template Isa isa_for_halves<float>(std::size_t, Isa) noexcept;
template Isa isa_for_halves<double>(std::size_t, Isa) noexcept;
template Isa isa_for_columns<float>(std::size_t, std::size_t, Isa, bool) noexcept;
template Isa isa_for_columns<double>(std::size_t, std::size_t, Isa, bool) noexcept;
template Isa isa_for_lines<float>(std::size_t, std::size_t, Isa) noexcept;
template Isa isa_for_lines<double>(std::size_t, std::size_t, Isa) noexcept;
template Isa isa_for_rows<float>(std::size_t, Isa) noexcept;
template Isa isa_for_rows<double>(std::size_t, Isa) noexcept;
template Isa isa_for_blocks<float>(std::size_t, Isa) noexcept;
template Isa isa_for_blocks<double>(std::size_t, Isa) noexcept;
template Isa isa_for_real_columns<float>(std::size_t, Isa) noexcept;
template Isa isa_for_real_columns<double>(std::size_t, Isa) noexcept;

}  // namespace pawl::fft
