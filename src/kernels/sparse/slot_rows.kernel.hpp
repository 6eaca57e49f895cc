// slot_rows.kernel.hpp -- rows of up to 32 entries that wait in slots, 16 rows at a time, to CSR.
//
// Only keys, a column and the place of the value, were moved to the rows and are sorted; the values are fetched once
// their order is known, and written where they stay. Entries of one place are added up with a row per lane too, so that
// no branch depends on where they are.
#pragma once
#include "kernels/sparse/sort_lanes.kernel.hpp"
#include "kernels/sparse/sort_merge.kernel.hpp"
#include "kernels/sparse/sparse_table.hpp"

#if defined(PAWL_ISA_IS_avx512)
namespace pawl::PAWL_ISA_NS {

template <class T>
PAWL_INLINE T value_at(const unsigned char* at) {
  T value;
  __builtin_memcpy(&value, at, sizeof(T));
  return value;
}

PAWL_INLINE void store_two(double* to, const unsigned char* first, const unsigned char* second) {
  _mm_storeu_pd(to, _mm_set_pd(value_at<double>(second), value_at<double>(first)));
}
PAWL_INLINE void store_two(float* to, const unsigned char* first, const unsigned char* second) {
  const __m128i low = _mm_cvtsi32_si128(value_at<int>(first));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_insert_epi32(low, value_at<int>(second), 1));
}

// out[i] = the value at places[i], i < n. Two by two, since stores are what there is fewest of.
template <std::size_t Stride, class T>
PAWL_INLINE void fetch_values(const unsigned char* values, const std::uint32_t* places, std::size_t n, T* out) {
  std::size_t i = 0;
  for (; i + 2 <= n; i += 2) store_two(out + i, values + Stride * places[i], values + Stride * places[i + 1]);
  if (i < n) out[i] = value_at<T>(values + Stride * places[i]);
}

PAWL_INLINE void store_columns(std::int32_t* to, __m128i columns) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), columns);
}
PAWL_INLINE void store_columns(std::int32_t* to, __m256i columns) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), columns);
}
PAWL_INLINE void store_columns(std::int32_t* to, __m512i columns) { _mm512_storeu_si512(to, columns); }
PAWL_INLINE void store_columns(std::int64_t* to, __m128i columns) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_cvtepu32_epi64(columns));
}
PAWL_INLINE void store_columns(std::int64_t* to, __m256i columns) {
  _mm512_storeu_si512(to, _mm512_cvtepu32_epi64(columns));
}
PAWL_INLINE void store_columns(std::int64_t* to, __m512i columns) {
  store_columns(to, _mm512_castsi512_si256(columns));
  store_columns(to + 8, _mm512_extracti64x4_epi64(columns, 1));
}

// The columns and places of the N sorted keys of a row.
template <std::size_t N, class I>
PAWL_INLINE void store_row(const std::uint32_t* keys, __m128i shift, __m512i mask, I* columns, std::uint32_t* places) {
  if constexpr (N == 4) {
    const __m128i row = _mm_load_si128(reinterpret_cast<const __m128i*>(keys));
    store_columns(columns, _mm_srl_epi32(row, shift));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(places), _mm_and_si128(row, _mm512_castsi512_si128(mask)));
  } else if constexpr (N == 8) {
    const __m256i row = _mm256_load_si256(reinterpret_cast<const __m256i*>(keys));
    store_columns(columns, _mm256_srl_epi32(row, shift));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(places), _mm256_and_si256(row, _mm512_castsi512_si256(mask)));
  } else {
#pragma GCC unroll 2
    for (std::size_t s = 0; s < N; s += 16) {
      const __m512i row = _mm512_load_si512(keys + s);
      store_columns(columns + s, _mm512_srl_epi32(row, shift));
      _mm512_storeu_si512(places + s, _mm512_and_si512(row, mask));
    }
  }
}

