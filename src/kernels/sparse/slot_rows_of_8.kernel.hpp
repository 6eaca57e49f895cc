// slot_rows_of_8.kernel.hpp -- rows of up to 64 entries that wait in slots, eight rows at a time, to CSR by AVX2.
//
// A row per lane of 32 bits, as slot_rows.kernel.hpp has 16. With 16 registers a network of more than a dozen keys goes
// through L1 anyway: the keys of eight rows are sorted and laid out row by row by functions that know no type, while
// the values of the eight rows before are on their way.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/sparse/merge_exchange.kernel.hpp"
#include "kernels/sparse/slot_values.kernel.hpp"
#include "kernels/sparse/sparse_table.hpp"
#include "kernels/vec.hpp"

#if defined(PAWL_ISA_IS_avx2)
namespace pawl::PAWL_ISA_NS {

// Keys that may be written for eight rows, the last of them from somewhere within the last row on.
inline constexpr std::size_t kEightRoom = 9 * kMostSlots;

PAWL_INLINE __m256i load_keys(const std::uint32_t* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
PAWL_INLINE void store_keys(std::uint32_t* to, __m256i keys) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), keys);
}

PAWL_INLINE void put_in_order(__m256i& low, __m256i& high) {
  const __m256i smaller = _mm256_min_epu32(low, high);
  high = _mm256_max_epu32(low, high);
  low = smaller;
}
template <std::size_t N, std::size_t... K>
PAWL_INLINE void sort_lanes(__m256i (&keys)[N], std::index_sequence<K...>) {
  (put_in_order(keys[kNetwork<N>.low[K]], keys[kNetwork<N>.high[K]]), ...);
}

// Slots [First, First + N) of eight rows, all bits set where a row has fewer, sorted: each lane ascends with s.
template <std::size_t First, std::size_t N>
PAWL_INLINE void sort_some_slots(const std::uint32_t* slots, __m256i counts, __m256i (&keys)[N]) {
#pragma GCC unroll 32
  for (std::size_t s = 0; s < N; ++s) {
    const __m256i unused = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(First + s + 1)), counts);
    keys[s] = _mm256_or_si256(load_keys(slots + (First + s) * kSlotRows), unused);
  }
  sort_lanes(keys, std::make_index_sequence<kNetwork<N>.count>());
}

// Rows i and 4 + i of eight, four keys each: out[i] = lanes i of keys[0 .. 4), lanes 4 + i of them.
PAWL_INLINE void four_by_rows(const __m256i* keys, __m256i* out) {
  const __m256i a = _mm256_unpacklo_epi32(keys[0], keys[1]), b = _mm256_unpackhi_epi32(keys[0], keys[1]);
  const __m256i c = _mm256_unpacklo_epi32(keys[2], keys[3]), d = _mm256_unpackhi_epi32(keys[2], keys[3]);
  out[0] = _mm256_unpacklo_epi64(a, c);
  out[1] = _mm256_unpackhi_epi64(a, c);
  out[2] = _mm256_unpacklo_epi64(b, d);
  out[3] = _mm256_unpackhi_epi64(b, d);
}
// out[r] = lanes r of keys[0 .. 8).
PAWL_INLINE void eight_by_rows(const __m256i* keys, __m256i* out) {
  __m256i first[4], second[4];
  four_by_rows(keys, first);
  four_by_rows(keys + 4, second);
#pragma GCC unroll 4
  for (std::size_t i = 0; i < 4; ++i) {
    out[i] = _mm256_permute2x128_si256(first[i], second[i], 0x20);
    out[4 + i] = _mm256_permute2x128_si256(first[i], second[i], 0x31);
  }
}

// Eight rows in slots, and where their sorted keys go: row r from flat + first[r] on, 64 keys more can be written.
struct EightRows {
  const std::uint32_t* slots;
  __m256i counts, place_mask;
  const std::uint32_t* first;
  std::uint32_t* flat;
};

