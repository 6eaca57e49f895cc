// csr.cpp -- CSR matrices from arrays that are checked, from dense matrices, and back.
#include <algorithm>
#include <utility>

#include "pawl/sparse.hpp"
#include "refuse.hpp"
#include "sparse/active_ops.hpp"

namespace pawl::sparse {

// Copies columns, a piece at a time while it is in the caches, and returns whether those of each row ascend strictly
// and are in range: each entry that is not more than the one before must begin a row. The row pointers are in order.
template <class T, class I>
static bool copy_columns(std::span<const I> row_start, std::span<const I> columns, std::size_t cols, I* copy) {
  const std::size_t n = columns.size();
  if (n == 0) return true;
  if (cols == 0) return false;
  if (columns[0] < 0 || static_cast<std::size_t>(columns[0]) >= cols) return false;
  copy[0] = columns[0];
  const auto& ops = sparse_ops<T, I>();
  constexpr std::size_t kPiece = 4096, kBeyond = std::size_t(-1);
  std::size_t falls = 0;
  for (std::size_t k = 1; k < n; k += kPiece) {
    const std::size_t end = std::min(n, k + kPiece);
    const std::size_t more = ops.count_column_falls(columns.data(), k, end, static_cast<I>(cols - 1));
    if (more == kBeyond) return false;
    falls += more;
    std::copy(columns.begin() + static_cast<std::ptrdiff_t>(k), columns.begin() + static_cast<std::ptrdiff_t>(end),
              copy + k);
  }
  if (falls == 0) return true;
  const auto first = std::upper_bound(row_start.begin(), row_start.end(), I{0});
  const auto last = std::lower_bound(first, row_start.end(), static_cast<I>(n));
  return falls == ops.count_row_falls(row_start.data(), columns.data(),
                                      static_cast<std::size_t>(first - row_start.begin()),
                                      static_cast<std::size_t>(last - row_start.begin()));
}

template <class T, class I>
Csr<T, I>::Csr(std::size_t rows, std::size_t cols) : rows_(rows), cols_(cols) {
  check_size<I>("the number of rows", rows);
  check_size<I>("the number of columns", cols);
  row_start_ = Array<I>(rows + 1);
  for (I& start : row_start_) start = 0;
}

template <class T, class I>
Csr<T, I>::Csr(std::size_t rows, std::size_t cols, std::span<const I> row_start, std::span<const I> columns,
               std::span<const T> values)
    : rows_(rows), cols_(cols) {
  check_size<I>("the number of rows", rows);
  check_size<I>("the number of columns", cols);
  check_size<I>("the number of entries", columns.size());
  check_length("Csr", "row_start", row_start.size(), rows + 1);
  check_length("Csr", "values", values.size(), columns.size());
  const auto at = [](const char* array, std::size_t i, auto value) {
    return std::string("Csr: ") + array + "[" + std::to_string(i) + "] is " + std::to_string(value);
  };
  if (row_start[0] != 0) refuse(at("row_start", 0, row_start[0]) + ", not 0");
  const bool falls = sparse_ops<T, I>().count_falls(row_start.data(), rows) != 0;
  for (std::size_t r = 0; falls && r < rows; ++r)
    if (row_start[r + 1] < row_start[r])
      refuse(at("row_start", r + 1, row_start[r + 1]) + ", less than the one before, " + std::to_string(row_start[r]));
  if (static_cast<std::size_t>(row_start[rows]) != columns.size())
    refuse(at("row_start", rows, row_start[rows]) + ", but there are " + std::to_string(columns.size()) + " entries");
  columns_ = Array<I>(columns.size());
  if (!copy_columns<T, I>(row_start, columns, cols, columns_.data())) {
    for (std::size_t r = 0; r < rows; ++r) {
      const auto begin = static_cast<std::size_t>(row_start[r]), end = static_cast<std::size_t>(row_start[r + 1]);
      for (std::size_t k = begin; k < end; ++k) {
        if (columns[k] < 0 || static_cast<std::size_t>(columns[k]) >= cols)
          refuse(at("columns", k, columns[k]) + " in row " + std::to_string(r) + ", but the matrix has " +
                 std::to_string(cols) + " columns");
        if (k > begin && columns[k] <= columns[k - 1])
          refuse(at("columns", k, columns[k]) + " in row " + std::to_string(r) + ", not more than the one before, " +
                 std::to_string(columns[k - 1]) + "; to_csr(Coo) sorts and adds duplicates");
      }
    }
  }
  row_start_ = Array<I>(row_start);
  values_ = Array<T>(values);
}

static void check_dense(const char* function, std::size_t rows, std::size_t cols, std::size_t stride,
                        std::size_t length) {
  if (stride < cols)
    refuse(std::string(function) + ": stride " + std::to_string(stride) + " is less than " + std::to_string(cols) +
           " columns");
  if (rows == 0 || cols == 0) return;
  if (length < cols || (length - cols) / stride < rows - 1)
    refuse(std::string(function) + ": the dense array has " + std::to_string(length) + " elements, too few for " +
           std::to_string(rows) + " rows with stride " + std::to_string(stride));
}

template <class T, class I>
Csr<T, I> from_dense(std::span<const T> dense, std::size_t rows, std::size_t cols, std::size_t stride, T threshold) {
  check_size<I>("the number of rows", rows);
  check_size<I>("the number of columns", cols);
  check_dense("from_dense", rows, cols, stride, dense.size());
  if (!(threshold >= 0)) refuse("from_dense: the threshold is negative or NaN");
  // A block of rows at a time is counted and then, from the caches, kept; what is there grows.
  constexpr std::size_t kBlockBytes = std::size_t{1} << 17, kRoom = kSliceRows<T>;
  const std::size_t rows_at_once = std::max<std::size_t>(1, kBlockBytes / sizeof(T) / std::max<std::size_t>(1, cols));
  const auto& ops = sparse_ops<T, I>();
  Array<I> start(rows + 1), columns;
  Array<T> values;
  std::size_t n = 0;
  for (std::size_t block = 0; block < rows; block += rows_at_once) {
    const std::size_t end = std::min(rows, block + rows_at_once);
    std::size_t more = 0;
    for (std::size_t r = block; r < end; ++r) more += ops.count_above(dense.data() + r * stride, cols, threshold);
    check_size<I>("the number of entries", n + more);
    if (n + more + kRoom > columns.size()) {
      // As many as the whole will have if the rest is like this, and in any case so many that copies are few.
      const auto share = static_cast<double>(rows) / static_cast<double>(end);
      const auto whole = static_cast<std::size_t>(1.02 * share * static_cast<double>(n + more));
      const std::size_t room = std::max(std::min(whole, rows * cols), n + more + n / 2) + kRoom;
      Array<I> more_columns(room);
      Array<T> more_values(room);
      std::copy_n(columns.data(), n, more_columns.data());
      std::copy_n(values.data(), n, more_values.data());
      columns = std::move(more_columns);
      values = std::move(more_values);
    }
    for (std::size_t r = block; r < end; ++r) {
      start[r] = static_cast<I>(n);
      n += ops.keep_above(dense.data() + r * stride, cols, threshold, columns.data() + n, values.data() + n);
    }
  }
  start[rows] = static_cast<I>(n);
  columns.truncate(n);
  values.truncate(n);
  return Csr<T, I>::trusted(rows, cols, std::move(start), std::move(columns), std::move(values));
}

template <class T, class I>
void to_dense(const Csr<T, I>& a, std::span<T> dense, std::size_t stride) {
  check_dense("to_dense", a.rows(), a.cols(), stride, dense.size());
  const bool gapless = stride == a.cols();
  if (gapless) std::fill_n(dense.data(), a.rows() * a.cols(), T(0));
  for (std::size_t r = 0; r < a.rows(); ++r) {
    T* row = dense.data() + r * stride;
    if (!gapless) std::fill_n(row, a.cols(), T(0));
    for (auto k = static_cast<std::size_t>(a.row_start()[r]); k < static_cast<std::size_t>(a.row_start()[r + 1]); ++k)
      row[a.columns()[k]] = a.values()[k];
  }
}

#define PAWL_INSTANTIATE(T, I)                                                                                 \
  template class Csr<T, I>;                                                                                    \
  template Csr<T, I> from_dense<T, I>(std::span<const T>, std::size_t, std::size_t, std::size_t, T threshold); \
  template void to_dense(const Csr<T, I>&, std::span<T>, std::size_t);
PAWL_FOR_EACH_SPARSE_TYPE(PAWL_INSTANTIATE)

}  // namespace pawl::sparse
