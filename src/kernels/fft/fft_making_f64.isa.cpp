// fft_making_f64.isa.cpp -- compiled once per ISA; defines that ISA's functions of FftMaking (fft_making.hpp) for f64.
#include "kernels/fft/making.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

extern const FftMaking<double> fft_making_f64;
constinit const FftMaking<double> fft_making_f64 = fft_making<double>();

}  // namespace pawl::PAWL_ISA_NS
