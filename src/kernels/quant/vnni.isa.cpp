// vnni.isa.cpp -- integer matrix products on AVX-512 with its dot-product instruction (VNNI); chosen where the CPU has
// it.
#define PAWL_INT8_NS vnni
#include "kernels/quant/int8_ops.hpp"

namespace pawl::PAWL_ISA_NS {
extern const Int8Ops int8_vnni_ops;
constinit const Int8Ops int8_vnni_ops = vnni::kOps;
}  // namespace pawl::PAWL_ISA_NS
