// transpose_by_blocks.cpp -- the transposed matrix: entries partitioned into blocks of columns, each then sorted there.
#include "transpose_by_blocks.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "packed_entry.hpp"
#include "pawl/parallel.hpp"
#include "refuse.hpp"
#include "row_blocks.hpp"
#include "row_shares.hpp"
#include "scattered_stores.hpp"
#include "sparse/active_ops.hpp"

namespace pawl::sparse {
namespace {

// Calls body(i) for i < n; on the way asks for the memory of n elements from `a` and as many from `b` on. A block's
// part of the result is written at random places, line by line as the store to it waits: ns per entry without asking
// and with it, of 10^6 random entries 3.4 and 2.2, of 10^7 3.7 and 2.3 (Zen 4).
template <class A, class B, class Body>
void fetching(std::size_t n, const A* a, const B* b, Body body) {
  constexpr std::size_t kLine = 64, kStep = kLine / std::min(sizeof(A), sizeof(B));
  std::size_t i = 0;
  for (; i + kStep <= n; i += kStep) {
    for (std::size_t j = 0; j < kStep; j += kLine / sizeof(A)) __builtin_prefetch(a + i + j, 1);
    for (std::size_t j = 0; j < kStep; j += kLine / sizeof(B)) __builtin_prefetch(b + i + j, 1);
    for (std::size_t j = 0; j < kStep; ++j) body(i + j);
  }
  for (; i < n; ++i) body(i);
}

template <class Key, class T, class I>
Csr<T, I> by_blocks(const Csr<T, I>& a, std::size_t parts, RowBlocks blocks) {
  using Entry = PackedEntry<T, Key>;  // the key: row, then column within its block
  const std::size_t cols = a.cols(), n = a.nonzeros();
  const I *start = a.row_start().data(), *columns = a.columns().data();
  const T* values = a.values().data();
  const unsigned shift = blocks.shift;
  const Key within = static_cast<Key>((Key{1} << shift) - 1);
  struct Part {
    std::vector<std::size_t> counts;
  };
  std::vector<Part> all(parts);
  for_each_part(parts, [&](std::size_t p) {
    all[p].counts.assign(blocks.count, 0);
    std::size_t* const counts = all[p].counts.data();
    const auto end = static_cast<std::size_t>(start[first_row_of(a, p + 1, parts)]);
    for (auto k = static_cast<std::size_t>(start[first_row_of(a, p, parts)]); k < end; ++k)
      ++counts[static_cast<std::size_t>(columns[k]) >> shift];
  });
  Array<Entry> entries(blocks.lay_out(all, sizeof(Entry)));
  for_each_part(parts, [&](std::size_t p) {
    std::size_t* const to = all[p].counts.data();
    const std::size_t last = first_row_of(a, p + 1, parts);
    for (std::size_t r = first_row_of(a, p, parts); r < last; ++r) {
      const Key row = static_cast<Key>(static_cast<Key>(r) << shift);
      for (auto k = static_cast<std::size_t>(start[r]), end = static_cast<std::size_t>(start[r + 1]); k < end; ++k) {
        const auto column = static_cast<std::size_t>(columns[k]);
        Entry* const entry = entries.data() + to[column >> shift]++;
        fetch_ahead(entry);
        *entry = {values[k], static_cast<Key>(row | (static_cast<Key>(column) & within))};
      }
    }
  });

  Array<I> out_start(cols + 1), out_rows(n);
  Array<T> out_values(n);
  std::atomic<std::size_t> next_block{0};
  on_threads(static_cast<int>(parts), [&](int, int) {
    Array<I> places(std::size_t{1} << shift);
    for (std::size_t b; (b = next_block.fetch_add(1)) < blocks.count;) {
      const std::size_t begin = b << shift, count = std::min(cols, (b + 1) << shift) - begin;
      const std::size_t first = blocks.first[b], length = blocks.first[b + 1] - first;
      const Entry* const block = entries.data() + blocks.triplets[b];
      std::fill_n(places.data(), count, I{0});
      fetching(length, out_rows.data() + first, out_values.data() + first,
               [=, places = places.data()](std::size_t i) { ++places[block[i].key & within]; });
      auto sum = static_cast<I>(first);
      for (std::size_t c = 0; c < count; ++c) {
        const I length_of_row = places[c];
        out_start[begin + c] = places[c] = sum;
        sum = static_cast<I>(sum + length_of_row);
      }
      put_asking(
          length,
          [=, places = places.data(), rows = out_rows.data(), values = out_values.data()](std::size_t i) {
            const I later = places[block[i].key & within];
            __builtin_prefetch(rows + later, 1);
            __builtin_prefetch(values + later, 1);
          },
          [=, places = places.data(), rows = out_rows.data(), values = out_values.data()](std::size_t i) {
            const Entry entry = block[i];
            const auto to = static_cast<std::size_t>(places[entry.key & within]++);
            rows[to] = static_cast<I>(entry.key >> shift);
            values[to] = entry.value;
          });
    }
  });
  out_start[cols] = static_cast<I>(n);
  return Csr<T, I>::trusted(cols, a.rows(), std::move(out_start), std::move(out_rows), std::move(out_values));
}

}  // namespace

template <class T, class I>
Csr<T, I> transpose_by_blocks(const Csr<T, I>& a, std::size_t parts) {
  const RowBlocks blocks(a.cols(), a.nonzeros());
  // 64 bits are enough below 2^37 rows and columns, whose row_start alone would have 2^37 elements.
  return fits_key<std::uint32_t>(a.rows(), blocks.shift) ? by_blocks<std::uint32_t>(a, parts, blocks)
                                                         : by_blocks<std::uint64_t>(a, parts, blocks);
}

#define PAWL_INSTANTIATE(T, I) template Csr<T, I> transpose_by_blocks(const Csr<T, I>&, std::size_t);
PAWL_FOR_EACH_SPARSE_TYPE(PAWL_INSTANTIATE)

}  // namespace pawl::sparse
