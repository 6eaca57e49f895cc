// sparse.cpp -- checks, threads and dispatch of the products of sparse matrices with vectors.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "isa/branch_memory.hpp"
#include "isa/datapath.hpp"
#include "isa/streaming.hpp"
#include "kernels/sparse/row_parts.hpp"
#include "kernels/sparse/row_piece.hpp"
#include "pawl/isa.hpp"
#include "pawl/parallel.hpp"
#include "pawl/sparse.hpp"
#include "sparse/active_ops.hpp"
#include "sparse/refuse.hpp"
#include "sparse/row_likeness.hpp"
#include "sparse/scattered.hpp"

namespace pawl::sparse {
namespace {

// Whether the ends of rows are learnt by heart when a matrix is multiplied again and again: 10^4 rows of 8 entries
// still, 10^5 not (Zen 5). ns per entry of 1 to 20 random columns row by row and by products, Emerald Rapids: 2000 rows
// 0.46 and 0.64, 4000 1.10 and 0.69, 10^4 1.37 and 0.82.
template <class T, class I>
bool is_learnt(const Csr<T, I>& a) {
  return a.nonzeros() < (pawl::detail::forgets_branches ? std::size_t{30'000} : std::size_t{200'000});
}

template <class T, class I>
CsrSize size_class(const Csr<T, I>& a) {
  if (is_learnt(a)) return CsrSize::small;
  // L3 keeps the matrix between two uses, with room for the vectors.
  const std::size_t bytes = a.nonzeros() * (sizeof(T) + sizeof(I));
  const auto keeps = [=](std::size_t l3) { return bytes <= l3 / 4 * 3; };
  // Half of L2, since the matrix passes through it too.
  const bool x_is_beyond_l2 = a.cols() * sizeof(T) > assumed_cache_sizes().l2_bytes / 2;
  if (!keeps(assumed_cache_sizes().l3_bytes))
    return pawl::detail::splits_512_bits && x_is_beyond_l2 && is_scattered(a) ? CsrSize::scattered_beyond
                                                                              : CsrSize::beyond_caches;
  if (x_is_beyond_l2 && is_scattered(a)) return CsrSize::scattered;
  // Part of a large L3 is not there for one process: 10^6 rows of bands and stencils gain 1.05 to 1.5 from being asked
  // for as from memory on an Emerald Rapids (260 MiB), scattered ones lose up to a fifth.
  return keeps(kept_in_l3()) ? CsrSize::in_caches : CsrSize::beyond_caches;
}

// Rows so long that the thread that had one would keep the others waiting: those that lie across the boundary of two
// parts of the entries and have several pieces.
template <class I>
std::vector<std::size_t> rows_to_share(std::span<const I> start, int parts) {
  std::vector<std::size_t> shared;
  const auto n = static_cast<std::size_t>(start.back());
  for (int t = 1; t < parts; ++t) {
    const auto target = static_cast<I>(n / static_cast<std::size_t>(parts) * static_cast<std::size_t>(t));
    const auto row =
        static_cast<std::size_t>(std::upper_bound(start.begin(), start.end() - 1, target) - start.begin()) - 1;
    const auto length = static_cast<std::size_t>(start[row + 1]) - static_cast<std::size_t>(start[row]);
    if (length >= 2 * kRowPiece && (shared.empty() || shared.back() != row)) shared.push_back(row);
  }
  return shared;
}

// y = A x where `shared` rows are divided into pieces, which threads take after their own rows.
template <class T, class I>
void spmv_sharing(const Csr<T, I>& a, std::span<const T> x, std::span<T> y, CsrSize size,
                  const std::vector<std::size_t>& shared, int threads) {
  const I *const start = a.row_start().data(), *const columns = a.columns().data();
  const T* const values = a.values().data();
  const auto& ops = sparse_ops_for<T, I>(a.nonzeros());
  const auto at = [start](std::size_t row) { return static_cast<std::size_t>(start[row]); };

  struct Piece {
    std::size_t row, begin, n;
    T sum;
  };
  std::vector<Piece> pieces;
  for (std::size_t row : shared)
    for (std::size_t k = at(row); k < at(row + 1); k += kRowPiece)
      pieces.push_back({row, k, std::min(kRowPiece, at(row + 1) - k), T(0)});

  // Rows without the shared ones, as first_row() divides them; within the chunk of a shared row one by one, as the
  // whole chunk would be taken, since it has so many entries.
  const auto work_before = [&](std::size_t row) {
    std::size_t work = at(row) + 2 * row;
    for (std::size_t s : shared)
      if (s < row) work -= at(s + 1) - at(s);
    return work;
  };
  const auto first = [&](int t, int parts) {
    if (t == parts) return a.rows();
    const std::size_t target = work_before(a.rows()) / static_cast<std::size_t>(parts) * static_cast<std::size_t>(t);
    std::size_t low = 0, high = a.rows();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      work_before(middle) < target ? low = middle + 1 : high = middle;
    }
    return low / kRowChunk * kRowChunk;
  };
  const auto rows = [&](std::size_t begin, std::size_t end) {
    if (begin < end) ops.csr_rows(start, columns, values, x.data(), y.data(), begin, end, size);
  };
  const auto one_by_one = [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r)
      y[r] = ops.csr_row(columns + at(r), values + at(r), x.data(), at(r + 1) - at(r));
  };
  std::atomic<std::size_t> next{0};
  on_threads(
      threads,
      [&](int t, int parts) {
        std::size_t row = first(t, parts);
        const std::size_t end = first(t + 1, parts);
        for (std::size_t s : shared) {
          if (s < row || s >= end) continue;
          const std::size_t chunk = s / kRowChunk * kRowChunk;
          if (row < chunk) rows(row, chunk);
          one_by_one(std::max(row, chunk), s);
          row = s + 1;
          const bool again = std::find_if(shared.begin(), shared.end(), [&](std::size_t other) {
                               return other > s && other < chunk + kRowChunk;
                             }) != shared.end();
          if (again) continue;
          const std::size_t chunk_end = std::min(end, chunk + kRowChunk);
          one_by_one(row, chunk_end);
          row = chunk_end;
        }
        rows(row, end);
        for (std::size_t i; (i = next.fetch_add(1)) < pieces.size();)
          pieces[i].sum = ops.csr_row(columns + pieces[i].begin, values + pieces[i].begin, x.data(), pieces[i].n);
      },
      wake_for(a.nonzeros()));
  for (std::size_t row : shared) y[row] = T(0);
  for (const Piece& piece : pieces) y[piece.row] += piece.sum;
}

