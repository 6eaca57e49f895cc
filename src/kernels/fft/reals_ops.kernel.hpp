// reals_ops.kernel.hpp -- the functions for many real transforms side by side of one type.
#pragma once
#include "kernels/fft/fft_table.hpp"
#include "kernels/fft/real_columns.kernel.hpp"
#include "kernels/fft/real_divided.kernel.hpp"
#include "kernels/fft/real_halves.kernel.hpp"
#include "kernels/fft/real_lines.kernel.hpp"
#include "kernels/fft/real_pass.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

template <class T>
static constexpr FftReals<T> fft_reals() {
  FftReals<T> ops{};
  const auto set_short = [&]<std::size_t... R>(std::index_sequence<R...>) {
    ((ops.across[R] = real_across<T, R>, ops.across_inverse[R] = real_across_inverse<T, R>,
      ops.lines_of[R] = real_lines<T, R>, ops.lines_inverse[R] = real_lines_inverse<T, R>),
     ...);
  };
  set_short(std::index_sequence<2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16>());
  ops.load_lines = load_real_lines<T>;
  ops.store_lines = store_real_lines<T>;
  ops.load_twos = load_twos<T>;
  ops.store_twos = store_twos<T>;
  ops.split_halves = split_halves<T>;
  ops.join_halves = join_halves<T>;
  const auto set_odd = [&]<std::size_t... R>(std::index_sequence<R...>) {
    ((ops.first[R] = real_first<T, R>, ops.last[R] = real_last<T, R>, ops.divide[R] = divide_reals<T, R>,
      ops.join[R] = join_reals<T, R>),
     ...);
  };
  set_odd(std::index_sequence<3, 5, 7, 9, 11, 13, 15>());
  ops.first_prime = real_first_prime<T>;
  ops.last_prime = real_last_prime<T>;
  ops.keep_half = keep_half<T>;
  ops.fill_half = fill_half<T>;
  return ops;
}

}  // namespace pawl::PAWL_ISA_NS
