// torch_quantization_module.cpp -- conversions by libtorch's C++ interface, on one thread.
#include <cstring>

#include "benches/peers/torch_tensors.hpp"
#include "benches/quantization/conversion_rows.hpp"

namespace pawl::bench {
namespace {

using N = std::size_t;

const at::Tensor& tensor(const void* x, at::ScalarType type, N n) {
  set_torch_threads(1);
  return torch_tensor(x, type, {static_cast<std::int64_t>(n)});
}

template <at::ScalarType From, at::ScalarType To, class In, class Out>
void convert(const In* x, Out* y, N n) {
  const_cast<at::Tensor&>(tensor(y, To, n)).copy_(tensor(x, From, n));
}

template <at::ScalarType Type, class Q>
void quantize(const float* x, Q* q, N n, std::int64_t zero) {
  give_torch_result(at::quantize_per_tensor(tensor(x, at::kFloat, n), double{kScale}, zero, Type), q, n);
}

template <at::ScalarType Type, class Q>
void dequantize(const Q* q, float* x, N n, std::int64_t zero) {
  static at::Tensor codes;
  if (!torch_checked) {
    codes = at::_empty_affine_quantized({static_cast<std::int64_t>(n)}, at::TensorOptions().dtype(Type), double{kScale},
                                        zero);
    std::memcpy(codes.data_ptr(), q, n);
  }
  set_torch_threads(1);
  give_torch_result(codes.dequantize(), x, n);
}

ConversionImplementation conversions() {
  return {.impl = "libtorch",
          .start = [] { torch_checked = false; },
          .bf16_from_f32 = convert<at::kFloat, at::kBFloat16>,
          .f16_from_f32 = convert<at::kFloat, at::kHalf>,
          .bf16_to_f32 = convert<at::kBFloat16, at::kFloat>,
          .f16_to_f32 = convert<at::kHalf, at::kFloat>,
          .quantize_s8 = [](const float* x, std::int8_t* q, N n) { quantize<at::kQInt8>(x, q, n, kZeroS8); },
          .quantize_u8 = [](const float* x, std::uint8_t* q, N n) { quantize<at::kQUInt8>(x, q, n, kZeroU8); },
          .dequantize_s8 = [](const std::int8_t* q, float* x, N n) { dequantize<at::kQInt8>(q, x, n, kZeroS8); },
          .dequantize_u8 = [](const std::uint8_t* q, float* x, N n) { dequantize<at::kQUInt8>(q, x, n, kZeroU8); }};
}

}  // namespace
}  // namespace pawl::bench

extern "C" [[gnu::visibility("default")]] const void* pawl_torch_table(const std::type_info& type) {
  using namespace pawl::bench;
  static const std::tuple tables(conversions());
  return table_of_type(type, tables);
}
