// conversion_bench.cpp -- our rows of the conversions: `pawl` is the public function, each ISA its entry of the table.
#include "conversion_rows.hpp"
#include "kernels/tables.hpp"
#include "pawl/quant.hpp"
#include "variants.hpp"

namespace pawl::bench {
namespace {

template <class T>
std::span<const T> in(const void* x, std::size_t n) {
  return {static_cast<const T*>(x), n};
}
template <class T>
std::span<T> out(void* x, std::size_t n) {
  return {static_cast<T*>(x), n};
}

ConversionImplementation public_functions() {
  return {.impl = "pawl",
          .bf16_from_f32 =
              [](const float* x, std::uint16_t* h, std::size_t n) {
                convert({x, n}, out<bf16>(h, n));
              },
          .f16_from_f32 =
              [](const float* x, std::uint16_t* h, std::size_t n) {
                convert({x, n}, out<f16>(h, n));
              },
          .bf16_to_f32 =
              [](const std::uint16_t* h, float* x, std::size_t n) {
                convert(in<bf16>(h, n), {x, n});
              },
          .f16_to_f32 =
              [](const std::uint16_t* h, float* x, std::size_t n) {
                convert(in<f16>(h, n), {x, n});
              },
          .quantize_s8 =
              [](const float* x, std::int8_t* q, std::size_t n) {
                quantize({x, n}, {kScale, kZeroS8}, {q, n});
              },
          .quantize_u8 =
              [](const float* x, std::uint8_t* q, std::size_t n) {
                quantize({x, n}, {kScale, kZeroU8}, {q, n});
              },
          .dequantize_s8 =
              [](const std::int8_t* q, float* x, std::size_t n) {
                dequantize({q, n}, {kScale, kZeroS8}, {x, n});
              },
          .dequantize_u8 =
              [](const std::uint8_t* q, float* x, std::size_t n) {
                dequantize({q, n}, {kScale, kZeroU8}, {x, n});
              },
          .quantize_dynamic_s8 =
              [](const float* x, std::int8_t* q, std::size_t n) {
                quantize_dynamic({x, n}, QuantScheme::symmetric, {q, n});
              },
          .quantize_rows_s8 =
              [](const float* x, const float* scales, std::size_t rows, std::size_t cols, std::int8_t* q) {
                quantize_rows({x, rows * cols}, {scales, rows}, {}, std::span<std::int8_t>(q, rows * cols));
              },
          .quantize_columns_s8 =
              [](const float* x, const float* scales, std::size_t rows, std::size_t cols, std::int8_t* q) {
                quantize_columns({x, rows * cols}, {scales, cols}, {}, std::span<std::int8_t>(q, rows * cols));
              },
          .quantize_dynamic_rows_s8 =
              [](const float* x, std::size_t rows, std::size_t cols, std::int8_t* q) {
                static std::vector<float> scales;
                static std::vector<std::int32_t> zeros;
                scales.resize(rows);
                zeros.resize(rows);
                quantize_dynamic_rows({x, rows * cols}, QuantScheme::symmetric, std::span<std::int8_t>(q, rows * cols),
                                      scales, zeros);
              }};
}

template <Isa isa>
ConversionImplementation variant() {
  return {.impl = std::string(name(isa)),
          .bf16_from_f32 = [](const float* x, std::uint16_t* h,
                              std::size_t n) { quant_table(isa).bf16.from_f32(x, n, h, false); },
          .f16_from_f32 = [](const float* x, std::uint16_t* h,
                             std::size_t n) { quant_table(isa).f16.from_f32(x, n, h, false); },
          .quantize_s8 = [](const float* x, std::int8_t* q,
                            std::size_t n) { quant_table(isa).s8.quantize(x, n, 1 / kScale, kZeroS8, q, false); },
          .dequantize_s8 = [](const std::int8_t* q, float* x,
                              std::size_t n) { quant_table(isa).s8.dequantize(q, n, kScale, kZeroS8, x, false); }};
}

const Registration rows([](Rows& r) {
  add_conversion_rows(r, public_functions());
  if (r.quick()) return;
  for_each_runnable_isa([&]<Isa isa>() { add_conversion_rows(r, variant<isa>()); });
});

}  // namespace
}  // namespace pawl::bench
