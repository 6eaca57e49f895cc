// bf16_matmul_bench.cpp -- our rows of bf16 products: the public function.
#include "bf16_matmul_rows.hpp"

#include <memory>

#include "pawl/parallel.hpp"
#include "pawl/quant/half_matmul.hpp"

namespace pawl::bench {
namespace {

// Weights of the row that is running, packed.
std::unique_ptr<PackedHalf>& kept() {
  static std::unique_ptr<PackedHalf> packed;
  return packed;
}

void start(int threads) {
  set_num_threads(threads);
  kept().reset();
}

std::span<const bf16> halves(const std::uint16_t* x, std::size_t n) { return {reinterpret_cast<const bf16*>(x), n}; }

void multiply(const Bf16Case& x) {
  if (!kept()) kept() = std::make_unique<PackedHalf>(halves(x.b, x.k * x.n), x.k, x.n);
  matmul(halves(x.a, x.m * x.k), *kept(), {x.c, x.m * x.n});
}

const Registration rows([](Rows& r) { add_bf16_rows(r, "pawl", start, multiply, {1, 2}); });

}  // namespace
}  // namespace pawl::bench
