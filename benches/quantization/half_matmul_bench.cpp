// half_matmul_bench.cpp -- our rows of bf16 and f16 products: the public function.
#include "half_matmul_rows.hpp"

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

template <class Half>
void multiply(const HalfCase& x) {
  const auto halves = [](const std::uint16_t* bits, std::size_t n) {
    return std::span<const Half>(reinterpret_cast<const Half*>(bits), n);
  };
  if (!kept()) kept() = std::make_unique<PackedHalf>(halves(x.b, x.k * x.n), x.k, x.n);
  matmul(halves(x.a, x.m * x.k), *kept(), {x.c, x.m * x.n});
}

const Registration rows([](Rows& r) {
  add_half_rows(r, kBf16, "pawl", start, multiply<bf16>, thread_counts());
  if (!r.quick()) add_half_rows(r, kF16, "pawl", start, multiply<f16>, {1});
});

}  // namespace
}  // namespace pawl::bench
