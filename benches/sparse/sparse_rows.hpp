// sparse_rows.hpp -- what every implementation of sparse operations is run on: matrices, data, checks and counters.
//
// Name      op/type/impl/matrix:<kind>/rows:<n>/threads:<t>   op: from_triplets transpose spmv ...
// Counters  items (nonzeros per second), bytes (compulsory traffic as a rate: CSR arrays and vectors once), flops,
//           p50 p95 p99; of products with vectors beyond L3 also percent_of_read: bytes beside what as many threads
//           reach that only read as many bytes (read_rate.hpp)
// Question  how near to memory's limit is each operation, and where do the peers stand?
#pragma once
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "buffers.hpp"
#include "matrices.hpp"
#include "pawl/isa.hpp"
#include "pawl/parallel.hpp"
#include "read_rate.hpp"
#include "rows.hpp"
#include "thread_counts.hpp"

namespace pawl::bench {

/// Arrays of a result in CSR, wherever the implementation keeps them.
template <class T>
struct CsrArrays {
  std::span<const std::int32_t> row_start, columns;
  std::span<const T> values;
};

using Action = std::function<void()>;

/// One library. Each member prepares what its users prepare once, outside the loop, and returns what is timed; an empty
/// member is an operation that it lacks. `threads` is what the action may use.
template <class T>
struct SparseImplementation {
  std::string impl;
  /// Makes a matrix, as the library represents it, by each call; `result` is called once for the check.
  struct Build {
    Action run;
    std::function<CsrArrays<T>()> result;
  };
  std::function<Build(const SparseMatrix<T>&, const Triplets<T>&, int threads)> from_triplets;
  std::function<Build(const SparseMatrix<T>&, int threads)> transpose;
  /// y = A x.
  std::function<Action(const SparseMatrix<T>&, std::span<const T> x, std::span<T> y, int threads)> spmv;
  /// The same by what the library makes of a matrix that many vectors are multiplied by; spmv serves where it is empty.
  std::function<Action(const SparseMatrix<T>&, std::span<const T> x, std::span<T> y, int threads)> spmv_planned = {};
  /// y = A^T x.
  std::function<Action(const SparseMatrix<T>&, std::span<const T> x, std::span<T> y, int threads)> spmv_transposed;
  /// C = A B for dense B and C of `width` columns without padding, by rows or by columns.
  std::function<Action(const SparseMatrix<T>&, std::span<const T> b, std::span<T> c, std::size_t width, bool by_rows,
                       int threads)>
      spmm;
  bool has_spmm_by_rows = true;
  /// A A.
  std::function<Build(const SparseMatrix<T>&, int threads)> square;
  std::vector<int> threads = {1};  ///< numbers of threads that it can use
};

/// The quick suite takes one matrix whose columns are anywhere and one with structure.
inline std::vector<std::string> sparse_kinds(bool quick) {
  if (quick) return {"random", "laplace2d"};
  return {"random", "varied", "band", "rmat", "laplace2d", "laplace3d", "blocks"};
}

template <class T>
constexpr const char* type_name() {
  return sizeof(T) == 4 ? "f32" : "f64";
}

/// Bytes of the matrix in CSR with 32-bit indices.
template <class T>
double csr_bytes(const SparseMatrix<T>& a) {
  return double(a.nonzeros()) * (sizeof(T) + 4) + double(a.rows + 1) * 4;
}

/// Whether the arrays are those of `a`.
template <class T>
bool is_matrix(const SparseMatrix<T>& a, const CsrArrays<T>& got) {
  const auto same = [](const auto& x, const auto& y) { return std::equal(x.begin(), x.end(), y.begin(), y.end()); };
  return same(a.row_start, got.row_start) && same(a.columns, got.columns) && same(a.values, got.values);
}

/// Whether y = A x, or A^T x, within a bound that is that of any order of summation.
template <class T>
bool is_spmv(const SparseMatrix<T>& a, bool transposed, std::span<const T> x, std::span<const T> y) {
  std::vector<double> want(a.rows), magnitude(a.rows), count(a.rows);
  for (std::size_t r = 0; r < a.rows; ++r)
    for (auto k = static_cast<std::size_t>(a.row_start[r]); k < static_cast<std::size_t>(a.row_start[r + 1]); ++k) {
      const auto c = static_cast<std::size_t>(a.columns[k]);
      const double product = double(a.values[k]) * double(x[transposed ? r : c]);
      const std::size_t to = transposed ? c : r;
      want[to] += product;
      magnitude[to] += std::fabs(product);
      count[to] += 1;
    }
  for (std::size_t r = 0; r < a.rows; ++r) {
    const double bound = 2 * (count[r] + 1) * double(std::numeric_limits<T>::epsilon()) * magnitude[r];
    if (!(std::fabs(double(y[r]) - want[r]) <= bound)) return false;
  }
  return true;
}

/// The transposed matrix by plain loops.
template <class T>
SparseMatrix<T> transposed_matrix(const SparseMatrix<T>& a) {
  SparseMatrix<T> t;
  t.rows = a.cols;
  t.cols = a.rows;
  t.row_start.assign(t.rows + 1, 0);
  for (std::int32_t c : a.columns) ++t.row_start[static_cast<std::size_t>(c) + 1];
  for (std::size_t r = 0; r < t.rows; ++r) t.row_start[r + 1] += t.row_start[r];
  std::vector<std::int32_t> next(t.row_start.begin(), t.row_start.end() - 1);
  t.columns.resize(a.nonzeros());
  t.values.resize(a.nonzeros());
  for (std::size_t r = 0; r < a.rows; ++r)
    for (auto k = static_cast<std::size_t>(a.row_start[r]); k < static_cast<std::size_t>(a.row_start[r + 1]); ++k) {
      const auto to = static_cast<std::size_t>(next[static_cast<std::size_t>(a.columns[k])]++);
      t.columns[to] = static_cast<std::int32_t>(r);
      t.values[to] = a.values[k];
    }
  return t;
}

/// Products of A A.
template <class T>
double products_of_square(const SparseMatrix<T>& a) {
  double n = 0;
  for (std::int32_t c : a.columns)
    n += a.row_start[static_cast<std::size_t>(c) + 1] - a.row_start[static_cast<std::size_t>(c)];
  return n;
}

/// Whether C = A A: ascending columns, and (A A) x = A (A x) for an x whose products have no sign to cancel by.
template <class T>
bool is_square(const SparseMatrix<T>& a, const CsrArrays<T>& c) {
  if (c.row_start.size() != a.rows + 1) return false;
  std::vector<double> x(a.cols), ax(a.rows), magnitude(a.rows);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1 + double(i * 37 % 101) / 101;
  const auto each = [&](std::size_t r, auto&& body) {
    for (auto k = static_cast<std::size_t>(a.row_start[r]); k < static_cast<std::size_t>(a.row_start[r + 1]); ++k)
      body(static_cast<std::size_t>(a.columns[k]), double(a.values[k]));
  };
  for (std::size_t r = 0; r < a.rows; ++r)
    each(r, [&](std::size_t column, double value) {
      ax[r] += value * x[column];
      magnitude[r] += std::fabs(value) * x[column];
    });
  for (std::size_t r = 0; r < a.rows; ++r) {
    double want = 0, bound = 0, got = 0;
    each(r, [&](std::size_t column, double value) {
      want += value * ax[column];
      bound += std::fabs(value) * magnitude[column];
    });
    const auto begin = static_cast<std::size_t>(c.row_start[r]), end = static_cast<std::size_t>(c.row_start[r + 1]);
    for (std::size_t k = begin; k < end; ++k) {
      if (k > begin && c.columns[k] <= c.columns[k - 1]) return false;
      got += double(c.values[k]) * x[static_cast<std::size_t>(c.columns[k])];
    }
    if (!(std::fabs(got - want) <= 1000 * double(std::numeric_limits<T>::epsilon()) * bound)) return false;
  }
  return true;
}

template <class T>
void add_sparse_rows(Rows& rows, const SparseImplementation<T>& f) {
  const auto sizes =
      rows.quick() ? std::vector<std::size_t>{10'000} : std::vector<std::size_t>{1'000, 10'000, 100'000, 1'000'000};
  for (const std::string& kind : sparse_kinds(rows.quick()))
    for (std::size_t n : sizes)
      for (int threads : f.threads) {
        if (threads > 1 && n < 100'000) continue;
        const auto name = [&](const char* op) {
          return RowName(op, type_name<T>(), f.impl)
              .with("matrix", kind)
              .with("rows", n)
              .with("threads", static_cast<std::size_t>(threads));
        };
        if (f.from_triplets)
          rows.add(
              name("from_triplets"),
              [=](benchmark::State& state) {
                set_num_threads(threads);
                const auto a = sparse_matrix<T>(kind, n);
                const auto triplets = shuffled_triplets(*a);
                const auto build = f.from_triplets(*a, triplets, threads);
                build.run();
                if (!is_matrix(*a, build.result())) return state.SkipWithError("wrong result");
                measure(state, build.run);
                const double nnz = double(a->nonzeros());
                set_work(state, {.bytes = nnz * (sizeof(T) + 8) + csr_bytes(*a), .items = nnz});
              },
              benchmark::kMicrosecond);
        if (f.transpose)
          rows.add(
              name("transpose"),
              [=](benchmark::State& state) {
                set_num_threads(threads);
                const auto a = sparse_matrix<T>(kind, n);
                const auto build = f.transpose(*a, threads);
                build.run();
                if (!is_matrix(transposed_matrix(*a), build.result())) return state.SkipWithError("wrong result");
                measure(state, build.run);
                set_work(state, {.bytes = 2 * csr_bytes(*a), .items = double(a->nonzeros())});
              },
              benchmark::kMicrosecond);
        const auto add_spmv = [&](const char* op, const auto& prepare, bool transposed) {
          if (!prepare) return;
          rows.add(
              name(op),
              [=](benchmark::State& state) {
                set_num_threads(threads);
                const auto a = sparse_matrix<T>(kind, n);
                Buffers buffers;
                const auto x = buffers.random<T>(a->cols, 1), y = buffers.make<T>(a->rows);
                const Action run = prepare(*a, x, y, threads);
                run();
                if (!is_spmv<T>(*a, transposed, x, y)) return state.SkipWithError("wrong result");
                measure(state, run);
                const double nnz = double(a->nonzeros());
                const double bytes = csr_bytes(*a) + double(a->rows + a->cols) * sizeof(T);
                set_work(state, {.flops = 2 * nnz, .bytes = bytes, .items = nnz});
                if (bytes > double(assumed_cache_sizes().l3_bytes))
                  state.counters["percent_of_read"] =
                      benchmark::Counter(100 * bytes / read_rate(static_cast<std::size_t>(bytes), threads),
                                         benchmark::Counter::kIsIterationInvariantRate);
              },
              n > 1000 ? benchmark::kMicrosecond : benchmark::kNanosecond);
        };
        for (const bool by_rows : {true, false}) {
          constexpr std::size_t kWidth = 32;
          if (!f.spmm || n < 10'000 || (by_rows && !f.has_spmm_by_rows)) continue;
          rows.add(
              name(by_rows ? "spmm_by_rows" : "spmm_by_columns").with("width", kWidth),
              [=](benchmark::State& state) {
                set_num_threads(threads);
                const auto a = sparse_matrix<T>(kind, n);
                Buffers buffers;
                const auto b = buffers.random<T>(a->cols * kWidth, 1), c = buffers.make<T>(a->rows * kWidth);
                const Action run = f.spmm(*a, b, c, kWidth, by_rows, threads);
                run();
                for (std::size_t j : {std::size_t{0}, kWidth / 2, kWidth - 1}) {
                  std::vector<T> x(a->cols), y(a->rows);
                  for (std::size_t i = 0; i < a->cols; ++i) x[i] = b[by_rows ? i * kWidth + j : j * a->cols + i];
                  for (std::size_t i = 0; i < a->rows; ++i) y[i] = c[by_rows ? i * kWidth + j : j * a->rows + i];
                  if (!is_spmv<T>(*a, false, x, y)) return state.SkipWithError("wrong result");
                }
                measure(state, run);
                const double nnz = double(a->nonzeros());
                set_work(state, {.flops = 2 * nnz * kWidth,
                                 .bytes = csr_bytes(*a) + double(a->rows + a->cols) * kWidth * sizeof(T),
                                 .items = nnz * kWidth});
              },
              benchmark::kMicrosecond);
        }
        // The square of an R-MAT matrix has rows of products that take minutes beyond 10^5 rows.
        if (f.square && n >= 10'000 && !(kind == "rmat" && n > 10'000))
          rows.add(
              name("spgemm"),
              [=](benchmark::State& state) {
                set_num_threads(threads);
                const auto a = sparse_matrix<T>(kind, n);
                const auto build = f.square(*a, threads);
                build.run();
                if (!is_square(*a, build.result())) return state.SkipWithError("wrong result");
                measure(state, build.run);
                const double products = products_of_square(*a);
                set_work(state, {.flops = 2 * products,
                                 .bytes = 2 * csr_bytes(*a) + double(build.result().values.size()) * (sizeof(T) + 4) +
                                          double(a->rows + 1) * 4,
                                 .items = products});
              },
              benchmark::kMillisecond);
        add_spmv("spmv", f.spmv, false);
        add_spmv("spmv_planned", f.spmv_planned ? f.spmv_planned : f.spmv, false);
        add_spmv("spmv_transposed", f.spmv_transposed, true);
      }
}

}  // namespace pawl::bench
