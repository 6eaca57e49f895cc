// part.hpp -- fewer elements than a block -> a whole block filled up with zeros, and back.
//
// By masked loads with AVX-512, and by pieces that overlap elsewhere: a call of memcpy with a length that only the
// caller knows, and the wait of a wide load for the narrow stores before it, took 15 to 20 ns of the 25 of a call with
// few elements (Zen 4).
#pragma once
#include "kernels/quant/lanes.hpp"

namespace pawl::PAWL_ISA_NS {

#if defined(PAWL_ISA_IS_avx512)
/// The bytes from `at` on of so many that exist.
PAWL_INLINE __mmask64 bytes_from(std::size_t at, std::size_t bytes) {
  const std::size_t rest = bytes - at;
  return rest >= 64 ? ~__mmask64{0} : (__mmask64{1} << rest) - 1;
}
#else
/// to[0 .. bytes) = from[0 .. bytes), fewer than kMost, without overlap.
template <std::size_t kMost>
PAWL_INLINE void copy_few(char* to, const char* from, std::size_t bytes) {
  typedef char Piece16 __attribute__((vector_size(16)));
  const auto twice = [&](auto piece) PAWL_INLINE_LAMBDA {
    using Piece = decltype(piece);
    put(to, get<Piece>(from));
    put(to + bytes - sizeof piece, get<Piece>(from + bytes - sizeof piece));
  };
  if constexpr (kMost > 16)
    if (bytes >= 16) {
      for (std::size_t i = 0; i + 16 <= bytes; i += 16) put(to + i, get<Piece16>(from + i));
      return put(to + bytes - 16, get<Piece16>(from + bytes - 16));
    }
  if constexpr (kMost > 8)
    if (bytes >= 8) return twice(std::uint64_t{});
  if constexpr (kMost > 4)
    if (bytes >= 4) return twice(std::uint32_t{});
  if (bytes >= 2) return twice(std::uint16_t{});
  if (bytes == 1) *to = *from;
}
#endif

/// block[0 .. count) = from[0 .. count), then zeros. Nothing beyond `count` is read.
template <std::size_t kCount, class T>
PAWL_INLINE void load_part(T (&block)[kCount], const T* from, std::size_t count) {
  constexpr std::size_t kBytes = kCount * sizeof(T);
  const std::size_t bytes = count * sizeof(T);
#if defined(PAWL_ISA_IS_avx512)
  static_assert(kBytes % 64 == 0);
  const char* const in = reinterpret_cast<const char*>(from);
  char* const out = reinterpret_cast<char*>(block);
#pragma GCC unroll 4
  for (std::size_t at = 0; at < kBytes; at += 64)
    put(out + at, at < bytes ? _mm512_maskz_loadu_epi8(bytes_from(at, bytes), in + at) : _mm512_setzero_si512());
#else
  __builtin_memset(block, 0, kBytes);
  copy_few<kBytes>(reinterpret_cast<char*>(block), reinterpret_cast<const char*>(from), bytes);
#endif
}

/// to[0 .. count) = block[0 .. count).
template <std::size_t kCount, class T>
PAWL_INLINE void store_part(T* to, const T (&block)[kCount], std::size_t count) {
  const std::size_t bytes = count * sizeof(T);
#if defined(PAWL_ISA_IS_avx512)
  const char* const in = reinterpret_cast<const char*>(block);
  char* const out = reinterpret_cast<char*>(to);
#pragma GCC unroll 4
  for (std::size_t at = 0; at < kCount * sizeof(T); at += 64)
    if (at < bytes) _mm512_mask_storeu_epi8(out + at, bytes_from(at, bytes), get<__m512i>(in + at));
#else
  copy_few<kCount * sizeof(T)>(reinterpret_cast<char*>(to), reinterpret_cast<const char*>(block), bytes);
#endif
}

}  // namespace pawl::PAWL_ISA_NS
