// slot_merge.kernel.hpp -- sorted keys of column and place, some of them of one column, to columns and sums of values.
#pragma once
#include "kernels/sparse/slot_values.kernel.hpp"
#include "kernels/sparse/sort_lanes.kernel.hpp"
#include "kernels/sparse/sort_merge.kernel.hpp"
#include "kernels/sparse/sparse_table.hpp"

#if defined(PAWL_ISA_IS_avx512)
namespace pawl::PAWL_ISA_NS {

// Elements that may be written for 16 rows of at most kNetworkSlots entries, and for any 16 rows.
inline constexpr std::size_t kGroupRoom = (kSlotRows + 1) * kNetworkSlots, kWideRoom = (kSlotRows + 1) * kMostSlots;

// 16 rows and where they go: as many elements can be written.
template <class T, class I>
struct LaneGroup {
  const std::uint32_t* keys;
  const unsigned char* values;
  __m512i counts;
  unsigned widest;
  std::size_t entries;  // the sum of the counts
  unsigned bits;        // of the place in a key; as a vector, and a mask of them
  __m128i shift;
  std::uint32_t place_bits_mask;
  __m512i place_mask;
  I* columns;
  T* out_values;
  const std::uint32_t* first;  // entries of the group before each row
  std::uint32_t* places;       // of the sorted keys: kGroupRoom elements
  std::uint32_t* left;         // entries of each row, if some were of one place
};
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
    // Lanes behind the last key hold anything, which as a place may lie far beyond the values.
    const __m512i places = _mm512_maskz_and_epi32(static_cast<__mmask16>((1u << length) - 1), here, group.place_mask);
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

}  // namespace pawl::PAWL_ISA_NS
#endif
