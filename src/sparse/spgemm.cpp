// spgemm.cpp -- the product of two sparse matrices, row by row, with the accumulator that suits each row.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <memory>
#include <vector>

#include "pawl/parallel.hpp"
#include "pawl/sparse.hpp"
#include "refuse.hpp"
#include "row_sort.hpp"

namespace pawl::sparse {
namespace {

constexpr std::size_t kRowsAtOnce = 64;                      // rows that a thread takes at a time
constexpr std::size_t kChunkEntries = std::size_t{1} << 16;  // of the memory in which results grow
constexpr std::size_t kDenseWindow = 4096;                   // columns whose sums stay in L1: 32 KiB of f64

// Rows of the result as they come, in pieces that never move.
template <class T, class I>
struct Pieces {
  struct Piece {
    Array<I> columns;
    Array<T> values;
    std::size_t used = 0;
  };
  std::vector<Piece> pieces;

  // Room for n more entries.
  Piece& room(std::size_t n) {
    if (pieces.empty() || pieces.back().columns.size() - pieces.back().used < n) {
      const std::size_t size = std::max(n, std::min(kChunkEntries << pieces.size(), kChunkEntries << 6));
      pieces.push_back({Array<I>(size), Array<T>(size), 0});
    }
    return pieces.back();
  }
};

// Where the rows from `row` on are: entries from `offset` on of a piece of a thread.
struct Run {
  std::size_t row, thread, piece, offset, entries;
};

// One thread's accumulators.
template <class T, class I>
class RowProduct {
 public:
  RowProduct(const Csr<T, I>& a, const Csr<T, I>& b)
      : a_columns_(a.columns().data()),
        b_columns_(b.columns().data()),
        b_start_(b.row_start().data()),
        a_values_(a.values().data()),
        b_values_(b.values().data()),
        cols_(b.cols()),
        a_entries_(a.nonzeros()) {}

  // Products of the entries [begin, end) of `a`, and the columns between which they lie.
  std::size_t products(std::size_t begin, std::size_t end) {
    std::size_t n = 0;
    low_ = cols_;
    high_ = 0;
    for (std::size_t k = begin; k < end; ++k) {
      const auto from = first(a_columns_[k]), to = first(a_columns_[k] + 1);
      if (from == to) continue;
      n += to - from;
      low_ = std::min(low_, static_cast<std::size_t>(b_columns_[from]));
      high_ = std::max(high_, static_cast<std::size_t>(b_columns_[to - 1]));
    }
    return n;
  }

  // Asks for the rows of b that the entries of `a` before `end` and some more name, and for the starts of later ones.
  void fetch_until(std::size_t end) {
    constexpr std::size_t kRowsAhead = 24, kStartsAhead = 48;  // two and four rows of a matrix with some ten a row
    const std::size_t last_start = std::min(end + kStartsAhead, a_entries_);
    for (fetched_starts_ = std::max(fetched_starts_, end); fetched_starts_ < last_start; ++fetched_starts_)
      __builtin_prefetch(b_start_ + a_columns_[fetched_starts_]);
    const std::size_t last_row = std::min(end + kRowsAhead, a_entries_);
    for (fetched_rows_ = std::max(fetched_rows_, end); fetched_rows_ < last_row; ++fetched_rows_) {
      const auto from = first(a_columns_[fetched_rows_]), to = first(a_columns_[fetched_rows_] + 1);
      if (from == to) continue;
      __builtin_prefetch(b_columns_ + from);
      __builtin_prefetch(b_columns_ + to - 1);
      __builtin_prefetch(b_values_ + from);
      __builtin_prefetch(b_values_ + to - 1);
    }
  }

  // The row with `n` products, as products() found; `columns` and `values` have room for n entries. Returns how many.
  std::size_t row(std::size_t begin, std::size_t end, std::size_t n, I* columns, T* values) {
    if (n == 0) return 0;
    const std::size_t window = high_ - low_ + 1;
    if (end - begin > 1 && (window / 64 <= n || (n > kShortRow && window <= kDenseWindow)))
      return by_array(begin, end, columns, values);
    if (n > kShortRow) return by_hash(begin, end, n, columns, values);
    return by_sort(begin, end, n, columns, values);
  }

 private:
  std::size_t first(I row) const { return static_cast<std::size_t>(b_start_[row]); }

  template <class Add>
  void for_each_product(std::size_t begin, std::size_t end, Add add) {
    for (std::size_t k = begin; k < end; ++k) {
      const T factor = a_values_[k];
      for (std::size_t i = first(a_columns_[k]), last = first(a_columns_[k] + 1); i < last; ++i)
        add(b_columns_[i], factor * b_values_[i]);
    }
  }

  std::size_t by_sort(std::size_t begin, std::size_t end, std::size_t n, I* columns, T* values) {
    if (end - begin == 1) {  // already sorted
      std::size_t out = 0;
      for_each_product(begin, end, [&](I column, T value) {
        columns[out] = column;
        values[out++] = value;
      });
      return n;
    }
    std::size_t out = 0;
    for_each_product(begin, end, [&](I column, T value) {
      unsorted_columns_[out] = column;
      unsorted_values_[out++] = value;
    });
    return sorter_.sort(unsorted_columns_, unsorted_values_, n, columns, values);
  }

