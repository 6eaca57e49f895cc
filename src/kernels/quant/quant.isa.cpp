// quant.isa.cpp -- compiled once per ISA; defines that ISA's table of the category `quant` and nothing else visible.
#include "kernels/quant/dynamic_rows.kernel.hpp"
#include "kernels/quant/half.kernel.hpp"
#include "kernels/quant/parameters.kernel.hpp"
#include "kernels/quant/row_parameters.kernel.hpp"
#include "kernels/tables.hpp"

namespace pawl::PAWL_ISA_NS {

template <class Q>
static constexpr QuantizeOps<Q> quantize_ops() {
  return {.quantize = quantize<Q>,
          .quantize_and_range = quantize_and_range<Q>,
          .dequantize = dequantize<Q>,
          .requantize = requantize<Q>,
          .add = add_codes<Q>,
          .relu = relu_codes<Q>,
          .quantize_rows = quantize_rows<Q>,
          .dequantize_rows = dequantize_rows<Q>,
          .quantize_columns = quantize_columns<Q>,
          .quantize_each = quantize_each<Q>,
          .dequantize_columns = dequantize_columns<Q>,
          .dequantize_each = dequantize_each<Q>,
          .quantize_and_find = quantize_and_find<Q>};
}

constinit const QuantTable quant_table{.s8 = quantize_ops<std::int8_t>(),
                                       .u8 = quantize_ops<std::uint8_t>(),
                                       .bf16 = {.from_f32 = bf16_from_f32, .to_f32 = bf16_to_f32},
                                       .f16 = {.from_f32 = f16_from_f32, .to_f32 = f16_to_f32},
                                       .range = range,
                                       .find_ranges = find_ranges,
                                       .parameters = {.scales_fit = scales_fit,
                                                      .zeros_fit = zeros_fit,
                                                      .zeros_differ = zeros_differ,
                                                      .reciprocals = reciprocals,
                                                      .symmetric = symmetric_parameters,
                                                      .affine = affine_parameters,
                                                      .zeros_as_f32 = zeros_as_f32},
                                       .low_bits = kLowBitsFormats};

}  // namespace pawl::PAWL_ISA_NS
