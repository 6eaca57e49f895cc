// fft_pairs_f64.isa.cpp -- compiled once per ISA; defines that ISA's functions for short lines of the category `fft`,
// f64.
#include "kernels/fft/pairs_ops.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

extern const FftPairs<double> fft_pairs_f64;
constinit const FftPairs<double> fft_pairs_f64 = fft_pairs<double>();

}  // namespace pawl::PAWL_ISA_NS
