// fft_long_f64.isa.cpp -- compiled once per ISA; defines that ISA's functions of fft_long.hpp for f64.
#include "kernels/fft/fft_long.hpp"
#include "kernels/fft/pairs_long.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

extern const FftLong<double> fft_long_f64;
constinit const FftLong<double> fft_long_f64 = fft_long<double>();

}  // namespace pawl::PAWL_ISA_NS
