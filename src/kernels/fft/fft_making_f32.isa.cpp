// fft_making_f32.isa.cpp -- compiled once per ISA; defines that ISA's functions of FftMaking (fft_making.hpp) for f32.
#include "kernels/fft/making.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

extern const FftMaking<float> fft_making_f32;
constinit const FftMaking<float> fft_making_f32 = fft_making<float>();

}  // namespace pawl::PAWL_ISA_NS
