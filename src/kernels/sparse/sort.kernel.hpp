// sort.kernel.hpp -- rows in any order to ascending columns, without a branch that depends on the columns.
#pragma once
#include "kernels/sparse/sort_merge.kernel.hpp"
#include "kernels/sparse/sort_network.kernel.hpp"
#include "kernels/sparse/sparse_table.hpp"
#include "kernels/vec.hpp"

namespace pawl::PAWL_ISA_NS {

#if defined(PAWL_ISA_IS_avx512)
template <class I>
inline constexpr std::size_t index_lanes = 64 / sizeof(I);

// Bits of the lanes whose column is below `column`, and of those that equal it, among the `count` first.
struct Compared {
  unsigned below, equal;
};
template <class I>
PAWL_INLINE Compared compare(const I* columns, std::size_t count, I column) {
  if constexpr (sizeof(I) == 4) {
    const auto active = static_cast<__mmask16>(count >= 16 ? 0xffffu : (1u << count) - 1);
    const __m512i v = _mm512_maskz_loadu_epi32(active, columns), c = _mm512_set1_epi32(column);
    return {_mm512_mask_cmplt_epi32_mask(active, v, c), _mm512_mask_cmpeq_epi32_mask(active, v, c)};
  } else {
    const auto active = static_cast<__mmask8>(count >= 8 ? 0xffu : (1u << count) - 1);
    const __m512i v = _mm512_maskz_loadu_epi64(active, columns), c = _mm512_set1_epi64(column);
    return {_mm512_mask_cmplt_epi64_mask(active, v, c), _mm512_mask_cmpeq_epi64_mask(active, v, c)};
  }
}
#endif

template <class T, class I>
static bool sort_short_row(const I* columns, const T* values, std::size_t n, I* out_columns, T* out_values) noexcept {
#if defined(PAWL_ISA_IS_avx512)
  // An entry's place is the number of entries before it: smaller columns, and equal ones that came earlier.
  constexpr std::size_t W = index_lanes<I>;
  unsigned duplicates = 0;
  if (n <= W) {
    for (std::size_t i = 0; i < n; ++i) {
      const Compared c = compare(columns, n, columns[i]);
      const unsigned earlier = c.equal & ((1u << i) - 1);
      const auto place = static_cast<std::size_t>(__builtin_popcount(c.below | earlier));
      duplicates |= earlier;
      out_columns[place] = columns[i];
      out_values[place] = values[i];
    }
    return duplicates != 0;
  }
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t place = 0;
    for (std::size_t k = 0; k < n; k += W) {
      const Compared c = compare(columns + k, n - k, columns[i]);
      const unsigned earlier = c.equal & (i <= k ? 0u : i - k >= W ? ~0u : (1u << (i - k)) - 1);
      place += static_cast<std::size_t>(__builtin_popcount(c.below | earlier));
      duplicates |= earlier;
    }
    out_columns[place] = columns[i];
    out_values[place] = values[i];
  }
  return duplicates != 0;
#else
  bool duplicates = false;
  for (std::size_t i = 0; i < n; ++i) {
    const I column = columns[i];
    const T value = values[i];
    std::size_t k = i;
    for (; k > 0 && out_columns[k - 1] > column; --k) {
      out_columns[k] = out_columns[k - 1];
      out_values[k] = out_values[k - 1];
    }
    duplicates |= k > 0 && out_columns[k - 1] == column;
    out_columns[k] = column;
    out_values[k] = value;
  }
  return duplicates;
#endif
}

// Adds entries of the same column, from left to right, to `out`, which is the same memory or some before it. Returns
// how many are left.
template <class T, class I>
[[gnu::noinline]] static std::size_t add_repeated(const I* columns, const T* values, std::size_t n, I* out_columns,
                                                  T* out_values) noexcept {
  std::size_t out = 0;
  for (std::size_t k = 0; k < n; ++k) {
    if (k > 0 && columns[k] == out_columns[out - 1]) {
      out_values[out - 1] += values[k];
    } else {
      out_columns[out] = columns[k];
      out_values[out++] = values[k];
    }
  }
  return out;
}

