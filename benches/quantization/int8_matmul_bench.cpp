// int8_matmul_bench.cpp -- our rows of int8 products: the public functions, and each ISA forced.
#include "int8_matmul_rows.hpp"

#include <memory>

#include "pawl/parallel.hpp"
#include "pawl/quant/int8_matmul.hpp"
#include "variants.hpp"

namespace pawl::bench {
namespace {

using Codes = QuantizedRows<std::int8_t>;

// Weights of the row that is running, packed.
std::unique_ptr<PackedInt8>& kept() {
  static std::unique_ptr<PackedInt8> packed;
  return packed;
}

void start(int threads) {
  set_num_threads(threads);
  kept().reset();
}

void multiply(const Int8Case& x) {
  matmul(Codes{{x.a, x.m * x.k}, {}, {}}, {x.b, x.k * x.n}, x.k, x.n, {x.c, x.m * x.n});
}

void multiply_packed(const Int8Case& x) {
  if (!kept()) kept() = std::make_unique<PackedInt8>(std::span<const std::int8_t>(x.b, x.k * x.n), x.k, x.n);
  matmul(Codes{{x.a, x.m * x.k}, {}, {}}, *kept(), std::span<std::int32_t>(x.c, x.m * x.n));
}

void linear_layer(const LinearCase& x) {
  if (!kept()) kept() = std::make_unique<PackedInt8>(quantize_weights({x.w, x.k * x.n}, x.k, x.n));
  linear({x.x, x.m * x.k}, *kept(), {x.c, x.m * x.n}, {x.bias, x.n}, Activation::relu);
}

template <Isa isa>
void multiply_packed_by(const Int8Case& x) {
  const ScopedIsa scope(isa);
  multiply_packed(x);
}

const Registration rows([](Rows& r) {
  add_int8_rows(r, {"pawl", start, multiply, multiply_packed, linear_layer}, thread_counts());
  if (r.quick()) return;
  for_each_runnable_isa([&]<Isa isa>() {
    add_int8_rows(r, {std::string(name(isa)), start, nullptr, multiply_packed_by<isa>}, {1});
  });
});

}  // namespace
}  // namespace pawl::bench
