// fft_pairs_f32.isa.cpp -- compiled once per ISA; defines that ISA's functions for short lines of the category `fft`,
// f32.
#include "kernels/fft/pairs_ops.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

extern const FftPairs<float> fft_pairs_f32;
constinit const FftPairs<float> fft_pairs_f32 = fft_pairs<float>();

}  // namespace pawl::PAWL_ISA_NS