#if defined(PAWL_ISA_IS_avx512)
// The rows from work.row on that the network takes, until one is longer.
template <bool kWhole, RowKind kKind, class T, class I>
PAWL_INLINE void sort_by_network(RowsToSort<T, I>& work, std::size_t last_out, __m512i unused) {
  // Copies: the compiler would reload the originals after each store, which may change them for all it knows.
  const I *const ends = work.ends, *const columns = work.columns;
  const T* const values = work.values;
  I *const start = work.start, *const out_columns = work.out_columns;
  T* const out_values = work.out_values;
  const auto base = static_cast<I>(work.base);
  const std::size_t rows = work.rows;
  std::size_t r = work.row, from = work.from, out = work.out;
  while (r < rows && out <= last_out) {
    const auto n = static_cast<std::size_t>(ends[r]) - from;
    if (__builtin_expect(n > kNetworkRow, 0)) break;
    const std::size_t m = r + 1 < rows ? static_cast<std::size_t>(ends[r + 1]) - from - n : kNetworkRow;
    if (kKind == RowKind::very_short && r + 4 <= rows) {
      const std::size_t second = static_cast<std::size_t>(ends[r + 1]), third = static_cast<std::size_t>(ends[r + 2]),
                        fourth = static_cast<std::size_t>(ends[r + 3]);
      const std::size_t lengths[4] = {n, m, third - second, fourth - third};
      if (__builtin_expect(n <= 4 && m <= 4 && lengths[2] <= 4 && lengths[3] <= 4, 1)) {
        out += merge_four_rows<kWhole>(columns + from, values + from, lengths, start + r, base + static_cast<I>(out),
                                       out_columns + out, out_values + out, unused);
        r += 4;
        from = fourth;
        continue;
      }
    }
    constexpr bool kMerge = kKind == RowKind::repeating;
    start[r] = base + static_cast<I>(out);
    unsigned again;
    if (kMerge && n <= 8 && m <= 8) {
      const RowsLeft left =
          merge_two_rows<kWhole>(columns + from, values + from, n, m, out_columns + out, out_values + out, unused);
      start[r + 1] = base + static_cast<I>(out + left.first);
      r += 2;
      from += n + m;
      out += left.first + left.second;
    } else if (kMerge && n <= 16) {
      out += merge_one_row<kWhole>(columns + from, values + from, n, out_columns + out, out_values + out, unused);
      ++r;
      from += n;
    } else if (n <= 8 && m <= 8) {
      again = sort_two_rows<kWhole>(columns + from, values + from, n, m, out_columns + out, out_values + out, unused);
      std::size_t first = n, second = m;
      if (__builtin_expect(again != 0, 0)) {
        I* const to = out_columns + out;
        first = add_repeated(to, out_values + out, n, to, out_values + out);
        second = add_repeated(to + n, out_values + out + n, m, to + first, out_values + out + first);
      }
      start[r + 1] = base + static_cast<I>(out + first);
      r += 2;
      from += n + m;
      out += first + second;
    } else {
      again =
          n <= 16
              ? sort_one_row<kWhole>(columns + from, values + from, n, out_columns + out, out_values + out, unused)
              : sort_wide_row<kWhole>(columns + from, values + from, n, out_columns + out, out_values + out, unused);
      ++r;
      from += n;
      I* const to = out_columns + out;
      out += __builtin_expect(again != 0, 0) ? add_repeated(to, out_values + out, n, to, out_values + out) : n;
    }
  }
  work.row = r;
  work.from = from;
  work.out = out;
}
// The same to the end of the room: by whole vectors as long as they fit.
template <RowKind kKind, class T, class I>
PAWL_INLINE void sort_all_by_network(RowsToSort<T, I>& work, __m512i unused) {
  constexpr std::size_t kWritten = kNetworkRow;  // elements that a row or some may write
  if (work.room >= kWritten) sort_by_network<true, kKind, T, I>(work, work.room - kWritten, unused);
  if (work.row < work.rows && work.out + kWritten > work.room)
    sort_by_network<false, kKind, T, I>(work, work.room, unused);
}
#endif

template <class T, class I>
static void sort_rows(RowsToSort<T, I>& work) noexcept {
#if defined(PAWL_ISA_IS_avx512)
  const __m512i unused = unused_key();
#endif
  while (work.row < work.rows) {
#if defined(PAWL_ISA_IS_avx512)
    if constexpr (sizeof(I) == 4) {
      if (work.few_columns) {
        switch (work.kind) {
          case RowKind::any:
            sort_all_by_network<RowKind::any, T, I>(work, unused);
            break;
          case RowKind::repeating:
            sort_all_by_network<RowKind::repeating, T, I>(work, unused);
            break;
          case RowKind::very_short:
            sort_all_by_network<RowKind::very_short, T, I>(work, unused);
            break;
        }
        if (work.row == work.rows) return;
      }
    }
#endif
    const std::size_t n = static_cast<std::size_t>(work.ends[work.row]) - work.from;
    if (n > kShortRow) return;
    I* const columns = work.out_columns + work.out;
    T* const values = work.out_values + work.out;
    work.start[work.row] = static_cast<I>(work.base + work.out);
    if (n > 0) {
      const bool again = sort_short_row<T, I>(work.columns + work.from, work.values + work.from, n, columns, values);
      work.out += again ? add_repeated(columns, values, n, columns, values) : n;
    }
    work.from += n;
    ++work.row;
  }
}

}  // namespace pawl::PAWL_ISA_NS
