// onednn_bf16_matmul.cpp -- bf16 products by oneDNN: its matmul primitive with the weights in the layout it asks for.
#include <omp.h>

#include <memory>
#include <oneapi/dnnl/dnnl.hpp>

#include "benches/quantization/bf16_matmul_rows.hpp"

namespace pawl::bench {
namespace {

using dnnl::memory;

class Product {
 public:
  explicit Product(const Bf16Case& x) {
    const memory::dim m = memory::dim(x.m), n = memory::dim(x.n), k = memory::dim(x.k);
    using Tag = memory::format_tag;
    const memory::desc ad({m, k}, memory::data_type::bf16, Tag::ab), cd({m, n}, memory::data_type::f32, Tag::ab);
    const memory::desc plain({k, n}, memory::data_type::bf16, Tag::ab), any({k, n}, memory::data_type::bf16, Tag::any);
    const dnnl::matmul::primitive_desc choice(dnnl::matmul::desc(ad, any, cd), engine_);
    a_ = memory(ad, engine_, const_cast<std::uint16_t*>(x.a));
    c_ = memory(cd, engine_, x.c);
    b_ = memory(choice.weights_desc(), engine_);
    memory given(plain, engine_, const_cast<std::uint16_t*>(x.b));
    dnnl::reorder(given, b_).execute(stream_, given, b_);
    stream_.wait();
    primitive_ = dnnl::matmul(choice);
  }
  void run() {
    primitive_.execute(stream_, {{DNNL_ARG_SRC, a_}, {DNNL_ARG_WEIGHTS, b_}, {DNNL_ARG_DST, c_}});
    stream_.wait();
  }

 private:
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  memory a_, b_, c_;
  dnnl::matmul primitive_;
};

std::unique_ptr<Product>& kept() {
  static std::unique_ptr<Product> product;
  return product;
}

void start(int threads) {
  omp_set_num_threads(threads);
  kept().reset();
}

void multiply(const Bf16Case& x) {
  if (!kept()) kept() = std::make_unique<Product>(x);
  kept()->run();
}

const Registration rows([](Rows& r) { add_bf16_rows(r, "onednn", start, multiply, {1, 2}); });

}  // namespace
}  // namespace pawl::bench