// Whether one of the keys before[lane] and keys[lane] differ in their places alone; `nearest` of all so far. Unused
// keys do not differ at all: their distance less one is the largest.
PAWL_INLINE void look_at_neighbours(__m256i& nearest, __m256i before, __m256i keys) {
  nearest = _mm256_min_epu32(nearest, _mm256_add_epi32(_mm256_xor_si256(before, keys), _mm256_set1_epi32(-1)));
}
PAWL_INLINE bool some_repeat(__m256i nearest, __m256i place_mask) {
  const __m256i differ = _mm256_cmpeq_epi32(_mm256_max_epu32(nearest, place_mask), nearest);
  return static_cast<unsigned>(_mm256_movemask_epi8(differ)) != ~0u;
}

// Rows of at most N <= 32 entries. Returns whether columns may come twice.
template <std::size_t N>
[[gnu::noinline]] static bool sort_eight(const EightRows& rows) {
  constexpr std::size_t kWhole = N / 8 + (N % 8 > 4 ? 1 : 0), kRest = N % 8 > 4 ? 0 : N % 8;
  const __m256i none = _mm256_set1_epi32(-1);
  __m256i keys[N];
  sort_some_slots<0>(rows.slots, rows.counts, keys);
  __m256i nearest = none;
#pragma GCC unroll 32
  for (std::size_t s = 1; s < N; ++s) look_at_neighbours(nearest, keys[s - 1], keys[s]);
  __m256i whole[8 * (kWhole + 1)], rest[4];
#pragma GCC unroll 4
  for (std::size_t q = 0; q < kWhole; ++q) {
    __m256i eight[8];
#pragma GCC unroll 8
    for (std::size_t s = 0; s < 8; ++s) eight[s] = 8 * q + s < N ? keys[8 * q + s < N ? 8 * q + s : 0] : none;
    eight_by_rows(eight, whole + 8 * q);
  }
  if constexpr (kRest != 0) {
    __m256i four[4];
#pragma GCC unroll 4
    for (std::size_t s = 0; s < 4; ++s) four[s] = s < kRest ? keys[8 * kWhole + (s < kRest ? s : 0)] : none;
    four_by_rows(four, rest);
  }
  // What is written behind the end of a row is overwritten by the next one.
#pragma GCC unroll 8
  for (std::size_t r = 0; r < 8; ++r) {
    std::uint32_t* const to = rows.flat + rows.first[r];
#pragma GCC unroll 4
    for (std::size_t q = 0; q < kWhole; ++q) store_keys(to + 8 * q, whole[8 * q + r]);
    if constexpr (kRest != 0)
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 8 * kWhole),
                       r < 4 ? _mm256_castsi256_si128(rest[r % 4]) : _mm256_extracti128_si256(rest[r % 4], 1));
  }
  return some_repeat(nearest, rows.place_mask);
}

// Sorts slot s of eight rows at tile + 8 s, 64 of which each half of 32 ascends.
static void merge_lanes(std::uint32_t* tile) {
  merge_halves_of_64([=](std::size_t i, std::size_t j) PAWL_INLINE_LAMBDA {
    __m256i low = load_keys(tile + 8 * i), high = load_keys(tile + 8 * j);
    put_in_order(low, high);
    store_keys(tile + 8 * i, low);
    store_keys(tile + 8 * j, high);
  });
}

template <std::size_t First, std::size_t N>
PAWL_INLINE void sort_into_tile(const EightRows& rows, std::uint32_t* tile) {
  __m256i keys[N];
  sort_some_slots<First>(rows.slots, rows.counts, keys);
#pragma GCC unroll 32
  for (std::size_t s = 0; s < N; ++s) store_keys(tile + 8 * (First + s), keys[s]);
}
// The same for rows of at most 32 + Second entries: each half is sorted by itself, both are merged in memory.
template <std::size_t Second>
[[gnu::noinline]] static bool sort_eight_wide(const EightRows& rows) {
  const __m256i none = _mm256_set1_epi32(-1);
  alignas(32) std::uint32_t tile[8 * 64], by_row[8 * 64];
  sort_into_tile<0, 32>(rows, tile);
  sort_into_tile<32, Second>(rows, tile);
  for (std::size_t s = 32 + Second; s < 64; ++s) store_keys(tile + 8 * s, none);
  merge_lanes(tile);
  __m256i nearest = none, before = load_keys(tile);
  for (std::size_t q = 0; q < 64; q += 8) {
    __m256i slots[8], eight[8];
#pragma GCC unroll 8
    for (std::size_t s = 0; s < 8; ++s) {
      slots[s] = load_keys(tile + 8 * (q + s));
      look_at_neighbours(nearest, before, slots[s]);
      before = slots[s];
    }
    eight_by_rows(slots, eight);
#pragma GCC unroll 8
    for (std::size_t r = 0; r < 8; ++r) store_keys(by_row + 64 * r + q, eight[r]);
  }
  alignas(32) std::uint32_t counts[8];
  store_keys(counts, rows.counts);
  for (std::size_t r = 0; r < 8; ++r)
    for (std::size_t k = 0; k < counts[r]; k += 8)
      store_keys(rows.flat + rows.first[r] + k, load_keys(by_row + 64 * r + k));
  return some_repeat(nearest, rows.place_mask);
}

