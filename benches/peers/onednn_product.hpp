// onednn_product.hpp -- shapes, types and data -> one matrix product by oneDNN's matmul primitive, made once and run
// many times. For the peers of every category of benches.
#pragma once
#include <omp.h>

#include <cstddef>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>

namespace pawl::bench {

/// How the weights (B) lie when the product is run.
enum class OnednnWeights : unsigned char {
  plain,      ///< row-major, as the caller has them
  reordered,  ///< once, into the layout the primitive asks for: its manual's advice for weights that are used again
};

/// Row-major c [m x n] = a [m x k] b [k x n]; a and b of `in`, c of `out`.
class OnednnProduct {
 public:
  using Type = dnnl::memory::data_type;

  OnednnProduct(std::size_t m_, std::size_t n_, std::size_t k_, Type in, Type out, const void* a, const void* b,
                void* c, OnednnWeights weights) {
    using dnnl::memory;
    using Tag = memory::format_tag;
    const auto m = static_cast<memory::dim>(m_), n = static_cast<memory::dim>(n_), k = static_cast<memory::dim>(k_);
    const bool reordered = weights == OnednnWeights::reordered;
    const memory::desc ad({m, k}, in, Tag::ab), cd({m, n}, out, Tag::ab), plain({k, n}, in, Tag::ab);
    const memory::desc bd = reordered ? memory::desc({k, n}, in, Tag::any) : plain;
    const dnnl::matmul::primitive_desc choice(dnnl::matmul::desc(ad, bd, cd), engine_);
    a_ = memory(ad, engine_, const_cast<void*>(a));
    b_ = memory(plain, engine_, const_cast<void*>(b));
    c_ = memory(cd, engine_, c);
    if (reordered) {
      memory to(choice.weights_desc(), engine_);
      dnnl::reorder(b_, to).execute(stream_, b_, to);
      stream_.wait();
      b_ = to;
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
  dnnl::memory a_, b_, c_;
  dnnl::matmul primitive_;
};

/// The product of the row that is running: made at its first call, dropped by onednn_start, since buffers are used
/// again.
inline std::unique_ptr<OnednnProduct>& onednn_kept() {
  static std::unique_ptr<OnednnProduct> product;
  return product;
}

/// Starts a row on so many threads.
inline void onednn_start(int threads) {
  omp_set_num_threads(threads);
  onednn_kept().reset();
}

}  // namespace pawl::bench
