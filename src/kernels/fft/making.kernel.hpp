// making.kernel.hpp -- the entries of FftMaking for one type.
#pragma once
#include "kernels/fft/chirp.kernel.hpp"
#include "kernels/fft/fft_making.hpp"
#include "kernels/fft/folded_chirp.kernel.hpp"
#include "kernels/fft/gauss_sums.kernel.hpp"
#include "kernels/fft/roots.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

template <class T>
static constexpr FftMaking<T> fft_making() {
  FftMaking<T> making{};
  making.row_twiddles = row_twiddles<T>;
  making.wrap_chirp = wrap_chirp<T>;
  making.round_chirp = round_chirp<T>;
  if constexpr (sizeof(T) == 4) {
    making.rough_chirp = rough_chirp<T>;
    making.fold_chirp = fold_chirp<T>;
    making.spectrum_of_folded = spectrum_of_folded<T>;
    making.round_even = round_even<T>;
    making.round_real_gauss_sums = round_real_gauss_sums<T>;
  } else {
    making.round_gauss_sums = round_gauss_sums<T>;
  }
  making.set_absolute = set_absolute<T>;
  return making;
}

}  // namespace pawl::PAWL_ISA_NS
