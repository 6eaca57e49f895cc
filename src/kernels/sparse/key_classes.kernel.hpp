// key_classes.kernel.hpp -- rows of keys, one behind the other and each in any order, to each row ascending, those of
// like length together.
//
// Of power laws, whose rows are of all lengths, a loop over rows foresees neither the length of the next one nor which
// sort it takes: rows are divided into classes first (0.09 ns per entry), of which each is sorted by one loop. Four
// rows of up to 4 keys share a register, two of up to 8; 16 rows of up to 32 or 64 are sorted beside each other, one
// per lane, and longer ones by themselves (sort_keys.kernel.hpp). ns per key (Zen 5, a power law of 10^4 rows): up to
// 16 keys 0.3 to 0.5, up to 64 0.3, up to 256 0.8 to 1.2.
#pragma once
#include "kernels/sparse/sort_keys.kernel.hpp"
#include "kernels/sparse/sort_lanes.kernel.hpp"
#include "kernels/sparse/sort_network.kernel.hpp"
#include "kernels/sparse/sparse_table.hpp"

#if defined(PAWL_ISA_IS_avx512)
namespace pawl::PAWL_ISA_NS {

// Rows r with the keys from starts[r] up to starts[r + 1], and where they go: the same places of `to`.
struct KeyClassRows {
  const std::uint32_t *keys, *starts;
  std::size_t rows;
  std::uint32_t* to;
};

PAWL_INLINE unsigned bits_below(std::size_t n) { return (1u << n) - 1; }

// Rows list[i], i < n, of at most 4 keys each; the list goes on to a multiple of 4 with empty rows. The same below.
static void sort_rows_of_4(const KeyClassRows& work, const std::uint32_t* list, std::size_t n, __m512i none) {
  const std::uint32_t *const keys = work.keys, *const starts = work.starts;
  std::uint32_t* const to = work.to;
  const __m128i none_4 = _mm512_castsi512_si128(none);
  for (std::size_t i = 0; i < n; i += 4) {
    const std::uint32_t* const row = list + i;
    const auto used = [=](std::size_t j) PAWL_INLINE_LAMBDA {
      return static_cast<__mmask8>(bits_below(starts[row[j] + 1] - starts[row[j]]));
    };
    const auto load_4 = [=](std::size_t j)
                            PAWL_INLINE_LAMBDA { return _mm_mask_loadu_epi32(none_4, used(j), keys + starts[row[j]]); };
    __m512i v = _mm512_castsi128_si512(load_4(0));
    v = _mm512_inserti32x4(v, load_4(1), 1);
    v = _mm512_inserti32x4(v, load_4(2), 2);
    v = sort_quarters(_mm512_inserti32x4(v, load_4(3), 3));
    _mm_mask_storeu_epi32(to + starts[row[0]], used(0), _mm512_castsi512_si128(v));
    _mm_mask_storeu_epi32(to + starts[row[1]], used(1), _mm512_extracti32x4_epi32(v, 1));
    _mm_mask_storeu_epi32(to + starts[row[2]], used(2), _mm512_extracti32x4_epi32(v, 2));
    _mm_mask_storeu_epi32(to + starts[row[3]], used(3), _mm512_extracti32x4_epi32(v, 3));
  }
}
static void sort_rows_of_8(const KeyClassRows& work, const std::uint32_t* list, std::size_t n, __m512i none) {
  const std::uint32_t *const keys = work.keys, *const starts = work.starts;
  std::uint32_t* const to = work.to;
  const __m256i none_8 = _mm512_castsi512_si256(none);
  for (std::size_t i = 0; i < n; i += 2) {
    const std::uint32_t first = starts[list[i]], second = starts[list[i + 1]];
    const auto used = static_cast<__mmask8>(bits_below(starts[list[i] + 1] - first)),
               also_used = static_cast<__mmask8>(bits_below(starts[list[i + 1] + 1] - second));
    const __m512i v =
        sort_halves(_mm512_inserti64x4(_mm512_castsi256_si512(_mm256_mask_loadu_epi32(none_8, used, keys + first)),
                                       _mm256_mask_loadu_epi32(none_8, also_used, keys + second), 1));
    _mm256_mask_storeu_epi32(to + first, used, _mm512_castsi512_si256(v));
    _mm256_mask_storeu_epi32(to + second, also_used, _mm512_extracti64x4_epi64(v, 1));
  }
}
static void sort_rows_of_16(const KeyClassRows& work, const std::uint32_t* list, std::size_t n, __m512i none) {
  const std::uint32_t *const keys = work.keys, *const starts = work.starts;
  std::uint32_t* const to = work.to;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t first = starts[list[i]];
    const auto used = static_cast<__mmask16>(bits_below(starts[list[i] + 1] - first));
    _mm512_mask_storeu_epi32(to + first, used,
                             merge_halves(sort_halves(_mm512_mask_loadu_epi32(none, used, keys + first))));
  }
}

