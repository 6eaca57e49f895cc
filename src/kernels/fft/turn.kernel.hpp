// turn.kernel.hpp -- transformed columns -> rows: the twiddles between the two halves of a transform, and the
// transposition.
//
// A transform of A B points is A-point transforms of B columns, twiddles, B-point transforms of A rows (Gentleman and
// Sande, "Fast Fourier transforms -- for fun and profit", 1966). finish() is the case B = W: the rows' transforms then
// are one butterfly on what the transposition leaves in registers.
#pragma once
#include "kernels/fft/butterfly.kernel.hpp"
#include "kernels/fft/interleave.kernel.hpp"
#include "kernels/fft/transpose.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// The transpose of x, real and imaginary parts apart.
template <class T>
PAWL_INLINE void transpose_cx(Cx<T> (&x)[lanes<T>]) {
  constexpr std::size_t W = lanes<T>;
  Reg<T> part[W];
  unroll<W>([&](auto i) PAWL_INLINE_LAMBDA { part[i] = x[i].re; });
  transpose<T>(part);
  unroll<W>([&](auto i) PAWL_INLINE_LAMBDA { x[i].re = part[i]; });
  unroll<W>([&](auto i) PAWL_INLINE_LAMBDA { part[i] = x[i].im; });
  transpose<T>(part);
  unroll<W>([&](auto i) PAWL_INLINE_LAMBDA { x[i].im = part[i]; });
}

// load(k): row k, with its twiddles.
template <class T, class Load>
PAWL_INLINE void turn_with(Load load, std::size_t rows, T* out, std::size_t out_row, bool past_caches) {
  constexpr std::size_t W = lanes<T>;
  for (std::size_t k = 0; k < rows; k += W) {
    Cx<T> x[W];
    unroll<W>([&](auto r) PAWL_INLINE_LAMBDA { x[r] = load(k + r); });
    transpose_cx<T>(x);
    if (past_caches)
      unroll<W>([&](auto r) PAWL_INLINE_LAMBDA {
        stream_reg<T>(out + r * out_row + 2 * k, x[r].re);
        stream_reg<T>(out + r * out_row + 2 * k + W, x[r].im);
      });
    else
      unroll<W>([&](auto r) PAWL_INLINE_LAMBDA { store_cx<T>(out + r * out_row + 2 * k, x[r]); });
  }
  if (past_caches) stream_end();
}

template <class T>
static void turn(const T* in, std::size_t in_row, std::size_t rows, T* out, std::size_t out_row, const T* twiddles,
                 const T* step, bool past_caches) noexcept {
  constexpr std::size_t kVector = cx_size<T>;
  const auto product = [&](std::size_t k) PAWL_INLINE_LAMBDA {
    return load_cx<T>(in + k * in_row) * load_cx<T>(twiddles + k * kVector);
  };
  if (step)
    turn_with<T>(
        [&](std::size_t k) PAWL_INLINE_LAMBDA {
          return product(k) * Cx<T>{broadcast<T>(step[2 * k]), broadcast<T>(step[2 * k + 1])};
        },
        rows, out, out_row, past_caches);
  else
    turn_with<T>(product, rows, out, out_row, past_caches);
}

template <class T>
static void finish(const T* in, std::size_t rows, T* user, const T* twiddles, bool swapped, T scale) noexcept {
  constexpr std::size_t W = lanes<T>, kVector = cx_size<T>;
  const Reg<T> s = broadcast<T>(scale);
  for (std::size_t k = 0; k < rows; k += W) {
    Cx<T> x[W];
    unroll<W>([&](auto r) PAWL_INLINE_LAMBDA {
      x[r] = load_cx<T>(in + (k + r) * kVector) * load_cx<T>(twiddles + (k + r) * kVector);
    });
    transpose_cx<T>(x);
    Butterfly<Cx<T>, W>::run(x, {});
    unroll<W>([&](auto j) PAWL_INLINE_LAMBDA { x[j] = Cx<T>{x[j].re * s, x[j].im * s}; });
    if (k + W <= rows)
      unroll<W>([&](auto j) PAWL_INLINE_LAMBDA { store_pairs<T>(user + 2 * (rows * j + k), x[j], swapped); });
    else
      unroll<W>([&](auto j)
                    PAWL_INLINE_LAMBDA { store_pairs_first<T>(user + 2 * (rows * j + k), x[j], rows - k, swapped); });
  }
}

}  // namespace pawl::PAWL_ISA_NS
