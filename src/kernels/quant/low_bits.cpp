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
#include "parallel/parts.hpp"

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

// Elements at a time: their codes and what they are made of stay in L1. With 2048 arrays in memory took 1.1 to 1.4
// times as long, with 512 those in L2 1.1 to 1.3 times (Zen 4).
constexpr std::size_t kChunk = 1024, kMostGroups = kChunk / 32;

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
void make_codes_of(std::span<const float> x, Range part, std::size_t group, GroupRule rule, Use use) {
  const LowBitsFormats& kernels = table().low_bits;
  const std::uint8_t highest = rule == GroupRule::q8_0 ? 255 : 15;
  Chunk chunk;
  for (std::size_t i = part.begin; i < part.end; i += kChunk) {
    const std::size_t n = std::min(kChunk, part.end - i), groups = n / group;
    kernels.params[static_cast<std::size_t>(rule)](x.data() + i, groups, group, chunk.scales, chunk.reciprocals,
                                                   chunk.zeros);
    // The kernel takes whole steps of 64: a last half step is done in a copy.
    const std::size_t whole = n / 64 * 64;
    kernels.codes(x.data() + i, whole, group, chunk.reciprocals, chunk.zeros, highest, chunk.codes);
    if (whole < n) {
      alignas(64) float rest[64] = {};
      const float r[2] = {chunk.reciprocals[groups - 1], 0};
      const std::int32_t z[2] = {chunk.zeros[groups - 1], 0};
      std::memcpy(rest, x.data() + i + whole, (n - whole) * sizeof(float));
      kernels.codes(rest, 64, 32, r, z, highest, chunk.codes + whole);
    }
    use(i, n, chunk);
  }
}

constexpr std::size_t kCodeCost = 16;  // a code takes as long as what moves so many bytes

