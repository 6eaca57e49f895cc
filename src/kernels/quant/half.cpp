// half.cpp -- argument checks and dispatch of include/pawl/quant/half.hpp.
#include "pawl/quant/half.hpp"

#include <stdexcept>
#include <string>

#include "isa/active.hpp"
#include "isa/streaming.hpp"
#include "kernels/tables.hpp"

namespace pawl {
namespace {

// The structs are their bits and nothing else, so that an array of them is an array of bits.
static_assert(sizeof(bf16) == sizeof(std::uint16_t) && sizeof(f16) == sizeof(std::uint16_t));
template <class Half>
const std::uint16_t* bits_of(const Half* x) noexcept {
  return reinterpret_cast<const std::uint16_t*>(x);
}
template <class Half>
std::uint16_t* bits_of(Half* x) noexcept {
  return reinterpret_cast<std::uint16_t*>(x);
}

void check_equal(std::size_t x, std::size_t out) {
  if (x != out) [[unlikely]]
    throw std::invalid_argument("convert: lengths differ (" + std::to_string(x) + " and " + std::to_string(out) + ")");
}

const QuantTable& table() noexcept { return quant_table(detail::active_isa_inline()); }

constexpr std::size_t kBytes = 6;  // read and written per element

}  // namespace

void convert(std::span<const float> x, std::span<bf16> out) {
  check_equal(x.size(), out.size());
  table().bf16.from_f32(x.data(), x.size(), bits_of(out.data()), worth_streaming_bytes(kBytes * x.size()));
}
void convert(std::span<const float> x, std::span<f16> out) {
  check_equal(x.size(), out.size());
  table().f16.from_f32(x.data(), x.size(), bits_of(out.data()), worth_streaming_bytes(kBytes * x.size()));
}
void convert(std::span<const bf16> x, std::span<float> out) {
  check_equal(x.size(), out.size());
  table().bf16.to_f32(bits_of(x.data()), x.size(), out.data(), worth_streaming_bytes(kBytes * x.size()));
}
void convert(std::span<const f16> x, std::span<float> out) {
  check_equal(x.size(), out.size());
  table().f16.to_f32(bits_of(x.data()), x.size(), out.data(), worth_streaming_bytes(kBytes * x.size()));
}

}  // namespace pawl
