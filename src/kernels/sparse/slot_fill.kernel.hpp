// slot_fill.kernel.hpp -- triplets in any order to the slots of their rows, as keys of column and place.
#pragma once
#include "isa/store_misses.hpp"
#include "kernels/sparse/sparse_table.hpp"
#include "kernels/vec.hpp"

#if defined(PAWL_ISA_IS_avx512) || defined(PAWL_ISA_IS_avx2)
namespace pawl::PAWL_ISA_NS {

#if defined(PAWL_ISA_IS_avx512)
// 16 indices of 32 bits from `from` on; adds to `beyond` whether one is above `last`, as a negative one is.
PAWL_INLINE __m512i load_indices(const std::int32_t* from, std::int32_t last, unsigned& beyond) {
  const __m512i v = _mm512_loadu_si512(from);
  beyond |= _mm512_cmpgt_epu32_mask(v, _mm512_set1_epi32(last));
  return v;
}
PAWL_INLINE __m512i load_indices(const std::int64_t* from, std::int64_t last, unsigned& beyond) {
  const __m512i low = _mm512_loadu_si512(from), high = _mm512_loadu_si512(from + 8), most = _mm512_set1_epi64(last);
  beyond |= static_cast<unsigned>(_mm512_cmpgt_epu64_mask(low, most) | _mm512_cmpgt_epu64_mask(high, most));
  return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(low)), _mm512_cvtepi64_epi32(high), 1);
}

// The keys of 16 triplets, the first of which has the place `place`; adds to `beyond` as above.
template <class I>
PAWL_INLINE void make_keys(const I* rows, const I* columns, I last_row, I last_column, unsigned bits,
                           std::uint32_t place, std::uint32_t* keys, unsigned& beyond) {
  const __m512i lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  load_indices(rows, last_row, beyond);
  const __m512i shifted =
      _mm512_sll_epi32(load_indices(columns, last_column, beyond), _mm_cvtsi32_si128(static_cast<int>(bits)));
  const __m512i places = _mm512_add_epi32(lanes, _mm512_set1_epi32(static_cast<int>(place)));
  _mm512_store_si512(keys, _mm512_or_si512(shifted, places));
}
#else
// The same for 8 indices.
PAWL_INLINE __m256i load_indices(const std::int32_t* from, std::int32_t last, unsigned& beyond) {
  const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)), most = _mm256_set1_epi32(last);
  const __m256i within = _mm256_cmpeq_epi32(_mm256_max_epu32(v, most), most);
  beyond |= ~static_cast<unsigned>(_mm256_movemask_epi8(within));
  return v;
}
PAWL_INLINE __m256i load_indices(const std::int64_t* from, std::int64_t last, unsigned& beyond) {
  const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)),
                high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + 4)), most = _mm256_set1_epi64x(last);
  // Negative ones have the bit of the sign themselves.
  const __m256i wrong = _mm256_or_si256(_mm256_or_si256(low, _mm256_cmpgt_epi64(low, most)),
                                        _mm256_or_si256(high, _mm256_cmpgt_epi64(high, most)));
  beyond |= static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(wrong)));
  const __m256 lower_halves = _mm256_shuffle_ps(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high), 0x88);
  return _mm256_permute4x64_epi64(_mm256_castps_si256(lower_halves), 0xd8);
}
template <class I>
PAWL_INLINE void make_keys(const I* rows, const I* columns, I last_row, I last_column, unsigned bits,
                           std::uint32_t place, std::uint32_t* keys, unsigned& beyond) {
  const __m256i lanes = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
  const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(bits));
#pragma GCC unroll 2
  for (std::size_t half = 0; half < 16; half += 8) {
    load_indices(rows + half, last_row, beyond);
    const __m256i shifted = _mm256_sll_epi32(load_indices(columns + half, last_column, beyond), shift);
    const __m256i places =
        _mm256_add_epi32(lanes, _mm256_set1_epi32(static_cast<int>(place + static_cast<std::uint32_t>(half))));
    _mm256_store_si256(reinterpret_cast<__m256i*>(keys + half), _mm256_or_si256(shifted, places));
  }
}
#endif

PAWL_INLINE void fill_slot(std::uint32_t* next, std::uint32_t* keys, std::uint32_t mask, std::uint32_t row,
                           std::uint32_t key) {
  const std::uint32_t at = next[row];
  next[row] = at + kSlotRows;
  keys[at & mask] = key;
}

