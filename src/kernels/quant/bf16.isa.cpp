// bf16.isa.cpp -- products of bf16 on AVX-512 with its dot-product instruction (AVX512-BF16); chosen where the CPU has
// it.
#define PAWL_INT8_NS bf16_dot
#define PAWL_DOT_IS_BF16 1
#include "kernels/quant/column_dots.kernel.hpp"
#include "kernels/quant/half_pack.kernel.hpp"
#include "kernels/quant/half_product.kernel.hpp"

namespace pawl::PAWL_ISA_NS {
extern const HalfProductOps bf16_dot_ops;
constinit const HalfProductOps bf16_dot_ops{.tile_rows = bf16_dot::kTileRows,
                                            .tile_cols = bf16_dot::kTileCols,
                                            .depth_of_step = 2,
                                            .left_bytes = 2,
                                            .multiply = bf16_dot::multiply,
                                            .pack = bf16_dot::pack_halves,
                                            .multiply_columns = bf16_dot::multiply_columns};
}  // namespace pawl::PAWL_ISA_NS
