// parameters.kernel.hpp -- scales and zero points of many rows or columns -> whether they may be used, and the factors
// that kernels take. In vectors, since with few rows there are nearly as many of them as elements.
#pragma once
#include "kernels/quant/lanes.hpp"

namespace pawl::PAWL_ISA_NS {

// at(i) for whole vectors that hold the elements below n: the last one again with some before it. Fewer than a vector
// are one(i) each.
template <class At, class One>
PAWL_INLINE void for_vectors(std::size_t n, At at, One one) {
  if (n < kLanes) {
    for (std::size_t i = 0; i < n; ++i) one(i);
    return;
  }
  for (std::size_t i = 0; i + kLanes < n; i += kLanes) at(i);
  at(n - kLanes);
}

PAWL_INLINE std::uint32_t any_bits(U32 v) {
  std::uint32_t lanes[kLanes], any = 0;
  put(lanes, v);
  for (std::size_t l = 0; l < kLanes; ++l) any |= lanes[l];
  return any;
}

// Finite and at least 2^-126: with bits from 0x00800000 up to 0x7f7fffff. Others set the highest bit when 2^23 is taken
// off or added.
static bool scales_fit(const float* scales, std::size_t n) noexcept {
  U32 lanes{};
  std::uint32_t alone = 0;
  const auto bad = [](auto bits) PAWL_INLINE_LAMBDA { return (bits - 0x00800000u) | (bits + 0x00800000u); };
  for_vectors(
      n, [&](std::size_t i) PAWL_INLINE_LAMBDA { lanes |= bad(get<U32>(scales + i)); },
      [&](std::size_t i) PAWL_INLINE_LAMBDA { alone |= bad(get<std::uint32_t>(scales + i)); });
  return (any_bits(lanes) | alone) >> 31 == 0;
}

static bool zeros_fit(const std::int32_t* zero_points, std::size_t n, std::int32_t lowest) noexcept {
  U32 lanes{};
  std::uint32_t alone = 0;
  const auto low = static_cast<std::uint32_t>(lowest);
  for_vectors(
      n, [&](std::size_t i) PAWL_INLINE_LAMBDA { lanes |= get<U32>(zero_points + i) - low; },
      [&](std::size_t i) PAWL_INLINE_LAMBDA { alone |= get<std::uint32_t>(zero_points + i) - low; });
  return (any_bits(lanes) | alone) <= 255;
}

static bool zeros_differ(const std::int32_t* zero_points, std::size_t n) noexcept {
  if (n == 0) return false;
  U32 lanes{};
  std::uint32_t alone = 0;
  const auto first = get<std::uint32_t>(zero_points);
  for_vectors(
      n, [&](std::size_t i) PAWL_INLINE_LAMBDA { lanes |= get<U32>(zero_points + i) ^ first; },
      [&](std::size_t i) PAWL_INLINE_LAMBDA { alone |= get<std::uint32_t>(zero_points + i) ^ first; });
  return (any_bits(lanes) | alone) != 0;
}

static void reciprocals(const float* scales, std::size_t n, float* out) noexcept {
  for_vectors(
      n, [=](std::size_t i) PAWL_INLINE_LAMBDA { put(out + i, splat(1.0f) / get<F32>(scales + i)); },
      [=](std::size_t i) PAWL_INLINE_LAMBDA { out[i] = 1 / scales[i]; });
}

static void zeros_as_f32(const std::int32_t* zero_points, std::size_t n, float* out) noexcept {
  for_vectors(
      n, [=](std::size_t i) PAWL_INLINE_LAMBDA { put(out + i, convert_lanes<F32>(get<I32>(zero_points + i))); },
      [=](std::size_t i) PAWL_INLINE_LAMBDA { out[i] = static_cast<float>(zero_points[i]); });
}

}  // namespace pawl::PAWL_ISA_NS
