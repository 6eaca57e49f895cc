// coo.cpp -- triplets in any order to CSR: partitioned into blocks of rows that fit into L2, each then sorted there.
//
// A counting sort over all rows at once writes to as many places as there are rows, each a cache miss once the result
// is larger than the caches. Blocks of some thousand entries make both steps local (the first digit of a radix sort;
// Polychroniou and Ross, "A comprehensive study of main-memory partitioning", SIGMOD 2014), and are the work of
// threads.
#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>
#include <vector>

#include "pawl/parallel.hpp"
#include "pawl/sparse.hpp"
#include "refuse.hpp"
#include "row_sort.hpp"

namespace pawl::sparse {
namespace {

constexpr std::size_t kBlockEntries = 16384;  // 16 bytes each and as much again to sort them: half of a 1 MiB L2
constexpr std::size_t kOneBlock = 131'072;    // results that fit into L2 as they are need no blocks
constexpr std::size_t kMaxBlocks = 1024;      // streams that a partition writes at once; more would not fit L1 and TLB
constexpr std::size_t kTripletsForThreads = 50'000;  // below, waking a thread costs more than it saves

// The first triplet out of range, once one is known to be.
template <class T, class I>
[[noreturn, gnu::cold]] void refuse_index(const Coo<T, I>& a) {
  for (std::size_t k = 0; k < a.values.size(); ++k)
    for (const bool is_row : {true, false}) {
      const I index = is_row ? a.row_indices[k] : a.columns[k];
      const std::size_t size = is_row ? a.rows : a.cols;
      if (index < 0 || static_cast<std::size_t>(index) >= size)
        refuse("to_csr: triplet " + std::to_string(k) + " has " + (is_row ? "row " : "column ") +
               std::to_string(index) + ", but the matrix has " + std::to_string(size) +
               (is_row ? " rows" : " columns"));
    }
  refuse("to_csr: the triplets changed while they were read");
}

template <class T, class I>
struct Triplet {
  I row, column;
  T value;
};

// Triplets as the caller has them, and as the partition leaves them.
template <class T, class I>
struct FromArrays {
  const I *rows, *columns;
  const T* values;
  I row(std::size_t k) const { return rows[k]; }
  I column(std::size_t k) const { return columns[k]; }
  T value(std::size_t k) const { return values[k]; }
};
template <class T, class I>
struct FromTriplets {
  const Triplet<T, I>* triplets;
  I row(std::size_t k) const { return triplets[k].row; }
  I column(std::size_t k) const { return triplets[k].column; }
  T value(std::size_t k) const { return triplets[k].value; }
};

// Where the blocks of rows are: block b has rows from b << shift on and entries [first[b], first[b + 1]).
struct Blocks {
  unsigned shift;
  std::size_t count;
  std::vector<std::size_t> first;
};

// What one part of the triplets looks like: entries per block, with one more for rows out of range.
template <class U>
struct PartCounts {
  std::vector<std::size_t> counts;
  U last_column = 0;
  bool ascending = true;  // rows never fall within the part
};

template <class T, class I, class Source>
void sort_block(const Source& from, std::size_t first, std::size_t last, std::size_t row_begin, std::size_t row_end,
                bool grouped, RowSorter<T, I>& sorter, I* start, I* columns, T* values, std::size_t& written) {
  const std::size_t rows = row_end - row_begin, n = last - first;
  std::vector<std::size_t>& next = sorter.next;
  next.assign(rows + 2, 0);
  std::size_t* count = next.data() + 2;  // after the prefix sum next[r + 1] is where row r begins
  for (std::size_t k = first; k < last; ++k) ++count[static_cast<std::size_t>(from.row(k)) - row_begin];
  for (std::size_t r = 1; r < rows; ++r) count[r] += count[r - 1];
  I* const unsorted_columns = sorter.columns(n);
  T* const unsorted_values = sorter.values(n);
  std::size_t* place = next.data() + 1;
  if (grouped) {
    for (std::size_t k = 0; k < n; ++k) {
      unsorted_columns[k] = from.column(first + k);
      unsorted_values[k] = from.value(first + k);
    }
    ++place;
  } else {
    for (std::size_t k = first; k < last; ++k) {
      const std::size_t to = place[static_cast<std::size_t>(from.row(k)) - row_begin]++;
      unsorted_columns[to] = from.column(k);
      unsorted_values[to] = from.value(k);
    }
  }
  // place[r] is now the end of row r.
  std::size_t out = 0, begin = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    start[row_begin + r] = static_cast<I>(first + out);
    const std::size_t end = place[r];
    out += sorter.sort(unsorted_columns + begin, unsorted_values + begin, end - begin, columns + first + out,
                       values + first + out);
    begin = end;
  }
  written = out;
}

}  // namespace