// Copies, here and below: the compiler would reload what `work` says after each store. kAhead: the line of each key of
// the 16 after these, which have been looked at by then, is asked for where its row's next slot is now.
template <bool kAhead, class I>
PAWL_INLINE bool fill_slots_of(const SlotTriplets<I>& work) {
  using U = std::make_unsigned_t<I>;
  const I *const rows = work.rows, *const columns = work.columns;
  const I last_row = work.last_row, last_column = work.last_column;
  std::uint32_t *const next = work.slots.next, *const keys = work.slots.keys;
  const std::uint32_t mask = work.slots.mask;
  const unsigned bits = work.slots.place_bits;
  const std::size_t n = work.n;
  std::size_t k = 0;
  alignas(64) std::uint32_t sixteen[2][16];
  const auto make = [&](std::size_t first, std::uint32_t* to) PAWL_INLINE_LAMBDA {
    unsigned beyond = 0;
    make_keys(rows + first, columns + first, last_row, last_column, bits, static_cast<std::uint32_t>(first), to,
              beyond);
    return beyond == 0;
  };
  const auto fill = [&]<bool kNext>(const std::uint32_t* from) PAWL_INLINE_LAMBDA {
    asm("" : "+m"(sixteen));  // the compiler would take them out of the vector one by one
#pragma GCC unroll 16
    for (std::size_t i = 0; i < 16; ++i) {
      if constexpr (kNext) __builtin_prefetch(keys + (next[static_cast<std::uint32_t>(rows[k + 16 + i])] & mask), 1);
      fill_slot(next, keys, mask, static_cast<std::uint32_t>(rows[k + i]), from[i]);
    }
  };
  if constexpr (kAhead) {
    if (n >= 16 && !make(0, sixteen[0])) return false;
    for (; k + 32 <= n; k += 16) {
      const std::size_t turn = k / 16 % 2;
      if (!make(k + 16, sixteen[1 - turn])) return false;
      fill.template operator()<true>(sixteen[turn]);
    }
  }
  for (; k + 16 <= n; k += 16) {
    if (!make(k, sixteen[0])) return false;
    fill.template operator()<false>(sixteen[0]);
  }
  for (; k < n; ++k) {
    if (static_cast<U>(rows[k]) > static_cast<U>(last_row) || static_cast<U>(columns[k]) > static_cast<U>(last_column))
      return false;
    fill_slot(next, keys, mask, static_cast<std::uint32_t>(rows[k]),
              static_cast<std::uint32_t>(columns[k]) << bits | static_cast<std::uint32_t>(k));
  }
  return true;
}
template <class I>
static bool fill_slots(const SlotTriplets<I>& work) noexcept {
  constexpr std::size_t kFewest = 8192;  // into 1000 rows, 7000 were level and 10^4 took 0.92 of the time
  return detail::stores_wait_for_lines && work.n >= kFewest ? fill_slots_of<true>(work) : fill_slots_of<false>(work);
}

// kRuns: where entries of one row follow each other, each would wait for the place that the one before has just moved
// on, which is written once for all of them (triangles and squares in their order, Zen 5: 1.0 ns instead of 1.65).
// Triplets that have not been partitioned gain as often as they lose (triangles 0.92, squares 1.07 of the time).
template <bool kRuns, std::size_t ValueBytes>
PAWL_INLINE void fill_slots_after(const SlotEntries& work) {
  constexpr std::size_t kStride = ValueBytes + sizeof(std::uint32_t);
  const unsigned char* at = static_cast<const unsigned char*>(work.entries) + ValueBytes;
  std::uint32_t *const next = work.slots.next, *const keys = work.slots.keys;
  const std::uint32_t mask = work.slots.mask, column_mask = (std::uint32_t{1} << work.column_bits) - 1;
  const unsigned column_bits = work.column_bits, bits = work.slots.place_bits;
  const std::size_t n = work.n;
  const auto place_of = [](const unsigned char* entry) PAWL_INLINE_LAMBDA {
    std::uint32_t place;
    __builtin_memcpy(&place, entry, sizeof(place));
    return place;
  };
  if constexpr (kRuns) {
    for (std::size_t k = 0; k < n;) {
      std::uint32_t place = place_of(at);
      const std::uint32_t row = place >> column_bits;
      std::uint32_t to = next[row];
      for (;;) {
        keys[to & mask] = (place & column_mask) << bits | static_cast<std::uint32_t>(k);
        to += kSlotRows;
        at += kStride;
        if (++k == n) break;
        place = place_of(at);
        if (place >> column_bits != row) break;
      }
      next[row] = to;
    }
  } else {
#pragma GCC unroll 4
    for (std::size_t k = 0; k < n; ++k, at += kStride) {
      const std::uint32_t place = place_of(at);
      fill_slot(next, keys, mask, place >> column_bits, (place & column_mask) << bits | static_cast<std::uint32_t>(k));
    }
  }
}
template <bool kRuns>
PAWL_INLINE void fill_slots_from(const SlotEntries& work) {
  work.value_bytes == sizeof(float) ? fill_slots_after<kRuns, sizeof(float)>(work)
                                    : fill_slots_after<kRuns, sizeof(double)>(work);
}
static void fill_slots_from_entries(const SlotEntries& work) noexcept {
  work.by_runs ? fill_slots_from<true>(work) : fill_slots_from<false>(work);
}

template <class I>
inline constexpr auto kFillSlots = fill_slots<I>;
inline constexpr auto kFillSlotsFromEntries = fill_slots_from_entries;

}  // namespace pawl::PAWL_ISA_NS
#else
namespace pawl::PAWL_ISA_NS {

template <class I>
inline constexpr bool (*kFillSlots)(const SlotTriplets<I>&) noexcept = nullptr;
inline constexpr void (*kFillSlotsFromEntries)(const SlotEntries&) noexcept = nullptr;

}  // namespace pawl::PAWL_ISA_NS
#endif
