// pass.kernel.hpp -- a block of columns -> the same after one pass of radix R of all their transforms.
//
// Stockham's form of decimation in frequency: each pass writes what the next one reads in order, so nothing is ever
// permuted (Van Loan, Computational Frameworks for the Fast Fourier Transform, 1992, section 1.7). All lanes of a
// vector do the same with the same twiddles, since a vector holds an element of W different columns.
#pragma once
#include "kernels/fft/butterfly.kernel.hpp"
#include "kernels/fft/interleave.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

template <class T, std::size_t R, class Load>
PAWL_INLINE void pass_with(Load load, const T* in, std::size_t in_row, T* out, std::size_t out_row, std::size_t m,
                           std::size_t vectors, const T* twiddles) {
  constexpr std::size_t kVector = cx_size<T>;
  const std::size_t leg = m * in_row;
  for (std::size_t q = 0; q < vectors; ++q) {  // p = 0: twiddles are 1
    Cx<T> x[R];
    unroll<R>([&](auto k) PAWL_INLINE_LAMBDA { x[k] = load(in + k * leg + q * kVector); });
    Butterfly<T, R>::run(x);
    unroll<R>([&](auto j) PAWL_INLINE_LAMBDA { store_cx<T>(out + j * out_row + q * kVector, x[j]); });
  }
  for (std::size_t p = 1; p < m; ++p, twiddles += 2 * (R - 1)) {
    in += in_row;
    out += R * out_row;
    for (std::size_t q = 0; q < vectors; ++q) {
      Cx<T> x[R];
      unroll<R>([&](auto k) PAWL_INLINE_LAMBDA { x[k] = load(in + k * leg + q * kVector); });
      Butterfly<T, R>::run(x);
      store_cx<T>(out + q * kVector, x[0]);
      unroll<R - 1>([&](auto j) PAWL_INLINE_LAMBDA {
        const Cx<T> w{Vec<T>(twiddles[2 * j]), Vec<T>(twiddles[2 * j + 1])};
        store_cx<T>(out + (j + 1) * out_row + q * kVector, x[j + 1] * w);
      });
    }
  }
}

template <class T, std::size_t R>
static void pass(const T* in, std::size_t in_row, T* out, std::size_t out_row, std::size_t m, std::size_t vectors,
                 const T* twiddles) noexcept {
  pass_with<T, R>([](const T* p) PAWL_INLINE_LAMBDA { return load_cx<T>(p); }, in, in_row, out, out_row, m, vectors,
                  twiddles);
}

template <class T, std::size_t R>
static void first_pass(const T* user, std::size_t user_row, T* out, std::size_t out_row, std::size_t m,
                       std::size_t vectors, const T* twiddles, bool swapped) noexcept {
  pass_with<T, R>([swapped](const T* p) PAWL_INLINE_LAMBDA { return load_pairs<T>(p, swapped); }, user, user_row, out,
                  out_row, m, vectors, twiddles);
}

}  // namespace pawl::PAWL_ISA_NS
