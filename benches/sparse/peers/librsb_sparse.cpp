// librsb_sparse.cpp -- the sparse operations by librsb: recursive sparse blocks, assembled for the number of threads.
//
// As assembled by default; rsb_tune_spmm, which searches for seconds for better blocks, is not called.
#include <rsb.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "benches/sparse/peers/result_copy.hpp"
#include "benches/sparse/sparse_rows.hpp"

namespace pawl::bench {
namespace {

void check(rsb_err_t error, const char* call) {
  if (error != RSB_ERR_NO_ERROR) throw std::runtime_error(std::string(call) + ": error " + std::to_string(error));
}

void set_threads(int threads) {
  static const bool started = (check(rsb_lib_init(RSB_NULL_INIT_OPTIONS), "rsb_lib_init"), true);
  (void)started;
  const rsb_int_t n = threads;
  check(rsb_lib_set_opt(RSB_IO_WANT_EXECUTING_THREADS, &n), "rsb_lib_set_opt");
}

template <class T>
constexpr rsb_type_t kType = sizeof(T) == 4 ? RSB_NUMERICAL_TYPE_FLOAT : RSB_NUMERICAL_TYPE_DOUBLE;

using Matrix = std::shared_ptr<rsb_mtx_t>;

Matrix owned(rsb_mtx_t* matrix, rsb_err_t error, const char* call) {
  check(error, call);
  if (matrix == nullptr) throw std::runtime_error(std::string(call) + " failed");
  return {matrix, [](rsb_mtx_t* m) { rsb_mtx_free(m); }};
}

template <class T>
Matrix matrix(const SparseMatrix<T>& a) {
  rsb_err_t error = RSB_ERR_NO_ERROR;
  rsb_mtx_t* const made = rsb_mtx_alloc_from_csr_const(
      a.values.data(), a.row_start.data(), a.columns.data(), static_cast<rsb_nnz_idx_t>(a.nonzeros()), kType<T>,
      static_cast<rsb_coo_idx_t>(a.rows), static_cast<rsb_coo_idx_t>(a.cols), RSB_DEFAULT_BLOCKING,
      RSB_DEFAULT_BLOCKING, RSB_FLAG_NOFLAGS, &error);
  return owned(made, error, "rsb_mtx_alloc_from_csr_const");
}

template <class T>
Action product(const SparseMatrix<T>& a, rsb_trans_t transposition, std::span<const T> x, std::span<T> y, int threads) {
  set_threads(threads);
  return [=, m = matrix(a)] {
    const T one = 1, zero = 0;
    check(rsb_spmv(transposition, &one, m.get(), x.data(), 1, &zero, y.data(), 1), "rsb_spmv");
  };
}

template <class T, class Make>
typename SparseImplementation<T>::Build build(std::size_t rows, Make make) {
  const auto to = std::make_shared<Matrix>();
  return {[=] {
            to->reset();
            *to = make();
          },
          [=, copy = std::make_shared<ResultCopy<T>>()] {
            rsb_nnz_idx_t n = 0;
            check(rsb_mtx_get_info(to->get(), RSB_MIF_MATRIX_NNZ__TO__RSB_NNZ_INDEX_T, &n), "rsb_mtx_get_info");
            copy->row_start.resize(rows + 1);
            copy->columns.resize(static_cast<std::size_t>(n));
            copy->values.resize(static_cast<std::size_t>(n));
            check(rsb_mtx_get_csr(kType<T>, to->get(), copy->values.data(), copy->row_start.data(),
                                  copy->columns.data(), RSB_FLAG_NOFLAGS),
                  "rsb_mtx_get_csr");
            return copy->arrays();
          }};
}

template <class T>
SparseImplementation<T> librsb() {
  using M = SparseMatrix<T>;
  return {.impl = "librsb",
          .from_triplets =
              [](const M& a, const Triplets<T>& t, int threads) {
                set_threads(threads);
                const auto list = std::make_shared<Triplets<T>>(t);
                return build<T>(
                    a.rows, [=, rows = static_cast<rsb_coo_idx_t>(a.rows), cols = static_cast<rsb_coo_idx_t>(a.cols)] {
                      rsb_err_t error = RSB_ERR_NO_ERROR;
                      rsb_mtx_t* const made = rsb_mtx_alloc_from_coo_const(
                          list->values.data(), list->rows.data(), list->columns.data(),
                          static_cast<rsb_nnz_idx_t>(list->values.size()), kType<T>, rows, cols, RSB_DEFAULT_BLOCKING,
                          RSB_DEFAULT_BLOCKING, RSB_FLAG_DUPLICATES_SUM, &error);
                      return owned(made, error, "rsb_mtx_alloc_from_coo_const");
                    });
              },
          .transpose =
              [](const M& a, int threads) {
                set_threads(threads);
                return build<T>(a.cols, [m = matrix(a)] {
                  rsb_mtx_t* made = nullptr;
                  const rsb_err_t error = rsb_mtx_clone(&made, RSB_NUMERICAL_TYPE_SAME_TYPE, RSB_TRANSPOSITION_T,
                                                        nullptr, m.get(), RSB_FLAG_IDENTICAL_FLAGS);
                  return owned(made, error, "rsb_mtx_clone");
                });
              },
          .spmv = [](const M& a, std::span<const T> x, std::span<T> y,
                     int threads) { return product<T>(a, RSB_TRANSPOSITION_N, x, y, threads); },
          .spmv_transposed = [](const M& a, std::span<const T> x, std::span<T> y,
                                int threads) { return product<T>(a, RSB_TRANSPOSITION_T, x, y, threads); },
          .spmm = [](const M& a, std::span<const T> b, std::span<T> c, std::size_t width, bool by_rows,
                     int threads) -> Action {
            set_threads(threads);
            const auto w = static_cast<rsb_coo_idx_t>(width);
            const auto ldb = static_cast<rsb_nnz_idx_t>(by_rows ? width : a.cols);
            const auto ldc = static_cast<rsb_nnz_idx_t>(by_rows ? width : a.rows);
            const rsb_flags_t order = by_rows ? RSB_FLAG_WANT_ROW_MAJOR_ORDER : RSB_FLAG_WANT_COLUMN_MAJOR_ORDER;
            return [=, m = matrix(a)] {
              const T one = 1, zero = 0;
              check(rsb_spmm(RSB_TRANSPOSITION_N, &one, m.get(), w, order, b.data(), ldb, &zero, c.data(), ldc),
                    "rsb_spmm");
            };
          },
          .square =
              [](const M& a, int threads) {
                set_threads(threads);
                return build<T>(a.rows, [m = matrix(a)] {
                  const T one = 1;
                  rsb_err_t error = RSB_ERR_NO_ERROR;
                  rsb_mtx_t* const made = rsb_spmsp(kType<T>, RSB_TRANSPOSITION_N, &one, m.get(), RSB_TRANSPOSITION_N,
                                                    &one, m.get(), &error);
                  return owned(made, error, "rsb_spmsp");
                });
              },
          .threads = thread_counts()};
}

const Registration rows([](Rows& r) {
  // The quick suite goes without: its matrices are small for librsb's blocks, on which it took 2.4 to 35 times our time
  // and was never the fastest peer.
  if (r.quick()) return;
  add_sparse_rows<double>(r, librsb<double>());
  add_sparse_rows<float>(r, librsb<float>());
});

}  // namespace
}  // namespace pawl::bench
