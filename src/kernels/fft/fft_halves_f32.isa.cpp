// fft_halves_f32.isa.cpp -- compiled once per ISA; defines that ISA's functions of fft_halves.hpp for f32.
#include "kernels/fft/fft_halves.hpp"
#include "kernels/fft/halves.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

extern const FftHalves<float> fft_halves_f32;
constinit const FftHalves<float> fft_halves_f32 = fft_halves<float>();

}  // namespace pawl::PAWL_ISA_NS
