// transpose.cpp -- the transposed matrix: by diagonals where rows come in runs, by exchange where places are symmetric,
// else a counting sort of the entries by column, by blocks where they are scattered.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "diagonal_runs.hpp"
#include "isa/datapath.hpp"
#include "isa/store_misses.hpp"
#include "pawl/parallel.hpp"
#include "pawl/sparse.hpp"
#include "refuse.hpp"
#include "row_likeness.hpp"
#include "row_shares.hpp"
#include "scattered.hpp"
#include "sparse/active_ops.hpp"
#include "transpose_by_blocks.hpp"
#include "transpose_symmetric.hpp"

namespace pawl::sparse {
namespace {

constexpr std::size_t kEntriesForThreads = 50'000;  // below, waking a thread costs more than it saves

// How many rows from `row` on have the columns of that row, at most kEqualRows and before `last`.
constexpr std::size_t kEqualRows = 4;
template <class I>
std::size_t equal_rows(const I* start, const I* columns, std::size_t row, std::size_t last) {
  const auto first = static_cast<std::size_t>(start[row]), n = static_cast<std::size_t>(start[row + 1]) - first;
  std::size_t rows = 1;
  for (; rows < kEqualRows && row + rows < last; ++rows) {
    const auto next = static_cast<std::size_t>(start[row + rows]);
    if (static_cast<std::size_t>(start[row + rows + 1]) - next != n) break;
    I differ = 0;  // by vectors: std::equal's call costs more than a row
    for (std::size_t k = 0; k < n; ++k) differ = static_cast<I>(differ | (columns[first + k] ^ columns[next + k]));
    if (differ != 0) break;
  }
  return rows;
}

// The entries of `Rows` rows with the same columns, of which each gives as many entries beside each other.
template <std::size_t Rows, class T, class I>
void scatter_equal(const I* columns, const T* values, std::size_t n, std::size_t row, I* place, I* out_rows,
                   T* out_values) {
  if constexpr (Rows == 1) {
    for (std::size_t k = 0; k < n; ++k) {
      I& at = place[columns[k]];
      I* const to_row = out_rows + at;
      T* const to = out_values + at;
      ++at;
      *to_row = static_cast<I>(row);
      *to = values[k];
    }
  } else {
    I rows[Rows];
    for (std::size_t i = 0; i < Rows; ++i) rows[i] = static_cast<I>(row + i);
    for (std::size_t k = 0; k < n; ++k) {
      const I at = place[columns[k]];
      place[columns[k]] = static_cast<I>(at + static_cast<I>(Rows));
      T column[Rows];
      for (std::size_t i = 0; i < Rows; ++i) column[i] = values[i * n + k];
      // As a whole: a store or two each.
      std::memcpy(out_rows + at, rows, sizeof rows);
      std::memcpy(out_values + at, column, sizeof column);
    }
  }
}

// The entries of the rows [row, last) one by one, by a loop whose pointers fit into the registers: with one of them
// reloaded for each row, rows of two entries took up to twice the time. kAhead: the lines of an entry further on are
// asked for, where its column's next place is now, so all entries up to there must be of the matrix.
template <std::size_t kAhead, class T, class I>
[[gnu::noinline]] void scatter_rows(const I* start, const I* columns, const T* values, std::size_t row,
                                    std::size_t last, I* place, I* out_rows, T* out_values) {
  for (auto k = static_cast<std::size_t>(start[row]); row < last; ++row)
    for (const auto end = static_cast<std::size_t>(start[row + 1]); k < end; ++k) {
      if constexpr (kAhead > 0) {
        const I later = place[columns[k + kAhead]];
        __builtin_prefetch(out_rows + later, 1);
        __builtin_prefetch(out_values + later, 1);
      }
      const I to = place[columns[k]]++;
      out_rows[to] = static_cast<I>(row);
      out_values[to] = values[k];
    }
}

// The same, with lines asked for where that pays: not where L1 holds the result. Time with over without on an Emerald
// Rapids: 75 x 75, 600 to 726 entries, 1.35 to 1.8, 224 x 50 1.4 to 1.9; f64 of 2965 entries (35 KB) 0.82, of 4942 0.6.
template <class T, class I>
void scatter_rows_of(const Csr<T, I>& a, std::size_t row, std::size_t last, I* place, I* out_rows, T* out_values) {
  using pawl::detail::kStoresAhead;
  const I *start = a.row_start().data(), *columns = a.columns().data();
  const bool in_l1 = a.nonzeros() * (sizeof(T) + sizeof(I)) <= assumed_cache_sizes().l1d_bytes * 2 / 3;
  if (pawl::detail::stores_wait_for_lines && !in_l1 && a.nonzeros() > kStoresAhead) {
    const auto most = static_cast<I>(a.nonzeros() - kStoresAhead);
    const auto ahead = static_cast<std::size_t>(std::upper_bound(start + row, start + last + 1, most) - start) - 1;
    if (ahead > row) {
      scatter_rows<kStoresAhead>(start, columns, a.values().data(), row, ahead, place, out_rows, out_values);
      row = ahead;
    }
  }
  scatter_rows<0>(start, columns, a.values().data(), row, last, place, out_rows, out_values);
}

// The entries of `rows` rows of n entries, of which each is the row before moved by one column: diagonal by diagonal,
// from the one that meets a column in the uppermost row on, so that places are moved on by whole vectors.
template <class T, class I>
void scatter_moved(const I* columns, const T* values, std::size_t n, std::size_t row, std::size_t rows, I* place,
                   I* out_rows, T* out_values) {
  for (std::size_t k = n; k-- > 0;) {
    I* const at = place + columns[k];
    for (std::size_t i = 0; i < rows; ++i) {
      out_rows[at[i]] = static_cast<I>(row + i);
      out_values[at[i]] = values[i * n + k];
    }
    for (std::size_t i = 0; i < rows; ++i) ++at[i];
  }
}

// Asks for the lines that the entries [from, to) of these columns will go to, or others near by.
template <class T, class I>
void fetch_places(const I* columns, std::size_t from, std::size_t to, const I* place, const I* rows, const T* values) {
  for (; from < to; ++from) {
    const I at = place[columns[from]];
    __builtin_prefetch(rows + at, 1);
    __builtin_prefetch(values + at, 1);
  }
}

enum class Together { none, moved, equal, equal_ahead };

// Column by column in the order of rows. Together: rows that are counted and written together, those with the same
// columns, `ahead` with the lines for a row asked for one row before, or those that are the row before moved by one
// column.
template <Together kTogether, class T, class I>
Csr<T, I> directly(const Csr<T, I>& a, std::size_t parts) {
  constexpr bool kMoved = kTogether == Together::moved, kFetching = kTogether == Together::equal_ahead;
  constexpr bool kEqual = kFetching || kTogether == Together::equal;
  constexpr std::size_t kMostMoved = 255;
  const auto end_of_run = sparse_ops<T, I>().end_of_run;
  const std::size_t cols = a.cols(), n = a.nonzeros();
  const I *start = a.row_start().data(), *columns = a.columns().data();
  const T* values = a.values().data();
  // places[p][c]: the entries of column c in the rows of part p, then where they go.
  std::vector<Array<I>> places(parts);
  Array<std::uint8_t> alike(kEqual || kMoved ? a.rows() : 0);  // rows that are taken together, at the first of them
  for_each_part(parts, [&](std::size_t p) {
    places[p] = Array<I>(cols + kMoved);
    std::fill_n(places[p].data(), cols + kMoved, I{0});
    I* const counts = places[p].data();
    const std::size_t first = first_row_of(a, p, parts), last = first_row_of(a, p + 1, parts);
    if constexpr (kEqual) {
      for (std::size_t r = first; r < last;) {
        const std::size_t rows = equal_rows(start, columns, r, last);
        alike[r] = static_cast<std::uint8_t>(rows);
        for (auto k = static_cast<std::size_t>(start[r]), end = static_cast<std::size_t>(start[r + 1]); k < end; ++k)
          counts[columns[k]] = static_cast<I>(counts[columns[k]] + static_cast<I>(rows));
        r += rows;
      }
    } else if constexpr (kMoved) {
      // Of each piece of a diagonal its ends: how much each column has more than the one before.
      for (std::size_t r = first; r < last;) {
        const std::size_t rows = end_of_run(start, columns, r, std::min(last, r + kMostMoved)) - r;
        alike[r] = static_cast<std::uint8_t>(rows);
        for (auto k = static_cast<std::size_t>(start[r]), end = static_cast<std::size_t>(start[r + 1]); k < end; ++k) {
          I* const column = counts + columns[k];
          ++column[0];
          --column[rows];
        }
        r += rows;
      }
      I count = 0;
      for (std::size_t c = 0; c < cols; ++c) counts[c] = count = static_cast<I>(count + counts[c]);
    } else {
      const auto end = static_cast<std::size_t>(start[last]);
      for (auto k = static_cast<std::size_t>(start[first]); k < end; ++k) ++counts[columns[k]];
    }
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
    const std::size_t begin = first_row_of(a, p, parts), last = first_row_of(a, p + 1, parts);
    if constexpr (kTogether == Together::none)
      return scatter_rows_of(a, begin, last, place, out_rows.data(), out_values.data());
    for (std::size_t r = begin; r < last;) {
      const auto first = static_cast<std::size_t>(start[r]), length = static_cast<std::size_t>(start[r + 1]) - first;
      const std::size_t rows = alike[r];
      if constexpr (kFetching) {
        const std::size_t next = std::min(first + rows * length, n);
        fetch_places(columns, next, std::min(next + length, n), place, out_rows.data(), out_values.data());
      }
      const auto scatter = [&]<std::size_t Rows>(std::integral_constant<std::size_t, Rows>) {
        scatter_equal<Rows>(columns + first, values + first, length, r, place, out_rows.data(), out_values.data());
      };
      if (kMoved && rows > 1)
        scatter_moved(columns + first, values + first, length, r, rows, place, out_rows.data(), out_values.data());
      else if (rows == 1)
        scatter(std::integral_constant<std::size_t, 1>());
      else if (rows == 2)
        scatter(std::integral_constant<std::size_t, 2>());
      else if (rows == 3)
        scatter(std::integral_constant<std::size_t, 3>());
      else
        scatter(std::integral_constant<std::size_t, kEqualRows>());
      r += rows;
    }
  });
  return Csr<T, I>::trusted(cols, a.rows(), std::move(out_start), std::move(out_rows), std::move(out_values));
}

// By stretches of columns, of which every part has as many: no entry is counted.
template <class T, class I>
Csr<T, I> by_diagonals(const Csr<T, I>& a, const DiagonalRuns<T, I>& runs, std::size_t parts) {
  const std::size_t cols = a.cols(), n = a.nonzeros();
  Array<I> out_start(cols + 1), out_rows(n);
  Array<T> out_values(n);
  // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): parts are threads, of which there is one at least
  const auto first_column = [&](std::size_t part) { return cols / parts * part + std::min(cols % parts, part); };
  std::vector<std::size_t> first(parts + 1, 0);
  for_each_part(parts, [&](std::size_t p) {  // the last part's sum is known
    if (p + 1 < parts)
      runs.walk(first_column(p), first_column(p + 1),
                [&](std::size_t, std::size_t length, const DiagonalPiece*, std::size_t count) {
                  first[p + 1] += length * count;
                });
  });
  for (std::size_t p = 1; p < parts; ++p) first[p] += first[p - 1];
  const auto interleave = sparse_ops<T, I>().interleave;
  for_each_part(parts, [&](std::size_t p) {
    std::size_t out = first[p];
    runs.walk(first_column(p), first_column(p + 1),
              [&](std::size_t column, std::size_t length, const DiagonalPiece* pieces, std::size_t count) {
                for (std::size_t i = 0; i < length; ++i) out_start[column + i] = static_cast<I>(out + i * count);
                interleave(pieces, count, a.values().data(), length, out_rows.data() + out, out_values.data() + out);
                out += length * count;
              });
  });
  out_start[cols] = static_cast<I>(n);
  return Csr<T, I>::trusted(cols, a.rows(), std::move(out_start), std::move(out_rows), std::move(out_values));
}

// So few entries that to look for what they have in common takes longer than to move them: 4 x 4 with 9 entries 2.8
// times, 10 x 10 with 25 1.5 times as fast (Zen 5, f64); of 82 entries the rest is level.
constexpr std::size_t kFewEntries = 64;
template <class T, class I>
Csr<T, I> few_entries(const Csr<T, I>& a) {
  const std::size_t cols = a.cols(), n = a.nonzeros();
  std::array<I, kFewEntries> place{};
  for (const I column : a.columns()) ++place[static_cast<std::size_t>(column)];
  Array<I> out_start(cols + 1), out_rows(n);
  Array<T> out_values(n);
  I sum = 0;
  for (std::size_t c = 0; c < cols; ++c) {
    out_start[c] = sum;
    sum = static_cast<I>(sum + std::exchange(place[c], sum));
  }
  out_start[cols] = sum;
  scatter_rows<0>(a.row_start().data(), a.columns().data(), a.values().data(), 0, a.rows(), place.data(),
                  out_rows.data(), out_values.data());
  return Csr<T, I>::trusted(cols, a.rows(), std::move(out_start), std::move(out_rows), std::move(out_values));
}

}  // namespace

template <class T, class I>
Csr<T, I> transpose(const Csr<T, I>& a) {
  if (a.nonzeros() == 0) return Csr<T, I>(a.cols(), a.rows());
  if (a.nonzeros() <= kFewEntries && a.cols() <= kFewEntries) return few_entries(a);
  const auto threads = static_cast<std::size_t>(a.nonzeros() < kEntriesForThreads ? 1 : num_threads());
  // ns per entry of rows of 10 random columns (Zen 4, one thread), entries one by one and by blocks: 3 10^5 entries 2.9
  // and 3.3, 5 10^5 3.9 and 4.0, 10^6 8.1 and 4.5, 10^7 22 and 5.6. One by one with each line asked for 40 entries
  // ahead, 10^6 take 5.7.
  constexpr std::size_t kInBlocks = std::size_t{6} << 20;
  const bool is_large = a.nonzeros() * (sizeof(T) + sizeof(I)) > kInBlocks;
  // 7 points on lines of 17 and 21: 1.2 and 1.3 times as fast together as row by row; runs of 5 rows of 20 0.9.
  constexpr double kLongRuns = 0.82;  // of the rows moved
  const RowLikeness likeness = row_likeness(a, kLongRuns);
  if (likeness == RowLikeness::moved) {
    const auto end_of_run = [&, end = sparse_ops<T, I>().end_of_run](std::size_t row) {
      return end(a.row_start().data(), a.columns().data(), row, a.rows());
    };
    constexpr std::size_t kMeanRun = 12;  // 7 points, lines of 21 and 46: 0.9 and 1.6 times Eigen's speed by_diagonals
    // One thread exchanges the values of a 5-point stencil with lines of 100 in 0.72 ns per entry and takes 0.84 by
    // diagonals, with lines of 316 0.81 and 0.79 (Zen 5); two threads take 0.95 and 0.52. Not measured on a Zen 4,
    // which keeps its diagonals.
    const std::size_t long_run = threads > 1 || pawl::detail::splits_512_bits ? kMeanRun : 5 * kMeanRun;
    if (const auto runs = DiagonalRuns<T, I>::find(a, long_run, end_of_run)) return by_diagonals(a, *runs, threads);
    if (std::optional<Csr<T, I>> result = transpose_symmetric(a, threads)) return std::move(*result);
    if (long_run > kMeanRun)
      if (const auto runs = DiagonalRuns<T, I>::find(a, kMeanRun, end_of_run)) return by_diagonals(a, *runs, threads);
    return directly<Together::moved>(a, threads);
  }
  const bool misses = is_large && is_scattered(a);
  if (misses && likeness == RowLikeness::none) return transpose_by_blocks(a, threads);
  if (!misses)
    if (std::optional<Csr<T, I>> result = transpose_symmetric(a, threads)) return std::move(*result);
  if (likeness == RowLikeness::equal)
    return is_large || pawl::detail::stores_wait_for_lines ? directly<Together::equal_ahead>(a, threads)
                                                           : directly<Together::equal>(a, threads);
  return directly<Together::none>(a, threads);
}

#define PAWL_INSTANTIATE(T, I) template Csr<T, I> transpose(const Csr<T, I>&);
PAWL_FOR_EACH_SPARSE_TYPE(PAWL_INSTANTIATE)

}  // namespace pawl::sparse
