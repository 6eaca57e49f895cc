// onednn_bf16_matmul.cpp -- bf16 products by oneDNN, with the weights in the layout it asks for.
#include "benches/peers/onednn_product.hpp"
#include "benches/quantization/half_matmul_rows.hpp"

namespace pawl::bench {
namespace {

void multiply(const HalfCase& x) {
  using Type = OnednnProduct::Type;
  auto& kept = onednn_kept();
  if (!kept)
    kept =
        std::make_unique<OnednnProduct>(x.m, x.n, x.k, Type::bf16, Type::f32, x.a, x.b, x.c, OnednnWeights::reordered);
  kept->run();
}

const Registration rows([](Rows& r) { add_half_rows(r, kBf16, "onednn", onednn_start, multiply, thread_counts()); });

}  // namespace
}  // namespace pawl::bench
