// graphblas_sparse.cpp -- the sparse operations by SuiteSparse:GraphBLAS: matrices by rows, the semiring (+, x).
//
// Its indices have 64 bits. The library decides by itself how many of the threads allowed it uses. Results that it
// would leave unfinished (unsorted rows, pending work) are finished by GrB_Matrix_wait, as a reader needs them.
// The header of 7.4 declares C functions without saying so to C++.
extern "C" {
#include <GraphBLAS.h>
}

#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

#include "benches/sparse/peers/result_copy.hpp"
#include "benches/sparse/sparse_rows.hpp"

namespace pawl::bench {
namespace {

void check(GrB_Info info, const char* call) {
  if (info != GrB_SUCCESS) throw std::runtime_error(std::string(call) + ": error " + std::to_string(info));
}

void set_threads(int threads) {
  static const bool started = (check(GrB_init(GrB_NONBLOCKING), "GrB_init"), true);
  (void)started;
  check(GxB_Global_Option_set(GxB_GLOBAL_NTHREADS, threads), "GxB_Global_Option_set");
}

// What the interface of C has one name per type for.
template <class T>
struct Api;
template <>
struct Api<double> {
  static GrB_Type type() { return GrB_FP64; }
  static GrB_Semiring semiring() { return GrB_PLUS_TIMES_SEMIRING_FP64; }
  static GrB_BinaryOp plus() { return GrB_PLUS_FP64; }
  static constexpr auto* import_matrix = GrB_Matrix_import_FP64;
  static constexpr auto* export_matrix = GrB_Matrix_export_FP64;
  static constexpr auto* build = GrB_Matrix_build_FP64;
};
template <>
struct Api<float> {
  static GrB_Type type() { return GrB_FP32; }
  static GrB_Semiring semiring() { return GrB_PLUS_TIMES_SEMIRING_FP32; }
  static GrB_BinaryOp plus() { return GrB_PLUS_FP32; }
  static constexpr auto* import_matrix = GrB_Matrix_import_FP32;
  static constexpr auto* export_matrix = GrB_Matrix_export_FP32;
  static constexpr auto* build = GrB_Matrix_build_FP32;
};

struct Matrix {
  GrB_Matrix handle = nullptr;
  Matrix() = default;
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
  ~Matrix() { reset(); }
  void reset() {
    if (handle != nullptr) GrB_Matrix_free(&handle);
  }
  template <class T>
  void make(std::size_t rows, std::size_t cols) {
    reset();
    check(GrB_Matrix_new(&handle, Api<T>::type(), rows, cols), "GrB_Matrix_new");
  }
  void finish() { check(GrB_Matrix_wait(handle, GrB_MATERIALIZE), "GrB_Matrix_wait"); }
};

struct Vector {
  GrB_Vector handle = nullptr;
  Vector() = default;
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;
  ~Vector() {
    if (handle != nullptr) GrB_Vector_free(&handle);
  }
};

template <class T>
std::shared_ptr<Matrix> matrix(const SparseMatrix<T>& a) {
  const std::vector<GrB_Index> start(a.row_start.begin(), a.row_start.end()),
      columns(a.columns.begin(), a.columns.end());
  auto made = std::make_shared<Matrix>();
  check(Api<T>::import_matrix(&made->handle, Api<T>::type(), a.rows, a.cols, start.data(), columns.data(),
                              a.values.data(), start.size(), columns.size(), a.values.size(), GrB_CSR_FORMAT),
        "GrB_Matrix_import");
  return made;
}

// GraphBLAS takes over memory that malloc gave.
template <class T>
void* copied(std::span<const T> values) {
  void* const memory = std::malloc(values.size_bytes());
  if (memory == nullptr) throw std::bad_alloc();
  return std::memcpy(memory, values.data(), values.size_bytes());
}

template <class T>
std::shared_ptr<Vector> vector(std::span<const T> x) {
  auto made = std::make_shared<Vector>();
  check(GrB_Vector_new(&made->handle, Api<T>::type(), x.size()), "GrB_Vector_new");
  void* memory = copied(x);
  check(GxB_Vector_pack_Full(made->handle, &memory, x.size_bytes(), false, nullptr), "GxB_Vector_pack_Full");
  return made;
}

// y = A x, or A^T x.
template <class T>
Action product(const SparseMatrix<T>& a, bool transposed, std::span<const T> x, std::span<T> y, int threads) {
  set_threads(threads);
  auto result = std::make_shared<Vector>();
  check(GrB_Vector_new(&result->handle, Api<T>::type(), y.size()), "GrB_Vector_new");
  const auto descriptor = transposed ? GrB_DESC_T0 : nullptr;
  return [=, m = matrix(a), from = vector(x), unread = std::make_shared<bool>(true)] {
    check(GrB_mxv(result->handle, nullptr, nullptr, Api<T>::semiring(), m->handle, from->handle, descriptor),
          "GrB_mxv");
    check(GrB_Vector_wait(result->handle, GrB_MATERIALIZE), "GrB_Vector_wait");
    if (!std::exchange(*unread, false)) return;  // the first call's result is checked, outside the timed loop
    for (std::size_t i = 0; i < y.size(); ++i) {
      double value = 0;  // a row without entries has none in the result
      (void)GrB_Vector_extractElement_FP64(&value, result->handle, i);
      y[i] = static_cast<T>(value);
    }
  };
}

template <class T>
Action dense_product(const SparseMatrix<T>& a, std::span<const T> b, std::span<T> c, std::size_t width, bool by_rows,
                     int threads) {
  set_threads(threads);
  auto from = std::make_shared<Matrix>(), result = std::make_shared<Matrix>();
  const auto order = by_rows ? GxB_BY_ROW : GxB_BY_COL;
  for (const auto& [m, rows] : {std::pair{from, a.cols}, std::pair{result, a.rows}}) {
    m->template make<T>(rows, width);
    check(GxB_Matrix_Option_set(m->handle, GxB_FORMAT, order), "GxB_Matrix_Option_set");
  }
  void* memory = copied(b);
  check(
      (by_rows ? GxB_Matrix_pack_FullR : GxB_Matrix_pack_FullC)(from->handle, &memory, b.size_bytes(), false, nullptr),
      "GxB_Matrix_pack_Full");
  return [=, m = matrix(a), rows = a.rows, unread = std::make_shared<bool>(true)] {
    check(GrB_mxm(result->handle, nullptr, nullptr, Api<T>::semiring(), m->handle, from->handle, nullptr), "GrB_mxm");
    result->finish();
    if (!std::exchange(*unread, false)) return;
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < width; ++j) {
        double value = 0;
        (void)GrB_Matrix_extractElement_FP64(&value, result->handle, i, j);
        c[by_rows ? i * width + j : j * rows + i] = static_cast<T>(value);
      }
  };
}

template <class T>
CsrArrays<T> read(const Matrix& m, ResultCopy<T>& copy) {
  GrB_Index starts = 0, entries = 0, values = 0;
  check(GrB_Matrix_exportSize(&starts, &entries, &values, GrB_CSR_FORMAT, m.handle), "GrB_Matrix_exportSize");
  std::vector<GrB_Index> start(starts), columns(entries);
  copy.values.resize(values);
  check(Api<T>::export_matrix(start.data(), columns.data(), copy.values.data(), &starts, &entries, &values,
                              GrB_CSR_FORMAT, m.handle),
        "GrB_Matrix_export");
  copy.row_start.assign(start.begin(), start.end());
  copy.columns.assign(columns.begin(), columns.end());
  return copy.arrays();
}

// An action that makes `to` anew by make().
template <class T, class Make>
typename SparseImplementation<T>::Build build(std::size_t rows, std::size_t cols, Make make) {
  const auto to = std::make_shared<Matrix>();
  return {[=] {
            to->template make<T>(rows, cols);
            make(to->handle);
            to->finish();
          },
          [=, copy = std::make_shared<ResultCopy<T>>()] { return read(*to, *copy); }};
}

template <class T>
SparseImplementation<T> graphblas() {
  using M = SparseMatrix<T>;
  return {.impl = "graphblas",
          .from_triplets =
              [](const M& a, const Triplets<T>& t, int threads) {
                set_threads(threads);
                return build<T>(a.rows, a.cols,
                                [rows = std::vector<GrB_Index>(t.rows.begin(), t.rows.end()),
                                 columns = std::vector<GrB_Index>(t.columns.begin(), t.columns.end()),
                                 values = t.values](GrB_Matrix to) {
                                  check(Api<T>::build(to, rows.data(), columns.data(), values.data(), values.size(),
                                                      Api<T>::plus()),
                                        "GrB_Matrix_build");
                                });
              },
          .transpose =
              [](const M& a, int threads) {
                set_threads(threads);
                return build<T>(a.cols, a.rows, [m = matrix(a)](GrB_Matrix to) {
                  check(GrB_transpose(to, nullptr, nullptr, m->handle, nullptr), "GrB_transpose");
                });
              },
          .spmv = [](const M& a, std::span<const T> x, std::span<T> y,
                     int threads) { return product(a, false, x, y, threads); },
          .spmv_transposed = [](const M& a, std::span<const T> x, std::span<T> y,
                                int threads) { return product(a, true, x, y, threads); },
          .spmm = [](const M& a, std::span<const T> b, std::span<T> c, std::size_t width, bool by_rows,
                     int threads) { return dense_product(a, b, c, width, by_rows, threads); },
          .square =
              [](const M& a, int threads) {
                set_threads(threads);
                return build<T>(a.rows, a.cols, [m = matrix(a)](GrB_Matrix to) {
                  check(GrB_mxm(to, nullptr, nullptr, Api<T>::semiring(), m->handle, m->handle, nullptr), "GrB_mxm");
                });
              },
          .threads = thread_counts()};
}

const Registration rows([](Rows& r) {
  add_sparse_rows<double>(r, graphblas<double>());
  if (!r.quick()) add_sparse_rows<float>(r, graphblas<float>());
});

}  // namespace
}  // namespace pawl::bench
