// fft_turns_f32.isa.cpp -- compiled once per ISA; defines that ISA's functions of fft_turns.hpp for f32.
#include "kernels/fft/fft_turns.hpp"
#include "kernels/fft/turned_pairs.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

extern const FftTurns<float> fft_turns_f32;
constinit const FftTurns<float> fft_turns_f32{turn_pairs<float>};

}  // namespace pawl::PAWL_ISA_NS
