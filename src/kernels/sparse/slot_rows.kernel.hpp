// slot_rows.kernel.hpp -- rows of up to 32 entries that wait in slots, 16 rows at a time, to CSR.
//
// Only keys, a column and the place of the value, were moved to the rows and are sorted; the values are fetched once
// their order is known, and written where they stay. Each value is a line of L2 or L3: those of 16 rows are fetched
// while the next 16 are sorted, a piece at a time between the steps of the sort, which then costs little more than the
// loads alone (Zen 4, 10^4 rows of 10: 0.90 ns per entry, one after the other 1.05).
#pragma once
#include "kernels/sparse/slot_merge.kernel.hpp"
#include "kernels/sparse/slot_rows_of_8.kernel.hpp"
#include "kernels/sparse/sort_lanes.kernel.hpp"
#include "kernels/sparse/sparse_table.hpp"
#include "kernels/sparse/wide_slots.kernel.hpp"

#if defined(PAWL_ISA_IS_avx512)
namespace pawl::PAWL_ISA_NS {

// The N lanes from N * Part on of columns, and of places, to memory.
template <std::size_t N, std::size_t Part, class I>
PAWL_INLINE void store_part(__m512i found, __m512i from, I* columns, std::uint32_t* places) {
  if constexpr (N == 4) {
    store_columns(columns, _mm512_extracti32x4_epi32(found, Part));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(places), _mm512_extracti32x4_epi32(from, Part));
  } else if constexpr (N == 8) {
    store_columns(columns, _mm512_extracti64x4_epi64(found, Part));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(places), _mm512_extracti64x4_epi64(from, Part));
  } else {
    store_columns(columns, found);
    _mm512_storeu_si512(places, from);
  }
}

// The columns and places of the sorted keys of 16 rows, keys[s] being key s of each, row r from first[r] on. What is
// written behind the end of a row is overwritten by the next one. Calls between(r) after row r.
template <std::size_t N, class I, class Between, std::size_t... R>
PAWL_INLINE void store_keys(const __m512i (&keys)[N], const std::uint32_t* first, __m128i shift, __m512i mask,
                            I* columns, std::uint32_t* places, Between between, std::index_sequence<R...>) {
  constexpr std::size_t kLow = N < 16 ? N : 16, kHigh = N - kLow;
  __m512i low[kLow], low_rows[kLow];
#pragma GCC unroll 16
  for (std::size_t s = 0; s < kLow; ++s) low[s] = keys[s];
  by_rows(low, low_rows);
  if constexpr (kHigh == 0) {
    ((store_part<kLow, R % (16 / kLow)>(_mm512_srl_epi32(low_rows[R / (16 / kLow)], shift),
                                        _mm512_and_si512(low_rows[R / (16 / kLow)], mask), columns + first[R],
                                        places + first[R]),
      between(R)),
     ...);
  } else {
    __m512i high[kHigh], high_rows[kHigh];
#pragma GCC unroll 16
    for (std::size_t s = 0; s < kHigh; ++s) high[s] = keys[16 + s];
    by_rows(high, high_rows);
    ((store_part<16, 0>(_mm512_srl_epi32(low_rows[R], shift), _mm512_and_si512(low_rows[R], mask), columns + first[R],
                        places + first[R]),
      store_part<kHigh, R % (16 / kHigh)>(_mm512_srl_epi32(high_rows[R / (16 / kHigh)], shift),
                                          _mm512_and_si512(high_rows[R / (16 / kHigh)], mask), columns + first[R] + 16,
                                          places + first[R] + 16),
      between(R)),
     ...);
  }
}
template <std::size_t N, class I, class Between>
PAWL_INLINE void store_keys(const __m512i (&keys)[N], const std::uint32_t* first, __m128i shift, __m512i mask,
                            I* columns, std::uint32_t* places, Between between) {
  store_keys(keys, first, shift, mask, columns, places, between, std::make_index_sequence<kSlotRows>());
}

// The values of sorted keys, still to be fetched. 32 places more can be read, and elements of `to` be written.
template <std::size_t Stride, class T>
struct PendingValues {
  const unsigned char* values;
  const std::uint32_t* places = nullptr;
  T* to = nullptr;
  std::size_t n = 0;

  // Some of the entries [from, from + Count), and all that there are.
  template <std::size_t Count>
  PAWL_INLINE void fetch(std::size_t from) const {
    static_assert(Count % 2 == 0 && Count <= 32);
    if (from >= n) return;
    if constexpr (Count <= 12) {
#pragma GCC unroll 6
      for (std::size_t i = from; i < from + Count; i += 2) fetch_two(i);
    } else {
#pragma GCC unroll 2
      for (std::size_t i = from; i < from + Count; i += 2) fetch_two(i);
    }
  }
  PAWL_INLINE void fetch_from(std::size_t from) const {
    for (; from < n; from += 2) fetch_two(from);
  }
  // All, and nothing behind them.
  PAWL_INLINE void finish() {
    fetch_values<Stride>(values, places, n, to);
    n = 0;
  }

