// coo.cpp -- triplets in any order to CSR: in one block, or partitioned into blocks of rows that fit into L2.
//
// A counting sort over all rows at once writes to as many places as there are rows, each a cache miss once the result
// is larger than the caches. Blocks of some thousand entries make both steps local (the first digit of a radix sort;
// Polychroniou and Ross, "A comprehensive study of main-memory partitioning", SIGMOD 2014), and are the work of
// threads. What fits into L2, or is written to few places at a time, is one block.
#include <algorithm>
#include <atomic>
#include <bit>
#include <compare>
#include <optional>
#include <utility>
#include <vector>

#include "block_sort.hpp"
#include "packed_entry.hpp"
#include "pawl/parallel.hpp"
#include "pawl/sparse.hpp"
#include "refuse.hpp"
#include "row_blocks.hpp"
#include "row_runs.hpp"
#include "slot_sort.hpp"
#include "tile_sums.hpp"
#include "triplet_checks.hpp"
#include "triplet_order.hpp"

namespace pawl::sparse {
namespace {

constexpr std::size_t kOneBlock = 131'072;              // results that fit into L2 as they are need no blocks
constexpr std::size_t kFewRows = 2048;                  // as many places to write to are as good as blocks
constexpr std::size_t kWorthThreads = 12'000;           // triplets, 60 us, where a thread is awake
constexpr std::size_t kWorthWaking = 30'000;            // where one sleeps, which comes 40 us later
constexpr std::size_t kFetched = std::size_t{1} << 20;  // bytes of entries whose next lines a partition asks for

template <class T, class I>
auto triplets_of(const Coo<T, I>& a) {
  return [rows = a.row_indices.data(), columns = a.columns.data(), values = a.values.data()](std::size_t k) {
    return Triplet<T, I>{rows[k], columns[k], values[k]};
  };
}

// Whether there are so few columns that dense tiles of them are faster than sorting: up to 2.7 times where half of the
// entries repeat a place, 1.0 to 3 times elsewhere; for 50 and 100 columns from a row of 8 and 16 entries on, while 300
// took 0.6 to 1.3 times the time (Zen 4, 500 to 10^5 rows).
template <class T, class I>
bool takes_tiles(const Coo<T, I>& a) {
  constexpr std::size_t kFewColumns = 32, kMostColumns = 128, kFullEnough = 6;
  const std::size_t n = a.values.size();
  if (a.cols == 0 || a.cols > kMostColumns) return false;
  if ((a.rows - 1) >> (std::bit_width(TileSums<T, I>::block_rows(a.cols)) - 1) >= RowBlocks::kMost) return false;
  return a.cols <= kFewColumns ? 2 * n >= a.rows : n >= a.rows * a.cols / kFullEnough;
}

// only_in_slots: nothing if rows are too long for that.
template <class T, class I>
std::optional<Csr<T, I>> in_one_block(const Coo<T, I>& a, bool only_in_slots) {
  const std::size_t n = a.values.size(), rows = a.rows;
  const bool by_tile = takes_tiles(a);
  const bool by_runs = !by_tile && rows_come_in_runs(a.row_indices.data(), n);
  const bool in_slots = !by_tile && SlotSorter<T, I>::takes(n, rows, a.cols) && !begins_as_csr(a) &&
                        !rows_are_long(a, by_runs) && !in_order_and_long(a, std::size_t{0});
  if (only_in_slots && !in_slots) return std::nullopt;
  Array<I> start(rows + 1), columns(n);
  Array<T> values(n);
  const auto finished = [&](std::size_t used) {
    start[rows] = static_cast<I>(used);
    columns.truncate(used);
    values.truncate(used);
    return Csr<T, I>::trusted(rows, a.cols, std::move(start), std::move(columns), std::move(values));
  };
  SlotSorter<T, I> slots;
  if (in_slots) {
    slots.begin(n, rows, by_runs);
    if (!slots.fill(a.row_indices.data(), a.columns.data(), n, a.cols)) refuse_index(a);
    const std::size_t used =
        slots.take(a.values.data(), sizeof(T), {start.data(), 0, columns.data(), values.data()}, n);
    if (used != kTooLong) return finished(used);
    if (only_in_slots) return std::nullopt;
  }
  BlockSorter<T, I> sorter(a.cols, n, by_tile ? rows : 0, by_runs);
  I* const counters = sorter.counters(rows);
  const auto count = [counters](I row, std::size_t times) {
    counters[row] = static_cast<I>(counters[row] + static_cast<I>(times));
  };
  bool ascending = true;
  if (in_slots)
    slots.lengths(counters);
  else if (!(by_tile ? check(a, Range{0, n}, ascending)
                     : check_and_count(
                           a, Range{0, n}, by_runs, ascending, [](I row) { return row; }, count)))
    refuse_index(a);
  if (in_slots || !ascending || !columns_ascend(a))
    return finished(sorter.sort(n, triplets_of(a), 0, rows, {start.data(), 0, columns.data(), values.data()},
                                {a.values.data(), sizeof(T)}));
  if (by_tile) std::for_each_n(a.row_indices.data(), n, [&](I row) { count(row, 1); });
  I sum = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    start[r] = sum;
    sum = static_cast<I>(sum + counters[r]);
  }
  std::copy_n(a.columns.data(), n, columns.data());
  std::copy_n(a.values.data(), n, values.data());
  return finished(n);
}

// So few entries that even a look at each row would take longer than to sort them by themselves.
template <class T, class I>
Csr<T, I> by_places(const Coo<T, I>& a) {
  struct Place {
    I row, column;
    std::size_t k;
    auto operator<=>(const Place&) const = default;  // NOLINT(modernize-use-nullptr): the compiler's own code
  };
  const std::size_t n = a.values.size();
  bool ascending = true;
  if (!check(a, Range{0, n}, ascending)) refuse_index(a);
  std::vector<Place> places(n);
  for (std::size_t k = 0; k < n; ++k) places[k] = {a.row_indices[k], a.columns[k], k};
  std::sort(places.begin(), places.end());
  Array<I> start(a.rows + 1), columns(n);
  Array<T> values(n);
  std::size_t out = 0, row = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Place& p = places[i];
    if (i > 0 && p.row == places[i - 1].row && p.column == places[i - 1].column) {
      values[out - 1] += a.values[p.k];
      continue;
    }
    for (; row <= static_cast<std::size_t>(p.row); ++row) start[row] = static_cast<I>(out);
    columns[out] = p.column;
    values[out++] = a.values[p.k];
  }
  std::fill(start.data() + row, start.end(), static_cast<I>(out));
  columns.truncate(out);
  values.truncate(out);
  return Csr<T, I>::trusted(a.rows, a.cols, std::move(start), std::move(columns), std::move(values));
}

