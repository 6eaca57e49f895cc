// tile.kernel.hpp -- the register tile: C [R x up to NR] += A [R x kc] * B [kc x NR], written once for every ISA.
//
// The sums of the whole tile stay in registers over all of kc; each step loads one row of B (kVectors vectors) and
// multiplies it by R broadcast elements of A. That is the microkernel of Goto and van de Geijn (2008) as BLIS has it,
// with one difference: A is read along its rows, so that packing A is a plain copy. R addresses at a constant distance
// cost nothing, since they differ in the displacement of the instruction only.
#pragma once
#include "kernels/matmul/matmul_table.hpp"
#include "kernels/vec.hpp"

namespace pawl::PAWL_ISA_NS {

// Rows x vectors of sums, one register each, beside kVectors of B and one of A.
#if defined(PAWL_ISA_IS_avx512)
inline constexpr std::size_t kRows = 14, kVectors = 2;  // 28 + 2 + 1 of 32 registers
#elif defined(PAWL_ISA_IS_neon)
inline constexpr std::size_t kRows = 8, kVectors = 3;  // 24 + 3 + 1 of 32
#elif defined(PAWL_ISA_IS_scalar)
inline constexpr std::size_t kRows = 4, kVectors = 2;  // 8 + 2 + 1 of 16
#else
inline constexpr std::size_t kRows = 6, kVectors = 2;  // 12 + 2 + 1 of 16
#endif
template <class T>
inline constexpr std::size_t kNr = kVectors* lanes<T>;

// One packed panel of B, kc x nr, takes 32 KiB: two thirds of a 48 KiB L1, all of it with what streams by on a 32 KiB
// one (where the tile is narrower by as much, since such CPUs have narrower vectors).
template <class T>
inline constexpr std::size_t kMaxKc = 32768 / sizeof(T) / (2 * 64 / sizeof(T));
// A cache line more than kMaxKc, so that the rows of a panel of A do not fall on one set of the L1.
template <class T>
inline constexpr std::size_t kAStride = kMaxKc<T> + 64 / sizeof(T);

template <class T>
PAWL_INLINE void write_back(Vec<T> sum, Update<T> update, T* c) {
  const Vec<T> product = sum * Vec<T>(update.alpha);
  store<T>(c, update.beta == T(0) ? product : fma<T>(Vec<T>(update.beta), load<T>(c), product));
}

template <class T>
PAWL_INLINE void write_back_first(Vec<T> sum, Update<T> update, T* c, std::size_t count) {
  const Vec<T> product = sum * Vec<T>(update.alpha);
  store_first<T>(c, update.beta == T(0) ? product : fma<T>(Vec<T>(update.beta), load_first<T>(c, count), product),
                 count);
}

// n: columns to write, (NV - 1) * lanes < n <= NV * lanes. kMaskedB: B's columns beyond n are not touched either; else
// they are there to be read (packed, filled up with zeros), or n is NV * lanes.
template <class T, std::size_t R, std::size_t NV, bool kMaskedB>
PAWL_INLINE void tile(std::size_t kc, const T* a, std::size_t a_stride, const T* b, std::size_t b_stride,
                      Update<T> update, T* c, std::size_t ldc, std::size_t n) {
  constexpr std::size_t W = lanes<T>;
  Vec<T> sum[R][NV];
  unroll<R>([&](auto i)
                PAWL_INLINE_LAMBDA { unroll<NV>([&](auto v) PAWL_INLINE_LAMBDA { sum[i][v] = Vec<T>(T(0)); }); });
  const bool whole = n == NV * W;
  const std::size_t last = n - (NV - 1) * W;  // columns of the last vector
  const auto step = [&](std::size_t p) PAWL_INLINE_LAMBDA {
    Vec<T> row[NV];
    unroll<NV>([&](auto v) PAWL_INLINE_LAMBDA {
      const T* from = b + p * b_stride + v * W;
      row[v] = kMaskedB && v == NV - 1 ? load_first<T>(from, last) : load<T>(from);
    });
    unroll<R>([&](auto i) PAWL_INLINE_LAMBDA {
      const Vec<T> x(a[i * a_stride + p]);
      unroll<NV>([&](auto v) PAWL_INLINE_LAMBDA { sum[i][v] = fma<T>(x, row[v], sum[i][v]); });
    });
  };
  std::size_t p = 0;
  if constexpr (!kMaskedB)
    for (; p + 4 <= kc; p += 4) unroll<4>([&](auto u) PAWL_INLINE_LAMBDA { step(p + u); });
  for (; p < kc; ++p) step(p);
  unroll<R>([&](auto i) PAWL_INLINE_LAMBDA {
    unroll<NV>([&](auto v) PAWL_INLINE_LAMBDA {
      T* to = c + i * ldc + v * W;
      if (whole || v + 1 < NV)
        write_back<T>(sum[i][v], update, to);
      else
        write_back_first<T>(sum[i][v], update, to, last);
    });
  });
}

// Calls f with the constant that `count` is, 1 <= count <= sizeof...(I).
template <class F, std::size_t... I>
PAWL_INLINE void with_constant(std::index_sequence<I...>, std::size_t count, F f) {
  ((count == I + 1 ? f(std::integral_constant<std::size_t, I + 1>{}) : void()), ...);
}

}  // namespace pawl::PAWL_ISA_NS
