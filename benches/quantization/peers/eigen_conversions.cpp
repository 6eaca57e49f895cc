// eigen_conversions.cpp -- conversions by Eigen's arrays, compiled for this machine as its users would.
#include <Eigen/Core>

#include "benches/quantization/conversion_rows.hpp"

namespace pawl::bench {
namespace {

using Index = Eigen::Index;
template <class T>
using Array = Eigen::Array<T, Eigen::Dynamic, 1>;

template <class T>
Eigen::Map<const Array<T>> in(const void* x, std::size_t n) {
  return {static_cast<const T*>(x), static_cast<Index>(n)};
}
template <class T>
Eigen::Map<Array<T>> out(void* x, std::size_t n) {
  return {static_cast<T*>(x), static_cast<Index>(n)};
}

template <class Half>
void narrow(const float* x, std::uint16_t* h, std::size_t n) {
  out<Half>(h, n) = in<float>(x, n).template cast<Half>();
}
template <class Half>
void widen(const std::uint16_t* h, float* x, std::size_t n) {
  out<float>(x, n) = in<Half>(h, n).template cast<float>();
}

template <class Q>
void quantize(const float* x, std::int32_t zero_point, Q* q, std::size_t n) {
  constexpr float kLow = std::numeric_limits<Q>::min(), kHigh = std::numeric_limits<Q>::max();
  const auto zero = static_cast<float>(zero_point);
  out<Q>(q, n) = ((in<float>(x, n) * (1 / kScale)).rint() + zero).max(kLow).min(kHigh).template cast<Q>();
}
template <class Q>
void dequantize(const Q* q, std::int32_t zero_point, float* x, std::size_t n) {
  out<float>(x, n) = (in<Q>(q, n).template cast<float>() - static_cast<float>(zero_point)) * kScale;
}

const Registration rows([](Rows& r) {
  add_conversion_rows(
      r, {.impl = "eigen",
          .bf16_from_f32 = narrow<Eigen::bfloat16>,
          .f16_from_f32 = narrow<Eigen::half>,
          .bf16_to_f32 = widen<Eigen::bfloat16>,
          .f16_to_f32 = widen<Eigen::half>,
          .quantize_s8 = [](const float* x, std::int8_t* q, std::size_t n) { quantize(x, kZeroS8, q, n); },
          .quantize_u8 = [](const float* x, std::uint8_t* q, std::size_t n) { quantize(x, kZeroU8, q, n); },
          .dequantize_s8 = [](const std::int8_t* q, float* x, std::size_t n) { dequantize(q, kZeroS8, x, n); },
          .dequantize_u8 = [](const std::uint8_t* q, float* x, std::size_t n) { dequantize(q, kZeroU8, x, n); }});
});

}  // namespace
}  // namespace pawl::bench