// 16 rows and where they go: at least kGroupRoom elements can be written.
template <class T, class I>
struct LaneGroup {
  const std::uint32_t* keys;
  const unsigned char* values;
  __m512i counts;
  unsigned widest;
  unsigned bits;  // of the place in a key; as a vector, and a mask of them
  __m128i shift;
  std::uint32_t place_bits_mask;
  __m512i place_mask;
  I* columns;
  T* out_values;
  std::uint32_t* left;  // entries of each row
};
inline constexpr std::size_t kGroupRoom = (kSlotRows + 1) * kMostSlots;

PAWL_INLINE __mmask16 lanes_beyond(__m512i counts, std::size_t s) {
  return _mm512_cmpgt_epi32_mask(counts, _mm512_set1_epi32(static_cast<int>(s)));
}

// The values at 16 places, or 8.
template <std::size_t Stride>
PAWL_INLINE __m512d gather_values(const double* values, __m256i places) {
  static_assert(Stride == 8 || Stride == 12);
  if constexpr (Stride == 8) return _mm512_i32gather_pd(places, values, 8);
  return _mm512_i32gather_pd(_mm256_add_epi32(places, _mm256_slli_epi32(places, 1)), values, 4);
}
template <std::size_t Stride>
PAWL_INLINE __m512 gather_values(const float* values, __m512i places) {
  static_assert(Stride == 4 || Stride == 8);
  return _mm512_i32gather_ps(places, values, Stride);
}

// n sorted keys of rows that follow each other; bit k of `last`: key k is the last of its row; null: there
// is one row, and another column behind it. Adds up, left to right,
// what is of one place. Returns how many entries are left.
template <std::size_t Stride, class T, class I>
[[gnu::noinline]] static std::size_t merge_keys(const LaneGroup<T, I>& group, const std::uint32_t* keys, std::size_t n,
                                                const std::uint64_t* last) {
  const T* const values = reinterpret_cast<const T*>(group.values);
  std::size_t out = 0;
  for (std::size_t k = 0; k < n;) {
    std::size_t length = n - k < 16 ? n - k : 16;
    const unsigned ends =
        last == nullptr ? 0u : static_cast<unsigned>(last[k / 64] >> (k % 64) | last[k / 64 + 1] << 1 << (63 - k % 64));
    const __m512i here = _mm512_loadu_si512(keys + k), columns = _mm512_srl_epi32(here, group.shift);
    const __m512i next = _mm512_srl_epi32(_mm512_loadu_si512(keys + k + 1), group.shift);
    unsigned again = _mm512_mask_cmpeq_epi32_mask(static_cast<__mmask16>(~ends & ((1u << length) - 1)), columns, next);
    if (again >> 15 != 0) {
      // A run that goes on behind the vector waits for the next one, or is added up by itself if it is all there is.
      if ((~again & 0xffffu) == 0) {
        const std::uint32_t column = keys[k] >> group.bits;
        T sum = value_at<T>(group.values + Stride * (keys[k] & group.place_bits_mask));
        for (;; ++k) {
          if (k + 1 == n || keys[k + 1] >> group.bits != column) break;
          if (last != nullptr && (last[k / 64] >> (k % 64) & 1u) != 0) break;
          sum += value_at<T>(group.values + Stride * (keys[k + 1] & group.place_bits_mask));
        }
        ++k;
        group.columns[out] = static_cast<I>(column);
        group.out_values[out++] = sum;
        continue;
      }
      length = 32 - static_cast<std::size_t>(__builtin_clz(~again & 0xffffu));
      again &= (1u << length) - 1;
    }
    const unsigned first = ((1u << length) - 1) & ~(again << 1);
    const __m512i places = _mm512_and_si512(here, group.place_mask);
    store_columns(group.columns + out, _mm512_maskz_compress_epi32(static_cast<__mmask16>(first), columns));
    T* to = group.out_values + out;
    if constexpr (sizeof(T) == 4) {
      store_compressed<true>(to, add_runs(gather_values<Stride>(values, places), again), first);
    } else {
      __m512d low = gather_values<Stride>(values, _mm512_castsi512_si256(places));
      if (length <= 8) {
        store_compressed<true>(to, add_runs(low, again), first);
      } else {
        __m512d high = gather_values<Stride>(values, _mm512_extracti64x4_epi64(places, 1));
        add_runs(low, high, again);
        to += store_compressed<true>(to, low, first & 255u);
        store_compressed<true>(to, high, first >> 8);
      }
    }
    out += static_cast<std::size_t>(__builtin_popcount(first));
    k += length;
  }
  return out;
}