PAWL_INLINE bool sort_eight(const EightRows& rows, unsigned widest) {
  if (widest <= 4) return sort_eight<4>(rows);
  if (widest <= 6) return sort_eight<6>(rows);
  if (widest <= 8) return sort_eight<8>(rows);
  if (widest <= 10) return sort_eight<10>(rows);
  if (widest <= 12) return sort_eight<12>(rows);
  if (widest <= 16) return sort_eight<16>(rows);
  if (widest <= 20) return sort_eight<20>(rows);
  if (widest <= 24) return sort_eight<24>(rows);
  if (widest <= 32) return sort_eight<32>(rows);
  return widest <= 48 ? sort_eight_wide<16>(rows) : sort_eight_wide<32>(rows);
}

// Sorted keys of rows and where they go, `room` elements of which can be written.
template <class T, class I>
struct SortedKeys {
  const std::uint32_t* keys;
  std::size_t n;
  I* columns;
  T* values;
  std::size_t room;
};
// How a key divides, and the values.
struct KeyParts {
  const unsigned char* values;
  unsigned bits;
  std::uint32_t mask;
};

template <std::size_t Stride, class T, class I>
PAWL_INLINE void take_keys(const SortedKeys<T, I>& sorted, const KeyParts& parts) {
  const std::uint32_t* const keys = sorted.keys;
  const std::size_t n = sorted.n, whole = sorted.room / 8 * 8;
  const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(parts.bits));
  std::size_t k = 0;
  for (; k < n && k < whole; k += 8) store_columns(sorted.columns + k, _mm256_srl_epi32(load_keys(keys + k), shift));
  for (; k < n; ++k) sorted.columns[k] = static_cast<I>(keys[k] >> parts.bits);
  const unsigned char* const values = parts.values;
  const std::uint32_t mask = parts.mask;
  std::size_t i = 0;
  for (; i + 2 <= n; i += 2)
    store_two(sorted.values + i, values + Stride * (keys[i] & mask), values + Stride * (keys[i + 1] & mask));
  if (i < n) sorted.values[i] = value_at<T>(values + Stride * (keys[i] & mask));
}

// The sum where `again`, else -0, to which adding changes nothing: no branch depends on which places repeat.
PAWL_INLINE double sum_or_none(double sum, bool again) {
  const __m128d none = _mm_set_sd(-0.0);
  const __m128d keep = _mm_castsi128_pd(_mm_cvtsi64_si128(-static_cast<long long>(again)));
  const __m128d kept = _mm_and_pd(_mm_set_sd(sum), keep);
  return _mm_cvtsd_f64(_mm_or_pd(kept, _mm_andnot_pd(keep, none)));
}
PAWL_INLINE float sum_or_none(float sum, bool again) {
  const __m128 none = _mm_set_ss(-0.0f);
  const __m128 keep = _mm_castsi128_ps(_mm_cvtsi32_si128(-static_cast<int>(again)));
  return _mm_cvtss_f32(_mm_or_ps(_mm_and_ps(_mm_set_ss(sum), keep), _mm_andnot_ps(keep, none)));
}

