// fft_reals_f64.isa.cpp -- compiled once per ISA; defines that ISA's functions for many short real transforms of the
// category `fft`, f64.
#include "kernels/fft/reals_ops.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

extern const FftReals<double> fft_reals_f64;
constinit const FftReals<double> fft_reals_f64 = fft_reals<double>();

}  // namespace pawl::PAWL_ISA_NS
