// onednn_int8_matmul.cpp -- int8 products by oneDNN: its matmul primitive, made once per row of the bench.
//
// In matmul the weights lie row-major as the caller has them; in matmul_packed they were reordered once into the layout
// that the primitive asks for, as its manual recommends for weights that are used again.
#include <omp.h>

#include <memory>
#include <oneapi/dnnl/dnnl.hpp>

#include "benches/quantization/int8_matmul_rows.hpp"

namespace pawl::bench {
namespace {

using dnnl::memory;

class Product {
 public:
  Product(const Int8Case& x, bool packed) {
    const memory::dim m = memory::dim(x.m), n = memory::dim(x.n), k = memory::dim(x.k);
    using Tag = memory::format_tag;
    const memory::desc ad({m, k}, memory::data_type::s8, Tag::ab), cd({m, n}, memory::data_type::s32, Tag::ab);
    const memory::desc plain({k, n}, memory::data_type::s8, Tag::ab), any({k, n}, memory::data_type::s8, Tag::any);
    const dnnl::matmul::primitive_desc choice(dnnl::matmul::desc(ad, packed ? any : plain, cd), engine_);
    a_ = memory(ad, engine_, const_cast<std::int8_t*>(x.a));
    c_ = memory(cd, engine_, x.c);
    b_ = memory(plain, engine_, const_cast<std::int8_t*>(x.b));
    if (packed) {
      memory reordered(choice.weights_desc(), engine_);
      dnnl::reorder(b_, reordered).execute(stream_, b_, reordered);
      stream_.wait();
      b_ = reordered;
    }
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

template <bool packed>
void multiply(const Int8Case& x) {
  if (!kept()) kept() = std::make_unique<Product>(x, packed);
  kept()->run();
}

const Registration rows([](Rows& r) { add_int8_rows(r, {"onednn", start, multiply<false>, multiply<true>}, {1, 2}); });

}  // namespace
}  // namespace pawl::bench
