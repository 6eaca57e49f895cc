// sparse.cpp -- checks, threads and dispatch of the products of sparse matrices with vectors.
#include <algorithm>
#include <vector>

#include "pawl/parallel.hpp"
#include "pawl/sparse.hpp"
#include "sparse/active_ops.hpp"
#include "sparse/refuse.hpp"

namespace pawl::sparse {
namespace {

// Below this many entries waking a thread (some microseconds) costs more than it saves.
constexpr std::size_t kEntriesForThreads = 50'000;

// The first row of part `t` of `parts`: each has as many entries and rows (a row costs about two entries).
template <class I>
std::size_t first_row(std::span<const I> start, int t, int parts) {
  const std::size_t rows = start.size() - 1, whole = static_cast<std::size_t>(start[rows]) + 2 * rows;
  const std::size_t target = whole / static_cast<std::size_t>(parts) * static_cast<std::size_t>(t);
  if (t >= parts) return rows;
  std::size_t low = 0, high = rows;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    (static_cast<std::size_t>(start[middle]) + 2 * middle < target) ? low = middle + 1 : high = middle;
  }
  return low;
}

}  // namespace

template <class T, class I>
void spmv(const Csr<T, I>& a, std::span<const T> x, std::span<T> y) {
  check_length("spmv", "x", x.size(), a.cols());
  check_length("spmv", "y", y.size(), a.rows());
  const auto rows = sparse_ops<T, I>().csr_rows;
  const int threads = a.nonzeros() < kEntriesForThreads ? 1 : num_threads();
  on_threads(threads, [&](int t, int parts) {
    const std::size_t begin = first_row(a.row_start(), t, parts), end = first_row(a.row_start(), t + 1, parts);
    if (begin < end) rows(a.row_start().data(), a.columns().data(), a.values().data(), x.data(), y.data(), begin, end);
  });
}

template <class T, class I>
void spmv_transposed(const Csr<T, I>& a, std::span<const T> x, std::span<T> y) {
  check_length("spmv_transposed", "x", x.size(), a.rows());
  check_length("spmv_transposed", "y", y.size(), a.cols());
  std::fill(y.begin(), y.end(), T(0));
  const I *start = a.row_start().data(), *columns = a.columns().data();
  const T* values = a.values().data();
  for (std::size_t r = 0; r < a.rows(); ++r) {
    const T factor = x[r];
    for (auto k = static_cast<std::size_t>(start[r]), end = static_cast<std::size_t>(start[r + 1]); k < end; ++k)
      y[static_cast<std::size_t>(columns[k])] += factor * values[k];
  }
}

#define PAWL_INSTANTIATE(T, I)                                            \
  template void spmv(const Csr<T, I>&, std::span<const T>, std::span<T>); \
  template void spmv_transposed(const Csr<T, I>&, std::span<const T>, std::span<T>);
PAWL_FOR_EACH_SPARSE_TYPE(PAWL_INSTANTIATE)

}  // namespace pawl::sparse
