// size_class.hpp -- bytes -> one of 160 block sizes from 16 B to 64 MiB, eight in each doubling.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

namespace pawl::memory {

inline constexpr std::size_t kPageBytes = 4096;
/// Larger blocks are whole pages of their own and are not cached by threads.
inline constexpr std::size_t kLargestClassBytes = std::size_t{64} << 20;
inline constexpr unsigned kSizeClasses = 160;

/// The class of a block whose last byte has offset `last` < kLargestClassBytes. Steps are 16 B up to 256 B, then an
/// eighth of the power of two below, so at most an eighth of a block is lost. No branch.
constexpr unsigned size_class_of_last(std::size_t last) noexcept {
  // 63 ^ countl_zero is the place of the highest bit: one instruction, where g++ 12 makes four of bit_width.
  const unsigned shift = (63U ^ static_cast<unsigned>(std::countl_zero(static_cast<std::uint64_t>(last | 128)))) - 3;
  return (shift - 4) * 8 + static_cast<unsigned>(last >> shift);
}

/// The smallest class that holds `bytes` (0 is taken as 1), which is at most kLargestClassBytes.
constexpr unsigned size_class(std::size_t bytes) noexcept { return size_class_of_last(bytes - (bytes != 0)); }

/// Bytes of a block of class `c` < kSizeClasses. A multiple of a power of two A up to kPageBytes whenever
/// c == size_class(n) for a multiple n of A: so rounding a size up to its alignment is all that alignment needs.
constexpr std::size_t class_bytes(unsigned c) noexcept {
  const unsigned shift = c < 8 ? 4 : c / 8 + 3;
  return static_cast<std::size_t>(c - (shift - 4) * 8 + 1) << shift;
}

static_assert(size_class(1) == 0 && size_class(16) == 0 && size_class(17) == 1);
static_assert(class_bytes(size_class(129)) == 144 && class_bytes(size_class(257)) == 288);
static_assert(size_class(kLargestClassBytes) == kSizeClasses - 1);
static_assert(class_bytes(kSizeClasses - 1) == kLargestClassBytes);

}  // namespace pawl::memory
