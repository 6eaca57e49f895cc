// torch_quantization.cpp -- the rows of quantization_bench that libtorch runs (calls: torch_quantization_module.cpp).
#include "benches/peers/torch_late.hpp"
#include "benches/quantization/conversion_rows.hpp"

namespace pawl::bench {
namespace {

using Conversions = ConversionImplementation;

// Not in the quick suite, whose conversions have Eigen and oneDNN beside them.
const Registration rows([](Rows& r) {
  if (r.quick()) return;
  add_conversion_rows(r, {.impl = "libtorch",
                          .start = late<&Conversions::start>,
                          .bf16_from_f32 = late<&Conversions::bf16_from_f32>,
                          .f16_from_f32 = late<&Conversions::f16_from_f32>,
                          .bf16_to_f32 = late<&Conversions::bf16_to_f32>,
                          .f16_to_f32 = late<&Conversions::f16_to_f32>,
                          .quantize_s8 = late<&Conversions::quantize_s8>,
                          .quantize_u8 = late<&Conversions::quantize_u8>,
                          .dequantize_s8 = late<&Conversions::dequantize_s8>,
                          .dequantize_u8 = late<&Conversions::dequantize_u8>});
});

}  // namespace
}  // namespace pawl::bench
