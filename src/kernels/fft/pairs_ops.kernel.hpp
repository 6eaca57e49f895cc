// pairs_ops.kernel.hpp -- the functions for short lines of one type.
#pragma once
#include "kernels/fft/fft_table.hpp"
#include "kernels/fft/pairs_coprime.kernel.hpp"
#include "kernels/fft/pairs_line.kernel.hpp"
#include "kernels/fft/pairs_turns.kernel.hpp"
#include "kernels/fft/real_single.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

template <class T>
static constexpr FftPairs<T> fft_pairs() {
  FftPairs<T> ops{};
#if !defined(PAWL_ISA_IS_scalar)
  ops.lanes = pair_lanes<T>;
  const auto set_halves = [&]<std::size_t... R>(std::index_sequence<R...>) {
    ((ops.rows[R] = pairs_rows<T, R>, ops.columns[R] = pairs_columns<T, R>, ops.across[R] = pairs_across<T, R>,
      ops.lines_of[R] = pairs_lines<T, R>),
     ...);
#if defined(PAWL_ISA_IS_avx512) || defined(PAWL_ISA_IS_avx2)
    if constexpr (pair_lanes<T> >= 4) ((ops.across_halves[R] = pairs_across_halves<T, R>), ...);
#endif
  };
  const auto set_alone = [&]<std::size_t... R>(std::index_sequence<R...>) {
    ((ops.single[R] = pairs_single<T, R>), ...);
  };
  const auto set_reals = [&]<std::size_t... N>(std::index_sequence<N...>) {
    ((ops.real_single[N] = real_single<T, N>, ops.real_single_inverse[N] = real_single_inverse<T, N>), ...);
  };
  set_halves(std::index_sequence<2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 24, 25>());
  set_alone(std::index_sequence<2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16>());
#if defined(PAWL_ISA_IS_avx2)
  const auto set_coprime = [&]<std::size_t A, std::size_t... B>(std::index_sequence<A>, std::index_sequence<B...>) {
    ((ops.single[A * B] = pairs_coprime<T, A, B>), ...);
  };
  set_coprime(std::index_sequence<4>(), std::index_sequence<5, 7, 11>());
  // On a Zen 3 15 and 16 points took 0.66 and 0.6 of the time of their butterflies. 12 took 0.8, but its error would be
  // 1.07 times that of FFTW, of f32 1.04.
  if constexpr (sizeof(T) == 8) {
    ops.single[15] = pairs_with_turns<T, 3, 5>;
    ops.single[16] = pairs_with_turns<T, 4, 4>;
  }
#endif
  // Forwards a matrix is faster.
  const auto set_inverse = [&]<std::size_t... N>(std::index_sequence<N...>) {
    ((has_folded<T, N> ? void(ops.real_single_inverse[N] = real_single_inverse<T, N>) : void()), ...);
  };
  set_inverse(std::index_sequence<11, 13>());
  set_reals(std::index_sequence<2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15, 16, 18, 20, 22, 24, 26, 28, 30, 32>());
#endif
  return ops;
}

}  // namespace pawl::PAWL_ISA_NS
