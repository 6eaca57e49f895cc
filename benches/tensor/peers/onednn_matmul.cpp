// onednn_matmul.cpp -- matmul by oneDNN: dnnl_sgemm, which takes plain row-major data in every call; matmul_packed by
// its primitive with B reordered once before the loop.
#include <dnnl.h>

#include "benches/peers/onednn_product.hpp"
#include "benches/tensor/matmul_rows.hpp"

namespace pawl::bench {
namespace {

void multiply_plain(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c) {
  const auto M = static_cast<dnnl_dim_t>(m), N = static_cast<dnnl_dim_t>(n), K = static_cast<dnnl_dim_t>(k);
  dnnl_sgemm('N', 'N', M, N, K, 1.0f, a, K, b, N, 0.0f, c, N);
}

void multiply_packed(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c) {
  using Type = OnednnProduct::Type;
  auto& kept = onednn_kept();
  if (!kept) kept = std::make_unique<OnednnProduct>(m, n, k, Type::f32, Type::f32, a, b, c, OnednnWeights::reordered);
  kept->run();
}

const Registration rows([](Rows& r) {
  add_matmul_rows<float>(r, {"onednn", multiply_plain, onednn_start}, thread_counts());
  add_matmul_batched_rows<float>(r, {"onednn", multiply_plain, onednn_start}, thread_counts());
  add_matmul_rows<float>(r, {"onednn", multiply_packed, onednn_start, true}, thread_counts());
});

}  // namespace
}  // namespace pawl::bench
