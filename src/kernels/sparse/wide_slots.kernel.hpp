// wide_slots.kernel.hpp -- 16 rows of 33 to 64 entries that wait in slots to CSR: each half is sorted in registers, a
// row per lane, both are merged in memory.
#pragma once
#include "kernels/sparse/slot_merge.kernel.hpp"
#include "kernels/sparse/sort_lanes.kernel.hpp"

#if defined(PAWL_ISA_IS_avx512)
namespace pawl::PAWL_ISA_NS {

// Slots [First, First + N) of 16 rows, sorted, to slot First of `tile` on.
template <std::size_t First, std::size_t N>
PAWL_INLINE void sort_some_slots(const std::uint32_t* slots, __m512i counts, __m512i none, std::uint32_t* tile) {
  __m512i keys[N];
#pragma GCC unroll 32
  for (std::size_t s = 0; s < N; ++s)
    keys[s] = _mm512_mask_loadu_epi32(none, lanes_beyond(counts, First + s), slots + (First + s) * kSlotRows);
  sort_lanes(keys);
#pragma GCC unroll 32
  for (std::size_t s = 0; s < N; ++s) _mm512_store_si512(tile + 16 * (First + s), keys[s]);
}

// Rows of at most 32 + Second entries.
template <std::size_t Second, std::size_t Stride, class T, class I>
[[gnu::noinline]] static std::size_t sort_wide_rows(const LaneGroup<T, I>& group) {
  constexpr std::size_t kSlots = 32 + Second;
  const __m512i none = _mm512_set1_epi32(-1);
  alignas(64) std::uint32_t tile[16 * 64];  // slot s of row r at 16 s + r
  sort_some_slots<0, 32>(group.keys, group.counts, none, tile);
  sort_some_slots<32, Second>(group.keys, group.counts, none, tile);
  for (std::size_t s = kSlots; s < 64; ++s) _mm512_store_si512(tile + 16 * s, none);
  merge_lanes(tile);
  // Row by row, and how many of each have a column of their own.
  std::uint32_t flat[kWideRoom];
  __m512i left = group.counts, before = _mm512_load_si512(tile);
  unsigned repeated = 0;
  for (std::size_t q = 0; q < kSlots; q += 16) {
    __m512i slots[16], rows[16];
#pragma GCC unroll 16
    for (std::size_t s = 0; s < 16; ++s) {
      slots[s] = _mm512_load_si512(tile + 16 * (q + s));
      if (q + s == 0) continue;
      const __mmask16 again = _mm512_mask_cmple_epu32_mask(lanes_beyond(group.counts, q + s),
                                                           _mm512_xor_si512(before, slots[s]), group.place_mask);
      left = _mm512_mask_sub_epi32(left, again, left, _mm512_set1_epi32(1));
      repeated |= again;
      before = slots[s];
    }
    by_rows(slots, rows);
    alignas(64) std::uint32_t counts[kSlotRows];
    _mm512_store_si512(counts, _mm512_subs_epu16(group.counts, _mm512_set1_epi32(static_cast<int>(q))));
#pragma GCC unroll 16
    for (std::size_t r = 0; r < kSlotRows; ++r)
      _mm512_mask_storeu_epi32(flat + group.first[r] + q, static_cast<__mmask16>(_bzhi_u32(0xffff, counts[r])),
                               rows[r]);
  }
  if (repeated != 0) {
    _mm512_store_si512(group.left, left);
    std::uint64_t last[kWideRoom / 64 + 2] = {};
    for (std::size_t r = 0; r < kSlotRows; ++r) {
      const std::size_t n = r + 1 < kSlotRows ? group.first[r + 1] : group.entries;
      last[(n - 1) / 64 % (kWideRoom / 64)] |= std::uint64_t{n != 0} << ((n - 1) % 64);
    }
    return merge_keys<Stride>(group, flat, group.entries, last);
  }
  for (std::size_t k = 0; k < group.entries; k += 16) {
    const __m512i keys = _mm512_loadu_si512(flat + k);
    store_columns(group.columns + k, _mm512_srl_epi32(keys, group.shift));
    _mm512_storeu_si512(flat + k, _mm512_and_si512(keys, group.place_mask));
  }
  fetch_values<Stride>(group.values, flat, group.entries, group.out_values);
  return group.entries;
}

// A group of such rows; kWideRoom elements can be written. Returns how many entries are left.
template <std::size_t Stride, class T, class I>
PAWL_INLINE std::size_t sort_wide_group(const LaneGroup<T, I>& group) {
  return group.widest <= 48 ? sort_wide_rows<16, Stride>(group) : sort_wide_rows<32, Stride>(group);
}
// The same where no more than the entries can be written.
template <std::size_t Stride, class T, class I>
[[gnu::noinline]] static std::size_t sort_last_wide_group(LaneGroup<T, I> group) {
  I columns[kWideRoom];
  T values[kWideRoom];
  I* const to_columns = group.columns;
  T* const to_values = group.out_values;
  group.columns = columns;
  group.out_values = values;
  const std::size_t n = sort_wide_group<Stride>(group);
  for (std::size_t k = 0; k < n; ++k) {
    to_columns[k] = columns[k];
    to_values[k] = values[k];
  }
  return n;
}

}  // namespace pawl::PAWL_ISA_NS
#endif