// 16 rows of at most 16 * Quarters keys, 2 or 4 quarters, one per lane: each half of at most 32 in registers, then, in
// memory, the two merged (Batcher's odd-even merge).
template <std::size_t Quarters>
static void sort_sixteen_rows(const KeyClassRows& work, const std::uint32_t* list, __m512i none) {
  static_assert(Quarters == 2 || Quarters == 4);
  alignas(64) std::uint32_t tile[16 * 16 * Quarters];  // slot s of row r at 16 * s + r
  std::uint32_t first[16], length[16];
#pragma GCC unroll 16
  for (std::size_t r = 0; r < 16; ++r) {
    first[r] = work.starts[list[r]];
    length[r] = work.starts[list[r] + 1] - first[r];
  }
  const auto used = [&](std::size_t r, std::size_t from) PAWL_INLINE_LAMBDA {
    const std::uint64_t bits = (std::uint64_t{1} << (length[r] & 63)) - (length[r] < 64 ? 1u : 2u);
    return static_cast<__mmask16>((length[r] < 64 ? bits : ~std::uint64_t{0}) >> from);
  };
  for (std::size_t half = 0; half < Quarters; half += 2) {
    __m512i keys[32];
#pragma GCC unroll 2
    for (std::size_t q = 0; q < 2; ++q) {
      __m512i rows[16], slots[16];
#pragma GCC unroll 16
      for (std::size_t r = 0; r < 16; ++r)
        rows[r] = _mm512_mask_loadu_epi32(none, used(r, 16 * (half + q)), work.keys + first[r] + 16 * (half + q));
      by_rows(rows, slots);
#pragma GCC unroll 16
      for (std::size_t s = 0; s < 16; ++s) keys[16 * q + s] = slots[s];
    }
    sort_lanes(keys);
#pragma GCC unroll 32
    for (std::size_t s = 0; s < 32; ++s) _mm512_store_si512(tile + 16 * (16 * half + s), keys[s]);
  }
  if constexpr (Quarters == 4) merge_lanes(tile);
  for (std::size_t q = 0; q < Quarters; ++q) {
    __m512i slots[16], rows[16];
#pragma GCC unroll 16
    for (std::size_t s = 0; s < 16; ++s) slots[s] = _mm512_load_si512(tile + 16 * (16 * q + s));
    by_rows(slots, rows);
#pragma GCC unroll 16
    for (std::size_t r = 0; r < 16; ++r)
      _mm512_mask_storeu_epi32(work.to + first[r] + 16 * q, used(r, 16 * q), rows[r]);
  }
}

// `lists` has room for kKeyClasses times rows + 16 rows, `spare` for the longest row, rounded up to a multiple of 256;
// row work.rows is empty.
static void sort_row_classes(const KeyClassRows& work, std::uint32_t* lists, std::uint32_t* spare) {
  const __m512i none = unused_key(), lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  const std::size_t rows = work.rows, room = rows + 16;
  std::size_t count[kKeyClasses] = {};
  for (std::size_t row = 0; row < rows; row += 16) {
    const auto there = static_cast<__mmask16>(rows - row >= 16 ? 0xffffu : bits_below(rows - row));
    const __m512i length = _mm512_sub_epi32(_mm512_maskz_loadu_epi32(there, work.starts + row + 1),
                                            _mm512_maskz_loadu_epi32(there, work.starts + row));
    const __m512i names = _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(row)), lanes);
    unsigned shorter = _mm512_cmpeq_epi32_mask(length, _mm512_setzero_si512());
#pragma GCC unroll 8
    for (std::size_t c = 0; c < kKeyClasses; ++c) {
      const unsigned up_to =
          c + 1 == kKeyClasses ? 0xffffu : _mm512_cmple_epu32_mask(length, _mm512_set1_epi32(4 << c));
      const unsigned chosen = up_to & ~shorter;
      shorter = up_to;
      _mm512_storeu_si512(lists + room * c + count[c],
                          _mm512_maskz_compress_epi32(static_cast<__mmask16>(chosen), names));
      count[c] += static_cast<std::size_t>(__builtin_popcount(chosen));
    }
  }
  for (std::size_t c = 0; c < kKeyClasses; ++c)
    _mm512_storeu_si512(lists + room * c + count[c], _mm512_set1_epi32(static_cast<int>(rows)));
  const auto list = [=](std::size_t c) { return lists + room * c; };
  sort_rows_of_4(work, list(0), count[0], none);
  sort_rows_of_8(work, list(1), count[1], none);
  sort_rows_of_16(work, list(2), count[2], none);
  for (std::size_t i = 0; i < count[3]; i += 16) sort_sixteen_rows<2>(work, list(3) + i, none);
  for (std::size_t i = 0; i < count[4]; i += 16) sort_sixteen_rows<4>(work, list(4) + i, none);
  const auto each = [&](std::size_t c, auto sort) {
    for (std::size_t i = 0; i < count[c]; ++i) {
      const std::uint32_t row = list(c)[i], first = work.starts[row];
      sort(work.keys + first, work.starts[row + 1] - first, work.to + first);
    }
  };
  using From = const std::uint32_t*;
  using To = std::uint32_t*;
  each(5, [none](From from, std::size_t n, To to) { sort_in_registers<8>(from, n, to, none); });
  each(6, [none](From from, std::size_t n, To to) { sort_in_registers<16>(from, n, to, none); });
  each(7, [none, spare](From from, std::size_t n, To to) { sort_many_keys(from, n, spare, to, none); });
}

}  // namespace pawl::PAWL_ISA_NS
#endif
