// bsr.cpp -- CSR to dense blocks, their product with a vector, and back.
#include "pawl/sparse/bsr.hpp"

#include <algorithm>
#include <atomic>
#include <string>

#include "kernels/sparse/row_parts.hpp"
#include "pawl/parallel.hpp"
#include "sparse/active_ops.hpp"
#include "sparse/refuse.hpp"

namespace pawl::sparse {
namespace {

constexpr std::size_t kLargestBlock = 8;

void check_block(std::size_t block) {
  if (block != 2 && block != 3 && block != 4 && block != 8)
    refuse("Bsr: the block size is " + std::to_string(block) + ", not 2, 3, 4 or 8");
}

// Calls block(column) for each block that the rows of block row `block_row` touch, from the left, and before the next
// one entry(row within the block, k) for its entries.
template <class T, class I, class Block, class Entry>
void for_each_block(const Csr<T, I>& a, std::size_t size, std::size_t block_row, Block block, Entry entry) {
  const I *const start = a.row_start().data(), *const columns = a.columns().data();
  std::size_t next[kLargestBlock], last[kLargestBlock];
  const std::size_t row = block_row * size, count = std::min(size, a.rows() - row);
  for (std::size_t i = 0; i < count; ++i) {
    next[i] = static_cast<std::size_t>(start[row + i]);
    last[i] = static_cast<std::size_t>(start[row + i + 1]);
  }
  for (;;) {
    std::size_t column = a.cols();
    for (std::size_t i = 0; i < count; ++i)
      if (next[i] < last[i]) column = std::min(column, static_cast<std::size_t>(columns[next[i]]));
    if (column == a.cols()) return;
    column /= size;
    block(column);
    for (std::size_t i = 0; i < count; ++i)
      for (; next[i] < last[i] && static_cast<std::size_t>(columns[next[i]]) < (column + 1) * size; ++next[i])
        entry(i, next[i]);
  }
}

}  // namespace

template <class T, class I>
double block_fill(const Csr<T, I>& a, std::size_t block) {
  check_block(block);
  std::size_t blocks = 0;
  for (std::size_t r = 0; r * block < a.rows(); ++r)
    for_each_block(
        a, block, r, [&](std::size_t) { ++blocks; }, [](std::size_t, std::size_t) {});
  return a.nonzeros() == 0 ? 1 : static_cast<double>(blocks * block * block) / static_cast<double>(a.nonzeros());
}

template <class T, class I>
Bsr<T, I>::Bsr(const Csr<T, I>& a, std::size_t block) : rows_(a.rows()), cols_(a.cols()), block_(block) {
  check_block(block);
  const std::size_t block_rows = (a.rows() + block - 1) / block;
  Array<I> start(block_rows + 1);
  std::size_t blocks = 0;
  for (std::size_t r = 0; r < block_rows; ++r) {
    start[r] = static_cast<I>(blocks);
    for_each_block(
        a, block, r, [&](std::size_t) { ++blocks; }, [](std::size_t, std::size_t) {});
    check_size<I>("the number of values in blocks", blocks * block * block);
  }
  start[block_rows] = static_cast<I>(blocks);
  block_columns_ = Array<I>(blocks);
  values_ = Array<T>(blocks * block * block);
  std::fill_n(values_.data(), values_.size(), T(0));
  std::size_t k = 0;
  T* values = nullptr;
  for (std::size_t r = 0; r < block_rows; ++r)
    for_each_block(
        a, block, r,
        [&](std::size_t column) {
          block_columns_[k] = static_cast<I>(column);
          values = values_.data() + k++ * block * block;
        },
        [&](std::size_t row, std::size_t at) {
          values[row * block + static_cast<std::size_t>(a.columns()[at]) % block] = a.values()[at];
        });
  block_row_start_ = std::move(start);
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
  const int threads = values_.size() < kEntriesForThreads ? 1 : num_threads();
  const auto first = [&](int t, int parts) {
    const std::size_t target = blocks() / static_cast<std::size_t>(parts) * static_cast<std::size_t>(t);
    return t == parts
               ? whole_rows
               : std::min(whole_rows, static_cast<std::size_t>(
                                          std::lower_bound(start, start + whole_rows, static_cast<I>(target)) - start));
  };
  on_threads(threads, [&](int t, int parts) {
    const std::size_t begin = t == 0 ? 0 : first(t, parts), end = first(t + 1, parts);
    if (begin < end) kernel(block_, start, columns, values_.data(), x.data(), x_last, last, y.data(), begin, end);
  });
  if (rows_ % block_ == 0) return;
  kernel(block_, start + whole_rows, columns, values_.data(), x.data(), x_last, last, y_last, 0, 1);
  std::copy_n(y_last, rows_ % block_, y.data() + whole_rows * block_);
}

template <class T, class I>
Csr<T, I> to_csr(const Bsr<T, I>& a) {
  const std::size_t block = a.block();
  std::size_t n = 0;
  for (T value : a.values()) n += value != T(0);
  Array<I> start(a.rows() + 1), columns(n);
  Array<T> values(n);
  std::size_t out = 0;
  for (std::size_t r = 0; r < a.rows(); ++r) {
    start[r] = static_cast<I>(out);
    const auto begin = static_cast<std::size_t>(a.block_row_start()[r / block]);
    const auto end = static_cast<std::size_t>(a.block_row_start()[r / block + 1]);
    for (std::size_t k = begin; k < end; ++k)
      for (std::size_t j = 0; j < block; ++j)
        if (const T value = a.values()[(k * block + r % block) * block + j]; value != T(0)) {
          columns[out] = static_cast<I>(static_cast<std::size_t>(a.block_columns()[k]) * block + j);
          values[out++] = value;
        }
  }
  start[a.rows()] = static_cast<I>(out);
  return Csr<T, I>::trusted(a.rows(), a.cols(), std::move(start), std::move(columns), std::move(values));
}

#define PAWL_INSTANTIATE(T, I)                 \
  template class Bsr<T, I>;                    \
  template Csr<T, I> to_csr(const Bsr<T, I>&); \
  template double block_fill(const Csr<T, I>&, std::size_t);
PAWL_FOR_EACH_SPARSE_TYPE(PAWL_INSTANTIATE)

}  // namespace pawl::sparse
