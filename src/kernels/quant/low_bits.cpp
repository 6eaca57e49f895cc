// low_bits.cpp -- argument checks, scales and dispatch of include/pawl/quant/low_bits.hpp.
#include "pawl/quant/low_bits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>

#include "isa/active.hpp"
#include "kernels/quant/group_scales.hpp"
#include "kernels/tables.hpp"

namespace pawl {
namespace {

[[noreturn, gnu::cold]] void refuse(const char* function, const std::string& why) {
  throw std::invalid_argument(std::string(function) + ": " + why);
}

void check_fits(const char* function, std::size_t elements, std::size_t groups, std::size_t group) {
  if (elements / group != groups || elements % group != 0)
    refuse(function, std::to_string(elements) + " elements are not " + std::to_string(groups) + " groups of " +
                         std::to_string(group));
}

// Elements at a time: their codes and what they are made of stay in L1.
constexpr std::size_t kChunk = 2048, kMostGroups = kChunk / 32;

const QuantTable& table() noexcept { return quant_table(detail::active_isa_inline()); }

// What chunks of codes are made of and belong to.
struct Chunk {
  alignas(64) std::uint8_t codes[kChunk];
  alignas(64) std::uint16_t scales[kMostGroups];  // f16
  alignas(64) float reciprocals[kMostGroups];
  alignas(64) std::int32_t zeros[kMostGroups];
};

// Makes the codes of whole groups as bytes, a chunk at a time, and hands each on: use(first element, elements, chunk).
template <class Use>
void make_codes(std::span<const float> x, std::size_t group, GroupRule rule, Use use) {
  const LowBitsFormats& kernels = table().low_bits;
  const std::uint8_t highest = rule == GroupRule::q8_0 ? 255 : 15;
  Chunk chunk;
  for (std::size_t i = 0; i < x.size(); i += kChunk) {
    const std::size_t n = std::min(kChunk, x.size() - i), groups = n / group;
    kernels.params[static_cast<std::size_t>(rule)](x.data() + i, groups, group, chunk.scales, chunk.reciprocals,
                                                   chunk.zeros);
    // The kernel takes whole steps of 64: a last half step is done in a copy.
    const std::size_t whole = n / 64 * 64;
    kernels.codes(x.data() + i, whole, group, chunk.reciprocals, chunk.zeros, highest, chunk.codes, kChunk);
    if (whole < n) {
      alignas(64) float rest[64] = {};
      const float r[2] = {chunk.reciprocals[groups - 1], 0};
      const std::int32_t z[2] = {chunk.zeros[groups - 1], 0};
      std::memcpy(rest, x.data() + i + whole, (n - whole) * sizeof(float));
      kernels.codes(rest, 64, 32, r, z, highest, chunk.codes + whole, 0);
    }
    use(i, n, chunk);
  }
}

}  // namespace

void quantize(std::span<const float> x, std::span<Q8_0> blocks) {
  check_fits("quantize", x.size(), blocks.size(), 32);
  const LowBitsFormats& kernels = table().low_bits;
  make_codes(x, 32, GroupRule::q8_0, [&](std::size_t i, std::size_t n, const Chunk& chunk) {
    kernels.pack8(chunk.codes, n / 32, sizeof(Q8_0), blocks[i / 32].codes);
    for (std::size_t b = 0; b < n / 32; ++b) blocks[i / 32 + b].scale.bits = chunk.scales[b];
  });
}

void quantize(std::span<const float> x, std::span<Q4_0> blocks) {
  check_fits("quantize", x.size(), blocks.size(), 32);
  const LowBitsFormats& kernels = table().low_bits;
  make_codes(x, 32, GroupRule::q4_0, [&](std::size_t i, std::size_t n, const Chunk& chunk) {
    kernels.pack4(chunk.codes, n / 32, sizeof(Q4_0), blocks[i / 32].codes);
    for (std::size_t b = 0; b < n / 32; ++b) blocks[i / 32 + b].scale.bits = chunk.scales[b];
  });
}

void dequantize(std::span<const Q8_0> blocks, std::span<float> x) {
  check_fits("dequantize", x.size(), blocks.size(), 32);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const float scale = f16_value(blocks[b].scale);
    for (std::size_t j = 0; j < 32; ++j) x[32 * b + j] = scale * static_cast<float>(blocks[b].codes[j]);
  }
}

void dequantize(std::span<const Q4_0> blocks, std::span<float> x) {
  check_fits("dequantize", x.size(), blocks.size(), 32);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const float scale = f16_value(blocks[b].scale);
    for (std::size_t j = 0; j < 16; ++j) {
      const int byte = blocks[b].codes[j];
      x[32 * b + j] = scale * static_cast<float>((byte & 15) - 8);
      x[32 * b + j + 16] = scale * static_cast<float>((byte >> 4) - 8);
    }
  }
}

namespace {

void check_int4(const char* function, std::size_t n, std::size_t group, std::size_t codes, std::size_t scales,
                std::size_t zeros) {
  if (group != 32 && group != 64 && group != 128)
    refuse(function, "group " + std::to_string(group) + " is not 32, 64 or 128");
  check_fits(function, n, scales, group);
  if (codes != n / 2)
    refuse(function, std::to_string(codes) + " bytes of codes for " + std::to_string(n) + " elements");
  if (zeros != 0 && zeros != scales)
    refuse(function, std::to_string(zeros) + " zero points for " + std::to_string(scales) + " groups");
}

}  // namespace

