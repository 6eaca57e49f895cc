// f16.isa.cpp -- products with weights of f16 that are widened to f32 as they are loaded (F16C); for AVX2 and AVX-512.
#define PAWL_INT8_NS f16_wide
#define PAWL_DOT_IS_F16 1
#include "kernels/quant/half_product.kernel.hpp"
#if defined(PAWL_ISA_IS_avx512)
#include "kernels/quant/half_pack.kernel.hpp"
#endif

namespace pawl::PAWL_ISA_NS {
#if defined(PAWL_ISA_IS_avx512)
static constexpr auto kPack = f16_wide::pack_halves;
#else
static constexpr auto kPack = nullptr;
#endif
extern const HalfProductOps f16_wide_ops;
constinit const HalfProductOps f16_wide_ops{.tile_rows = f16_wide::kTileRows,
                                            .tile_cols = f16_wide::kTileCols,
                                            .depth_of_step = 1,
                                            .left_bytes = 4,
                                            .multiply = f16_wide::multiply,
                                            .pack = kPack};
}  // namespace pawl::PAWL_ISA_NS
