// key_rows.kernel.hpp -- rows of keys of column and place, one behind the other and each in any order, to CSR.
#pragma once
#include "kernels/sparse/key_classes.kernel.hpp"
#include "kernels/sparse/slot_rows.kernel.hpp"

#if defined(PAWL_ISA_IS_avx512)
namespace pawl::PAWL_ISA_NS {

// A sorted row to its columns and values, each column once, where the next rows leave no room for whole vectors.
template <std::size_t Stride, class T, class I>
[[gnu::noinline]] static std::size_t add_key_by_key(const std::uint32_t* keys, std::size_t n, unsigned bits,
                                                    const unsigned char* values, I* columns, T* out_values) {
  const std::uint32_t mask = (std::uint32_t{1} << bits) - 1;
  std::size_t out = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const T value = value_at<T>(values + Stride * (keys[k] & mask));
    if (k > 0 && keys[k] >> bits == keys[k - 1] >> bits) {
      out_values[out - 1] += value;
    } else {
      columns[out] = static_cast<I>(keys[k] >> bits);
      out_values[out++] = value;
    }
  }
  return out;
}

// Whether some row of sorted keys has two of one column: neighbours that differ in their places alone, less those of
// which the second begins a row. keys[starts[rows]] can be written.
static bool have_repeated(std::uint32_t* keys, const std::uint32_t* starts, std::size_t rows,
                          std::uint32_t place_mask) {
  const std::size_t n = starts[rows];
  const __m512i places = _mm512_set1_epi32(static_cast<int>(place_mask));
  keys[n] = ~keys[n - 1];
  std::size_t equal = 0;
  for (std::size_t k = 0; k < n; k += 16) {
    const auto lanes = static_cast<__mmask16>(n - k >= 16 ? 0xffffu : bits_below(n - k));
    const __m512i distance = _mm512_xor_si512(_mm512_loadu_si512(keys + k), _mm512_loadu_si512(keys + k + 1));
    equal += static_cast<std::size_t>(__builtin_popcount(_mm512_mask_cmple_epu32_mask(lanes, distance, places)));
  }
  if (equal == 0) return false;
  // A row that is empty, or the first one that is not, has nothing before it that counts.
  for (std::size_t r = 1; r < rows; ++r) {
    const std::size_t at = starts[r];
    const bool follows = at != 0 && at != starts[r + 1];
    equal -= static_cast<std::size_t>(follows && (keys[at - (at != 0)] ^ keys[at]) <= place_mask);
  }
  return equal != 0;
}

template <std::size_t Stride, class T, class I>
static std::size_t sort_key_rows_by(const KeyRows<T, I>& work) {
  constexpr std::size_t kSlack = 32;  // elements that may be written behind the last
  const auto* const values = static_cast<const unsigned char*>(work.values);
  const unsigned bits = work.place_bits;
  const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(bits));
  const std::uint32_t mask = (std::uint32_t{1} << bits) - 1;
  const __m512i place_mask = _mm512_set1_epi32(static_cast<int>(mask));
  const std::uint32_t* const starts = work.starts;
  const std::size_t rows = work.rows, n = starts[rows];
  sort_row_classes({.keys = work.keys, .starts = starts, .rows = rows, .to = work.other}, work.lists, work.spare);
  std::uint32_t* const sorted = work.other;
  if (!have_repeated(sorted, starts, rows, mask)) {
    for (std::size_t r = 0; r < rows; ++r) work.start[r] = static_cast<I>(work.base + starts[r]);
    std::size_t k = 0;
    for (; k + 16 <= n; k += 16)
      store_columns(work.columns + k, _mm512_srl_epi32(_mm512_loadu_si512(sorted + k), shift));
    for (; k < n; ++k) work.columns[k] = static_cast<I>(sorted[k] >> bits);
    for (k = 0; k < n; k += 16)
      _mm512_storeu_si512(sorted + k, _mm512_and_si512(_mm512_loadu_si512(sorted + k), place_mask));
    fetch_values<Stride>(values, sorted, n, work.out_values);
    return n;
  }
  std::size_t out = 0, from = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t end = starts[row + 1], length = end - from;
    work.start[row] = static_cast<I>(work.base + out);
    if (length == 0) continue;
    std::uint32_t* const keys = sorted + from;
    from = end;
    I* const columns = work.columns + out;
    T* const to = work.out_values + out;
    if (out + length + kSlack > work.room) {
      out += add_key_by_key<Stride>(keys, length, bits, values, columns, to);
      continue;
    }
    // The next row's first key is put back.
    const std::uint32_t next = keys[length];
    keys[length] = ~keys[length - 1];
    const LaneGroup<T, I> group{.keys = keys,
                                .values = values,
                                .counts = place_mask,
                                .widest = 0,
                                .entries = 0,
                                .bits = bits,
                                .shift = shift,
                                .place_bits_mask = mask,
                                .place_mask = place_mask,
                                .columns = columns,
                                .out_values = to,
                                .first = nullptr,
                                .places = nullptr,
                                .left = nullptr};
    out += merge_keys<Stride>(group, keys, length, nullptr);
    keys[length] = next;
  }
  return out;
}

template <class T, class I>
static std::size_t sort_key_rows(const KeyRows<T, I>& work) noexcept {
  return work.value_stride == sizeof(T) ? sort_key_rows_by<sizeof(T)>(work)
                                        : sort_key_rows_by<sizeof(T) + sizeof(std::uint32_t)>(work);
}
template <class T, class I>
inline constexpr auto kSortKeyRows = sort_key_rows<T, I>;

}  // namespace pawl::PAWL_ISA_NS
#else
namespace pawl::PAWL_ISA_NS {

template <class T, class I>
inline constexpr std::size_t (*kSortKeyRows)(const KeyRows<T, I>&) noexcept = nullptr;

}  // namespace pawl::PAWL_ISA_NS
#endif
