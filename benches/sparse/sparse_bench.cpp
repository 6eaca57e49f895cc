// sparse_bench.cpp -- our rows of the sparse operations: the public functions, as a user calls them.
#include <memory>
#include <optional>

#include "pawl/sparse.hpp"
#include "sparse_rows.hpp"

namespace pawl::bench {
namespace {

template <class T>
sparse::Csr<T> csr(const SparseMatrix<T>& a) {
  return sparse::Csr<T>(a.rows, a.cols, a.row_start, a.columns, a.values);
}

template <class T>
CsrArrays<T> arrays(const sparse::Csr<T>& a) {
  return {a.row_start(), a.columns(), a.values()};
}

// An action that makes a matrix anew at each call, after freeing the one before.
template <class T, class Make>
typename SparseImplementation<T>::Build build(Make make) {
  auto result = std::make_shared<std::optional<sparse::Csr<T>>>();
  return {[=] {
            result->reset();
            *result = make();
          },
          [=] { return arrays(**result); }};
}

template <class T>
SparseImplementation<T> pawl_sparse() {
  using M = SparseMatrix<T>;
  return {.impl = "pawl",
          .from_triplets =
              [](const M& a, const Triplets<T>& t, int) {
                const sparse::Coo<T> coo{a.rows, a.cols, t.rows, t.columns, t.values};
                return build<T>([=] { return sparse::to_csr(coo); });
              },
          .transpose =
              [](const M& a, int) {
                const auto matrix = std::make_shared<sparse::Csr<T>>(csr(a));
                return build<T>([=] { return sparse::transpose(*matrix); });
              },
          .spmv = [](const M& a, std::span<const T> x, std::span<T> y, int) -> Action {
            const auto matrix = std::make_shared<sparse::Csr<T>>(csr(a));
            return [=] { sparse::spmv(*matrix, x, y); };
          },
          .spmv_transposed = [](const M& a, std::span<const T> x, std::span<T> y, int) -> Action {
            const auto matrix = std::make_shared<sparse::Csr<T>>(csr(a));
            return [=] { sparse::spmv_transposed(*matrix, x, y); };
          },
          .spmm = [](const M& a, std::span<const T> b, std::span<T> c, std::size_t width, bool by_rows, int) -> Action {
            const auto matrix = std::make_shared<sparse::Csr<T>>(csr(a));
            const auto order = by_rows ? sparse::Order::by_rows : sparse::Order::by_columns;
            const std::size_t b_stride = by_rows ? width : a.cols, c_stride = by_rows ? width : a.rows;
            return [=] { sparse::spmm(*matrix, b, b_stride, c, c_stride, width, order); };
          },
          .square =
              [](const M& a, int) {
                const auto matrix = std::make_shared<sparse::Csr<T>>(csr(a));
                return build<T>([=] { return sparse::spgemm(*matrix, *matrix); });
              },
          .threads = {1, 2}};
}

const Registration rows([](Rows& r) {
  add_sparse_rows<double>(r, pawl_sparse<double>());
  if (!r.quick()) add_sparse_rows<float>(r, pawl_sparse<float>());
});

}  // namespace
}  // namespace pawl::bench
