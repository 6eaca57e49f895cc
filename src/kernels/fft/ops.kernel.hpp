// ops.kernel.hpp -- the entries of the category `fft` for one type.
#pragma once
#include "kernels/fft/direct.kernel.hpp"
#include "kernels/fft/fft_table.hpp"
#include "kernels/fft/interleave.kernel.hpp"
#include "kernels/fft/lines.kernel.hpp"
#include "kernels/fft/multiply.kernel.hpp"
#include "kernels/fft/pass.kernel.hpp"
#include "kernels/fft/real.kernel.hpp"
#include "kernels/fft/real_direct.kernel.hpp"
#include "kernels/fft/real_split.kernel.hpp"
#include "kernels/fft/turn.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

template <class T>
static constexpr FftOps<T> fft_ops(const FftPairs<T>* pairs) {
  FftOps<T> ops{};
  ops.pairs = pairs;
  ops.lanes = lanes<T>;
  ops.pass[2] = pass<T, 2>;
  ops.pass[3] = pass<T, 3>;
  ops.pass[4] = pass<T, 4>;
  ops.pass[5] = pass<T, 5>;
  ops.pass[6] = pass<T, 6>;
  ops.pass[7] = pass<T, 7>;
  ops.pass[8] = pass<T, 8>;
  ops.pass[10] = pass<T, 10>;
  ops.pass[11] = pass<T, 11>;
  ops.pass[12] = pass<T, 12>;
  ops.pass[13] = pass<T, 13>;
  ops.pass[15] = pass<T, 15>;
  ops.pass[16] = pass<T, 16>;
  ops.first_pass[2] = first_pass<T, 2>;
  ops.first_pass[4] = first_pass<T, 4>;
  ops.first_pass[8] = first_pass<T, 8>;
  ops.first_pass[16] = first_pass<T, 16>;
  ops.prime_pass = prime_pass<T>;
  ops.load_rows = load_rows<T>;
  ops.store_rows = store_rows<T>;
  ops.turn = turn<T>;
  ops.direct = direct<T>;
  ops.multiply = multiply<T>;
  ops.multiply_rows = multiply_rows<T>;
  ops.load_lines = load_lines<T>;
  ops.store_lines = store_lines<T>;
  ops.split_real = split_real<T>;
  ops.join_real = join_real<T>;
  ops.real_matrix = real_matrix<T>;
#if !defined(PAWL_ISA_IS_scalar)
  ops.real_direct = real_direct<T>;
  ops.finish = finish<T>;
#endif
  ops.load_reals = load_reals<T>;
  ops.store_reals = store_reals<T>;
  ops.turn_real = turn_real<T>;
  ops.turn_plain = turn_plain<T>;
  ops.join_columns = join_columns<T>;
  ops.store_mirrored = store_mirrored<T>;
  ops.load_mirrored = load_mirrored<T>;
  return ops;
}

}  // namespace pawl::PAWL_ISA_NS
