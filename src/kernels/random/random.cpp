// random.cpp -- argument checks, threads and dispatch of include/pawl/random.hpp.
#include "pawl/random.hpp"

#include <cmath>
#include <stdexcept>

#include "isa/active.hpp"
#include "kernels/random/random_table.hpp"
#include "kernels/tables.hpp"
#include "parallel/parts.hpp"

namespace pawl {
namespace {

const RandomOps<float>& ops(float) noexcept { return random_table(detail::active_isa_inline()).f32; }
const RandomOps<double>& ops(double) noexcept { return random_table(detail::active_isa_inline()).f64; }

template <class T>
void normal(std::span<T> out, std::uint64_t seed) {
  detail::for_parts(
      out.size(), 2 * out.size_bytes(), detail::kPartGrain,
      [out, seed, run = ops(T()).normal](std::size_t b, std::size_t e) { run(seed, b, out.data() + b, e - b); });
}

template <class T>
void uniform(std::span<T> out, std::uint64_t seed, T low, T high) {
  if (!(low < high)) throw std::invalid_argument("fill_uniform: low is not below high");
  if (!std::isfinite(high - low))
    throw std::invalid_argument("fill_uniform: high - low is beyond the range of the type");
  detail::for_parts(out.size(), 2 * out.size_bytes(), detail::kPartGrain,
                    [out, seed, low, high, last = std::nextafter(high, low), run = ops(T()).uniform](
                        std::size_t b, std::size_t e) { run(seed, b, low, high, last, out.data() + b, e - b); });
}

}  // namespace

void fill_normal(std::span<float> out, std::uint64_t seed) { normal(out, seed); }
void fill_normal(std::span<double> out, std::uint64_t seed) { normal(out, seed); }
void fill_uniform(std::span<float> out, std::uint64_t seed, float low, float high) { uniform(out, seed, low, high); }
void fill_uniform(std::span<double> out, std::uint64_t seed, double low, double high) { uniform(out, seed, low, high); }

}  // namespace pawl
