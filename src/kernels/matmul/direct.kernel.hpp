// direct.kernel.hpp -- products that read A and B in place: few rows, small matrices, matrix times vector.
#pragma once
#include "kernels/matmul/tile.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

#if defined(PAWL_ISA_IS_avx512) || defined(PAWL_ISA_IS_neon)
inline constexpr std::size_t kRegisters = 32;
#else
inline constexpr std::size_t kRegisters = 16;
#endif
// The widest tile of R rows: R sums and one row of B per vector, one register for A. More than 8 vectors gain nothing.
template <std::size_t R>
inline constexpr std::size_t kDirectVectors = (kRegisters - 1) / (R + 1) < 8 ? (kRegisters - 1) / (R + 1) : 8;

template <class T, std::size_t R>
[[gnu::noinline]] static void direct_rows(std::size_t n, std::size_t kc, const T* a, std::size_t lda, const T* b,
                                          std::size_t ldb, Update<T> update, T* c, std::size_t ldc) noexcept {
  constexpr std::size_t W = lanes<T>, NV = kDirectVectors<R>;
  std::size_t j = 0;
  for (; j + NV * W <= n; j += NV * W) tile<T, R, NV, false>(kc, a, lda, b + j, ldb, update, c + j, ldc, NV * W);
  if (j < n)
    with_constant(std::make_index_sequence<NV>{}, (n - j + W - 1) / W, [&](auto vectors) PAWL_INLINE_LAMBDA {
      tile<T, R, vectors, true>(kc, a, lda, b + j, ldb, update, c + j, ldc, n - j);
    });
}

template <class T>
static void direct(std::size_t m, std::size_t n, std::size_t kc, const T* a, std::size_t lda, const T* b,
                   std::size_t ldb, Update<T> update, T* c, std::size_t ldc) noexcept {
  // Equal heights: 16 rows as 8 + 8 and not 14 + 2, whose second part would have too few sums to hide the FMA's
  // latency.
  const std::size_t parts = (m + kRows - 1) / kRows;
  for (std::size_t part = 0, i = 0; part < parts; ++part) {
    const std::size_t rows = (m - i) / (parts - part);
    with_constant(std::make_index_sequence<kRows>{}, rows, [&](auto r) PAWL_INLINE_LAMBDA {
      direct_rows<T, r>(n, kc, a + i * lda, lda, b, ldb, update, c + i * ldc, ldc);
    });
    i += rows;
  }
}

template <class T>
static void dot_rows(std::size_t n, std::size_t k, const T* x, std::size_t x_stride, const T* b, std::size_t ldb,
                     Update<T> update, T* y, std::size_t y_stride) noexcept {
  constexpr std::size_t W = lanes<T>, kAtOnce = 4;  // rows that share each load of x; with two sums each, 8 chains
  const auto finish = [&](T sum, std::size_t j) {
    T& to = y[j * y_stride];
    to = update.beta == T(0) ? update.alpha * sum : update.alpha * sum + update.beta * to;
  };
  std::size_t j = 0;
  if (x_stride == 1) {
    for (; j + kAtOnce <= n; j += kAtOnce) {
      Vec<T> s[kAtOnce], t[kAtOnce];
      unroll<kAtOnce>([&](auto r) PAWL_INLINE_LAMBDA { s[r] = t[r] = Vec<T>(T(0)); });
      std::size_t p = 0;
      for (; p + 2 * W <= k; p += 2 * W) {
        const Vec<T> x0 = load<T>(x + p), x1 = load<T>(x + p + W);
        unroll<kAtOnce>([&](auto r) PAWL_INLINE_LAMBDA {
          const T* row = b + (j + r) * ldb + p;
          s[r] = fma<T>(x0, load<T>(row), s[r]);
          t[r] = fma<T>(x1, load<T>(row + W), t[r]);
        });
      }
      for (; p < k; p += W) {
        const std::size_t count = k - p < W ? k - p : W;
        const Vec<T> x0 = load_first<T>(x + p, count);
        unroll<kAtOnce>(
            [&](auto r) PAWL_INLINE_LAMBDA { s[r] = fma<T>(x0, load_first<T>(b + (j + r) * ldb + p, count), s[r]); });
      }
      unroll<kAtOnce>([&](auto r) PAWL_INLINE_LAMBDA { finish(reduce_add<T>(s[r] + t[r]), j + r); });
    }
    for (; j < n; ++j) {
      Vec<T> s(T(0));
      for (std::size_t p = 0; p < k; p += W) {
        const std::size_t count = k - p < W ? k - p : W;
        s = fma<T>(load_first<T>(x + p, count), load_first<T>(b + j * ldb + p, count), s);
      }
      finish(reduce_add<T>(s), j);
    }
    return;
  }
  for (; j < n; ++j) {
    T sum = T(0);
    for (std::size_t p = 0; p < k; ++p) sum += x[p * x_stride] * b[j * ldb + p];
    finish(sum, j);
  }
}

}  // namespace pawl::PAWL_ISA_NS
