// transpose.cpp -- the transposed matrix: a counting sort of the entries by column, by blocks where they are scattered.
#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "block_sort.hpp"
#include "pawl/isa.hpp"
#include "pawl/parallel.hpp"
#include "pawl/sparse.hpp"
#include "refuse.hpp"
#include "row_blocks.hpp"
#include "scattered.hpp"
#include "transpose_by_blocks.hpp"

namespace pawl::sparse {
namespace {

constexpr std::size_t kEntriesForThreads = 50'000;  // below, waking a thread costs more than it saves

// The first row of a part, so that parts have as many entries each.
template <class T, class I>
std::size_t first_row_of(const Csr<T, I>& a, std::size_t part, std::size_t parts) {
  if (part == parts) return a.rows();
  const auto start = a.row_start();
  const auto target = static_cast<I>(a.nonzeros() / parts * part);
  return part == 0 ? 0
                   : static_cast<std::size_t>(std::lower_bound(start.begin(), start.end() - 1, target) - start.begin());
}

// Calls body(part) for each part, by so many threads.
template <class Body>
void for_each_part(std::size_t parts, Body body) {
  std::atomic<std::size_t> next{0};
  on_threads(static_cast<int>(parts), [&](int, int) {
    for (std::size_t p; (p = next.fetch_add(1)) < parts;) body(p);
  });
}

template <class T, class I>
Csr<T, I> directly(const Csr<T, I>& a, std::size_t parts) {
  const std::size_t cols = a.cols(), n = a.nonzeros();
  const I *start = a.row_start().data(), *columns = a.columns().data();
  const T* values = a.values().data();
  // places[p][c]: the entries of column c in the rows of part p, then where they go.
  std::vector<Array<I>> places(parts);
  for_each_part(parts, [&](std::size_t p) {
    places[p] = Array<I>(cols);
    std::fill_n(places[p].data(), cols, I{0});
    I* const counts = places[p].data();
    const auto end = static_cast<std::size_t>(start[first_row_of(a, p + 1, parts)]);
    for (auto k = static_cast<std::size_t>(start[first_row_of(a, p, parts)]); k < end; ++k) ++counts[columns[k]];
  });
  Array<I> out_start(cols + 1);
  I sum = 0;
  if (parts == 1) {
    I* const place = places[0].data();
    for (std::size_t c = 0; c < cols; ++c) {
      const I count = place[c];
      out_start[c] = place[c] = sum;
      sum = static_cast<I>(sum + count);
    }
  } else {
    for (std::size_t c = 0; c < cols; ++c) {
      out_start[c] = sum;
      for (Array<I>& part : places) sum = static_cast<I>(sum + std::exchange(part[c], sum));
    }
  }
  out_start[cols] = sum;
  Array<I> out_rows(n);
  Array<T> out_values(n);
  for_each_part(parts, [&](std::size_t p) {
    I* const place = places[p].data();
    const std::size_t last = first_row_of(a, p + 1, parts);
    for (std::size_t r = first_row_of(a, p, parts); r < last; ++r)
      for (auto k = static_cast<std::size_t>(start[r]), end = static_cast<std::size_t>(start[r + 1]); k < end; ++k) {
        const auto to = static_cast<std::size_t>(place[columns[k]]++);
        out_rows[to] = static_cast<I>(r);
        out_values[to] = values[k];
      }
  });
  return Csr<T, I>::trusted(cols, a.rows(), std::move(out_start), std::move(out_rows), std::move(out_values));
}

}  // namespace

template <class T, class I>
Csr<T, I> transpose_by_blocks(const Csr<T, I>& a, std::size_t parts) {
  const std::size_t cols = a.cols(), n = a.nonzeros();
  const I *start = a.row_start().data(), *columns = a.columns().data();
  const T* values = a.values().data();
  RowBlocks blocks(cols, n);
  const unsigned shift = blocks.shift;
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
  Array<Triplet<T, I>> triplets(blocks.lay_out(all, sizeof(Triplet<T, I>)));
  for_each_part(parts, [&](std::size_t p) {
    std::size_t* const to = all[p].counts.data();
    const std::size_t last = first_row_of(a, p + 1, parts);
    for (std::size_t r = first_row_of(a, p, parts); r < last; ++r)
      for (auto k = static_cast<std::size_t>(start[r]), end = static_cast<std::size_t>(start[r + 1]); k < end; ++k)
        triplets[to[static_cast<std::size_t>(columns[k]) >> shift]++] = {columns[k], static_cast<I>(r), values[k]};
  });

  Array<I> out_start(cols + 1), out_rows(n);
  Array<T> out_values(n);
  std::atomic<std::size_t> next_block{0};
  on_threads(static_cast<int>(parts), [&](int, int) {
    Array<I> places(std::size_t{1} << shift);
    for (std::size_t b; (b = next_block.fetch_add(1)) < blocks.count;) {
      const std::size_t begin = b << shift, count = std::min(cols, (b + 1) << shift) - begin;
      const Triplet<T, I>*const first = triplets.data() + blocks.triplets[b], *const last =
                                                                                  first + (blocks.first[b + 1] -
                                                                                           blocks.first[b]);
      std::fill_n(places.data(), count, I{0});
      for (const auto* t = first; t != last; ++t) ++places[static_cast<std::size_t>(t->row) - begin];
      auto sum = static_cast<I>(blocks.first[b]);
      for (std::size_t c = 0; c < count; ++c) {
        const I entries = places[c];
        out_start[begin + c] = places[c] = sum;
        sum = static_cast<I>(sum + entries);
      }
      for (const auto* t = first; t != last; ++t) {
        const auto to = static_cast<std::size_t>(places[static_cast<std::size_t>(t->row) - begin]++);
        out_rows[to] = t->column;
        out_values[to] = t->value;
      }
    }
  });
  out_start[cols] = static_cast<I>(n);
  return Csr<T, I>::trusted(cols, a.rows(), std::move(out_start), std::move(out_rows), std::move(out_values));
}

template <class T, class I>
Csr<T, I> transpose(const Csr<T, I>& a) {
  if (a.nonzeros() == 0) return Csr<T, I>(a.cols(), a.rows());
  const auto threads = static_cast<std::size_t>(a.nonzeros() < kEntriesForThreads ? 1 : num_threads());
  // A result that L3 holds is written as fast in any order: blocks cost more traffic than they save.
  const bool beyond_l3 = a.nonzeros() * (sizeof(T) + sizeof(I)) > cache_sizes().l3_bytes;
  return beyond_l3 && is_scattered(a) ? transpose_by_blocks(a, threads) : directly(a, threads);
}

#define PAWL_INSTANTIATE(T, I)                    \
  template Csr<T, I> transpose(const Csr<T, I>&); \
  template Csr<T, I> transpose_by_blocks(const Csr<T, I>&, std::size_t);
PAWL_FOR_EACH_SPARSE_TYPE(PAWL_INSTANTIATE)

}  // namespace pawl::sparse
