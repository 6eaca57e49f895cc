// fft_whole_f32.isa.cpp -- compiled once per ISA; defines that ISA's functions of fft_whole.hpp for f32.
#include "kernels/fft/fft_whole.hpp"
#include "kernels/fft/pairs_whole.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

extern const FftWhole<float> fft_whole_f32;
constinit const FftWhole<float> fft_whole_f32 = fft_whole<float>();

}  // namespace pawl::PAWL_ISA_NS
