// fft_f64.isa.cpp -- compiled once per ISA; defines that ISA's functions of the category `fft` for f64.
#include "kernels/fft/ops.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

extern const FftPairs<double> fft_pairs_f64;
extern const FftReals<double> fft_reals_f64;
extern const FftTurns<double> fft_turns_f64;
extern const FftWhole<double> fft_whole_f64;
extern const FftLong<double> fft_long_f64;
extern const FftHalves<double> fft_halves_f64;
extern const FftMaking<double> fft_making_f64;
extern const FftOps<double> fft_ops_f64;
constinit const FftOps<double> fft_ops_f64 = fft_ops<double>(
    &fft_pairs_f64, &fft_reals_f64, &fft_turns_f64, &fft_whole_f64, &fft_long_f64, &fft_halves_f64, &fft_making_f64);

}  // namespace pawl::PAWL_ISA_NS