void quantize_int4(std::span<const float> x, std::size_t group, std::span<std::uint8_t> codes, std::span<f16> scales,
                   std::span<std::uint8_t> zero_points) {
  check_int4("quantize_int4", x.size(), group, codes.size(), scales.size(), zero_points.size());
  const LowBitsFormats& kernels = table().low_bits;
  const bool affine = !zero_points.empty();
  make_codes(x, group, affine ? GroupRule::uint4 : GroupRule::int4,
             [&](std::size_t i, std::size_t n, const Chunk& chunk) {
               // Counted before bytes are written, which could be part of anything.
               const std::size_t first = i / group, groups = n / group;
               kernels.pack4(chunk.codes, n / 32, 16, codes.data() + i / 2);
               for (std::size_t g = 0; g < groups; ++g) scales[first + g].bits = chunk.scales[g];
               if (affine)
                 std::transform(chunk.zeros, chunk.zeros + groups, zero_points.data() + first,
                                [](std::int32_t zero) { return static_cast<std::uint8_t>(zero); });
             });
}

void dequantize_int4(std::span<const std::uint8_t> codes, std::size_t group, std::span<const f16> scales,
                     std::span<const std::uint8_t> zero_points, std::span<float> x) {
  check_int4("dequantize_int4", x.size(), group, codes.size(), scales.size(), zero_points.size());
  for (std::size_t b = 0; b < x.size() / 32; ++b) {
    const std::size_t g = 32 * b / group;
    const float scale = f16_value(scales[g]);
    const int zero = zero_points.empty() ? 8 : zero_points[g];
    for (std::size_t j = 0; j < 16; ++j) {
      const int byte = codes[16 * b + j];
      x[32 * b + j] = scale * static_cast<float>((byte & 15) - zero);
      x[32 * b + j + 16] = scale * static_cast<float>((byte >> 4) - zero);
    }
  }
}

float quantize_ternary(std::span<const float> x, TernaryPacking packing, std::span<std::uint8_t> packed) {
  if (packed.size() != ternary_bytes(x.size(), packing))
    refuse("quantize_ternary", std::to_string(packed.size()) + " bytes for " + std::to_string(x.size()) + " elements");
  if (x.empty()) return 0;
  const LowBitsFormats& kernels = table().low_bits;
  double parts[64] = {};
  const std::size_t whole = x.size() / 64 * 64;
  kernels.add_magnitudes(x.data(), whole, parts);
  if (whole < x.size()) {
    float last[64] = {};
    std::ranges::copy(x.subspan(whole), last);
    kernels.add_magnitudes(last, 64, parts);
  }
  double sum = 0;
  for (const double part : parts) sum += part;
  const double mean = sum / static_cast<double>(x.size());
  constexpr auto kSmallest = static_cast<double>(std::numeric_limits<float>::min());
  constexpr auto kLargest = static_cast<double>(std::numeric_limits<float>::max());
  const float scale = mean < kSmallest ? 0.0f : static_cast<float>(std::min(mean, kLargest));
  const float reciprocal = scale == 0 ? 0 : 1 / scale;
  // Blocks of 64 and of 80 both divide 1920.
  constexpr std::size_t kStep = 1920;
  const std::size_t block = packing == TernaryPacking::two_bits ? 64 : 80;
  alignas(64) std::uint8_t codes[kStep + 64];
  alignas(64) float rest[kStep];
  std::array<float, kStep / 64> reciprocals;
  std::array<std::int32_t, kStep / 64> zeros;
  reciprocals.fill(reciprocal);
  zeros.fill(1);
  for (std::size_t i = 0; i < x.size(); i += kStep) {
    const std::size_t n = std::min(kStep, x.size() - i);
    const float* from = x.data() + i;
    if (n < kStep) {
      std::ranges::fill(rest, 0.0f);
      std::copy_n(from, n, rest);
      from = rest;
    }
    kernels.codes(from, kStep, 64, reciprocals.data(), zeros.data(), 2, codes, kStep);
    const std::size_t blocks = (n + block - 1) / block;
    std::uint8_t* const to = packed.data() + i / block * 16;
    if (packing == TernaryPacking::two_bits) {
      kernels.pack2(codes, blocks, to);
    } else {
      kernels.pack3(codes, blocks, to);
    }
  }
  return scale;
}

void dequantize_ternary(std::span<const std::uint8_t> packed, TernaryPacking packing, float scale, std::span<float> x) {
  if (packed.size() != ternary_bytes(x.size(), packing))
    refuse("dequantize_ternary",
           std::to_string(packed.size()) + " bytes for " + std::to_string(x.size()) + " elements");
  const bool two_bits = packing == TernaryPacking::two_bits;
  const std::size_t block = two_bits ? 64 : 80;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t t = i % block / 16;
    unsigned byte = packed[i / block * 16 + i % 16];
    if (two_bits) {
      byte = byte >> (2 * t) & 3;
    } else {
      for (std::size_t u = 0; u < t; ++u) byte = byte * 3 & 255;
      byte = byte * 3 >> 8;
    }
    x[i] = scale * static_cast<float>(static_cast<int>(byte) - 1);
  }
}

}  // namespace pawl
