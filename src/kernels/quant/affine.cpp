// affine.cpp -- argument checks, parameters and dispatch of include/pawl/quant/affine.hpp.
#include "pawl/quant/affine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "isa/active.hpp"
#include "isa/streaming.hpp"
#include "kernels/tables.hpp"

namespace pawl {
namespace {

[[noreturn, gnu::cold]] void refuse(const char* function, const std::string& why) {
  throw std::invalid_argument(std::string(function) + ": " + why);
}

void check_equal(const char* function, std::size_t x, std::size_t q) {
  if (x != q) [[unlikely]]
    refuse(function, "lengths differ (" + std::to_string(x) + " and " + std::to_string(q) + ")");
}

template <class Q>
void check_zero_point(const char* function, std::int32_t zero_point) {
  if (zero_point < std::numeric_limits<Q>::min() || zero_point > std::numeric_limits<Q>::max()) [[unlikely]]
    refuse(function, "zero point " + std::to_string(zero_point) + " is not a code");
}

void check_scale(const char* function, float scale) {
  if (!(scale >= std::numeric_limits<float>::min()) || std::isinf(scale)) [[unlikely]]
    refuse(function, "scale " + std::to_string(scale) + " is not finite and at least 2^-126");
}

template <class Q>
constexpr std::int32_t kMiddle = std::numeric_limits<Q>::min() == 0 ? 128 : 0;  // the code of 0 in symmetric schemes

template <class Q>
const QuantizeOps<Q>& ops() noexcept {
  const QuantTable& table = quant_table(detail::active_isa_inline());
  if constexpr (std::numeric_limits<Q>::is_signed) {
    return table.s8;
  } else {
    return table.u8;
  }
}

template <class Q>
QuantParams choose_params(const char* function, double low, double high, QuantScheme scheme) {
  if (!(low <= high) || std::isinf(low) || std::isinf(high)) refuse(function, "no finite range low <= high");
  constexpr double kSmallest = std::numeric_limits<float>::min();
  if (scheme == QuantScheme::symmetric) {
    const double most = std::max(std::fabs(low), std::fabs(high));
    return {most == 0 ? 1.0f : static_cast<float>(std::max(most / 127, kSmallest)), kMiddle<Q>};
  }
  low = std::min(low, 0.0);
  high = std::max(high, 0.0);
  if (low == high) return {1.0f, kMiddle<Q>};
  const auto scale = static_cast<float>(std::max((high - low) / 255, kSmallest));
  constexpr double kLow = std::numeric_limits<Q>::min(), kHigh = std::numeric_limits<Q>::max();
  const double zero = std::clamp(std::nearbyint(kLow - low / static_cast<double>(scale)), kLow, kHigh);
  return {scale, static_cast<std::int32_t>(zero)};
}

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

// The other extent of a matrix of `elements` with one set of parameters per row (or column).
template <class Q>
std::size_t other_extent(const char* function, std::size_t elements, std::size_t out_elements,
                         std::span<const float> scales, std::span<const std::int32_t> zero_points) {
  check_equal(function, elements, out_elements);
  const std::size_t count = scales.size();
  if (count == 0 ? elements != 0 : elements % count != 0)
    refuse(function, std::to_string(count) + " scales do not divide " + std::to_string(elements) + " elements");
  if (!zero_points.empty() && zero_points.size() != count)
    refuse(function, std::to_string(count) + " scales and " + std::to_string(zero_points.size()) + " zero points");
  for (const float scale : scales) check_scale(function, scale);
  for (const std::int32_t zero_point : zero_points) check_zero_point<Q>(function, zero_point);
  return count == 0 ? 0 : elements / count;
}

template <class Q>
std::int32_t zero_point_at(std::span<const std::int32_t> zero_points, std::size_t i) {
  return zero_points.empty() ? kMiddle<Q> : zero_points[i];
}

template <class Q>
void call_quantize_rows(std::span<const float> x, std::span<const float> scales,
                        std::span<const std::int32_t> zero_points, std::span<Q> q) {
  const std::size_t cols = other_extent<Q>("quantize_rows", x.size(), q.size(), scales, zero_points);
  const auto quantize_row = ops<Q>().quantize;
  const bool streaming = worth_streaming_bytes(5 * x.size());
  for (std::size_t i = 0; i < scales.size(); ++i)
    quantize_row(x.data() + i * cols, cols, 1 / scales[i], zero_point_at<Q>(zero_points, i), q.data() + i * cols,
                 streaming && cols >= 4096);
}

template <class Q>
void call_dequantize_rows(std::span<const Q> q, std::span<const float> scales,
                          std::span<const std::int32_t> zero_points, std::span<float> x) {
  const std::size_t cols = other_extent<Q>("dequantize_rows", q.size(), x.size(), scales, zero_points);
  const auto dequantize_row = ops<Q>().dequantize;
  const bool streaming = worth_streaming_bytes(5 * x.size());
  for (std::size_t i = 0; i < scales.size(); ++i)
    dequantize_row(q.data() + i * cols, cols, scales[i], zero_point_at<Q>(zero_points, i), x.data() + i * cols,
                   streaming && cols >= 1024);
}

template <class Q>
std::vector<float> zero_points_f32(std::size_t count, std::span<const std::int32_t> zero_points) {
  std::vector<float> result(count);
  for (std::size_t i = 0; i < count; ++i) result[i] = static_cast<float>(zero_point_at<Q>(zero_points, i));
  return result;
}

template <class Q>
void call_quantize_columns(std::span<const float> x, std::span<const float> scales,
                           std::span<const std::int32_t> zero_points, std::span<Q> q) {
  const std::size_t rows = other_extent<Q>("quantize_columns", x.size(), q.size(), scales, zero_points);
  const std::size_t cols = scales.size();
  std::vector<float> reciprocals(cols);
  for (std::size_t j = 0; j < cols; ++j) reciprocals[j] = 1 / scales[j];
  const std::vector<float> zeros = zero_points_f32<Q>(cols, zero_points);
  for (std::size_t i = 0; i < rows; ++i)
    ops<Q>().quantize_each(x.data() + i * cols, cols, reciprocals.data(), zeros.data(), q.data() + i * cols);
}

template <class Q>
void call_dequantize_columns(std::span<const Q> q, std::span<const float> scales,
                             std::span<const std::int32_t> zero_points, std::span<float> x) {
  const std::size_t rows = other_extent<Q>("dequantize_columns", q.size(), x.size(), scales, zero_points);
  const std::size_t cols = scales.size();
  const std::vector<float> zeros = zero_points_f32<Q>(cols, zero_points);
  for (std::size_t i = 0; i < rows; ++i)
    ops<Q>().dequantize_each(q.data() + i * cols, cols, scales.data(), zeros.data(), x.data() + i * cols);
}

FiniteRange range_of(const QuantTable& table, std::span<const float> x) noexcept {
  float range[2];
  table.range(x.data(), x.size(), range);
  if (std::isfinite(range[0]) && std::isfinite(range[1])) return {range[0], range[1]};
  // Nothing but NaN, or an infinity: rare enough for a plain loop.
  FiniteRange finite{std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
  for (const float value : x)
    if (std::isfinite(value)) finite = {std::min(finite.low, value), std::max(finite.high, value)};
  return finite.low <= finite.high ? finite : FiniteRange{};
}

// Parameters for a range that holds 0, or is not finite: then that of the finite elements counts.
template <class Q>
QuantParams params_of_range(const QuantTable& table, const float* range, std::span<const float> x, QuantScheme scheme) {
  FiniteRange finite{range[0], range[1]};
  if (!(std::isfinite(range[0]) && std::isfinite(range[1]))) [[unlikely]]
    finite = range_of(table, x);
  return choose_params<Q>("quantize_dynamic", static_cast<double>(finite.low), static_cast<double>(finite.high),
                          scheme);
}

template <class Q>
QuantParams call_quantize_dynamic(std::span<const float> x, QuantScheme scheme, std::span<Q> q) {
  const QuantizeOps<Q>& kernels = ops<Q>();
  float range[2];
  kernels.quantize_and_range(nullptr, x.size(), 0, 0, nullptr, x.data(), range);
  const QuantParams p = params_of_range<Q>(quant_table(detail::active_isa_inline()), range, x, scheme);
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

template <class Q>
void call_quantize_dynamic_rows(std::span<const float> x, QuantScheme scheme, std::span<Q> q, std::span<float> scales,
                                std::span<std::int32_t> zero_points) {
  constexpr const char* kFunction = "quantize_dynamic_rows";
  check_equal(kFunction, x.size(), q.size());
  const std::size_t rows = scales.size();
  if (zero_points.size() != rows || (rows == 0 ? !x.empty() : x.size() % rows != 0))
    refuse(kFunction, std::to_string(rows) + " scales and " + std::to_string(zero_points.size()) + " zero points for " +
                          std::to_string(x.size()) + " elements");
  const std::size_t cols = rows == 0 ? 0 : x.size() / rows;
  const QuantizeOps<Q>& kernels = ops<Q>();
  const QuantTable& table = quant_table(detail::active_isa_inline());
  // Of short rows several at a time, so that they wait for each other's ranges and divisions less. While the codes of
  // some are made, the ranges of the next are found; both stay in L1.
  constexpr std::size_t kElements = 4096, kMostRows = 64;
  const std::size_t step = std::clamp<std::size_t>(cols == 0 ? kMostRows : kElements / cols, 1, kMostRows);
  float reciprocals[kMostRows], ranges[kMostRows][2];
  const auto row = [&](std::size_t i) { return i < rows ? x.data() + i * cols : nullptr; };
  for (std::size_t i = 0; i < std::min(step, rows); ++i)
    kernels.quantize_and_range(nullptr, cols, 0, 0, nullptr, row(i), ranges[i]);
  for (std::size_t first = 0; first < rows; first += step) {
    const std::size_t count = std::min(step, rows - first);
    for (std::size_t i = 0; i < count; ++i) {
      const QuantParams p = params_of_range<Q>(table, ranges[i], x.subspan((first + i) * cols, cols), scheme);
      scales[first + i] = p.scale;
      zero_points[first + i] = p.zero_point;
      reciprocals[i] = 1 / p.scale;
    }
    for (std::size_t i = first; i < first + count; ++i)
      kernels.quantize_and_range(row(i), cols, reciprocals[i - first], zero_points[i], q.data() + i * cols,
                                 row(i + step), ranges[i - first]);
  }
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
#define PAWL_DEFINE_FOR(Q)                                                                                             \
  void quantize(std::span<const float> x, QuantParams params, std::span<Q> q) { call_quantize<Q>(x, params, q); }      \
  void dequantize(std::span<const Q> q, QuantParams params, std::span<float> x) { call_dequantize<Q>(q, params, x); }  \
  void requantize(std::span<const std::int32_t> sums, float multiplier, std::int32_t zero_point, std::span<Q> q) {     \
    call_requantize<Q>(sums, multiplier, zero_point, q);                                                               \
  }                                                                                                                    \
  void quantized_add(std::span<const Q> a, QuantParams pa, std::span<const Q> b, QuantParams pb, std::span<Q> q,       \
                     QuantParams pq) {                                                                                 \
    call_add<Q>(a, pa, b, pb, q, pq);                                                                                  \
  }                                                                                                                    \
  void quantized_relu(std::span<const Q> a, std::int32_t zero_point, std::span<Q> q) {                                 \
    call_relu<Q>(a, zero_point, q);                                                                                    \
  }                                                                                                                    \
  void quantize_rows(std::span<const float> x, std::span<const float> scales,                                          \
                     std::span<const std::int32_t> zero_points, std::span<Q> q) {                                      \
    call_quantize_rows<Q>(x, scales, zero_points, q);                                                                  \
  }                                                                                                                    \
  void dequantize_rows(std::span<const Q> q, std::span<const float> scales, std::span<const std::int32_t> zero_points, \
                       std::span<float> x) {                                                                           \
    call_dequantize_rows<Q>(q, scales, zero_points, x);                                                                \
  }                                                                                                                    \
  void quantize_columns(std::span<const float> x, std::span<const float> scales,                                       \
                        std::span<const std::int32_t> zero_points, std::span<Q> q) {                                   \
    call_quantize_columns<Q>(x, scales, zero_points, q);                                                               \
  }                                                                                                                    \
  void dequantize_columns(std::span<const Q> q, std::span<const float> scales,                                         \
                          std::span<const std::int32_t> zero_points, std::span<float> x) {                             \
    call_dequantize_columns<Q>(q, scales, zero_points, x);                                                             \
  }                                                                                                                    \
  QuantParams quantize_dynamic(std::span<const float> x, QuantScheme scheme, std::span<Q> q) {                         \
    check_equal("quantize_dynamic", x.size(), q.size());                                                               \
    return call_quantize_dynamic<Q>(x, scheme, q);                                                                     \
  }                                                                                                                    \
  void quantize_dynamic_rows(std::span<const float> x, QuantScheme scheme, std::span<Q> q, std::span<float> scales,    \
                             std::span<std::int32_t> zero_points) {                                                    \
    call_quantize_dynamic_rows<Q>(x, scheme, q, scales, zero_points);                                                  \
  }
PAWL_DEFINE_FOR(std::int8_t)
PAWL_DEFINE_FOR(std::uint8_t)
#undef PAWL_DEFINE_FOR

}  // namespace pawl
