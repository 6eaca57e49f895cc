// onednn_int8_matmul.cpp -- int8 products by oneDNN: in matmul with the weights as the caller has them, in
// matmul_packed reordered once into the layout it asks for.
#include "benches/peers/onednn_product.hpp"
#include "benches/quantization/int8_matmul_rows.hpp"

namespace pawl::bench {
namespace {

template <OnednnWeights weights>
void multiply(const Int8Case& x) {
  using Type = OnednnProduct::Type;
  auto& kept = onednn_kept();
  if (!kept) kept = std::make_unique<OnednnProduct>(x.m, x.n, x.k, Type::s8, Type::s32, x.a, x.b, x.c, weights);
  kept->run();
}

const Registration rows([](Rows& r) {
  add_int8_rows(r, {"onednn", onednn_start, multiply<OnednnWeights::plain>, multiply<OnednnWeights::reordered>},
                thread_counts());
});

}  // namespace
}  // namespace pawl::bench
