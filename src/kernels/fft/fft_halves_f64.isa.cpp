// fft_halves_f64.isa.cpp -- compiled once per ISA; defines that ISA's functions of fft_halves.hpp for f64.
#include "kernels/fft/fft_halves.hpp"
#include "kernels/fft/halves.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

extern const FftHalves<double> fft_halves_f64;
constinit const FftHalves<double> fft_halves_f64 = fft_halves<double>();

}  // namespace pawl::PAWL_ISA_NS
