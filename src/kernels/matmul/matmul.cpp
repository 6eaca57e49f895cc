// matmul.cpp -- argument checks, choice of the path, blocking, threads and dispatch of include/pawl/matmul.hpp.
//
// Blocking is that of Goto and van de Geijn, "Anatomy of high-performance matrix multiplication", ACM TOMS 34(3), 2008:
// a panel of packed B (kc x nr) in L1, a block of packed A (mc x kc) in L2, a block of packed B (kc x nc) in L3.
#include "pawl/matmul.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "kernels/matmul/pack_buffer.hpp"
#include "kernels/tables.hpp"
#include "pawl/parallel.hpp"
#include "tensor/shape_text.hpp"

namespace pawl {
namespace {

// op(X) of a stored matrix: element (i, j) is data[i * row_stride + j * col_stride].
template <class T>
struct Operand {
  const T* data;
  std::size_t row_stride, col_stride;

  Operand at(std::size_t i, std::size_t j) const {
    return {data + i * row_stride + j * col_stride, row_stride, col_stride};
  }
  Operand transposed() const { return {data, col_stride, row_stride}; }
};

template <class T>
struct Product {
  std::size_t m, n, k;
  Operand<T> a, b;
  Update<T> update;
  T* c;
  std::size_t ldc;
};

template <class T>
const MatmulOps<T>& ops() noexcept {
  const MatmulTable& table = matmul_table(active_isa());
  if constexpr (std::is_same_v<T, float>) {
    return table.f32;
  } else {
    return table.f64;
  }
}

template <class T>
void scale(const Product<T>& p) {
  for (std::size_t i = 0; i < p.m; ++i)
    for (std::size_t j = 0; j < p.n; ++j) {
      T& c = p.c[i * p.ldc + j];
      c = p.update.beta == T(0) ? T(0) : p.update.beta * c;
    }
}

// The largest share of `limit` that splits `total` evenly, a multiple of `grain`: 300 by 256 becomes 152 + 148, not 256
// + 44.
std::size_t even_block(std::size_t total, std::size_t limit, std::size_t grain) {
  const std::size_t parts = (total + limit - 1) / limit, block = (total + parts - 1) / parts;
  return (block + grain - 1) / grain * grain;
}

template <class T>
void packed_product(const MatmulOps<T>& f, const Product<T>& p) {
  const CacheSizes& caches = cache_sizes();
  const std::size_t l2_bytes = caches.l2_bytes > 0 ? caches.l2_bytes : 256u << 10;
  // Half of L2 for the block of A: the rest is for C, the panels of B on their way to L1, and what is prefetched.
  const std::size_t mc_limit = std::max<std::size_t>(l2_bytes / 2 / (f.a_stride * sizeof(T)) / f.mr, 1) * f.mr;
  constexpr std::size_t kPackedBBytes = std::size_t{8}
                                        << 20;  // a quarter of the L3 of the machines that this was tuned on
  const std::size_t nc_limit = std::max<std::size_t>(kPackedBBytes / (f.max_kc * sizeof(T)) / f.nr, 1) * f.nr;
  const std::size_t kc_block = std::min(even_block(p.k, f.max_kc, 4), f.max_kc);
  const std::size_t nc_block = even_block(p.n, nc_limit, f.nr), mc_block = even_block(p.m, mc_limit, f.mr);
  thread_local PackBuffer a_buffer, b_buffer;
  T* const a = static_cast<T*>(a_buffer.get(mc_block * f.a_stride * sizeof(T)));
  T* const b = static_cast<T*>(b_buffer.get(kc_block * nc_block * sizeof(T)));
  for (std::size_t j = 0; j < p.n; j += nc_block) {
    const std::size_t nc = std::min(nc_block, p.n - j);
    for (std::size_t q = 0; q < p.k; q += kc_block) {
      const std::size_t kc = std::min(kc_block, p.k - q);
      f.pack_b(p.b.at(q, j).data, p.b.row_stride, p.b.col_stride, kc, nc, b);
      const Update<T> update{p.update.alpha, q == 0 ? p.update.beta : T(1)};
      for (std::size_t i = 0; i < p.m; i += mc_block) {
        const std::size_t mc = std::min(mc_block, p.m - i);
        f.pack_a(p.a.at(i, q).data, p.a.row_stride, p.a.col_stride, mc, kc, a);
        f.product(mc, nc, kc, a, b, update, p.c + i * p.ldc + j, p.ldc);
      }
    }
  }
}

// Rows of B per pass of the direct path: while a pass reads them as so many forward streams, C stays in L1 or L2.
constexpr std::size_t kDirectRows = 32;

template <class T>
void direct_product(const MatmulOps<T>& f, const Product<T>& p) {
  // B in L1 is read column panel by column panel at no cost; a larger one must be read along its rows.
  constexpr std::size_t kL1Share = 32u << 10;
  const std::size_t block = p.k * p.n * sizeof(T) <= kL1Share ? p.k : kDirectRows;
  for (std::size_t q = 0; q < p.k; q += block)
    f.direct(p.m, p.n, std::min(block, p.k - q), p.a.data + q, p.a.row_stride, p.b.data + q * p.b.row_stride,
             p.b.row_stride, {p.update.alpha, q == 0 ? p.update.beta : T(1)}, p.c, p.ldc);
}

template <class T>
void serial_product(const MatmulOps<T>& f, const Product<T>& p) {
  const bool a_by_rows = p.a.col_stride == 1, b_by_rows = p.b.col_stride == 1, b_by_columns = p.b.row_stride == 1;
  if (p.m == 1 && b_by_columns) {
    f.dot_rows(p.n, p.k, p.a.data, p.a.col_stride, p.b.data, p.b.col_stride, p.update, p.c, 1);
    return;
  }
  if (p.n == 1 && a_by_rows) {
    f.dot_rows(p.m, p.k, p.b.data, p.b.row_stride, p.a.data, p.a.row_stride, p.update, p.c, p.ldc);
    return;
  }
  // Up to two tiles' height B is read too rarely to repay packing it; a small product is over before packing is.
  const bool few_rows = p.m <= 2 * f.mr, small = p.k * p.n * sizeof(T) <= (16u << 10);
  if (a_by_rows && b_by_rows && (few_rows || small)) {
    direct_product(f, p);
    return;
  }
  packed_product(f, p);
}

// The part of the product that one thread works on: whole columns panels or whole row tiles, whichever there are more
// of.
template <class T>
Product<T> part_of(const Product<T>& p, int thread, int threads, const MatmulOps<T>& f) {
  Product<T> part = p;
  if (p.n / f.nr >= p.m / f.mr) {
    const Range r = share(p.n, thread, threads, f.nr);
    part.n = r.end - r.begin;
    part.b = p.b.at(0, r.begin);
    part.c = p.c + r.begin;
  } else {
    const Range r = share(p.m, thread, threads, f.mr);
    part.m = r.end - r.begin;
    part.a = p.a.at(r.begin, 0);
    part.c = p.c + r.begin * p.ldc;
  }
  return part;
}

constexpr double kThreadFlops = 2097152;  // 2^21: about 10 us of one core, several times what starting a region takes

template <class T>
void run(const Product<T>& p) {
  if (p.m == 0 || p.n == 0) return;
  if (p.k == 0 || p.update.alpha == T(0)) {
    scale(p);
    return;
  }
  const MatmulOps<T>& f = ops<T>();
  const double flops = 2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
  const int threads = flops < kThreadFlops ? 1 : num_threads();
  if (threads == 1) {
    serial_product(f, p);
    return;
  }
  on_threads(threads, [&](int thread, int count) {
    const Product<T> part = part_of(p, thread, count, f);
    if (part.m > 0 && part.n > 0) serial_product(f, part);
  });
}

[[noreturn, gnu::cold]] void refuse(const std::string& what) { throw std::invalid_argument("matmul: " + what); }

// A stored matrix of rows x columns with leading dimension ld.
void check_matrix(const char* name, const void* data, std::size_t rows, std::size_t columns, std::size_t ld,
                  std::size_t element_bytes) {
  if (ld < columns)
    refuse("ld" + std::string(1, name[0]) + " is " + std::to_string(ld) + ", below the " + std::to_string(columns) +
           " columns of " + name);
  std::size_t elements = 0, bytes = 0;
  if (__builtin_mul_overflow(rows, ld, &elements) || __builtin_mul_overflow(elements, element_bytes, &bytes) ||
      bytes > PTRDIFF_MAX)
    refuse(std::string("the size of ") + name + " overflows");
  if (data == nullptr && rows > 0 && columns > 0) refuse(std::string(name) + " is null");
}

template <class T>
void checked(Transpose ta, Transpose tb, std::size_t m, std::size_t n, std::size_t k, T alpha, const T* a,
             std::size_t lda, const T* b, std::size_t ldb, T beta, T* c, std::size_t ldc) {
  const bool a_stored = ta == Transpose::no, b_stored = tb == Transpose::no;
  check_matrix("a", a, a_stored ? m : k, a_stored ? k : m, lda, sizeof(T));
  check_matrix("b", b, b_stored ? k : n, b_stored ? n : k, ldb, sizeof(T));
  check_matrix("c", c, m, n, ldc, sizeof(T));
  const Operand<T> left{a, a_stored ? lda : 1, a_stored ? 1 : lda}, right{b, b_stored ? ldb : 1, b_stored ? 1 : ldb};
  run<T>({m, n, k, left, right, {alpha, beta}, c, ldc});
}

template <class T>
Tensor<T> of_tensors(const Tensor<T>& a, const Tensor<T>& b) {
  if (a.rank() != 2 || b.rank() != 2 || a.shape()[1] != b.shape()[0])
    refuse("shapes " + shape_text(a.shape()) + " and " + shape_text(b.shape()) +
           " do not fit; [m, k] times [k, n] does");
  const std::size_t m = a.shape()[0], k = a.shape()[1], n = b.shape()[1];
  auto c = Tensor<T>::uninitialized({m, n});
  checked<T>(Transpose::no, Transpose::no, m, n, k, T(1), a.data(), k, b.data(), n, T(0), c.data(), n);
  return c;
}

}  // namespace

void matmul(Transpose ta, Transpose tb, std::size_t m, std::size_t n, std::size_t k, float alpha, const float* a,
            std::size_t lda, const float* b, std::size_t ldb, float beta, float* c, std::size_t ldc) {
  checked(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void matmul(Transpose ta, Transpose tb, std::size_t m, std::size_t n, std::size_t k, double alpha, const double* a,
            std::size_t lda, const double* b, std::size_t ldb, double beta, double* c, std::size_t ldc) {
  checked(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

Tensor<float> matmul(const Tensor<float>& a, const Tensor<float>& b) { return of_tensors(a, b); }
Tensor<double> matmul(const Tensor<double>& a, const Tensor<double>& b) { return of_tensors(a, b); }

}  // namespace pawl
