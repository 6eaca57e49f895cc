// fft_whole_f64.isa.cpp -- compiled once per ISA; defines that ISA's functions of fft_whole.hpp for f64.
#include "kernels/fft/fft_whole.hpp"
#include "kernels/fft/pairs_whole.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

extern const FftWhole<double> fft_whole_f64;
constinit const FftWhole<double> fft_whole_f64 = fft_whole<double>();

}  // namespace pawl::PAWL_ISA_NS
