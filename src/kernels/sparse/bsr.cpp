// bsr.cpp -- CSR to dense blocks, their product with a vector, and back.
#include "pawl/sparse/bsr.hpp"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include "kernels/sparse/row_parts.hpp"
#include "pawl/parallel.hpp"
#include "sparse/active_ops.hpp"
#include "sparse/block_columns.hpp"
#include "sparse/refuse.hpp"

namespace pawl::sparse {
namespace {

constexpr std::size_t kLargestBlock = 8;

void check_block(std::size_t block) {
  if (block != 2 && block != 3 && block != 4 && block != 8)
    refuse("Bsr: the block size is " + std::to_string(block) + ", not 2, 3, 4 or 8");
}

// Calls body with the block size as a constant.
template <class Body>
void with_block(std::size_t block, Body body) {
  check_block(block);
  if (block == 2) return body(std::integral_constant<std::size_t, 2>());
  if (block == 3) return body(std::integral_constant<std::size_t, 3>());
  if (block == 4) return body(std::integral_constant<std::size_t, 4>());
  body(std::integral_constant<std::size_t, 8>());
}

}  // namespace

template <class T, class I>
double block_fill(const Csr<T, I>& a, std::size_t block) {
  std::size_t blocks = 0;
  with_block(block, [&](auto size) {
    BlockColumns<T, I, size> columns(a);
    for (std::size_t r = 0; r * size < a.rows(); ++r) columns(r, [&](std::size_t) { ++blocks; });
  });
  return a.nonzeros() == 0 ? 1 : static_cast<double>(blocks * block * block) / static_cast<double>(a.nonzeros());
}

template <class T, class I>
Bsr<T, I>::Bsr(const Csr<T, I>& a, std::size_t block) : rows_(a.rows()), cols_(a.cols()), block_(block) {
  with_block(block, [&](auto size) {
    constexpr std::size_t kBlock = size, kArea = kBlock * kBlock;
    const std::size_t block_rows = (rows_ + kBlock - 1) / kBlock;
    block_row_start_ = Array<I>(block_rows + 1);
    Array<I> found(a.nonzeros());  // there are no more blocks than entries
    std::size_t blocks = 0;
    BlockColumns<T, I, kBlock> columns_of(a);
    for (std::size_t r = 0; r < block_rows; ++r) {
      block_row_start_[r] = static_cast<I>(blocks);
      columns_of(r, [&](std::size_t column) { found[blocks++] = static_cast<I>(column); });
      check_size<I>("the number of values in blocks", blocks * kArea);
    }
    block_row_start_[block_rows] = static_cast<I>(blocks);
    block_columns_ = Array<I>(std::span<const I>(found.data(), blocks));
    values_ = Array<T>(blocks * kArea);
    // Where the block of a column is in the current block row.
    Array<I> place(cols_ / kBlock + 1);
    const I *const start = a.row_start().data(), *const columns = a.columns().data();
    const T* const values = a.values().data();
    for (std::size_t r = 0; r < block_rows; ++r) {
      const auto begin = static_cast<std::size_t>(block_row_start_[r]);
      const auto end = static_cast<std::size_t>(block_row_start_[r + 1]);
      std::fill_n(values_.data() + begin * kArea, (end - begin) * kArea, T(0));
      for (std::size_t k = begin; k < end; ++k)
        place[static_cast<std::size_t>(block_columns_[k])] = static_cast<I>(k * kArea);
      for (std::size_t row = r * kBlock, i = 0; i < kBlock && row + i < rows_; ++i)
        for (auto k = static_cast<std::size_t>(start[row + i]); k < static_cast<std::size_t>(start[row + i + 1]); ++k) {
          const auto column = static_cast<std::size_t>(columns[k]);
          values_[static_cast<std::size_t>(place[column / kBlock]) + i * kBlock + column % kBlock] = values[k];
        }
    }
  });
}

template <class T, class I>
void Bsr<T, I>::multiply(std::span<const T> x, std::span<T> y) const {
  check_length("Bsr::multiply", "x", x.size(), cols_);
  check_length("Bsr::multiply", "y", y.size(), rows_);
  if (rows_ == 0) return;
  const auto kernel = sparse_ops<T, I>().block_rows;
  // The last columns and rows of blocks that reach beyond the matrix are multiplied apart.
  T x_last[kLargestBlock] = {}, y_last[kLargestBlock] = {};
  const std::size_t over = cols_ % block_, whole_rows = rows_ / block_;
  std::copy_n(x.data() + (cols_ - over), over, x_last);
  const I last = over == 0 ? I(-1) : static_cast<I>(cols_ / block_);
  const I *const start = block_row_start_.data(), *const columns = block_columns_.data();
  const auto first = [&](int t, int parts) {
    const std::size_t target = blocks() / static_cast<std::size_t>(parts) * static_cast<std::size_t>(t);
    return t == parts
               ? whole_rows
               : std::min(whole_rows, static_cast<std::size_t>(
                                          std::lower_bound(start, start + whole_rows, static_cast<I>(target)) - start));
  };
  on_threads(
      threads_for(values_.size()),
      [&](int t, int parts) {
        const std::size_t begin = t == 0 ? 0 : first(t, parts), end = first(t + 1, parts);
        if (begin < end) kernel(block_, start, columns, values_.data(), x.data(), x_last, last, y.data(), begin, end);
      },
      wake_for(values_.size()));
  if (rows_ % block_ == 0) return;
  kernel(block_, start + whole_rows, columns, values_.data(), x.data(), x_last, last, y_last, 0, 1);
  std::copy_n(y_last, rows_ % block_, y.data() + whole_rows * block_);
}

namespace {

// The entries row by row: each slot is written where the next entry goes and stays if it is not 0. One more than there
// are is written.
template <std::size_t kBlock, class T, class I>
void entries_by_rows(const Bsr<T, I>& a, I* start, I* columns, T* values) {
  std::size_t out = 0;
  for (std::size_t r = 0; r < a.rows(); ++r) {
    start[r] = static_cast<I>(out);
    const auto begin = static_cast<std::size_t>(a.block_row_start()[r / kBlock]);
    const auto end = static_cast<std::size_t>(a.block_row_start()[r / kBlock + 1]);
    const T* from = a.values().data() + (begin * kBlock + r % kBlock) * kBlock;
    for (std::size_t k = begin; k < end; ++k, from += kBlock * kBlock)
      for (std::size_t j = 0; j < kBlock; ++j) {
        columns[out] = static_cast<I>(static_cast<std::size_t>(a.block_columns()[k]) * kBlock + j);
        values[out] = from[j];
        out += from[j] != T(0) ? 1 : 0;
      }
  }
  start[a.rows()] = static_cast<I>(out);
}

// The same where few slots hold an entry: those of some block rows are picked by whole vectors, then dealt out to rows.
template <std::size_t kBlock, class T, class I>
void entries_by_blocks(const Bsr<T, I>& a, I* start, I* columns, T* values) {
  constexpr std::size_t kArea = kBlock * kBlock, kSlotsAtOnce = 2048;
  const auto keep_above = sparse_ops<T, I>().keep_above;
  const I *const block_row_start = a.block_row_start().data(), *const block_columns = a.block_columns().data();
  const auto slot = [&](std::size_t r) { return static_cast<std::size_t>(block_row_start[r]) * kArea; };
  const std::size_t block_rows = a.block_row_start().size() - 1;
  Array<I> places;
  Array<T> picked;
  std::size_t out = 0;
  for (std::size_t r = 0; r < block_rows;) {
    std::size_t last = r + 1;
    while (last < block_rows && slot(last + 1) - slot(r) <= kSlotsAtOnce) ++last;
    const std::size_t slots = slot(last) - slot(r);
    if (slots + kSliceRows < T >> places.size()) {
      places = Array<I>(slots + kSliceRows<T>);
      picked = Array<T>(slots + kSliceRows<T>);
    }
    const std::size_t n = keep_above(a.values().data() + slot(r), slots, T(0), places.data(), picked.data());
    const I* const first_column = block_columns + block_row_start[r];
    for (std::size_t k = 0, from = slot(r); r < last; ++r) {
      std::size_t next[kBlock] = {}, end = k;
      for (; end < n && static_cast<std::size_t>(places[end]) + from < slot(r + 1); ++end)
        ++next[static_cast<std::size_t>(places[end]) / kBlock % kBlock];
      for (std::size_t i = 0; i < kBlock; ++i) {
        if (r * kBlock + i < a.rows()) start[r * kBlock + i] = static_cast<I>(out);
        out += std::exchange(next[i], out);
      }
      for (; k < end; ++k) {
        const auto place = static_cast<std::size_t>(places[k]);
        const std::size_t to = next[place / kBlock % kBlock]++;
        columns[to] = static_cast<I>(static_cast<std::size_t>(first_column[place / kArea]) * kBlock + place % kBlock);
        values[to] = picked[k];
      }
    }
  }
  start[a.rows()] = static_cast<I>(out);
}

}  // namespace

template <class T, class I>
Csr<T, I> to_csr(const Bsr<T, I>& a) {
  constexpr std::size_t kSlotsAnEntry = 5;  // from there on it pays to pick first
  const std::size_t n = sparse_ops<T, I>().count_above(a.values().data(), a.values().size(), T(0));
  Array<I> start(a.rows() + 1), columns(n + 1);
  Array<T> values(n + 1);
  with_block(a.block(), [&](auto size) {
    if (a.values().size() > kSlotsAnEntry * n)
      entries_by_blocks<size>(a, start.data(), columns.data(), values.data());
    else
      entries_by_rows<size>(a, start.data(), columns.data(), values.data());
  });
  columns.truncate(n);
  values.truncate(n);
  return Csr<T, I>::trusted(a.rows(), a.cols(), std::move(start), std::move(columns), std::move(values));
}

#define PAWL_INSTANTIATE(T, I)                 \
  template class Bsr<T, I>;                    \
  template Csr<T, I> to_csr(const Bsr<T, I>&); \
  template double block_fill(const Csr<T, I>&, std::size_t);
PAWL_FOR_EACH_SPARSE_TYPE(PAWL_INSTANTIATE)

}  // namespace pawl::sparse
