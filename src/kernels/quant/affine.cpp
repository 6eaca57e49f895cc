// affine.cpp -- argument checks, parameters and dispatch of include/pawl/quant/affine.hpp.
#include "pawl/quant/affine.hpp"

#include <cmath>

#include "isa/streaming.hpp"
#include "kernels/quant/affine_checks.hpp"

namespace pawl {
using namespace affine;
namespace {

template <class Q>
void call_quantize(std::span<const float> x, QuantParams p, std::span<Q> q) {
  check_equal("quantize", x.size(), q.size());
  check_scale("quantize", p.scale);
  check_zero_point<Q>("quantize", p.zero_point);
  ops<Q>().quantize(x.data(), x.size(), 1 / p.scale, p.zero_point, q.data(), worth_streaming_bytes(5 * x.size()));
}

template <class Q>
void call_dequantize(std::span<const Q> q, QuantParams p, std::span<float> x) {
  check_equal("dequantize", q.size(), x.size());
  check_scale("dequantize", p.scale);
  check_zero_point<Q>("dequantize", p.zero_point);
  ops<Q>().dequantize(q.data(), q.size(), p.scale, p.zero_point, x.data(), worth_streaming_bytes(5 * x.size()));
}

template <class Q>
void call_requantize(std::span<const std::int32_t> sums, float multiplier, std::int32_t zero_point, std::span<Q> q) {
  check_equal("requantize", sums.size(), q.size());
  if (!std::isfinite(multiplier)) refuse("requantize", "the multiplier is not finite");
  check_zero_point<Q>("requantize", zero_point);
  ops<Q>().requantize(sums.data(), sums.size(), multiplier, zero_point, q.data(),
                      worth_streaming_bytes(5 * sums.size()));
}

template <class Q>
void call_add(std::span<const Q> a, QuantParams pa, std::span<const Q> b, QuantParams pb, std::span<Q> q,
              QuantParams pq) {
  check_equal("quantized_add", a.size(), q.size());
  check_equal("quantized_add", b.size(), q.size());
  for (const QuantParams& p : {pa, pb, pq}) {
    check_scale("quantized_add", p.scale);
    check_zero_point<Q>("quantized_add", p.zero_point);
  }
  const float factor_a = pa.scale / pq.scale, factor_b = pb.scale / pq.scale;
  if (!std::isfinite(factor_a * 512) || !std::isfinite(factor_b * 512))
    refuse("quantized_add", "a scale is too many times that of the result");
  ops<Q>().add(a.data(), b.data(), q.size(), pa.zero_point, pb.zero_point, factor_a, factor_b, pq.zero_point, q.data());
}

template <class Q>
void call_relu(std::span<const Q> a, std::int32_t zero_point, std::span<Q> q) {
  check_equal("quantized_relu", a.size(), q.size());
  check_zero_point<Q>("quantized_relu", zero_point);
  ops<Q>().relu(a.data(), a.size(), static_cast<Q>(zero_point), q.data());
}

template <class Q>
QuantParams call_quantize_dynamic(std::span<const float> x, QuantScheme scheme, std::span<Q> q) {
  const QuantizeOps<Q>& kernels = ops<Q>();
  const QuantTable& table = quant_table(detail::active_isa_inline());
  float range[2] = {};
  if (scheme == QuantScheme::symmetric && !x.empty()) {
    // Magnitudes alone: half the comparisons.
    kernels.quantize_and_find(nullptr, 0, x.size(), nullptr, 0, nullptr, x.data(), 1, range + 1);
  } else {
    table.range(x.data(), x.size(), range);
    range[0] = std::min(range[0], 0.0f);
    range[1] = std::max(range[1], 0.0f);
  }
  const QuantParams p = params_of_range<Q>(table, range, x, scheme);
  // From the end on: what was read last is still in the caches.
  constexpr std::size_t kPart = 65536;
  const bool streaming = worth_streaming_bytes(5 * x.size());
  for (std::size_t end = x.size(); end > 0;) {
    const std::size_t begin = (end - 1) / kPart * kPart;
    kernels.quantize(x.data() + begin, end - begin, 1 / p.scale, p.zero_point, q.data() + begin, streaming);
    end = begin;
  }
  return p;
}

}  // namespace

QuantParams choose_params_s8(float low, float high, QuantScheme scheme) {
  return choose_params<std::int8_t>("choose_params_s8", static_cast<double>(low), static_cast<double>(high), scheme);
}
QuantParams choose_params_u8(float low, float high, QuantScheme scheme) {
  return choose_params<std::uint8_t>("choose_params_u8", static_cast<double>(low), static_cast<double>(high), scheme);
}

FiniteRange finite_range(std::span<const float> x) { return range_of(quant_table(detail::active_isa_inline()), x); }

// One definition for int8 and uint8 each.
#define PAWL_DEFINE_FOR(Q)                                                                                            \
  void quantize(std::span<const float> x, QuantParams params, std::span<Q> q) { call_quantize<Q>(x, params, q); }     \
  void dequantize(std::span<const Q> q, QuantParams params, std::span<float> x) { call_dequantize<Q>(q, params, x); } \
  void requantize(std::span<const std::int32_t> sums, float multiplier, std::int32_t zero_point, std::span<Q> q) {    \
    call_requantize<Q>(sums, multiplier, zero_point, q);                                                              \
  }                                                                                                                   \
  void quantized_add(std::span<const Q> a, QuantParams pa, std::span<const Q> b, QuantParams pb, std::span<Q> q,      \
                     QuantParams pq) {                                                                                \
    call_add<Q>(a, pa, b, pb, q, pq);                                                                                 \
  }                                                                                                                   \
  void quantized_relu(std::span<const Q> a, std::int32_t zero_point, std::span<Q> q) {                                \
    call_relu<Q>(a, zero_point, q);                                                                                   \
  }                                                                                                                   \
  QuantParams quantize_dynamic(std::span<const float> x, QuantScheme scheme, std::span<Q> q) {                        \
    check_equal("quantize_dynamic", x.size(), q.size());                                                              \
    return call_quantize_dynamic<Q>(x, scheme, q);                                                                    \
  }
PAWL_DEFINE_FOR(std::int8_t)
PAWL_DEFINE_FOR(std::uint8_t)
#undef PAWL_DEFINE_FOR

}  // namespace pawl