// Entries per block of one part of the triplets; later where it writes next.
struct PartCounts {
  std::vector<std::size_t> counts;
  bool within = true, ascending = true;
};

// An entry in its block as a triplet, and the row and column of one whose block begins with row_begin in one integer.
template <class T, class I>
Triplet<T, I> unpacked(const Triplet<T, I>& t, std::size_t, unsigned) {
  return t;
}
template <class T, class I>
Triplet<T, I> unpacked(const PackedEntry<T, std::uint32_t>& e, std::size_t row_begin, unsigned column_bits) {
  const std::uint32_t mask = (std::uint32_t{1} << column_bits) - 1;
  return {static_cast<I>(row_begin + (e.key >> column_bits)), static_cast<I>(e.key & mask), e.value};
}

// Entry: Triplet, or PackedEntry where row and column within a block fit into its key.
template <class Entry, class T, class I>
Csr<T, I> by_blocks(const Coo<T, I>& a, RowBlocks blocks, bool by_tile, int threads) {
  constexpr bool kPacked = !std::is_same_v<Entry, Triplet<T, I>>;
  const std::size_t n = a.values.size(), rows = a.rows;
  const unsigned column_bits = bits_for(a.cols);
  const bool by_runs = rows_come_in_runs(a.row_indices.data(), n);
  std::vector<PartCounts> parts(static_cast<std::size_t>(threads));
  int parts_used = 1;
  const Wake wake = n < kWorthWaking ? Wake::in_bursts : Wake::always;
  on_threads(
      threads,
      [&](int t, int used) {
        if (t == 0) parts_used = used;
        PartCounts& part = parts[static_cast<std::size_t>(t)];
        part.counts.assign(blocks.count, 0);
        const unsigned shift = blocks.shift;
        std::size_t* const counts = part.counts.data();
        part.within = check_and_count(
            a, share(n, t, used), by_runs, part.ascending,
            [=](I row) { return static_cast<std::size_t>(row) >> shift; },
            [=](std::size_t block, std::size_t times) { counts[block] += times; });
      },
      wake);
  parts.resize(static_cast<std::size_t>(parts_used));
  bool ascending = true;
  for (const PartCounts& part : parts) {
    if (!part.within) refuse_index(a);
    ascending = ascending && part.ascending;
  }
  const bool sorted = ascending && columns_ascend(a);

  const std::size_t place = blocks.lay_out(parts, sizeof(Entry));
  Array<Entry> entries(ascending ? 0 : place);
  const bool fetch = n * sizeof(Entry) > kFetched;
  if (!ascending) {
    // The same division of the work as above, whatever number of threads is given now.
    std::atomic<std::size_t> next_part{0};
    on_threads(
        parts_used,
        [&](int, int) {
          for (std::size_t p; (p = next_part.fetch_add(1)) < parts.size();) {
            std::size_t* const to = parts[p].counts.data();
            const unsigned shift = blocks.shift;
            const auto block_of = [&](std::size_t k) { return static_cast<std::size_t>(a.row_indices[k]) >> shift; };
            const auto begin_block = [&](std::size_t b, std::size_t) { return entries.data() + to[b]; };
            const auto move = [&](std::size_t k, Entry* entry) {
              if (fetch) fetch_ahead(entry);
              if constexpr (kPacked) {
                const std::size_t within = static_cast<std::size_t>(a.row_indices[k]) & ((std::size_t{1} << shift) - 1);
                *entry = {a.values[k],
                          static_cast<std::uint32_t>(within << column_bits | static_cast<std::size_t>(a.columns[k]))};
              } else {
                *entry = {a.row_indices[k], a.columns[k], a.values[k]};
              }
            };
            const auto end_block = [&](std::size_t b, Entry* entry) {
              to[b] = static_cast<std::size_t>(entry - entries.data());
            };
            const auto [begin, end] = share(n, static_cast<int>(p), parts_used);
            if (by_runs)
              for_each_in_runs(begin, end, block_of, begin_block, move, end_block);
            else
              for (std::size_t k = begin; k < end; ++k) move(k, entries.data() + to[block_of(k)]++);
          }
        },
        wake);
  }

  Array<I> start(rows + 1), columns(n);
  Array<T> values(n);
  const bool in_order = parts_used == 1;  // then no block leaves a gap
  std::size_t out = 0;                    // entries before the next block
  std::vector<std::size_t> written(in_order ? 0 : blocks.count);
  std::atomic<std::size_t> next_block{0};
  on_threads(
      parts_used,
      [&](int, int) {
        BlockSorter<T, I> sorter(a.cols, n, by_tile ? std::min(rows, std::size_t{1} << blocks.shift) : 0, by_runs);
        SlotSorter<T, I> slots;
        Array<I> block_rows;  // of triplets by ascending rows, from the first row of the block on
        constexpr std::size_t kMostFailed = 15;
        std::size_t failed = 0;
        for (std::size_t b; (b = next_block.fetch_add(1)) < blocks.count;) {
          const std::size_t row_begin = b << blocks.shift, count = std::min(rows, (b + 1) << blocks.shift) - row_begin;
          const std::size_t first = blocks.first[b], last = blocks.first[b + 1], to = in_order ? out : first;
          const Entry* const block = ascending ? nullptr : entries.data() + blocks.triplets[b];
          const BlockResult<T, I> result{start.data() + row_begin, to, columns.data() + to, values.data() + to};
          I* const counters = sorter.counters(count);
          bool counted = by_tile && !sorted;
          if constexpr (kPacked) {
            // Where blocks have rows that are too long, only some more are tried.
            if (!sorted && b % (failed + 1) == 0 && SlotSorter<T, I>::takes(last - first, count, a.cols)) {
              slots.begin(last - first, count, by_runs);
              std::size_t left = kTooLong;
              if (ascending) {
                if (block_rows.size() < last - first) block_rows = Array<I>(last - first);
                for (std::size_t k = first; k < last; ++k)
                  block_rows[k - first] = static_cast<I>(a.row_indices[k] - static_cast<I>(row_begin));
                if (!slots.fill(block_rows.data(), a.columns.data() + first, last - first, a.cols)) refuse_index(a);
                left = slots.take(a.values.data() + first, sizeof(T), result, last - first);
              } else {
                slots.fill(block, last - first, column_bits, by_runs);
                left = slots.take(block, sizeof(Entry), result, last - first);
              }
              if (left != kTooLong) {
                in_order ? out += left : written[b] = left;
                continue;
              }
              slots.lengths(counters);
              counted = true;
              failed = std::min(2 * failed + 1, kMostFailed);
            }
          }
          const auto in_place = [of = triplets_of(a), first](std::size_t k) { return of(first + k); };
          const auto partitioned = [=](std::size_t k) { return unpacked<T, I>(block[k], row_begin, column_bits); };
          const Values in_block = kPacked && !ascending ? Values{block, sizeof(Entry)} : Values{};
          const auto sort_block = [&](const auto& source) {
            if (!counted)
              for (std::size_t k = 0; k < last - first; ++k)
                ++counters[static_cast<std::size_t>(source(k).row) - row_begin];
            if (!sorted) return sorter.sort(last - first, source, row_begin, count, result, in_block);
            std::size_t sum = to;
            for (std::size_t r = 0; r < count; ++r) {
              start[row_begin + r] = static_cast<I>(sum);
              sum += static_cast<std::size_t>(counters[r]);
            }
            std::copy_n(a.columns.data() + first, last - first, result.columns);
            std::copy_n(a.values.data() + first, last - first, result.values);
            return last - first;
          };
          const std::size_t left = ascending ? sort_block(in_place) : sort_block(partitioned);
          in_order ? out += left : written[b] = left;
        }
      },
      wake);

  // Duplicates leave gaps behind the blocks that had them.
  for (std::size_t b = 0; b < written.size(); ++b) {
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

template <class T, class I>
Csr<T, I> in_blocks(const Coo<T, I>& a, int threads) {
  if (takes_tiles(a)) {
    const std::size_t most = TileSums<T, I>::block_rows(a.cols);
    return by_blocks<Triplet<T, I>>(a, RowBlocks::at_most(most, a.rows), true, threads);
  }
  const RowBlocks blocks(a.rows, a.values.size(), kPackedEntries);
  return fits_key<std::uint32_t>(a.cols, blocks.shift)
             ? by_blocks<PackedEntry<T, std::uint32_t>>(a, blocks, false, threads)
             : by_blocks<Triplet<T, I>>(a, blocks, false, threads);
}

}  // namespace

template <class T, class I>
Csr<T, I> to_csr(const Coo<T, I>& a) {
  const std::size_t n = a.values.size();
  check_size<I>("the number of rows", a.rows);
  check_size<I>("the number of columns", a.cols);
  check_size<I>("the number of triplets", n);
  check_length("to_csr", "row_indices", a.row_indices.size(), n);
  check_length("to_csr", "columns", a.columns.size(), n);
  if (n == 0) return Csr<T, I>(a.rows, a.cols);
  if (a.rows == 0 || a.cols == 0) refuse_index(a);
  constexpr std::size_t kRowsPerPlace = 64;  // 5 ns for each row elsewhere, 100 to 200 for each entry there
  if (a.rows / kRowsPerPlace > n) return by_places(a);
  const int threads = n < kWorthThreads ? 1 : num_threads();
  if (threads == 1) {
    // Rows without end and few entries: their counters alone would not fit, blocks of rows keep them local.
    const bool sorts_at_once =
        a.rows <= kOneBlock && (n <= kOneBlock || a.rows <= kFewRows || is_local(a)) && !has_slots_by_blocks_alone(a);
    if (takes_tiles(a) ? TileSums<T, I>::is_one_tile(a.rows, a.cols) : sorts_at_once) return *in_one_block(a, false);
    // ns per entry in slots at once and by blocks (Zen 4, f64): 10 in each of 16,000 rows 4.0 and 6.0, of 25,000 3.8
    // and 6.4, of 50,000 level, of 100,000 11.6 and 8.6; 5 in each of 100,000 8.3 and 6.0. These bytes are values and
    // the lines of slots that are touched, somewhat more than there are entries.
    constexpr std::size_t kSlotsBytes = std::size_t{7} << 20;
    if (!takes_tiles(a) && a.rows <= kOneBlock && n * (sizeof(T) + 8) + a.rows * 12 <= kSlotsBytes)
      if (std::optional<Csr<T, I>> result = in_one_block(a, true)) return std::move(*result);
  }
  return in_blocks(a, threads);
}

#define PAWL_INSTANTIATE(T, I) template Csr<T, I> to_csr(const Coo<T, I>&);
PAWL_FOR_EACH_SPARSE_TYPE(PAWL_INSTANTIATE)

}  // namespace pawl::sparse
