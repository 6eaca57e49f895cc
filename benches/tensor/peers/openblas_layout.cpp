// openblas_layout.cpp -- transposition by OpenBLAS's omatcopy, one thread, opened at run time as in
// openblas_matmul.cpp.
#include <dlfcn.h>

#include "benches/tensor/layout_rows.hpp"

namespace pawl::bench {
namespace {

// The C interface (cblas.h): row-major is 101, transpose 112.
enum { kRowMajor = 101, kTranspose = 112 };
template <class T>
using Omatcopy = void (*)(int, int, int, int, T, const T*, int, T*, int);

void* library() {
  static void* const handle = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  return handle;
}

template <class T>
Omatcopy<T> omatcopy() {
  return reinterpret_cast<Omatcopy<T>>(dlsym(library(), sizeof(T) == 4 ? "cblas_somatcopy" : "cblas_domatcopy"));
}

template <class T>
LayoutImplementation<T> openblas() {
  return {.impl = "openblas", .transpose = [](const T* x, std::size_t m, std::size_t n, T* out) {
            static const auto call = omatcopy<T>();
            const int rows = static_cast<int>(m), columns = static_cast<int>(n);
            call(kRowMajor, kTranspose, rows, columns, T(1), x, columns, out, rows);
          }};
}

const Registration rows([](Rows& r) {
  if (library() == nullptr || omatcopy<float>() == nullptr || omatcopy<double>() == nullptr) return;
  add_layout_rows<float>(r, openblas<float>());
  if (!r.quick()) add_layout_rows<double>(r, openblas<double>());
});

}  // namespace
}  // namespace pawl::bench
