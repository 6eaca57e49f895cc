// sparse.cpp -- checks, threads and dispatch of the products of sparse matrices with vectors.
#include <algorithm>
#include <vector>

#include "kernels/sparse/row_parts.hpp"
#include "pawl/isa.hpp"
#include "pawl/parallel.hpp"
#include "pawl/sparse.hpp"
#include "sparse/active_ops.hpp"
#include "sparse/refuse.hpp"

namespace pawl::sparse {
namespace {

template <class T, class I>
CsrSize size_class(const Csr<T, I>& a) {
  // 10^4 rows of 8 entries are still learnt by heart when they are multiplied again and again, 10^5 are not (Zen 5).
  constexpr std::size_t kSmall = 200'000;
  if (a.nonzeros() < kSmall) return CsrSize::small;
  // L3 keeps the matrix between two uses, with room for the vectors.
  const bool kept = a.nonzeros() * (sizeof(T) + sizeof(I)) <= cache_sizes().l3_bytes / 4 * std::size_t{3};
  return kept ? CsrSize::in_caches : CsrSize::beyond_caches;
}

}  // namespace

template <class T, class I>
void spmv(const Csr<T, I>& a, std::span<const T> x, std::span<T> y) {
  check_length("spmv", "x", x.size(), a.cols());
  check_length("spmv", "y", y.size(), a.rows());
  const auto rows = sparse_ops<T, I>().csr_rows;
  const int threads = a.nonzeros() < kEntriesForThreads ? 1 : num_threads();
  const CsrSize size = size_class(a);
  on_threads(threads, [&](int t, int parts) {
    const std::size_t begin = first_row(a.row_start(), t, parts), end = first_row(a.row_start(), t + 1, parts);
    if (begin < end)
      rows(a.row_start().data(), a.columns().data(), a.values().data(), x.data(), y.data(), begin, end, size);
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
