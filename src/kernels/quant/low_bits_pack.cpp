// low_bits_pack.cpp -- weights of a few bits -> the panels that products of include/pawl/quant/low_bits_matmul.hpp
// read.
#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

#include "isa/active.hpp"
#include "kernels/quant/low_bits_storage.hpp"

namespace pawl {
namespace {

[[noreturn, gnu::cold]] void refuse(const std::string& why) { throw std::invalid_argument("PackedLowBits: " + why); }

std::size_t rounded(std::size_t n, std::size_t step) noexcept { return (n + step - 1) / step * step; }

void check_size(std::size_t size, std::size_t n, std::size_t per_row, const char* what) {
  if (per_row == 0 ? size != 0 : size / per_row != n || size % per_row != 0)
    refuse(std::to_string(size) + " " + what + " are not " + std::to_string(n) + " rows of " + std::to_string(per_row));
}

// Codes of weights in a byte, by format.
std::size_t slots_of(WeightFormat format) noexcept {
  switch (format) {
    case WeightFormat::group8:
      return 1;
    case WeightFormat::group4:
    case WeightFormat::group4_zeros:
      return 2;
    case WeightFormat::ternary2:
      return 4;
    default:
      return 5;
  }
}

template <class Word>
Word word_at(const std::uint8_t* codes) noexcept {
  Word word;
  std::memcpy(&word, codes, sizeof word);
  return word;
}

// The 4 bytes of a column in a step, from as many codes as they hold: 4 at a time, in words whose bytes never carry.
// Where bytes of a word stand the other way around, they do so before and after.
std::uint32_t bytes_of(WeightFormat format, const std::uint8_t* codes) noexcept {
  const auto slot = [codes](std::size_t t) { return word_at<std::uint32_t>(codes + 4 * t); };
  switch (format) {
    case WeightFormat::group8:
      return slot(0);
    case WeightFormat::group4:
    case WeightFormat::group4_zeros:
      return slot(0) | slot(1) << 4;
    case WeightFormat::ternary2:
      return slot(0) | slot(1) << 2 | slot(2) << 4 | slot(3) << 6;
    default: {
      const std::uint32_t values = 81u * slot(0) + 27u * slot(1) + 9u * slot(2) + 3u * slot(3) + slot(4);
      std::uint8_t bytes[4];
      std::memcpy(bytes, &values, sizeof bytes);
      for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>((256u * byte + 242) / 243);
      return word_at<std::uint32_t>(bytes);
    }
  }
}

// Of the zero points of a panel, which stand before all groups: between them they would move the codes off the cache
// lines, and every other load would touch two.
std::size_t zeros_bytes(const PackedLowBits::Storage& s) noexcept {
  return s.format == WeightFormat::group4_zeros ? rounded(s.groups * s.ops->low_bits.tile_cols, 64) : 0;
}

std::unique_ptr<PackedLowBits::Storage> make_storage(WeightFormat format, std::size_t n, std::size_t k,
                                                     std::size_t group) {
  auto s = std::make_unique<PackedLowBits::Storage>();
  s->ops = &int8_ops(detail::active_isa_inline());
  s->format = format;
  const std::size_t slots = slots_of(format), width = s->ops->low_bits.tile_cols;
  s->group = group;
  s->groups = s->is_ternary() ? 1 : k / group;
  s->bytes_in_depth = s->is_ternary() ? rounded(k, 4 * slots) / slots : group / slots;
  const std::size_t group_bytes = width * (s->bytes_in_depth + (s->is_ternary() ? 0 : sizeof(f16)));
  s->panel_bytes = zeros_bytes(*s) + rounded(s->groups * group_bytes, 64);
  s->bytes = s->panel_bytes * (rounded(n, width) / width);
  s->panels = PanelMemory(s->bytes);
  return s;
}

// Writes one column of codes. codes: [k rounded up to whole steps]; scales and zero points: by group.
void put_column(const PackedLowBits::Storage& s, std::size_t j, const std::uint8_t* codes, const f16* scales,
                const std::uint8_t* zeros) noexcept {
  const std::size_t width = s.ops->low_bits.tile_cols, step_codes = 4 * slots_of(s.format), c = j % width;
  std::uint8_t* at = s.panels.data() + j / width * s.panel_bytes;
  if (s.format == WeightFormat::group4_zeros)
    for (std::size_t g = 0; g < s.groups; ++g) at[g * width + c] = zeros[g];
  at += zeros_bytes(s);
  for (std::size_t g = 0; g < s.groups; ++g) {
    if (!s.is_ternary()) {
      std::memcpy(at + sizeof(f16) * c, &scales[g], sizeof(f16));
      at += sizeof(f16) * width;
    }
    for (std::size_t step = 0; step < s.bytes_in_depth / 4; ++step, at += 4 * width, codes += step_codes) {
      const std::uint32_t bytes = bytes_of(s.format, codes);
      std::memcpy(at + 4 * c, &bytes, sizeof bytes);
    }
  }
}

// All columns by column(j, codes, scales, zeros), which fills in those of column j; beyond n zero scales, so that what
// those compute is finite.
template <class Column>
void put_columns(const PackedLowBits::Storage& s, std::size_t n, std::size_t k, Column column) {
  std::vector<std::uint8_t> codes(k + 20), zeros(s.groups);  // whole steps of 20 codes at most
  std::vector<f16> scales(s.groups, f16{0});
  for (std::size_t j = 0; j < n; ++j) {
    column(j, codes.data(), scales.data(), zeros.data());
    put_column(s, j, codes.data(), scales.data(), zeros.data());
  }
  std::ranges::fill(codes, std::uint8_t{0});
  std::ranges::fill(zeros, std::uint8_t{0});
  std::ranges::fill(scales, f16{0});
  for (std::size_t j = n; j < rounded(n, s.ops->low_bits.tile_cols); ++j)
    put_column(s, j, codes.data(), scales.data(), zeros.data());
}

// Codes of 32 weights in 16 bytes: weight i in the low half of byte i, weight i + 16 in its high half.
void unpack4(const std::uint8_t* packed, std::uint8_t* codes) noexcept {
  constexpr std::uint64_t kLow = 0x0f0f0f0f0f0f0f0f;
  for (std::size_t i = 0; i < 16; i += 8) {
    const auto word = word_at<std::uint64_t>(packed + i);
    const std::uint64_t low = word & kLow, high = word >> 4 & kLow;
    std::memcpy(codes + i, &low, sizeof low);
    std::memcpy(codes + 16 + i, &high, sizeof high);
  }
}

// Codes begin .. begin + n - 1 of ternary weights in 2 bits: up to 16 after each other have their bits in the same
// place.
void unpack_ternary(const std::uint8_t* packed, std::size_t begin, std::size_t n, std::uint8_t* codes) noexcept {
  for (std::size_t i = 0; i < n;) {
    const std::size_t at = begin + i, count = std::min(16 - at % 16, n - i);
    const std::uint8_t* const from = packed + at / 64 * 16 + at % 16;
    const auto shift = static_cast<unsigned>(2 * (at % 64 / 16));
    for (std::size_t j = 0; j < count; ++j) codes[i + j] = static_cast<std::uint8_t>(from[j] >> shift & 3);
    i += count;
  }
}

// Blocks [n, k / 32] of a scale and 32 codes each; unpack(block, codes) takes out the codes.
template <class Block, class Unpack>
std::unique_ptr<PackedLowBits::Storage> pack_blocks(std::span<const Block> blocks, WeightFormat format, std::size_t n,
                                                    std::size_t k, Unpack unpack) {
  if (k % 32) refuse("depth " + std::to_string(k) + " is no multiple of 32");
  check_size(blocks.size(), n, k / 32, "blocks");
  auto storage = make_storage(format, n, k, 32);
  put_columns(*storage, n, k, [&](std::size_t j, std::uint8_t* codes, f16* scales, std::uint8_t*) {
    for (std::size_t b = 0; b < k / 32; ++b) {
      const Block& block = blocks[j * (k / 32) + b];
      scales[b] = block.scale;
      unpack(block, codes + 32 * b);
    }
  });
  return storage;
}

}  // namespace

PackedLowBits::PackedLowBits(std::span<const Q8_0> blocks, std::size_t n, std::size_t k)
    : n_(n),
      k_(k),
      storage_(pack_blocks(blocks, WeightFormat::group8, n, k, [](const Q8_0& block, std::uint8_t* codes) {
        for (std::size_t i = 0; i < 32; ++i) codes[i] = static_cast<std::uint8_t>(block.codes[i] ^ 0x80);
      })) {}

PackedLowBits::PackedLowBits(std::span<const Q4_0> blocks, std::size_t n, std::size_t k)
    : n_(n),
      k_(k),
      storage_(pack_blocks(blocks, WeightFormat::group4, n, k,
                           [](const Q4_0& block, std::uint8_t* codes) { unpack4(block.codes, codes); })) {}

PackedLowBits::PackedLowBits(std::span<const std::uint8_t> packed, std::size_t group, std::span<const f16> scales,
                             std::span<const std::uint8_t> zero_points, std::size_t n, std::size_t k)
    : n_(n), k_(k) {
  if ((group != 32 && group != 64 && group != 128) || k % group)
    refuse("group " + std::to_string(group) + " is not 32, 64 or 128, or does not divide " + std::to_string(k));
  check_size(packed.size(), n, k / 2, "bytes");
  check_size(scales.size(), n, k / group, "scales");
  const bool affine = !zero_points.empty();
  if (affine) check_size(zero_points.size(), n, k / group, "zero points");
  if (std::ranges::any_of(zero_points, [](std::uint8_t zero) { return zero > 15; }))
    refuse("a zero point is no code of 4 bits");
  auto storage = make_storage(affine ? WeightFormat::group4_zeros : WeightFormat::group4, n, k, group);
  put_columns(*storage, n, k, [&](std::size_t j, std::uint8_t* codes, f16* to, std::uint8_t* zeros) {
    for (std::size_t b = 0; b < k / 32; ++b) unpack4(packed.data() + j * (k / 2) + 16 * b, codes + 32 * b);
    std::ranges::copy(scales.subspan(j * (k / group), k / group), to);
    if (affine) std::ranges::copy(zero_points.subspan(j * (k / group), k / group), zeros);
  });
  storage_ = std::move(storage);
}

PackedLowBits::PackedLowBits(std::span<const float> weights, TernaryPacking packing, std::size_t n, std::size_t k)
    : n_(n), k_(k) {
  check_size(weights.size(), n, k, "weights");
  if (k > kMaxTernaryDepth) refuse("depth " + std::to_string(k) + " is more than " + std::to_string(kMaxTernaryDepth));
  const bool two_bits = packing == TernaryPacking::two_bits;
  auto storage =
      make_storage(two_bits ? WeightFormat::ternary2 : WeightFormat::ternary3, n, k, std::max<std::size_t>(k, 1));
  std::vector<std::uint8_t> packed(ternary_bytes(weights.size(), TernaryPacking::two_bits));
  const float scale = quantize_ternary(weights, TernaryPacking::two_bits, packed);
  storage->col_scales.assign(rounded(n, storage->ops->low_bits.tile_cols), scale);
  put_columns(*storage, n, k, [&](std::size_t j, std::uint8_t* codes, f16*, std::uint8_t*) {
    unpack_ternary(packed.data(), j * k, k, codes);
  });
  storage_ = std::move(storage);
}

std::size_t PackedLowBits::size_bytes() const noexcept { return storage_->bytes; }

}  // namespace pawl