// 16 rows of N sorted keys each, beside each other in `keys`, one by one in `tile`.
template <std::size_t N, std::size_t Stored, std::size_t Stride, class T, class I>
PAWL_INLINE std::size_t merge_rows(const LaneGroup<T, I>& group, const __m512i (&keys)[N], const std::uint32_t* tile,
                                   const std::uint32_t* counts) {
  __m512i left = group.counts;
#pragma GCC unroll 32
  for (std::size_t s = 1; s < N; ++s) {
    const __mmask16 again = _mm512_mask_cmple_epu32_mask(lanes_beyond(group.counts, s),
                                                         _mm512_xor_si512(keys[s - 1], keys[s]), group.place_mask);
    left = _mm512_mask_sub_epi32(left, again, left, _mm512_set1_epi32(1));
  }
  _mm512_store_si512(group.left, left);
  std::uint32_t flat[kGroupRoom];
  std::uint64_t last[kGroupRoom / 64 + 2] = {};
  std::size_t n = 0;
  for (std::size_t r = 0; r < kSlotRows; ++r) {
    if constexpr (Stored == 4)
      _mm_storeu_si128(reinterpret_cast<__m128i*>(flat + n),
                       _mm_load_si128(reinterpret_cast<const __m128i*>(tile + r * Stored)));
    else
      for (std::size_t s = 0; s < Stored; s += 8)
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(flat + n + s),
                            _mm256_load_si256(reinterpret_cast<const __m256i*>(tile + r * Stored + s)));
    n += counts[r];
    last[(n - 1) / 64 % (kGroupRoom / 64)] |= std::uint64_t{n != 0} << ((n - 1) % 64);
  }
  return merge_keys<Stride>(group, flat, n, last);
}

// Rows of at most N entries. Returns how many are left.
template <std::size_t N, std::size_t Stride, class T, class I>
static std::size_t sort_group(const LaneGroup<T, I>& group) {
  constexpr std::size_t kStored = N <= 4 ? 4 : N <= 8 ? 8 : N <= 16 ? 16 : 32;  // keys of a row that are transposed
  const __m512i none = _mm512_set1_epi32(-1);
  __m512i keys[N];
#pragma GCC unroll 32
  for (std::size_t s = 0; s < N; ++s)
    keys[s] = _mm512_mask_loadu_epi32(none, lanes_beyond(group.counts, s), group.keys + s * kSlotRows);
  sort_lanes(keys);
  // Keys of one column differ in their places alone, unused ones not at all: their distance less one is the largest.
  __m512i nearest = none;
#pragma GCC unroll 32
  for (std::size_t s = 1; s < N; ++s)
    nearest = _mm512_min_epu32(nearest, _mm512_add_epi32(_mm512_xor_si512(keys[s - 1], keys[s]), none));
  const bool repeated = _mm512_cmplt_epu32_mask(nearest, group.place_mask) != 0;
  alignas(64) std::uint32_t tile[kStored * kSlotRows + 16];
  __m512i stored[kStored];
#pragma GCC unroll 32
  for (std::size_t s = 0; s < kStored; ++s) stored[s] = s < N ? keys[s < N ? s : 0] : none;
  store_rows(stored, tile);
  alignas(64) std::uint32_t counts[kSlotRows];
  _mm512_store_si512(counts, group.counts);
  if (repeated) return merge_rows<N, kStored, Stride>(group, keys, tile, counts);

  std::uint32_t places[kGroupRoom];
  _mm512_store_si512(group.left, group.counts);
  std::size_t out = 0;
#pragma GCC unroll 16
  for (std::size_t r = 0; r < kSlotRows; ++r) {
    store_row<kStored>(tile + r * kStored, group.shift, group.place_mask, group.columns + out, places + out);
    out += counts[r];
  }
  fetch_values<Stride>(group.values, places, out, group.out_values);
  return out;
}

