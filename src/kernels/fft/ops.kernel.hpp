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
#include "kernels/fft/real_in_place.kernel.hpp"
#include "kernels/fft/real_rows.kernel.hpp"
#include "kernels/fft/real_split.kernel.hpp"
#include "kernels/fft/turn.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

template <class T>
static constexpr FftOps<T> fft_ops(const FftPairs<T>* pairs, const FftReals<T>* reals, const FftTurns<T>* turns,
                                   const FftWhole<T>* whole, const FftLong<T>* long_lines, const FftHalves<T>* halves,
                                   const FftMaking<T>* making) {
  FftOps<T> ops{};
  ops.pairs = pairs;
  ops.reals = reals;
  ops.turns = turns;
  ops.whole = whole;
  ops.long_lines = long_lines;
  ops.halves = halves;
  ops.making = making;
  ops.lanes = lanes<T>;
  const auto set_passes = [&]<std::size_t... R>(std::index_sequence<R...>) {
    ((ops.pass[R] = pass<T, R>, ops.last_pass[R] = last_pass<T, R>), ...);
  };
  set_passes(std::index_sequence<2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16>());
  const auto set_first_passes = [&]<std::size_t... R>(std::index_sequence<R...>) {
    ((ops.first_pass[R] = first_pass<T, R>), ...);
  };
  set_first_passes(std::index_sequence<2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16>());
  const auto set_product_passes = [&]<std::size_t... R>(std::index_sequence<R...>) {
    ((ops.product_pass[R] = product_pass<T, R>), ...);
  };
  set_product_passes(std::index_sequence<4, 8, 16>());  // what convolutions begin with
  ops.prime_pass = prime_pass<T>;
  ops.load_rows = load_rows<T>;
  ops.store_rows = store_rows<T>;
  ops.turn = turn<T>;
  ops.direct = direct<T>;
  ops.multiply = multiply<T>;
  ops.load_lines = load_lines<T>;
  ops.store_lines = store_lines<T>;
  ops.split_line = split_line<T>;
  ops.join_line = join_line<T>;
  ops.split_rows = split_rows<T>;
  ops.join_rows = join_rows<T>;
  ops.split_all = split_all<T>;
  ops.join_all = join_all<T>;
  ops.real_matrix = real_matrix<T>;
#if !defined(PAWL_ISA_IS_scalar)
  ops.real_direct = real_direct<T>;
  ops.finish = finish<T>;
  ops.finish_products = finish_products<T>;
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
