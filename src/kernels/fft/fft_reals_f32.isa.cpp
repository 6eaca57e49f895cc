// fft_reals_f32.isa.cpp -- compiled once per ISA; defines that ISA's functions for many short real transforms of the
// category `fft`, f32.
#include "kernels/fft/reals_ops.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

extern const FftReals<float> fft_reals_f32;
constinit const FftReals<float> fft_reals_f32 = fft_reals<float>();

}  // namespace pawl::PAWL_ISA_NS
