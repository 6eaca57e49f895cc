// openblas_matmul.cpp -- matmul by OpenBLAS's sgemm and dgemm, and its gemv for one row, as its manual recommends.
//
// Opened at run time and locally: OpenBLAS and other BLAS libraries export the same names and could not be linked
// together.
#include <dlfcn.h>

#include "benches/tensor/matmul_rows.hpp"

namespace pawl::bench {
namespace {

// The C interface of BLAS (netlib's cblas.h): row-major is 101, no transpose 111, transpose 112.
enum { kRowMajor = 101, kNoTranspose = 111, kTranspose = 112 };
template <class T>
using Gemm = void (*)(int, int, int, int, int, int, T, const T*, int, const T*, int, T, T*, int);
template <class T>
using Gemv = void (*)(int, int, int, int, T, const T*, int, const T*, int, T, T*, int);

void* library() {
  static void* const handle = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  return handle;
}

template <class Function>
Function symbol(const char* name) {
  return reinterpret_cast<Function>(dlsym(library(), name));
}

template <class T>
void multiply(std::size_t m_, std::size_t n_, std::size_t k_, const T* a, const T* b, T* c) {
  static const auto gemm = symbol<Gemm<T>>(sizeof(T) == 4 ? "cblas_sgemm" : "cblas_dgemm");
  static const auto gemv = symbol<Gemv<T>>(sizeof(T) == 4 ? "cblas_sgemv" : "cblas_dgemv");
  const int m = static_cast<int>(m_), n = static_cast<int>(n_), k = static_cast<int>(k_);
  if (m == 1) {
    gemv(kRowMajor, kTranspose, k, n, T(1), b, n, a, 1, T(0), c, 1);
  } else {
    gemm(kRowMajor, kNoTranspose, kNoTranspose, m, n, k, T(1), a, k, b, n, T(0), c, n);
  }
}

void set_threads(int threads) {
  static const auto set = symbol<void (*)(int)>("openblas_set_num_threads");
  if (set) set(threads);
}

const Registration rows([](Rows& r) {
  if (library() == nullptr) return;
  add_matmul_rows<float>(r, {"openblas", multiply<float>, set_threads}, thread_counts());
  add_matmul_batched_rows<float>(r, {"openblas", multiply<float>, set_threads}, thread_counts());
  if (!r.quick()) add_matmul_rows<double>(r, {"openblas", multiply<double>, set_threads}, thread_counts());
  add_matmul_batched_rows<double>(r, {"openblas", multiply<double>, set_threads}, thread_counts());
});

}  // namespace
}  // namespace pawl::bench
