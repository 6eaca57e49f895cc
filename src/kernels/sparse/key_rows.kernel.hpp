// key_rows.kernel.hpp -- rows of keys of column and place, one behind the other and each in any order, to CSR.
#pragma once
#include "kernels/sparse/slot_rows.kernel.hpp"
#include "kernels/sparse/sort_keys.kernel.hpp"

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

template <std::size_t Stride, class T, class I>
static std::size_t sort_key_rows_by(const KeyRows<T, I>& work) {
  constexpr std::size_t kSlack = 32;  // elements that may be written behind the last
  const auto* const values = static_cast<const unsigned char*>(work.values);
  const unsigned bits = work.place_bits;
  const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(bits));
  const std::uint32_t mask = (std::uint32_t{1} << bits) - 1;
  const __m512i place_mask = _mm512_set1_epi32(static_cast<int>(mask));
  const __m512i none = unused_key();
  std::size_t out = 0, from = 0;
  // Places whose values are still to be fetched, for the last entries written: a loop over short rows would not foresee
  // where each ends.
  constexpr std::size_t kPending = 512;
  std::uint32_t pending[kPending + kSlack];
  std::size_t waiting = 0;
  const auto fetch_pending = [&]() PAWL_INLINE_LAMBDA {
    fetch_values<Stride>(values, pending, waiting, work.out_values + out - waiting);
    waiting = 0;
  };
  for (std::size_t row = 0; row < work.rows; ++row) {
    const auto end = static_cast<std::size_t>(work.ends[row]), n = end - from;
    work.start[row] = static_cast<I>(work.base + out);
    if (n <= 16 && out + kSlack <= work.room) {
      const unsigned used = (1u << n) - 1;
      const __m512i sorted =
          merge_halves(sort_halves(_mm512_mask_loadu_epi32(none, static_cast<__mmask16>(used), work.keys + from)));
      const __m512i found = _mm512_srl_epi32(sorted, shift);
      if (__builtin_expect(repeated(found, used >> 1) == 0, 1)) {
        store_columns(work.columns + out, found);
        _mm512_storeu_si512(pending + waiting, _mm512_and_si512(sorted, place_mask));
        from = end;
        out += n;
        waiting += n;
        if (__builtin_expect(waiting >= kPending, 0)) fetch_pending();
        continue;
      }
    }
    fetch_pending();
    std::uint32_t* const keys = work.keys + from;
    sort_keys(keys, work.other + from, n, work.key_bits);
    from = end;
    I* const columns = work.columns + out;
    T* const to = work.out_values + out;
    if (out + n + kSlack > work.room) {
      out += add_key_by_key<Stride>(keys, n, bits, values, columns, to);
      continue;
    }
    // The next row's first key, which is not sorted yet, is put back.
    const std::uint32_t next = keys[n];
    keys[n] = ~keys[n - 1];
    __m512i nearest = _mm512_set1_epi32(-1);
    for (std::size_t k = 0; k < n; k += 16) {
      const __m512i distance = _mm512_xor_si512(_mm512_loadu_si512(keys + k), _mm512_loadu_si512(keys + k + 1));
      const auto lanes = static_cast<__mmask16>(n - k >= 16 ? 0xffffu : (1u << (n - k)) - 1);
      nearest = _mm512_mask_min_epu32(nearest, lanes, nearest, distance);
    }
    if (_mm512_cmple_epu32_mask(nearest, place_mask) != 0) {
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
      out += merge_keys<Stride>(group, keys, n, nullptr);
    } else {
      for (std::size_t k = 0; k < n; k += 16) {
        store_columns(columns + k, _mm512_srl_epi32(_mm512_loadu_si512(keys + k), shift));
        _mm512_storeu_si512(work.other + k, _mm512_and_si512(_mm512_loadu_si512(keys + k), place_mask));
      }
      fetch_values<Stride>(values, work.other, n, to);
      out += n;
    }
    keys[n] = next;
  }
  fetch_pending();
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
