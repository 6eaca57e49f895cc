// int8_ops.hpp -- the kernels of integer matrix products as one set of entries, for the flags this is compiled with.
#pragma once
#include "kernels/quant/int8_pack.kernel.hpp"
#include "kernels/quant/int8_tile.kernel.hpp"
#include "kernels/quant/low_bits.kernel.hpp"
#if defined(PAWL_ISA_IS_avx512) && defined(__AVX512VNNI__)
#include "kernels/quant/int8_columns.kernel.hpp"
#include "kernels/quant/int8_streamed.kernel.hpp"
#include "kernels/quant/int8_unpacked.kernel.hpp"
#endif

namespace pawl::PAWL_ISA_NS::PAWL_INT8_NS {

#if defined(PAWL_ISA_IS_avx512) && defined(__AVX512VNNI__)
static constexpr auto kMultiplyUnpacked = multiply_unpacked;
static constexpr auto kMultiplyStreamed = multiply_streamed;
static constexpr auto kMultiplyColumns = multiply_columns;
static constexpr auto kGatherColumns = gather_columns;
#else
static constexpr auto kMultiplyUnpacked = nullptr;
static constexpr auto kMultiplyStreamed = nullptr;
static constexpr auto kMultiplyColumns = nullptr;
static constexpr auto kGatherColumns = nullptr;
#endif

static constexpr Int8Ops kOps{.tile_rows = kTileRows,
                              .tile_cols = kTileCols,
                              .bytes_per_code = kCodeBytes,
                              .in_place = kCodeBytes == 1,
                              .prepare = prepare_s8,
                              .pack = pack_s8,
                              .multiply = multiply_s8,
                              .multiply_unpacked = kMultiplyUnpacked,
                              .multiply_streamed = kMultiplyStreamed,
                              .multiply_columns = kMultiplyColumns,
                              .gather_columns = kGatherColumns,
                              .low_bits = kLowBitsOps};

}  // namespace pawl::PAWL_ISA_NS::PAWL_INT8_NS
