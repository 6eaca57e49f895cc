// fft.isa.cpp -- compiled once per ISA; defines that ISA's table of the category `fft` and nothing else visible.
//
// Its parts are objects of their own, so that none takes long to compile.
#include "kernels/fft/fft_table.hpp"
#include "kernels/tables.hpp"

namespace pawl::PAWL_ISA_NS {

extern const FftOps<float> fft_ops_f32;
extern const FftOps<double> fft_ops_f64;
extern const FftRoots fft_roots;
constinit const FftTable fft_table{.f32 = fft_ops_f32, .f64 = fft_ops_f64, .roots = fft_roots};

}  // namespace pawl::PAWL_ISA_NS