// Whether moved rows come in runs so long that a transposed product gains by taking them together. What is left of each
// is added one by one to sums that were just written as vectors. ns per entry one by one and by runs (Zen 5): 5 points,
// lines of 31 and 100 points, 0.57 and 0.62, 0.56 and 0.45; 7 points, lines of 46, 0.63 and 0.64.
template <class T, class I>
bool runs_are_long(const Csr<T, I>& a) {
  constexpr std::size_t kSampled = 256, kMeanRun = 20;
  const auto end_of_run = sparse_ops<T, I>().end_of_run;
  const std::size_t first = a.rows() / 3, last = std::min(a.rows(), first + kSampled);
  std::size_t runs = 0;
  for (std::size_t row = first; row < last; ++runs)
    row = end_of_run(a.row_start().data(), a.columns().data(), row, last);
  return runs * kMeanRun <= last - first;
}

// Whether of sampled neighbours at least half differ in length.
template <class T, class I>
bool lengths_differ(const Csr<T, I>& a) noexcept {
  constexpr std::size_t kSamples = 64;
  if (a.rows() < 2 * kSamples) return false;
  const std::span<const I> start = a.row_start();
  std::size_t differ = 0;
  for (std::size_t s = 0; s < kSamples; ++s) {
    const std::size_t row = s * ((a.rows() - 2) / kSamples);
    differ += start[row + 1] - start[row] != start[row + 2] - start[row + 1];
  }
  return 2 * differ >= kSamples;
}