 private:
  PAWL_INLINE void fetch_two(std::size_t i) const {
    store_two(to + i, values + Stride * places[i], values + Stride * places[i + 1]);
  }
};

// Rows of at most N entries, while the values of the rows before are fetched; their own are pending then. Returns how
// many are left.
template <std::size_t N, std::size_t Stride, class T, class I>
static std::size_t sort_group(const LaneGroup<T, I>& group, PendingValues<Stride, T>& pending_values) {
  // Keys of a row that are transposed: what by_rows() takes, or 16 and that.
  constexpr std::size_t kStored = N <= 4 ? 4 : N <= 8 ? 8 : N <= 16 ? 16 : N <= 20 ? 20 : N <= 24 ? 24 : 32;
  constexpr std::size_t kPiece = (N + 3) / 4 * 4, kPieces = kSortPieces + kSlotRows / 2;
  const PendingValues<Stride, T> pending = pending_values;  // the compiler would reload it after each store
  const __m512i none = _mm512_set1_epi32(-1);
  __m512i keys[N];
#pragma GCC unroll 32
  for (std::size_t s = 0; s < N; ++s)
    keys[s] = _mm512_mask_loadu_epi32(none, lanes_beyond(group.counts, s), group.keys + s * kSlotRows);
  sort_lanes(keys, [&](std::size_t piece) PAWL_INLINE_LAMBDA { pending.template fetch<kPiece>(piece * kPiece); });
  // Keys of one column differ in their places alone, unused ones not at all: their distance less one is the largest.
  __m512i nearest = none;
#pragma GCC unroll 32
  for (std::size_t s = 1; s < N; ++s)
    nearest = _mm512_min_epu32(nearest, _mm512_add_epi32(_mm512_xor_si512(keys[s - 1], keys[s]), none));
  const bool repeated = _mm512_cmplt_epu32_mask(nearest, group.place_mask) != 0;
  const auto widened = [&](auto& wide) PAWL_INLINE_LAMBDA {
    constexpr std::size_t kWide = sizeof(wide) / sizeof(wide[0]);
#pragma GCC unroll 32
    for (std::size_t s = 0; s < kWide; ++s) wide[s] = s < N ? keys[s < N ? s : 0] : none;
  };
  if (repeated) {
    pending.fetch_from(kSortPieces * kPiece);
    pending_values.n = 0;
    constexpr std::size_t kTiled = kStored <= 16 ? kStored : 32;
    __m512i wide[kTiled];
    widened(wide);
    alignas(64) std::uint32_t tile[kTiled * kSlotRows + 16];
    store_rows(wide, tile);
    alignas(64) std::uint32_t counts[kSlotRows];
    _mm512_store_si512(counts, group.counts);
    return merge_rows<N, kTiled, Stride>(group, keys, tile, counts);
  }
  __m512i wide[kStored];
  widened(wide);
  store_keys(wide, group.first, group.shift, group.place_mask, group.columns, group.places,
             [&](std::size_t row) PAWL_INLINE_LAMBDA {
               if (row % 2 == 1) pending.template fetch<kPiece>((kSortPieces + row / 2) * kPiece);
             });
  pending.fetch_from(kPieces * kPiece);
  // Places that can be read behind the last one.
  _mm512_storeu_si512(group.places + group.entries, _mm512_setzero_si512());
  _mm512_storeu_si512(group.places + group.entries + 16, _mm512_setzero_si512());
  pending_values = {pending.values, group.places, group.out_values, group.entries};
  return group.entries;
}

// The entries of the rows from `row` on: each has moved the place of the next by a vector.
PAWL_INLINE __m512i lengths_of(const Slots& slots, std::size_t row) {
  const __m512i lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  const __m512i first = _mm512_set1_epi32(static_cast<int>(row / kSlotRows * slots.group_keys));
  return _mm512_srli_epi32(_mm512_sub_epi32(_mm512_loadu_si512(slots.next + row), _mm512_add_epi32(lanes, first)), 4);
}

// Lane i: the sum of the lanes before it.
PAWL_INLINE __m512i sums_before(__m512i counts) {
  const __m512i zero = _mm512_setzero_si512();
  __m512i sums = _mm512_alignr_epi32(counts, zero, 15);
  sums = _mm512_add_epi32(sums, _mm512_alignr_epi32(sums, zero, 15));
  sums = _mm512_add_epi32(sums, _mm512_alignr_epi32(sums, zero, 14));
  sums = _mm512_add_epi32(sums, _mm512_alignr_epi32(sums, zero, 12));
  return _mm512_add_epi32(sums, _mm512_alignr_epi32(sums, zero, 8));
}

