// blis_matmul.cpp -- matmul by BLIS's own interface, which takes row-major matrices by their strides, and its gemv for
// one row.
//
// Opened at run time and locally: BLIS exports the names of BLAS, as OpenBLAS does. Its 0.9 knows no AMD CPU with
// AVX-512 and would run its portable C there; its users set BLIS_ARCH_TYPE, as is done here where they did not.
#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "benches/tensor/matmul_rows.hpp"

namespace pawl::bench {
namespace {

// blis.h: dim_t and inc_t have 64 bits; 0 is no transposition, no conjugation; 0x08 transposed.
using Dim = std::int64_t;
enum { kPlain = 0, kTransposed = 0x08 };
template <class T>
using Gemm = void (*)(int, int, Dim, Dim, Dim, const T*, const T*, Dim, Dim, const T*, Dim, Dim, const T*, T*, Dim,
                      Dim);
template <class T>
using Gemv = void (*)(int, int, Dim, Dim, const T*, const T*, Dim, Dim, const T*, Dim, const T*, T*, Dim);

void* library() {
  static void* const handle = dlopen("libblis.so.4", RTLD_NOW | RTLD_LOCAL);
  return handle;
}

template <class Function>
Function symbol(const char* name) {
  return reinterpret_cast<Function>(dlsym(library(), name));
}

// Before the first call: BLIS reads the variable once.
void choose_kernels() {
  if (!__builtin_cpu_supports("avx512f") || __builtin_cpu_is("intel")) return;
  const auto name_of = symbol<const char* (*)(int)>("bli_arch_string");
  for (int id = 0; name_of && id < 8; ++id) {
    const char* const name = name_of(id);
    if (name && std::string_view(name) == "skx") setenv("BLIS_ARCH_TYPE", std::to_string(id).c_str(), 0);
  }
}

template <class T>
void multiply(std::size_t m_, std::size_t n_, std::size_t k_, const T* a, const T* b, T* c) {
  static const auto gemm = symbol<Gemm<T>>(sizeof(T) == 4 ? "bli_sgemm" : "bli_dgemm");
  static const auto gemv = symbol<Gemv<T>>(sizeof(T) == 4 ? "bli_sgemv" : "bli_dgemv");
  const auto m = static_cast<Dim>(m_), n = static_cast<Dim>(n_), k = static_cast<Dim>(k_);
  const T one(1), zero(0);
  if (m == 1) {
    gemv(kTransposed, kPlain, k, n, &one, b, n, 1, a, 1, &zero, c, 1);
  } else {
    gemm(kPlain, kPlain, m, n, k, &one, a, k, 1, b, n, 1, &zero, c, n, 1);
  }
}

void set_threads(int threads) {
  static const auto set = symbol<void (*)(Dim)>("bli_thread_set_num_threads");
  if (set) set(threads);
}

const Registration rows([](Rows& r) {
  if (library() == nullptr || dlsym(library(), "bli_sgemm") == nullptr) return;
  choose_kernels();
  add_matmul_rows<float>(r, {"blis", multiply<float>, set_threads}, thread_counts());
  add_matmul_batched_rows<float>(r, {"blis", multiply<float>, set_threads}, thread_counts());
  if (!r.quick()) add_matmul_rows<double>(r, {"blis", multiply<double>, set_threads}, thread_counts());
  add_matmul_batched_rows<double>(r, {"blis", multiply<double>, set_threads}, thread_counts());
});

}  // namespace
}  // namespace pawl::bench