template <class T, class I>
Csr<T, I> to_csr(const Coo<T, I>& a) {
  using U = std::make_unsigned_t<I>;
  const std::size_t n = a.values.size(), rows = a.rows;
  check_size<I>("the number of rows", rows);
  check_size<I>("the number of columns", a.cols);
  check_size<I>("the number of triplets", n);
  check_length("to_csr", "row_indices", a.row_indices.size(), n);
  check_length("to_csr", "columns", a.columns.size(), n);
  if (n == 0) return Csr<T, I>(rows, a.cols);
  if (rows == 0 || a.cols == 0) refuse_index(a);

  // Blocks of 2^shift rows, so that they have kBlockEntries on average and are not too many.
  Blocks blocks;
  blocks.shift = 0;
  if (n <= kOneBlock) blocks.shift = static_cast<unsigned>(std::bit_width(rows - 1));
  while (blocks.shift < 63 &&
         (((rows - 1) >> blocks.shift) + 1 > kMaxBlocks || ((n / rows + 1) << blocks.shift) <= kBlockEntries / 2))
    ++blocks.shift;
  blocks.count = ((rows - 1) >> blocks.shift) + 1;

  const int threads = n < kTripletsForThreads ? 1 : num_threads();
  std::vector<PartCounts<U>> parts(static_cast<std::size_t>(threads));
  int parts_used = 1;
  on_threads(threads, [&](int t, int used) {
    if (t == 0) parts_used = used;
    PartCounts<U>& part = parts[static_cast<std::size_t>(t)];
    part.counts.assign(blocks.count + 1, 0);
    const auto [begin, end] = share(n, t, used);
    // Unsigned, so that a negative index is a large one; a maximum costs less than a branch for each.
    U last_column = 0, last_row = 0, falls = 0, previous = 0;
    const U top = static_cast<U>(blocks.count);
    for (std::size_t k = begin; k < end; ++k) {
      const U row = static_cast<U>(a.row_indices[k]);
      ++part.counts[std::min<U>(static_cast<U>(row >> blocks.shift), top)];
      last_row = std::max(last_row, row);
      last_column = std::max(last_column, static_cast<U>(a.columns[k]));
      falls = static_cast<U>(falls | static_cast<U>(row < previous));
      previous = row;
    }
    part.last_column = last_column;
    part.ascending = falls == 0;
    if (last_row >= rows) part.counts[blocks.count] += 1;
  });
  parts.resize(static_cast<std::size_t>(parts_used));
  bool grouped = true;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (parts[p].counts[blocks.count] > 0 || parts[p].last_column >= a.cols) refuse_index(a);
    const auto part_begin = share(n, static_cast<int>(p), parts_used).begin;
    grouped = grouped && parts[p].ascending &&
              (part_begin == 0 || part_begin == n || a.row_indices[part_begin - 1] <= a.row_indices[part_begin]);
  }

  // Counts become the places where each part writes into each block.
  blocks.first.resize(blocks.count + 1);
  std::size_t sum = 0, largest = 0;
  for (std::size_t b = 0; b < blocks.count; ++b) {
    blocks.first[b] = sum;
    for (auto& part : parts) sum += std::exchange(part.counts[b], sum);
    largest = std::max(largest, sum - blocks.first[b]);
  }
  blocks.first[blocks.count] = sum;

  const bool in_place = grouped || blocks.count == 1;
  Array<Triplet<T, I>> triplets(in_place ? 0 : n);
  if (!in_place) {
    // The same division of the work as above, whatever number of threads is given now.
    std::atomic<std::size_t> next_part{0};
    on_threads(parts_used, [&](int, int) {
      for (std::size_t p; (p = next_part.fetch_add(1)) < parts.size();) {
        std::size_t* const to = parts[p].counts.data();
        const auto [begin, end] = share(n, static_cast<int>(p), parts_used);
        for (std::size_t k = begin; k < end; ++k) {
          const I row = a.row_indices[k];
          triplets[to[static_cast<U>(row) >> blocks.shift]++] = {row, a.columns[k], a.values[k]};
        }
      }
    });
  }

  Array<I> start(rows + 1), columns(n);
  Array<T> values(n);
  std::vector<std::size_t> written(blocks.count);
  std::atomic<std::size_t> next_block{0};
  std::vector<RowSorter<T, I>> sorters(parts.size());
  for (auto& sorter : sorters) sorter.reserve(largest, a.cols);
  std::atomic<std::size_t> next_sorter{0};
  on_threads(parts_used, [&](int, int) {
    RowSorter<T, I>& sorter = sorters[next_sorter.fetch_add(1)];
    const FromArrays<T, I> arrays{a.row_indices.data(), a.columns.data(), a.values.data()};
    const FromTriplets<T, I> partitioned{triplets.data()};
    for (std::size_t b; (b = next_block.fetch_add(1)) < blocks.count;) {
      const std::size_t row_begin = b << blocks.shift, row_end = std::min(rows, (b + 1) << blocks.shift);
      const auto sort = [&](const auto& from) {
        sort_block(from, blocks.first[b], blocks.first[b + 1], row_begin, row_end, grouped, sorter, start.data(),
                   columns.data(), values.data(), written[b]);
      };
      in_place ? sort(arrays) : sort(partitioned);
    }
  });

  // Duplicates leave gaps behind the blocks that had them.
  std::size_t out = 0;
  for (std::size_t b = 0; b < blocks.count; ++b) {
    const std::size_t from = blocks.first[b];
    if (out != from) {
      std::copy_n(columns.data() + from, written[b], columns.data() + out);
      std::copy_n(values.data() + from, written[b], values.data() + out);
      for (std::size_t r = b << blocks.shift, end = std::min(rows, (b + 1) << blocks.shift); r < end; ++r)
        start[r] = static_cast<I>(static_cast<std::size_t>(start[r]) - (from - out));
    }
    out += written[b];
  }
  start[rows] = static_cast<I>(out);
  columns.truncate(out);
  values.truncate(out);
  return Csr<T, I>::trusted(rows, a.cols, std::move(start), std::move(columns), std::move(values));
}

#define PAWL_INSTANTIATE(T, I) template Csr<T, I> to_csr(const Coo<T, I>&);
PAWL_FOR_EACH_SPARSE_TYPE(PAWL_INSTANTIATE)

}  // namespace pawl::sparse