// start[i] = base + before[i] for i < n and i < 16.
PAWL_INLINE void store_starts(std::int32_t* start, __m512i before, std::size_t base, std::size_t n) {
  const __m512i sums = _mm512_add_epi32(before, _mm512_set1_epi32(static_cast<int>(base)));
  if (n >= kSlotRows)
    _mm512_storeu_si512(start, sums);
  else
    _mm512_mask_storeu_epi32(start, static_cast<__mmask16>((1u << n) - 1), sums);
}
PAWL_INLINE void store_starts(std::int64_t* start, __m512i before, std::size_t base, std::size_t n) {
  const __m512i first = _mm512_set1_epi64(static_cast<long long>(base));
  const unsigned mask = n >= kSlotRows ? 0xffffu : (1u << n) - 1;
  _mm512_mask_storeu_epi64(start, static_cast<__mmask8>(mask),
                           _mm512_add_epi64(first, _mm512_cvtepu32_epi64(_mm512_castsi512_si256(before))));
  if (n > 8)
    _mm512_mask_storeu_epi64(start + 8, static_cast<__mmask8>(mask >> 8),
                             _mm512_add_epi64(first, _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(before, 1))));
}

template <std::size_t Stride, class T, class I>
static std::size_t sort_slots_by(const SlotRows<T, I>& work) {
  const auto* const values = static_cast<const unsigned char*>(work.values);
  __m512i longest = _mm512_setzero_si512();
  for (std::size_t row = 0; row < work.rows; row += kSlotRows)
    longest = _mm512_max_epu32(longest, lengths_of(work.slots, row));
  if (_mm512_reduce_max_epu32(longest) > work.slots.most) return kTooLong;
  const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(work.slots.place_bits));
  const __m512i place_mask = _mm512_set1_epi32(static_cast<int>((std::uint32_t{1} << work.slots.place_bits) - 1));
  PendingValues<Stride, T> pending{values};
  std::uint32_t places[2][kGroupRoom];
  std::size_t out = 0, turn = 0;
  for (std::size_t row = 0; row < work.rows; row += kSlotRows) {
    const __m512i counts = lengths_of(work.slots, row), first = sums_before(counts);
    const auto widest = static_cast<unsigned>(_mm512_reduce_max_epu32(counts));
    alignas(64) std::uint32_t left[kSlotRows], first_entry[kSlotRows];
    _mm512_store_si512(first_entry, first);
    alignas(64) I far_columns[kGroupRoom];
    T far_values[kGroupRoom];
    // Whole vectors are written, the last of them from somewhere within the last row on.
    const auto entries = static_cast<std::size_t>(_mm512_reduce_add_epi32(counts));
    const bool is_wide = widest > kNetworkSlots;
    const bool is_near_end = out + entries + (is_wide ? kMostSlots : kNetworkSlots) > work.room;
    const LaneGroup<T, I> group{.keys = work.slots.keys + row / kSlotRows * work.slots.group_keys,
                                .values = values,
                                .counts = counts,
                                .widest = widest,
                                .entries = entries,
                                .bits = work.slots.place_bits,
                                .shift = shift,
                                .place_bits_mask = (std::uint32_t{1} << work.slots.place_bits) - 1,
                                .place_mask = place_mask,
                                .columns = is_near_end && !is_wide ? far_columns : work.columns + out,
                                .out_values = is_near_end && !is_wide ? far_values : work.out_values + out,
                                .first = first_entry,
                                .places = places[turn],
                                .left = left};
    std::size_t n;
    if (widest <= 4)
      n = sort_group<4, Stride>(group, pending);
    else if (widest <= 6)
      n = sort_group<6, Stride>(group, pending);
    else if (widest <= 8)
      n = sort_group<8, Stride>(group, pending);
    else if (widest <= 10)
      n = sort_group<10, Stride>(group, pending);
    else if (widest <= 12)
      n = sort_group<12, Stride>(group, pending);
    else if (widest <= 16)
      n = sort_group<16, Stride>(group, pending);
    else if (widest <= 20)
      n = sort_group<20, Stride>(group, pending);
    else if (widest <= 24)
      n = sort_group<24, Stride>(group, pending);
    else if (!is_wide)
      n = sort_group<32, Stride>(group, pending);
    else {
      pending.finish();
      n = is_near_end ? sort_last_wide_group<Stride>(group) : sort_wide_group<Stride>(group);
    }
    turn ^= 1;
    if (is_near_end && !is_wide) {
      pending.finish();
      for (std::size_t k = 0; k < n; ++k) {
        work.columns[out + k] = far_columns[k];
        work.out_values[out + k] = far_values[k];
      }
    }
    const __m512i before = n == entries ? first : sums_before(_mm512_load_si512(left));
    store_starts(work.start + row, before, work.base + out, work.rows - row);
    out += n;
  }
  pending.finish();
  return out;
}

}  // namespace pawl::PAWL_ISA_NS
#endif

namespace pawl::PAWL_ISA_NS {

#if defined(PAWL_ISA_IS_avx512) || defined(PAWL_ISA_IS_avx2)
template <class T, class I>
static std::size_t sort_slots(const SlotRows<T, I>& work) noexcept {
  return work.value_stride == sizeof(T) ? sort_slots_by<sizeof(T)>(work)
                                        : sort_slots_by<sizeof(T) + sizeof(std::uint32_t)>(work);
}

template <class T, class I>
inline constexpr auto kSortSlots = sort_slots<T, I>;
#else

template <class T, class I>
inline constexpr std::size_t (*kSortSlots)(const SlotRows<T, I>&) noexcept = nullptr;
#endif

}  // namespace pawl::PAWL_ISA_NS