// Eight rows of sorted keys, adding up from left to right what is of one place. Row r has counts[r] keys, which becomes
// how many are left. Returns how many are left of all.
template <std::size_t Stride, class T, class I>
[[gnu::noinline]] static std::size_t merge_keys(const std::uint32_t* keys, std::uint32_t* counts, const KeyParts& parts,
                                                I* columns, T* values) {
  I* to = columns;
  for (std::size_t r = 0; r < 8; ++r) {
    const std::uint32_t* const end = keys + counts[r];
    I* const begin = to;
    std::uint32_t before = ~0u;  // no column: the place has a bit at least where there are two keys
    T sum{};
    for (; keys < end; ++keys) {
      const std::uint32_t column = *keys >> parts.bits;
      const bool again = column == before;
      sum = sum_or_none(sum, again) + value_at<T>(parts.values + Stride * (*keys & parts.mask));
      to -= again;
      *to = static_cast<I>(column);
      values[to - columns] = sum;
      ++to;
      before = column;
    }
    counts[r] = static_cast<std::uint32_t>(to - begin);
  }
  return static_cast<std::size_t>(to - columns);
}

// The entries of the rows from `row` on: each has moved the place of the next by a vector.
PAWL_INLINE __m256i lengths_of(const Slots& slots, std::size_t row) {
  const __m256i lanes = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
  const std::size_t first = row / kSlotRows * slots.group_keys + row % kSlotRows;
  const __m256i moved = _mm256_sub_epi32(load_keys(slots.next + row), _mm256_set1_epi32(static_cast<int>(first)));
  return _mm256_srli_epi32(_mm256_sub_epi32(moved, lanes), 4);
}
PAWL_INLINE unsigned largest(__m256i counts) {
  __m128i v = _mm_max_epu32(_mm256_castsi256_si128(counts), _mm256_extracti128_si256(counts, 1));
  v = _mm_max_epu32(v, _mm_shuffle_epi32(v, 0x4e));
  return static_cast<unsigned>(_mm_cvtsi128_si32(_mm_max_epu32(v, _mm_shuffle_epi32(v, 0xb1))));
}

template <std::size_t Stride, class T, class I>
static std::size_t sort_slots_by(const SlotRows<T, I>& work) {
  __m256i longest = _mm256_setzero_si256();
  for (std::size_t row = 0; row < work.rows; row += 8) longest = _mm256_max_epu32(longest, lengths_of(work.slots, row));
  if (largest(longest) > work.slots.most) return kTooLong;
  const KeyParts parts{.values = static_cast<const unsigned char*>(work.values),
                       .bits = work.slots.place_bits,
                       .mask = (std::uint32_t{1} << work.slots.place_bits) - 1};
  const __m256i place_mask = _mm256_set1_epi32(static_cast<int>(parts.mask));
  std::uint32_t flat[2][kEightRoom];
  SortedKeys<T, I> pending{};
  std::size_t out = 0, turn = 0;
  for (std::size_t row = 0; row < work.rows; row += 8) {
    const __m256i lengths = lengths_of(work.slots, row);
    alignas(32) std::uint32_t counts[8], first[8];
    store_keys(counts, lengths);
    std::uint32_t entries = 0;
#pragma GCC unroll 8
    for (std::size_t r = 0; r < 8; ++r) {
      first[r] = entries;
      entries += counts[r];
    }
    const EightRows rows{.slots = work.slots.keys + row / kSlotRows * work.slots.group_keys + row % kSlotRows,
                         .counts = lengths,
                         .place_mask = place_mask,
                         .first = first,
                         .flat = flat[turn]};
    const bool repeat = sort_eight(rows, largest(lengths));
    take_keys<Stride>(pending, parts);
    pending = {flat[turn], entries, work.columns + out, work.out_values + out, work.room - out};
    turn ^= 1;
    const std::size_t base = work.base + out, n = work.rows - row < 8 ? work.rows - row : 8;
    if (!repeat) {
      out += entries;
    } else {
      out += merge_keys<Stride>(pending.keys, counts, parts, pending.columns, pending.values);
      pending.n = 0;
      std::uint32_t left = 0;
      for (std::size_t r = 0; r < 8; ++r) {
        first[r] = left;
        left += counts[r];
      }
    }
    for (std::size_t r = 0; r < n; ++r) work.start[row + r] = static_cast<I>(base + first[r]);
  }
  take_keys<Stride>(pending, parts);
  return out;
}

}  // namespace pawl::PAWL_ISA_NS
#endif
