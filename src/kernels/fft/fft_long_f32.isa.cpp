// fft_long_f32.isa.cpp -- compiled once per ISA; defines that ISA's functions of fft_long.hpp for f32.
#include "kernels/fft/fft_long.hpp"
#include "kernels/fft/pairs_long.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

extern const FftLong<float> fft_long_f32;
constinit const FftLong<float> fft_long_f32 = fft_long<float>();

}  // namespace pawl::PAWL_ISA_NS
