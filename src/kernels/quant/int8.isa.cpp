// int8.isa.cpp -- compiled once per ISA: its entries of integer matrix products, without dot-product instructions.
#define PAWL_INT8_NS widening
#include "kernels/quant/int8_ops.hpp"

namespace pawl::PAWL_ISA_NS {
extern const Int8Ops int8_ops;
constinit const Int8Ops int8_ops = widening::kOps;
}  // namespace pawl::PAWL_ISA_NS
