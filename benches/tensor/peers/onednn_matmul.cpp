// onednn_matmul.cpp -- matmul by oneDNN: its matmul primitive made once, with the weights (B) in the layout it asks
// for.
//
// In matmul it is dnnl_sgemm, which takes plain row-major data in every call; in matmul_packed the primitive whose B
// was reordered once before the loop, as its manual recommends for weights that are used again.
#include <dnnl.h>
#include <omp.h>

#include <memory>
#include <oneapi/dnnl/dnnl.hpp>

#include "benches/tensor/matmul_rows.hpp"

namespace pawl::bench {
namespace {

void multiply_plain(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c) {
  const auto M = static_cast<dnnl_dim_t>(m), N = static_cast<dnnl_dim_t>(n), K = static_cast<dnnl_dim_t>(k);
  dnnl_sgemm('N', 'N', M, N, K, 1.0f, a, K, b, N, 0.0f, c, N);
}

class Packed {
 public:
  Packed(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c) : a_(a), b_(b), c_(c) {
    using namespace dnnl;
    using D = memory::dim;
    const memory::desc ad({D(m), D(k)}, memory::data_type::f32, memory::format_tag::ab);
    const memory::desc bd({D(k), D(n)}, memory::data_type::f32, memory::format_tag::ab);
    const memory::desc any({D(k), D(n)}, memory::data_type::f32, memory::format_tag::any);
    const memory::desc cd({D(m), D(n)}, memory::data_type::f32, memory::format_tag::ab);
    const matmul::primitive_desc choice(matmul::desc(ad, any, cd), engine_);
    x_ = memory(ad, engine_, const_cast<float*>(a));
    y_ = memory(choice.weights_desc(), engine_);
    z_ = memory(cd, engine_, c);
    memory plain(bd, engine_, const_cast<float*>(b));
    reorder(plain, y_).execute(stream_, plain, y_);
    stream_.wait();
    primitive_ = matmul(choice);
  }
  bool is_for(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, const float* c) const {
    const auto dims = z_.get_desc().dims();
    return a == a_ && b == b_ && c == c_ && dims[0] == dnnl::memory::dim(m) && dims[1] == dnnl::memory::dim(n) &&
           x_.get_desc().dims()[1] == dnnl::memory::dim(k);
  }
  void run() {
    primitive_.execute(stream_, {{DNNL_ARG_SRC, x_}, {DNNL_ARG_WEIGHTS, y_}, {DNNL_ARG_DST, z_}});
    stream_.wait();
  }

 private:
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  dnnl::memory x_, y_, z_;
  dnnl::matmul primitive_;
  const float *a_, *b_, *c_;
};

std::unique_ptr<Packed>& kept() {
  static std::unique_ptr<Packed> packed;
  return packed;
}

// Setting the threads starts a row: what was packed for another row's data is dropped, since buffers are used again.
void set_threads(int threads) {
  omp_set_num_threads(threads);
  kept().reset();
}

void multiply_packed(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c) {
  auto& packed = kept();
  if (!packed || !packed->is_for(m, n, k, a, b, c)) packed = std::make_unique<Packed>(m, n, k, a, b, c);
  packed->run();
}

const Registration rows([](Rows& r) {
  add_matmul_rows<float>(r, {"onednn", multiply_plain, set_threads}, {1, 2});
  add_matmul_batched_rows<float>(r, {"onednn", multiply_plain, set_threads}, {1, 2});
  add_matmul_rows<float>(r, {"onednn", multiply_packed, set_threads, true}, {1, 2});
});

}  // namespace
}  // namespace pawl::bench
