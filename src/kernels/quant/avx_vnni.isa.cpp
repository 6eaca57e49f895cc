// avx_vnni.isa.cpp -- integer matrix products on AVX2 with the dot-product instruction of CPUs that lack AVX-512
// (AVX-VNNI); chosen where the CPU has it.
#define PAWL_INT8_NS avx_vnni
#include "kernels/quant/int8_ops.hpp"

namespace pawl::PAWL_ISA_NS {
extern const Int8Ops int8_avx_vnni_ops;
constinit const Int8Ops int8_avx_vnni_ops = avx_vnni::kOps;
}  // namespace pawl::PAWL_ISA_NS