// The same on threads where that pays; a function of its own, since what threads are given lies in memory.
template <class Use>
[[gnu::noinline]] void make_codes_on_threads(std::span<const float> x, std::size_t group, GroupRule rule, Use use) {
  detail::for_parts_on_threads(x.size(), kCodeCost * x.size(), kChunk, [=](std::size_t b, std::size_t e) {
    make_codes_of(x, {b, e}, group, rule, use);
  });
}
template <class Use>
void make_codes(std::span<const float> x, std::size_t group, GroupRule rule, Use use) {
  if (kCodeCost * x.size() < detail::kWorthThreadsBytes) return make_codes_of(x, {0, x.size()}, group, rule, use);
  make_codes_on_threads(x, group, rule, use);
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

namespace {

// Blocks whose scales are widened at a time.
constexpr std::size_t kBlocksAtOnce = 128;

// Calls unpack(first, count, scales, zeros) for some blocks of 32 after the other. scale_at(b): f16; zero_at(b).
template <class ScaleAt, class ZeroAt, class Unpack>
void unpack_blocks_of(Range part, ScaleAt scale_at, ZeroAt zero_at, Unpack unpack) {
  std::array<f16, kBlocksAtOnce> halves;
  std::array<float, kBlocksAtOnce> scales;
  std::array<std::int32_t, kBlocksAtOnce> zeros;
  for (std::size_t first = part.begin; first < part.end; first += kBlocksAtOnce) {
    const std::size_t count = std::min(kBlocksAtOnce, part.end - first);
    for (std::size_t b = 0; b < count; ++b) {
      halves[b] = scale_at(first + b);
      zeros[b] = zero_at(first + b);
    }
    convert(std::span<const f16>(halves).first(count), std::span<float>(scales).first(count));
    unpack(first, count, scales.data(), zeros.data());
  }
}

// The same on threads.
template <class ScaleAt, class ZeroAt, class Unpack>
void unpack_blocks(std::size_t blocks, ScaleAt scale_at, ZeroAt zero_at, Unpack unpack) {
  constexpr std::size_t kBytes = 5 * 32;  // of a block, about
  detail::for_parts(blocks, kBytes * blocks, kBlocksAtOnce, [&](std::size_t b, std::size_t e) {
    unpack_blocks_of({b, e}, scale_at, zero_at, unpack);
  });
}

}  // namespace

void dequantize(std::span<const Q8_0> blocks, std::span<float> x) {
  check_fits("dequantize", x.size(), blocks.size(), 32);
  const LowBitsFormats& kernels = table().low_bits;
  unpack_blocks(
      blocks.size(), [&](std::size_t b) { return blocks[b].scale; }, [](std::size_t) { return 0; },
      [&](std::size_t first, std::size_t count, const float* scales, const std::int32_t*) {
        kernels.unpack8(blocks[first].codes, count, sizeof(Q8_0), scales, x.data() + 32 * first);
      });
}

void dequantize(std::span<const Q4_0> blocks, std::span<float> x) {
  check_fits("dequantize", x.size(), blocks.size(), 32);
  const LowBitsFormats& kernels = table().low_bits;
  unpack_blocks(
      blocks.size(), [&](std::size_t b) { return blocks[b].scale; }, [](std::size_t) { return 8; },
      [&](std::size_t first, std::size_t count, const float* scales, const std::int32_t* zeros) {
        kernels.unpack4(blocks[first].codes, count, sizeof(Q4_0), scales, zeros, x.data() + 32 * first);
      });
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
  const LowBitsFormats& kernels = table().low_bits;
  const unsigned shift = group == 128  ? 2
                         : group == 64 ? 1
                                       : 0;  // group 32 << shift; a division would take longer than the block
  unpack_blocks(
      x.size() / 32, [&](std::size_t b) { return scales[b >> shift]; },
      [&](std::size_t b) { return zero_points.empty() ? 8 : int{zero_points[b >> shift]}; },
      [&](std::size_t first, std::size_t count, const float* wide, const std::int32_t* zeros) {
        kernels.unpack4(codes.data() + 16 * first, count, 16, wide, zeros, x.data() + 32 * first);
      });
}

namespace {

// Blocks of 64 and of 80 both divide it.
constexpr std::size_t kTernaryStep = 320;

// The ternary codes of a part of x that begins a step.
void make_ternary(std::span<const float> x, Range part, float reciprocal, TernaryPacking packing,
                  std::uint8_t* packed) noexcept {
  const LowBitsFormats& kernels = table().low_bits;
  const bool two_bits = packing == TernaryPacking::two_bits;
  const auto make = two_bits ? kernels.ternary2 : kernels.ternary3;
  const std::size_t block = two_bits ? 64 : 80;
  // Not from the end on, though the caches hold that: parts of 256 KiB and 4 MiB backwards took 1.2 to 1.3 times as
  // long from memory (Zen 4).
  const std::size_t blocks = (part.end - part.begin) / block, whole = part.begin + blocks * block;
  std::uint8_t* const to = packed + part.begin / block * 16;
  make(x.data() + part.begin, blocks, reciprocal, to);
  if (whole < part.end) {
    std::array<float, 80> last{};
    std::ranges::copy(x.subspan(whole, part.end - whole), last.begin());
    make(last.data(), 1, reciprocal, to + 16 * blocks);
  }
}

// The mean magnitude, NaN counted as 0.
double mean_magnitude(std::span<const float> x) noexcept {
  constexpr std::size_t kStep = 64;
  const LowBitsFormats& kernels = table().low_bits;
  double parts[64] = {};
  const std::size_t whole = x.size() / kStep * kStep;
  kernels.add_magnitudes(x.data(), whole, parts);
  if (whole < x.size()) {
    float last[kStep] = {};
    std::ranges::copy(x.subspan(whole), last);
    kernels.add_magnitudes(last, kStep, parts);
  }
  double sums[4] = {};  // so that additions do not wait for each other
  for (std::size_t i = 0; i < 64; ++i) sums[i % 4] += parts[i];
  double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  if (std::isinf(sum)) [[unlikely]] {  // an infinity, or four elements that f32 cannot add
    sum = 0;
    for (const float value : x) sum += std::isnan(value) ? 0.0 : std::fabs(static_cast<double>(value));
  }
  return sum / static_cast<double>(x.size());
}

}  // namespace

float quantize_ternary(std::span<const float> x, TernaryPacking packing, std::span<std::uint8_t> packed) {
  if (packed.size() != ternary_bytes(x.size(), packing))
    refuse("quantize_ternary", std::to_string(packed.size()) + " bytes for " + std::to_string(x.size()) + " elements");
  if (x.empty()) return 0;
  const double mean = mean_magnitude(x);
  constexpr auto kSmallest = static_cast<double>(std::numeric_limits<float>::min());
  constexpr auto kLargest = static_cast<double>(std::numeric_limits<float>::max());
  const float scale = mean < kSmallest ? 0.0f : static_cast<float>(std::min(mean, kLargest));
  const float reciprocal = scale == 0 ? 0 : 1 / scale;
  constexpr std::size_t kCost = 16;  // takes as long as what moves so many bytes
  detail::for_parts(x.size(), kCost * x.size(), kTernaryStep, [&](std::size_t b, std::size_t e) {
    make_ternary(x, {b, e}, reciprocal, packing, packed.data());
  });
  return scale;
}

void dequantize_ternary(std::span<const std::uint8_t> packed, TernaryPacking packing, float scale, std::span<float> x) {
  if (packed.size() != ternary_bytes(x.size(), packing))
    refuse("dequantize_ternary",
           std::to_string(packed.size()) + " bytes for " + std::to_string(x.size()) + " elements");
  const LowBitsFormats& kernels = table().low_bits;
  const bool two_bits = packing == TernaryPacking::two_bits;
  const auto unpack = two_bits ? kernels.unpack2 : kernels.unpack3;
  const std::size_t block = two_bits ? 64 : 80, blocks = x.size() / block, whole = blocks * block;
  detail::for_parts(blocks, 5 * whole, 64, [&](std::size_t b, std::size_t e) {
    unpack(packed.data() + 16 * b, e - b, scale, x.data() + b * block);
  });
  if (whole < x.size()) {
    std::array<float, 80> last;
    unpack(packed.data() + 16 * blocks, 1, scale, last.data());
    std::copy_n(last.data(), x.size() - whole, x.data() + whole);
  }
}

}  // namespace pawl