// Whether a transposed product should ask for sums and entries to come: the sums lie beyond L2, the entries beyond L3.
template <class T, class I>
bool lies_beyond(const Csr<T, I>& a) noexcept {
  return a.cols() * sizeof(T) > assumed_cache_sizes().l2_bytes && a.nonzeros() * (sizeof(T) + sizeof(I)) > kept_in_l3();
}

struct ColumnRange {
  std::size_t begin, end;  // begin >= end: none
};

// The columns from the first to the last that rows [first, last) have entries in, or all where nearly all are: what
// scattered rows reach is seen from a few of them, which saves a look at each.
template <class T, class I>
ColumnRange reached_columns(const Csr<T, I>& a, std::size_t first, std::size_t last) noexcept {
  const auto range_of = [&](std::size_t step) {
    ColumnRange range{a.cols(), 0};
    for (std::size_t r = first; r < last; r += step) {
      const auto k = static_cast<std::size_t>(a.row_start()[r]), end = static_cast<std::size_t>(a.row_start()[r + 1]);
      if (k == end) continue;
      range.begin = std::min(range.begin, static_cast<std::size_t>(a.columns()[k]));
      range.end = std::max(range.end, static_cast<std::size_t>(a.columns()[end - 1]) + 1);
    }
    return range;
  };
  constexpr std::size_t kSamples = 64;
  if (last - first > 4 * kSamples) {
    const auto [begin, end] = range_of((last - first) / kSamples);
    if (begin < end && end - begin >= a.cols() / 8 * 7) return {0, a.cols()};
  }
  return range_of(1);
}

}  // namespace

template <class T, class I>
void spmv(const Csr<T, I>& a, std::span<const T> x, std::span<T> y) {
  check_length("spmv", "x", x.size(), a.cols());
  check_length("spmv", "y", y.size(), a.rows());
  const auto rows = sparse_ops_for<T, I>(a.nonzeros()).csr_rows;
  const int threads = threads_for(a.nonzeros());
  const CsrSize size = size_class(a);
  if (threads > 1)
    if (const auto shared = rows_to_share(a.row_start(), threads); !shared.empty())
      return spmv_sharing(a, x, y, size, shared, threads);
  on_threads(
      threads,
      [&](int t, int parts) {
        const std::size_t begin = first_row(a.row_start(), t, parts), end = first_row(a.row_start(), t + 1, parts);
        if (begin < end)
          rows(a.row_start().data(), a.columns().data(), a.values().data(), x.data(), y.data(), begin, end, size);
      },
      wake_for(a.nonzeros()));
}