  // Sums at their columns, and a bit for each column that has one; the bits are in ascending order by themselves.
  // Between rows all bits are 0 and all sums -0, the value to which adding x gives x, whatever x is.
  std::size_t by_array(std::size_t begin, std::size_t end, I* columns, T* values) {
    const std::size_t window = high_ - low_ + 1, words = window / 64 + 1;
    if (sums_.size() < window) {
      sums_ = Array<T>(window + window / 2);
      std::fill_n(sums_.data(), sums_.size(), T(-0.0));
    }
    if (bits_.size() < words) bits_.resize(words, 0);
    const auto low = static_cast<I>(low_);
    T* const sums = sums_.data();
    std::uint64_t* const bits = bits_.data();
    for (std::size_t k = begin; k < end; ++k) {
      const T factor = a_values_[k];
      // Bits are gathered while the columns stay in one word: one after another through memory they would wait for each
      // other (band of 11: 5.6 cycles per product).
      std::size_t word = 0;
      std::uint64_t mask = 0;
      for (std::size_t i = first(a_columns_[k]), last = first(a_columns_[k] + 1); i < last; ++i) {
        const auto c = static_cast<std::size_t>(b_columns_[i] - low);
        sums[c] += factor * b_values_[i];
        if (c / 64 != word) {
          bits[word] |= mask;
          mask = 0;
          word = c / 64;
        }
        mask |= std::uint64_t{1} << (c % 64);
      }
      bits[word] |= mask;
    }
    std::size_t out = 0;
    for (std::size_t w = 0; w < words; ++w) {
      for (std::uint64_t left = bits[w]; left != 0; left &= left - 1) {
        const std::size_t c = 64 * w + static_cast<std::size_t>(std::countr_zero(left));
        columns[out] = static_cast<I>(low_ + c);
        values[out++] = sums[c];
        sums[c] = T(-0.0);
      }
      bits[w] = 0;
    }
    return out;
  }

  std::size_t by_hash(std::size_t begin, std::size_t end, std::size_t n, I* columns, T* values) {
    const unsigned bits = static_cast<unsigned>(std::bit_width(2 * n - 1));
    const std::size_t size = std::size_t{1} << bits;
    if (slots_.size() < size) {
      slots_.assign(size, -1);
      found_columns_ = Array<I>(size);
      found_values_ = Array<T>(size);
      sorter_.reserve(size, cols_);
    }
    std::size_t out = 0;
    std::int64_t* const slots = slots_.data();
    for_each_product(begin, end, [&](I column, T value) {
      // Fibonacci hashing: the high bits of a product with 2^64 / golden ratio.
      std::size_t at =
          static_cast<std::size_t>((static_cast<std::uint64_t>(column) * 0x9e3779b97f4a7c15u) >> (64 - bits));
      for (;; at = (at + 1) & (size - 1)) {
        const std::int64_t place = slots[at];
        if (place < 0) {
          slots[at] = static_cast<std::int64_t>(out);
          found_columns_[out] = column;
          found_values_[out++] = value;
          return;
        }
        if (found_columns_[static_cast<std::size_t>(place)] == column) {
          found_values_[static_cast<std::size_t>(place)] += value;
          return;
        }
      }
    });
    std::fill_n(slots, size, -1);
    return sorter_.sort(found_columns_.data(), found_values_.data(), out, columns, values);
  }

  const I *a_columns_, *b_columns_, *b_start_;
  const T *a_values_, *b_values_;
  std::size_t cols_, a_entries_, low_ = 0, high_ = 0, fetched_starts_ = 0, fetched_rows_ = 0;
  I unsorted_columns_[kShortRow];
  T unsorted_values_[kShortRow];
  RowSorter<T, I> sorter_;
  Array<T> sums_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::int64_t> slots_;
  Array<I> found_columns_;
  Array<T> found_values_;
};

}  // namespace

template <class T, class I>
Csr<T, I> spgemm(const Csr<T, I>& a, const Csr<T, I>& b) {
  if (a.cols() != b.rows())
    refuse("spgemm: a has " + std::to_string(a.cols()) + " columns, but b has " + std::to_string(b.rows()) + " rows");
  const std::size_t rows = a.rows();
  const I* a_start = a.row_start().data();
  const int threads = a.nonzeros() < 10'000 ? 1 : num_threads();
  Array<I> start(rows + 1);
  std::vector<Pieces<T, I>> pieces(static_cast<std::size_t>(threads));
  std::vector<std::vector<Run>> runs(static_cast<std::size_t>(threads));
  std::atomic<std::size_t> next{0};
  on_threads(threads, [&](int t, int) {
    const auto thread = static_cast<std::size_t>(t);
    const auto work = std::make_unique<RowProduct<T, I>>(a, b);
    for (std::size_t begin; (begin = next.fetch_add(kRowsAtOnce)) < rows;) {
      const std::size_t end = std::min(rows, begin + kRowsAtOnce);
      for (std::size_t r = begin; r < end; ++r) {
        const auto k = static_cast<std::size_t>(a_start[r]), last = static_cast<std::size_t>(a_start[r + 1]);
        work->fetch_until(last);
        const std::size_t n = work->products(k, last);
        auto& piece = pieces[thread].room(std::min(n, b.cols()) + kShortRow);
        const std::size_t count =
            work->row(k, last, n, piece.columns.data() + piece.used, piece.values.data() + piece.used);
        start[r + 1] = static_cast<I>(count);
        const std::size_t index = pieces[thread].pieces.size() - 1;
        auto& mine = runs[thread];
        if (r > begin && mine.back().piece == index)
          mine.back().entries += count;
        else
          mine.push_back({r, thread, index, piece.used, count});
        piece.used += count;
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

#define PAWL_INSTANTIATE(T, I) template Csr<T, I> spgemm(const Csr<T, I>&, const Csr<T, I>&);
PAWL_FOR_EACH_SPARSE_TYPE(PAWL_INSTANTIATE)

}  // namespace pawl::sparse
