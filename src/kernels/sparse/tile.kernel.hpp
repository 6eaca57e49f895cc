// tile.kernel.hpp -- the rows of a dense tile to CSR: the places that its bits name, which become -0 and no bits.
#pragma once
#include "kernels/sparse/compress.kernel.hpp"
#include "kernels/sparse/sparse_table.hpp"
#include "kernels/vec.hpp"

namespace pawl::PAWL_ISA_NS {

// The places of one word of bits, one by one; returns how many.
template <class T, class I>
PAWL_INLINE std::size_t take_word(T* sums, std::uint64_t word, std::size_t first, I* columns, T* values) {
  std::size_t out = 0;
  for (; word != 0; word &= word - 1) {
    const auto c = static_cast<std::size_t>(__builtin_ctzll(word));
    columns[out] = static_cast<I>(first + c);
    values[out++] = sums[c];
    sums[c] = T(-0.0);
  }
  return out;
}

#if defined(PAWL_ISA_IS_avx512)
PAWL_INLINE void store_lanes_of(double* to, unsigned mask, double value) {
  _mm512_mask_storeu_pd(to, static_cast<__mmask8>(mask), _mm512_set1_pd(value));
}
PAWL_INLINE void store_lanes_of(float* to, unsigned mask, float value) {
  _mm512_mask_storeu_ps(to, static_cast<__mmask16>(mask), _mm512_set1_ps(value));
}

// The same by vectors; 64 elements can be written.
template <class T, class I>
PAWL_INLINE std::size_t take_word_by_vectors(T* sums, std::uint64_t word, std::size_t first, I* columns, T* values) {
  constexpr std::size_t L = lanes<T>;
  std::size_t out = 0;
  for (std::size_t c = 0; word != 0; c += L, word >>= L) {
    const auto mask = static_cast<unsigned>(word & ((1u << L) - 1));
    if (mask == 0) continue;
    out += store_chosen(load(sums + c), mask, first + c, columns + out, values + out);
    store_lanes_of(sums + c, mask, T(-0.0));
  }
  return out;
}
#endif

template <class T, class I>
static std::size_t take_tile(const TileRows<T, I>& tile) noexcept {
  constexpr std::size_t kWordBits = 64;
  I *const start = tile.start, *const columns = tile.columns;
  T *const sums = tile.sums, *const values = tile.values;
  std::uint64_t* const bits = tile.bits;
  const std::size_t stride = tile.stride, words = tile.words, rows = tile.rows;
  std::size_t out = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    start[r] = static_cast<I>(tile.base + out);
    for (std::size_t w = 0; w < words; ++w) {
      const std::uint64_t word = bits[r * words + w];
      if (word == 0) continue;
      bits[r * words + w] = 0;
      T* const at = sums + r * stride + w * kWordBits;
#if defined(PAWL_ISA_IS_avx512)
      // Where some vectors are empty, none is foreseen.
      const auto entries = static_cast<std::size_t>(__builtin_popcountll(word));
      const std::size_t vectors = (static_cast<std::size_t>(64 - __builtin_clzll(word)) + lanes<T> - 1) / lanes<T>;
      if ((vectors <= 2 || 2 * vectors <= entries) && out + kWordBits <= tile.room) {
        out += take_word_by_vectors(at, word, w * kWordBits, columns + out, values + out);
        continue;
      }
#endif
      out += take_word(at, word, w * kWordBits, columns + out, values + out);
    }
  }
  return out;
}

}  // namespace pawl::PAWL_ISA_NS
