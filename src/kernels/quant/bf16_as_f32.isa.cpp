// bf16_as_f32.isa.cpp -- products with the panels of bf16.isa.cpp by FMAs of f32, for AVX-512 where those are faster.
#define PAWL_INT8_NS bf16_as_f32
#define PAWL_DOT_IS_BF16_AS_F32 1
#include "kernels/quant/half_product.kernel.hpp"

namespace pawl::PAWL_ISA_NS {
extern const HalfProductOps bf16_as_f32_ops;
constinit const HalfProductOps bf16_as_f32_ops{.tile_rows = bf16_as_f32::kTileRows,
                                               .tile_cols = bf16_as_f32::kTileCols,
                                               .depth_of_step = 2,
                                               .left_bytes = 4,
                                               .multiply = bf16_as_f32::multiply,
                                               .pack = nullptr,
                                               .multiply_columns = nullptr};
}  // namespace pawl::PAWL_ISA_NS
