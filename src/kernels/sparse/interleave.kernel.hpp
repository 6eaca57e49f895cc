// interleave.kernel.hpp -- pieces of diagonals to the rows of the transposed matrix that they make together.
#pragma once
#include "kernels/sparse/sparse_table.hpp"
#include "kernels/vec.hpp"

namespace pawl::PAWL_ISA_NS {

#if defined(PAWL_ISA_IS_avx512)
// rows[i * count + s] = pieces[s].row + i for at most 16 pieces: one store per i. It reaches into what follows, which
// is written next; only the last ones are cut off.
PAWL_INLINE void interleave_rows(const DiagonalPiece* pieces, std::size_t count, std::size_t n, std::int32_t* rows) {
  alignas(64) std::int32_t first[16] = {};
  for (std::size_t s = 0; s < count; ++s) first[s] = static_cast<std::int32_t>(pieces[s].row);
  const __m512i one = _mm512_set1_epi32(1);
  const auto mask = static_cast<__mmask16>((1u << count) - 1);
  __m512i row = _mm512_load_si512(first);
  std::size_t i = 0;
  if (count <= 8)
    for (; (n - i) * count >= 8; ++i, row = _mm512_add_epi32(row, one))
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(rows + i * count), _mm512_castsi512_si256(row));
  else
    for (; (n - i) * count >= 16; ++i, row = _mm512_add_epi32(row, one)) _mm512_storeu_si512(rows + i * count, row);
  for (; i < n; ++i, row = _mm512_add_epi32(row, one)) _mm512_mask_storeu_epi32(rows + i * count, mask, row);
}
#endif

template <class T, class I>
static void interleave(const DiagonalPiece* pieces, std::size_t count, const T* values, std::size_t n, I* rows,
                       T* out) noexcept {
  if (n < 4) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t s = 0; s < count; ++s) {
        *rows++ = static_cast<I>(pieces[s].row + i);
        *out++ = values[pieces[s].at + i * pieces[s].step];
      }
    return;
  }
#if defined(PAWL_ISA_IS_avx512)
  constexpr bool kVectors = sizeof(I) == 4;
  if constexpr (kVectors)
    if (count <= 16) interleave_rows(pieces, count, n, rows);
#else
  constexpr bool kVectors = false;
#endif
  constexpr std::size_t kAtOnce = 64;  // columns whose lines stay in L1 while one piece after the other is written
  for (std::size_t begin = 0; begin < n; begin += kAtOnce) {
    const std::size_t m = n - begin < kAtOnce ? n - begin : kAtOnce;
    for (std::size_t s = 0; s < count; ++s) {
      const std::size_t step = pieces[s].step;
      const T* from = values + pieces[s].at + begin * step;
      T* to = out + begin * count + s;
      std::size_t i = 0;
      for (; i + 4 <= m; i += 4, from += 4 * step, to += 4 * count) {
        const T a = from[0], b = from[step], c = from[2 * step], d = from[3 * step];
        to[0] = a;
        to[count] = b;
        to[2 * count] = c;
        to[3 * count] = d;
      }
      for (; i < m; ++i, from += step, to += count) *to = *from;
      if (!kVectors || count > 16)
        for (std::size_t k = 0; k < m; ++k) rows[(begin + k) * count + s] = static_cast<I>(pieces[s].row + begin + k);
    }
  }
}

}  // namespace pawl::PAWL_ISA_NS
