// affine.cpp -- argument checks, parameters and dispatch of include/pawl/quant/affine.hpp.
#include "pawl/quant/affine.hpp"

#include <algorithm>
#include <cmath>

#include "isa/streaming.hpp"
#include "kernels/quant/affine_checks.hpp"
#include "parallel/parts.hpp"

namespace pawl {
using namespace affine;
using detail::for_parts;
using detail::kPartGrain;
namespace {

template <class Q>
void call_quantize(std::span<const float> x, QuantParams p, std::span<Q> q) {
  check_equal("quantize", x.size(), q.size());
  check_scale("quantize", p.scale);
  check_zero_point<Q>("quantize", p.zero_point);
  const auto run = ops<Q>().quantize;
  const std::size_t bytes = 5 * x.size();
  const float reciprocal = 1 / p.scale;
  for_parts(x.size(), bytes, kPartGrain, [=, streaming = worth_streaming_bytes(bytes)](std::size_t b, std::size_t e) {
    run(x.data() + b, e - b, reciprocal, p.zero_point, q.data() + b, streaming);
  });
}

template <class Q>
void call_dequantize(std::span<const Q> q, QuantParams p, std::span<float> x) {
  check_equal("dequantize", q.size(), x.size());
  check_scale("dequantize", p.scale);
  check_zero_point<Q>("dequantize", p.zero_point);
  const auto run = ops<Q>().dequantize;
  const std::size_t bytes = 5 * x.size();
  for_parts(x.size(), bytes, kPartGrain, [=, streaming = worth_streaming_bytes(bytes)](std::size_t b, std::size_t e) {
    run(q.data() + b, e - b, p.scale, p.zero_point, x.data() + b, streaming);
  });
}

template <class Q>
void call_requantize(std::span<const std::int32_t> sums, float multiplier, std::int32_t zero_point, std::span<Q> q) {
  check_equal("requantize", sums.size(), q.size());
  if (!std::isfinite(multiplier)) refuse("requantize", "the multiplier is not finite");
  check_zero_point<Q>("requantize", zero_point);
  const auto run = ops<Q>().requantize;
  const std::size_t bytes = 5 * sums.size();
  for_parts(q.size(), bytes, kPartGrain, [=, streaming = worth_streaming_bytes(bytes)](std::size_t b, std::size_t e) {
    run(sums.data() + b, e - b, multiplier, zero_point, q.data() + b, streaming);
  });
}

constexpr std::size_t kAddCost = 12;  // an addition takes as long as what moves so many bytes

// A function of its own: what threads are given lies in memory, and to put it there took longer than a short call.
template <class Q>
[[gnu::noinline]] void add_on_threads(const Q* a, const Q* b, std::size_t n, std::int32_t zero_a, std::int32_t zero_b,
                                      float factor_a, float factor_b, std::int32_t zero, Q* q) {
  detail::for_parts_on_threads(
      n, kAddCost * n, kPartGrain, [=, run = ops<Q>().add](std::size_t begin, std::size_t end) {
        run(a + begin, b + begin, end - begin, zero_a, zero_b, factor_a, factor_b, zero, q + begin);
      });
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
  const auto run = kAddCost * q.size() < detail::kWorthThreadsBytes ? ops<Q>().add : add_on_threads<Q>;
  run(a.data(), b.data(), q.size(), pa.zero_point, pb.zero_point, factor_a, factor_b, pq.zero_point, q.data());
}

template <class Q>
void call_relu(std::span<const Q> a, std::int32_t zero_point, std::span<Q> q) {
  check_equal("quantized_relu", a.size(), q.size());
  check_zero_point<Q>("quantized_relu", zero_point);
  const auto run = ops<Q>().relu;
  for_parts(q.size(), 2 * q.size(), kPartGrain,
            [=](std::size_t b, std::size_t e) { run(a.data() + b, e - b, static_cast<Q>(zero_point), q.data() + b); });
}

// As QuantTable::range(), in parts on threads.
[[gnu::noinline]] void range_of_parts(const QuantTable& table, std::span<const float> x, float* range) {
  const detail::Parts parts(x.size());
  float ranges[detail::Parts::kMost][2];
  parts.each([&](std::size_t part, std::size_t b, std::size_t e) { table.range(x.data() + b, e - b, ranges[part]); });
  range[0] = ranges[0][0];
  range[1] = ranges[0][1];
  for (std::size_t part = 1; part < parts.count(); ++part) {
    range[0] = std::min(range[0], ranges[part][0]);
    range[1] = std::max(range[1], ranges[part][1]);
  }
}

void whole_range(const QuantTable& table, std::span<const float> x, float* range) {
  if (x.size() <= detail::Parts::kShortest) return table.range(x.data(), x.size(), range);
  range_of_parts(table, x, range);
}

// The largest magnitude of finite elements, NaN left out; not finite where there are others.
template <class Q>
[[gnu::noinline]] float magnitude_of_parts(std::span<const float> x) {
  const detail::Parts parts(x.size());
  float magnitudes[detail::Parts::kMost];
  parts.each([&](std::size_t part, std::size_t b, std::size_t e) {
    ops<Q>().quantize_and_find(nullptr, 0, e - b, nullptr, 0, nullptr, x.data() + b, 1, magnitudes + part);
  });
  float most = magnitudes[0];
  for (std::size_t part = 1; part < parts.count() && std::isfinite(most); ++part)
    most = std::isfinite(magnitudes[part]) ? std::max(most, magnitudes[part]) : magnitudes[part];
  return most;
}
template <class Q>
float whole_magnitude(std::span<const float> x) {
  if (x.size() > detail::Parts::kShortest) return magnitude_of_parts<Q>(x);
  float most;
  ops<Q>().quantize_and_find(nullptr, 0, x.size(), nullptr, 0, nullptr, x.data(), 1, &most);
  return most;
}

template <class Q>
QuantParams call_quantize_dynamic(std::span<const float> x, QuantScheme scheme, std::span<Q> q) {
  const QuantizeOps<Q>& kernels = ops<Q>();
  const QuantTable& table = quant_table(detail::active_isa_inline());
  const std::size_t bytes = 5 * x.size();
  float range[2] = {};
  if (scheme == QuantScheme::symmetric && !x.empty()) {
    range[1] = whole_magnitude<Q>(x);  // half the comparisons
  } else if (!x.empty()) {
    whole_range(table, x, range);
    range[0] = std::min(range[0], 0.0f);
    range[1] = std::max(range[1], 0.0f);
  }
  const QuantParams p = params_of_range<Q>(table, range, x, scheme);
  const float reciprocal = 1 / p.scale;
  constexpr std::size_t kPart = 65536;
  if (x.size() <= kPart) {
    kernels.quantize(x.data(), x.size(), reciprocal, p.zero_point, q.data(), false);
    return p;
  }
  for_parts(x.size(), bytes, kPartGrain,
            [&, streaming = worth_streaming_bytes(bytes)](std::size_t first, std::size_t e) {
              // From the end on: what was read last is still in the caches. From memory in parts of 4 MiB, which took
              // 0.93 of the time of parts of 256 KiB and of all in one (Zen 4).
              const std::size_t step = streaming ? 16 * kPart : kPart;
              while (e > first) {
                const std::size_t b = std::max(first, (e - 1) / step * step);
                kernels.quantize(x.data() + b, e - b, reciprocal, p.zero_point, q.data() + b, streaming);
                e = b;
              }
            });
  return p;
}

}  // namespace

QuantParams choose_params_s8(float low, float high, QuantScheme scheme) {
  return choose_params<std::int8_t>("choose_params_s8", static_cast<double>(low), static_cast<double>(high), scheme);
}
QuantParams choose_params_u8(float low, float high, QuantScheme scheme) {
  return choose_params<std::uint8_t>("choose_params_u8", static_cast<double>(low), static_cast<double>(high), scheme);
}

FiniteRange finite_range(std::span<const float> x) {
  const QuantTable& table = quant_table(detail::active_isa_inline());
  float range[2];
  whole_range(table, x, range);
  if (std::isfinite(range[0]) && std::isfinite(range[1])) return {range[0], range[1]};
  return range_of(table, x);
}

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
