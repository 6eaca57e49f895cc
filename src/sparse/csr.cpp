// csr.cpp -- CSR matrices from arrays that are checked, from dense matrices, and back.
#include <cmath>

#include "pawl/sparse.hpp"
#include "refuse.hpp"

namespace pawl::sparse {

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
  for (std::size_t r = 0; r < rows; ++r)
    if (row_start[r + 1] < row_start[r])
      refuse(at("row_start", r + 1, row_start[r + 1]) + ", less than the one before, " + std::to_string(row_start[r]));
  if (static_cast<std::size_t>(row_start[rows]) != columns.size())
    refuse(at("row_start", rows, row_start[rows]) + ", but there are " + std::to_string(columns.size()) + " entries");
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
  row_start_ = Array<I>(row_start);
  columns_ = Array<I>(columns);
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
  const auto kept = [threshold](T value) { return !(std::fabs(value) <= threshold); };  // NaN too
  std::size_t n = 0;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < cols; ++c) n += kept(dense[r * stride + c]);
  check_size<I>("the number of entries", n);
  Array<I> start(rows + 1), columns(n);
  Array<T> values(n);
  std::size_t k = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    start[r] = static_cast<I>(k);
    for (std::size_t c = 0; c < cols; ++c)
      if (kept(dense[r * stride + c])) {
        columns[k] = static_cast<I>(c);
        values[k++] = dense[r * stride + c];
      }
  }
  start[rows] = static_cast<I>(k);
  return Csr<T, I>::trusted(rows, cols, std::move(start), std::move(columns), std::move(values));
}

template <class T, class I>
void to_dense(const Csr<T, I>& a, std::span<T> dense, std::size_t stride) {
  check_dense("to_dense", a.rows(), a.cols(), stride, dense.size());
  for (std::size_t r = 0; r < a.rows(); ++r) {
    T* row = dense.data() + r * stride;
    for (std::size_t c = 0; c < a.cols(); ++c) row[c] = 0;
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
