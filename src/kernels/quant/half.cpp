// half.cpp -- argument checks and dispatch of include/pawl/quant/half.hpp.
#include "pawl/quant/half.hpp"

#include <stdexcept>
#include <string>

#include "isa/active.hpp"
#include "isa/streaming.hpp"
#include "kernels/tables.hpp"
#include "parallel/parts.hpp"

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

template <class From, class To, class Run>
void call_convert(std::span<const From> x, std::span<To> out, Run run) {
  check_equal(x.size(), out.size());
  const std::size_t bytes = 6 * x.size();
  detail::for_parts(x.size(), bytes, detail::kPartGrain,
                    [=, streaming = worth_streaming_bytes(bytes)](std::size_t b, std::size_t e) {
                      run(x.data() + b, e - b, out.data() + b, streaming);
                    });
}

template <class Half>
void call_from_f32(std::span<const float> x, std::span<Half> out, const HalfOps& ops) {
  call_convert(x, std::span(bits_of(out.data()), out.size()), ops.from_f32);
}
template <class Half>
void call_to_f32(std::span<const Half> x, std::span<float> out, const HalfOps& ops) {
  call_convert(std::span(bits_of(x.data()), x.size()), out, ops.to_f32);
}

}  // namespace

void convert(std::span<const float> x, std::span<bf16> out) { call_from_f32(x, out, table().bf16); }
void convert(std::span<const float> x, std::span<f16> out) { call_from_f32(x, out, table().f16); }
void convert(std::span<const bf16> x, std::span<float> out) { call_to_f32(x, out, table().bf16); }
void convert(std::span<const f16> x, std::span<float> out) { call_to_f32(x, out, table().f16); }

}  // namespace pawl