// The entries of the rows from `row` on: each has moved the place of the next by a vector.
PAWL_INLINE __m512i lengths_of(const Slots& slots, std::size_t row) {
  const __m512i lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  const __m512i first = _mm512_set1_epi32(static_cast<int>(row / kSlotRows * slots.group_keys));
  return _mm512_srli_epi32(_mm512_sub_epi32(_mm512_loadu_si512(slots.next + row), _mm512_add_epi32(lanes, first)), 4);
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
  std::size_t out = 0;
  for (std::size_t row = 0; row < work.rows; row += kSlotRows) {
    const std::size_t first = row / kSlotRows * work.slots.group_keys;
    const __m512i counts = lengths_of(work.slots, row);
    const auto widest = static_cast<unsigned>(_mm512_reduce_max_epu32(counts));
    alignas(64) std::uint32_t left[kSlotRows];
    alignas(64) I far_columns[kGroupRoom];
    T far_values[kGroupRoom];
    // Whole vectors are written, the last of them from somewhere within the last row on.
    const auto entries = static_cast<std::size_t>(_mm512_reduce_add_epi32(counts));
    const bool is_near_end = out + entries + kMostSlots > work.room;
    const LaneGroup<T, I> group{.keys = work.slots.keys + first,
                                .values = values,
                                .counts = counts,
                                .widest = widest,
                                .bits = work.slots.place_bits,
                                .shift = shift,
                                .place_bits_mask = (std::uint32_t{1} << work.slots.place_bits) - 1,
                                .place_mask = place_mask,
                                .columns = is_near_end ? far_columns : work.columns + out,
                                .out_values = is_near_end ? far_values : work.out_values + out,
                                .left = left};
    std::size_t n;
    if (widest <= 4)
      n = sort_group<4, Stride>(group);
    else if (widest <= 6)
      n = sort_group<6, Stride>(group);
    else if (widest <= 8)
      n = sort_group<8, Stride>(group);
    else if (widest <= 10)
      n = sort_group<10, Stride>(group);
    else if (widest <= 12)
      n = sort_group<12, Stride>(group);
    else if (widest <= 16)
      n = sort_group<16, Stride>(group);
    else if (widest <= 20)
      n = sort_group<20, Stride>(group);
    else if (widest <= 24)
      n = sort_group<24, Stride>(group);
    else
      n = sort_group<32, Stride>(group);
    if (is_near_end)
      for (std::size_t k = 0; k < n; ++k) {
        work.columns[out + k] = far_columns[k];
        work.out_values[out + k] = far_values[k];
      }
    std::size_t sum = work.base + out;
    const std::size_t rows = work.rows - row < kSlotRows ? work.rows - row : kSlotRows;
    for (std::size_t r = 0; r < rows; ++r) {
      work.start[row + r] = static_cast<I>(sum);
      sum += left[r];
    }
    out += n;
  }
  return out;
}

template <class T, class I>
static std::size_t sort_slots(const SlotRows<T, I>& work) noexcept {
  return work.value_stride == sizeof(T) ? sort_slots_by<sizeof(T)>(work)
                                        : sort_slots_by<sizeof(T) + sizeof(std::uint32_t)>(work);
}

template <class T, class I>
inline constexpr auto kSortSlots = sort_slots<T, I>;

}  // namespace pawl::PAWL_ISA_NS
#else
namespace pawl::PAWL_ISA_NS {

template <class T, class I>
inline constexpr std::size_t (*kSortSlots)(const SlotRows<T, I>&) noexcept = nullptr;

}  // namespace pawl::PAWL_ISA_NS
#endif
