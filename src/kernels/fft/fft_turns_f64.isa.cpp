// fft_turns_f64.isa.cpp -- compiled once per ISA; defines that ISA's functions of fft_turns.hpp for f64.
#include "kernels/fft/fft_turns.hpp"
#include "kernels/fft/turned_pairs.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

extern const FftTurns<double> fft_turns_f64;
constinit const FftTurns<double> fft_turns_f64{turn_pairs<double>};

}  // namespace pawl::PAWL_ISA_NS
