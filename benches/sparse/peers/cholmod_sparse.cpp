// cholmod_sparse.cpp -- the sparse operations by CHOLMOD, f64: its matrices are by columns, so ours by rows are its
// transposed ones.
//
// Of products with dense matrices it has those by columns. Its operations here use one thread.
#include <suitesparse/cholmod.h>

#include <memory>
#include <stdexcept>

#include "benches/sparse/peers/result_copy.hpp"
#include "benches/sparse/sparse_rows.hpp"

namespace pawl::bench {
namespace {

using Implementation = SparseImplementation<double>;

cholmod_common* common() {
  static cholmod_common state = [] {
    cholmod_common started;
    cholmod_start(&started);
    started.print = 0;
    return started;
  }();
  return &state;
}

struct FreeSparse {
  void operator()(cholmod_sparse* m) const { cholmod_free_sparse(&m, common()); }
};
struct FreeTriplet {
  void operator()(cholmod_triplet* m) const { cholmod_free_triplet(&m, common()); }
};
using Sparse = std::unique_ptr<cholmod_sparse, FreeSparse>;

template <class M>
M* made(M* matrix, const char* call) {
  if (matrix == nullptr) throw std::runtime_error(std::string(call) + " failed");
  return matrix;
}

// The transposed matrix in columns: the same arrays.
std::shared_ptr<cholmod_sparse> matrix(const SparseMatrix<double>& a) {
  Sparse m(made(cholmod_allocate_sparse(a.cols, a.rows, a.nonzeros(), true, true, 0, CHOLMOD_REAL, common()),
                "cholmod_allocate_sparse"));
  std::copy(a.row_start.begin(), a.row_start.end(), static_cast<int*>(m->p));
  std::copy(a.columns.begin(), a.columns.end(), static_cast<int*>(m->i));
  std::copy(a.values.begin(), a.values.end(), static_cast<double*>(m->x));
  return m;
}

// A dense matrix by columns in memory of the bench.
cholmod_dense dense(const double* values, std::size_t rows, std::size_t columns) {
  cholmod_dense view{};
  view.nrow = view.d = rows;
  view.ncol = columns;
  view.nzmax = rows * columns;
  view.x = const_cast<double*>(values);
  view.xtype = CHOLMOD_REAL;
  view.dtype = CHOLMOD_DOUBLE;
  return view;
}

// C = A B, or A^T B.
Action product(const SparseMatrix<double>& a, bool transposed, const double* b, double* c, std::size_t width) {
  const std::size_t from = transposed ? a.rows : a.cols, to = transposed ? a.cols : a.rows;
  return [=, m = matrix(a)] {
    double one[2] = {1, 0}, zero[2] = {0, 0};
    cholmod_dense x = dense(b, from, width), y = dense(c, to, width);
    cholmod_sdmult(m.get(), !transposed, one, zero, &x, &y, common());
  };
}

template <class Make>
Implementation::Build build(Make make) {
  const auto to = std::make_shared<Sparse>();
  return {[=] {
            to->reset();
            to->reset(made(make(), "CHOLMOD"));
          },
          [=, copy = std::make_shared<ResultCopy<double>>()] {
            const auto* const start = static_cast<const int*>((*to)->p);
            const auto n = static_cast<std::size_t>(start[(*to)->ncol]);
            copy->row_start.assign(start, start + (*to)->ncol + 1);
            copy->columns.assign(static_cast<const int*>((*to)->i), static_cast<const int*>((*to)->i) + n);
            copy->values.assign(static_cast<const double*>((*to)->x), static_cast<const double*>((*to)->x) + n);
            return copy->arrays();
          }};
}

Implementation cholmod() {
  using M = SparseMatrix<double>;
  return {.impl = "cholmod",
          .from_triplets =
              [](const M& a, const Triplets<double>& t, int) {
                const std::size_t n = t.values.size();
                std::shared_ptr<cholmod_triplet> list(
                    made(cholmod_allocate_triplet(a.cols, a.rows, n, 0, CHOLMOD_REAL, common()),
                         "cholmod_allocate_triplet"),
                    FreeTriplet{});
                std::copy(t.columns.begin(), t.columns.end(), static_cast<int*>(list->i));
                std::copy(t.rows.begin(), t.rows.end(), static_cast<int*>(list->j));
                std::copy(t.values.begin(), t.values.end(), static_cast<double*>(list->x));
                list->nnz = n;
                return build([=] { return cholmod_triplet_to_sparse(list.get(), 0, common()); });
              },
          .transpose = [](const M& a,
                          int) { return build([m = matrix(a)] { return cholmod_transpose(m.get(), 1, common()); }); },
          .spmv = [](const M& a, std::span<const double> x, std::span<double> y,
                     int) { return product(a, false, x.data(), y.data(), 1); },
          .spmv_transposed = [](const M& a, std::span<const double> x, std::span<double> y,
                                int) { return product(a, true, x.data(), y.data(), 1); },
          .spmm = [](const M& a, std::span<const double> b, std::span<double> c, std::size_t width, bool,
                     int) { return product(a, false, b.data(), c.data(), width); },
          .has_spmm_by_rows = false,
          // (A A)^T = A^T A^T
          .square =
              [](const M& a, int) {
                return build([m = matrix(a)] { return cholmod_ssmult(m.get(), m.get(), 0, 1, 1, common()); });
              },
          .threads = {1}};
}

const Registration rows([](Rows& r) { add_sparse_rows<double>(r, cholmod()); });

}  // namespace
}  // namespace pawl::bench
