// fft_f32.isa.cpp -- compiled once per ISA; defines that ISA's functions of the category `fft` for f32.
#include "kernels/fft/ops.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

extern const FftPairs<float> fft_pairs_f32;
extern const FftReals<float> fft_reals_f32;
extern const FftTurns<float> fft_turns_f32;
extern const FftWhole<float> fft_whole_f32;
extern const FftLong<float> fft_long_f32;
extern const FftHalves<float> fft_halves_f32;
extern const FftMaking<float> fft_making_f32;
extern const FftOps<float> fft_ops_f32;
constinit const FftOps<float> fft_ops_f32 = fft_ops<float>(
    &fft_pairs_f32, &fft_reals_f32, &fft_turns_f32, &fft_whole_f32, &fft_long_f32, &fft_halves_f32, &fft_making_f32);

}  // namespace pawl::PAWL_ISA_NS
