// place_sort.hpp -- entries in any order to CSR by two counting sorts of their places, by column and then by row.
//
// What is moved is a row, a column and the place of the value in one integer; values are fetched once, where they go
// to. No step depends on how long rows are: of power laws, whose rows are of all lengths, comparing keys within rows
// takes most of the time.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "packed_entry.hpp"
#include "pawl/sparse/array.hpp"
#include "scattered_stores.hpp"
#include "scratch_array.hpp"

namespace pawl::sparse {

/// Where the values of a block's triplets are, `stride` bytes apart, if they can be fetched by their places: sizeof(T)
/// or four more.
struct Values {
  const void* first = nullptr;
  std::size_t stride = 0;
};

template <class T, class I>
class PlaceSorter {
 public:
  /// Whether n entries of a block with `cols` columns are to be sorted here: a column and a place fit into a key, and a
  /// counter for each column costs little beside the entries.
  static bool takes(std::size_t n, std::size_t rows, std::size_t cols) {
    return n >= kFewest && cols <= n && rows <= kMost && bits_for(n) + bits_for(cols) <= 32;
  }

  /// Sorts n entries source(k), whose rows begin at row_begin; ends[r] is where row r begins, and becomes where it
  /// ends. Entries of one place come in the order of k.
  template <class Source>
  void sort(std::size_t n, Source source, std::size_t row_begin, std::size_t cols, const Values& values, I* ends,
            I* columns, T* out_values) {
    make_room(counters_, cols);
    make_room(by_column_, n);
    make_room(keys_, n);
    const unsigned bits = bits_for(n);
    std::uint32_t *const counters = counters_.data(), *const keys = keys_.data();
    std::uint64_t* const by_column = by_column_.data();
    std::fill_n(counters, cols, 0u);
    for (std::size_t k = 0; k < n; ++k) ++counters[source(k).column];
    std::uint32_t sum = 0;
    for (std::size_t c = 0; c < cols; ++c) sum += std::exchange(counters[c], sum);
    put_asking(
        n, [=](std::size_t k) { __builtin_prefetch(by_column + counters[source(k).column], 1); },
        [=](std::size_t k) {
          const auto t = source(k);
          const std::uint64_t row = static_cast<std::uint64_t>(t.row) - row_begin;
          by_column[counters[t.column]++] = row << 32 | static_cast<std::uint64_t>(t.column) << bits | k;
        });
    put_asking(
        n, [=](std::size_t k) { __builtin_prefetch(keys + ends[by_column[k] >> 32], 1); },
        [=](std::size_t k) {
          const std::uint64_t entry = by_column[k];
          keys[ends[entry >> 32]++] = static_cast<std::uint32_t>(entry);
        });
    for (std::size_t k = 0; k < n; ++k) columns[k] = static_cast<I>(keys[k] >> bits);
    const auto* const first = static_cast<const unsigned char*>(values.first);
    const std::uint32_t mask = static_cast<std::uint32_t>((std::uint64_t{1} << bits) - 1);
    for (std::size_t k = 0; k < n; ++k)
      std::memcpy(out_values + k, first + values.stride * (keys[k] & mask), sizeof(T));
  }

 private:
  // A power law of 1000 rows and 6600 entries was level or a tenth slower than by sorting triplets.
  static constexpr std::size_t kFewest = 8192, kMost = std::size_t{1} << 20;

  Array<std::uint32_t> counters_, keys_;
  Array<std::uint64_t> by_column_;
};

}  // namespace pawl::sparse
