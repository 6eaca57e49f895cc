// spgemm.cpp -- the product of two sparse matrices: by runs of moved rows where both have them, else row by row.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "pawl/parallel.hpp"
#include "pawl/sparse.hpp"
#include "picked_rows.hpp"
#include "refuse.hpp"
#include "row_likeness.hpp"
#include "row_product.hpp"
#include "spgemm_by_runs.hpp"

namespace pawl::sparse {
namespace {

constexpr std::size_t kEntriesForThreads = 10'000;           // below, waking a thread costs more than it saves
constexpr std::size_t kRowsAtOnce = 64;                      // rows that a thread takes at a time
constexpr std::size_t kChunkEntries = std::size_t{1} << 16;  // of the memory in which results grow

// Rows of the result as they come, in pieces that never move.
template <class T, class I>
struct Pieces {
  struct Piece {
    Array<I> columns;
    Array<T> values;
    std::size_t used = 0;
  };
  std::vector<Piece> pieces;

  void add_piece(std::size_t size) { pieces.push_back({Array<I>(size), Array<T>(size), 0}); }

  // Room for n more entries.
  Piece& room(std::size_t n) {
    if (pieces.empty() || pieces.back().columns.size() - pieces.back().used < n)
      add_piece(std::max(n, std::min(kChunkEntries << pieces.size(), kChunkEntries << 6)));
    return pieces.back();
  }
};

// Where the rows from `row` on are: entries from `offset` on of a piece of a thread.
struct Run {
  std::size_t row, thread, piece, offset, entries;
};

// About how many entries the product has: those of a sample of its rows, by the number of products.
template <class T, class I>
std::size_t expected_entries(const Csr<T, I>& a, const Csr<T, I>& b, RowProduct<T, I>& work) {
  constexpr std::size_t kSamples = 48;
  const I *const start = a.row_start().data(), *const b_start = b.row_start().data();
  std::size_t products = 0, sampled = 0, entries = 0;
  for (const I c : a.columns()) products += static_cast<std::size_t>(b_start[c + 1] - b_start[c]);
  Pieces<T, I> scratch;
  for (std::size_t s = 0; s < kSamples; ++s) {
    const std::size_t row = a.rows() / kSamples * s + s % 8;
    const auto k = static_cast<std::size_t>(start[row]), last = static_cast<std::size_t>(start[row + 1]);
    const std::size_t n = work.products(k, last);
    auto& piece = scratch.room(std::min(n, b.cols()) + kShortRow);
    entries += work.row(k, last, n, piece.columns.data(), piece.values.data());
    sampled += n;
  }
  return sampled == 0 ? 0
                      : static_cast<std::size_t>(static_cast<double>(entries) / static_cast<double>(sampled) *
                                                 static_cast<double>(products));
}

// Whether `count` rows from `row` on have the columns of that row.
template <class I>
bool have_equal_columns(const I* start, const I* columns, std::size_t row, std::size_t count) {
  const auto first = static_cast<std::size_t>(start[row]), n = static_cast<std::size_t>(start[row + 1]) - first;
  for (std::size_t i = 1; i < count; ++i)
    if (static_cast<std::size_t>(start[row + i + 1]) != first + (i + 1) * n ||
        !std::equal(columns + first, columns + first + n, columns + first + i * n))
      return false;
  return true;
}

template <class T, class I>
Csr<T, I> by_rows(const Csr<T, I>& a, const Csr<T, I>& b, int threads) {
  using Work = RowProduct<T, I>;
  constexpr std::size_t kRowsForEstimate = 2048;
  const std::size_t rows = a.rows();
  const I *const a_start = a.row_start().data(), *const a_columns = a.columns().data();
  const bool equal = row_likeness(a) == RowLikeness::equal;
  Array<I> start(rows + 1);
  std::vector<Pieces<T, I>> pieces(static_cast<std::size_t>(threads));
  std::vector<std::vector<Run>> runs(static_cast<std::size_t>(threads));
  std::atomic<std::size_t> next{0};
  on_threads(threads, [&](int t, int) {
    const auto thread = static_cast<std::size_t>(t);
    const auto work = std::make_unique<Work>(a, b);
    auto& mine = runs[thread];
    // With luck one thread's first piece holds all and is the result.
    if (threads == 1 && rows >= kRowsForEstimate) {
      const std::size_t expected = expected_entries(a, b, *work);
      pieces[0].add_piece(expected + expected / 16 + kChunkEntries / 4);
    }
    for (std::size_t begin; (begin = next.fetch_add(kRowsAtOnce)) < rows;) {
      const std::size_t end = std::min(rows, begin + kRowsAtOnce);
      const auto add_rows = [&](std::size_t row, std::size_t count, std::size_t entries) {
        auto& piece = pieces[thread].pieces.back();
        const std::size_t index = pieces[thread].pieces.size() - 1;
        for (std::size_t i = 0; i < count; ++i) start[row + i + 1] = static_cast<I>(entries);
        if (row > begin && mine.back().piece == index)
          mine.back().entries += count * entries;
        else
          mine.push_back({row, thread, index, piece.used, count * entries});
        piece.used += count * entries;
      };
      for (std::size_t r = begin; r < end;) {
        const auto k = static_cast<std::size_t>(a_start[r]), last = static_cast<std::size_t>(a_start[r + 1]);
        work->fetch_until(last);
        const std::size_t n = work->products(k, last), room = std::min(n, b.cols()) + kShortRow;
        if (equal && end - r >= Work::kEqualRows && have_equal_columns(a_start, a_columns, r, Work::kEqualRows)) {
          auto& piece = pieces[thread].room(Work::kEqualRows * room);
          if (const auto entries = work->equal_rows(k, last - k, n, piece.columns.data() + piece.used,
                                                    piece.values.data() + piece.used)) {
            add_rows(r, Work::kEqualRows, *entries);
            r += Work::kEqualRows;
            continue;
          }
        }
        auto& piece = pieces[thread].room(room);
        add_rows(r, 1, work->row(k, last, n, piece.columns.data() + piece.used, piece.values.data() + piece.used));
        ++r;
      }
    }
  });

  start[0] = 0;
  std::size_t sum = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    sum += static_cast<std::size_t>(start[r + 1]);
    start[r + 1] = static_cast<I>(sum);
    if (!fits<I>(sum)) break;
  }
  check_size<I>("the number of entries of the product", sum);
  if (threads == 1 && pieces[0].pieces.size() == 1) {
    auto& whole = pieces[0].pieces[0];
    whole.columns.truncate(sum);
    whole.values.truncate(sum);
    return Csr<T, I>::trusted(rows, b.cols(), std::move(start), std::move(whole.columns), std::move(whole.values));
  }
  std::vector<Run> all;
  for (const auto& mine : runs) all.insert(all.end(), mine.begin(), mine.end());
  Array<I> columns(sum);
  Array<T> values(sum);
  std::atomic<std::size_t> next_run{0};
  on_threads(threads, [&](int, int) {
    for (std::size_t i; (i = next_run.fetch_add(1)) < all.size();) {
      const Run& run = all[i];
      if (run.entries == 0) continue;
      const auto& piece = pieces[run.thread].pieces[run.piece];
      const auto to = static_cast<std::size_t>(start[run.row]);
      std::memcpy(columns.data() + to, piece.columns.data() + run.offset, run.entries * sizeof(I));
      std::memcpy(values.data() + to, piece.values.data() + run.offset, run.entries * sizeof(T));
    }
  });
  return Csr<T, I>::trusted(rows, b.cols(), std::move(start), std::move(columns), std::move(values));
}

}  // namespace

template <class T, class I>
Csr<T, I> spgemm(const Csr<T, I>& a, const Csr<T, I>& b) {
  if (a.cols() != b.rows())
    refuse("spgemm: a has " + std::to_string(a.cols()) + " columns, but b has " + std::to_string(b.rows()) + " rows");
  if (a.nonzeros() == 0 || b.nonzeros() == 0) return Csr<T, I>(a.rows(), b.cols());
  const int threads = a.nonzeros() < kEntriesForThreads ? 1 : num_threads();
  if (row_likeness(a) == RowLikeness::moved && (&a == &b || row_likeness(b) == RowLikeness::moved))
    if (const auto product = ProductByRuns<T, I>::find(a, b)) return product->multiply(threads);
  return picks_rows(a) ? picked_rows(a, b, threads) : by_rows(a, b, threads);
}

#define PAWL_INSTANTIATE(T, I) template Csr<T, I> spgemm(const Csr<T, I>&, const Csr<T, I>&);
PAWL_FOR_EACH_SPARSE_TYPE(PAWL_INSTANTIATE)

}  // namespace pawl::sparse