template <class T, class I>
void spmv_transposed(const Csr<T, I>& a, std::span<const T> x, std::span<T> y) {
  check_length("spmv_transposed", "x", x.size(), a.rows());
  check_length("spmv_transposed", "y", y.size(), a.cols());
  const auto kernel = sparse_ops<T, I>().csr_transposed;
  // Shorter runs than ten rows cost more than they save: what is left of each is added one by one to sums that were
  // just written as vectors (7-point stencil, lines of 21 points: 0.80 of Eigen's speed by runs, 0.90 to 0.98 without).
  constexpr double kLongRuns = 0.9;
  RowLikeness likeness = row_likeness(a, kLongRuns);
  const bool differ = likeness == RowLikeness::none && !is_learnt(a) && lengths_differ(a);
  const bool ahead = differ && lies_beyond(a);
  // ns per entry in pairs and by factors (Emerald Rapids, AVX-512): 1 to 20 random columns, 4000 rows 1.02 and 0.85,
  // 10^4 1.42 and 1.06, 10^5 1.71 and 1.68, power law of 10^4 1.43 and 0.99, of 10^5 2.32 and 1.95. Not measured
  // elsewhere.
  const bool unlike = differ && pawl::detail::forgets_branches;
  // 10^5 rows of 2 and 4 random entries, pairs over one by one (Zen 4): 8 columns 1.27 and 1.2, 16 columns 0.88 and
  // 0.90.
  constexpr std::size_t kFewColumns = 8;
  const bool rewritten = likeness == RowLikeness::moved || a.cols() <= kFewColumns;
  if (likeness == RowLikeness::moved && !runs_are_long(a)) likeness = RowLikeness::none;
  const I *const start = a.row_start().data(), *const columns = a.columns().data();
  const T* const values = a.values().data();
  // Each thread adds to sums of its own, over the columns that its rows reach; where these are as many as the entries,
  // adding them up would cost more than is saved. Time of one thread over that of two, 10^5 rows of f64 (Emerald
  // Rapids): random 1.8, power law 1.75 (8, 10 and 10 entries a row, 3000, 5000 and 10^4 rows: 1.24,
  // 1.5 and 1.7); while the first had sums of its own and every row was looked at, 1.45 and 1.3.
  const int threads = a.nonzeros() < kWorthThreadsEntries || a.cols() > a.nonzeros() / 2 ? 1 : num_threads();
  if (threads == 1) {
    std::fill(y.begin(), y.end(), T(0));
    kernel(start, columns, values, x.data(), y.data(), 0, a.rows(), likeness, rewritten, ahead, unlike);
    return;
  }
  struct Part {
    ColumnRange reached;
    Array<T> sums;  // none where they are in y: of the first part
  };
  std::vector<Part> all(static_cast<std::size_t>(threads));
  on_threads(
      threads,
      [&](int t, int parts) {
        const std::size_t first = first_row(a.row_start(), t, parts), last = first_row(a.row_start(), t + 1, parts);
        Part& part = all[static_cast<std::size_t>(t)];
        part.reached = reached_columns(a, first, last);
        const auto [begin, end] = part.reached;
        if (begin >= end) return;
        T* sums = y.data() + begin;
        if (t > 0) {
          part.sums = Array<T>(end - begin);
          sums = part.sums.data();
        }
        std::fill_n(sums, end - begin, T(0));
        // As a number: what would be column 0 may lie before the array.
        T* const of_column_0 = reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(sums) - begin * sizeof(T));
        kernel(start, columns, values, x.data(), of_column_0, first, last, likeness, rewritten, ahead, unlike);
      },
      wake_for(a.nonzeros()));
  on_threads(
      threads,
      [&](int t, int parts) {
        const auto [begin, end] = share(y.size(), t, parts, 64 / sizeof(T));
        if (begin >= end) return;
        const auto [summed_begin, summed_end] = all[0].reached;
        for (std::size_t c = begin; c < std::min(end, summed_begin); ++c) y[c] = T(0);
        for (std::size_t c = std::max(begin, summed_end); c < end; ++c) y[c] = T(0);
        for (std::size_t p = 1; p < all.size(); ++p) {
          const auto [reached_begin, reached_end] = all[p].reached;
          const std::size_t from = std::max(begin, reached_begin), to = std::min(end, reached_end);
          for (std::size_t c = from; c < to; ++c) y[c] += all[p].sums[c - reached_begin];
        }
      },
      wake_for(a.nonzeros()));
}

#define PAWL_INSTANTIATE(T, I)                                            \
  template void spmv(const Csr<T, I>&, std::span<const T>, std::span<T>); \
  template void spmv_transposed(const Csr<T, I>&, std::span<const T>, std::span<T>);
PAWL_FOR_EACH_SPARSE_TYPE(PAWL_INSTANTIATE)

}  // namespace pawl::sparse
