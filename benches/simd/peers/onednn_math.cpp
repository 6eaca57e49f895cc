// onednn_math.cpp -- exp, tanh, sigmoid, gelu and softmax by oneDNN's primitives, each made once per shape, one thread.
#include <omp.h>

#include <memory>
#include <oneapi/dnnl/dnnl.hpp>

#include "benches/simd/math_rows.hpp"
#include "benches/simd/row_ops_rows.hpp"

namespace pawl::bench {
namespace {

// A primitive from x to out, both plain.
class Mapping {
 public:
  template <class MakePrimitive>
  Mapping(const dnnl::memory::desc& shape, MakePrimitive make)
      : x_(shape, engine_, nullptr), out_(shape, engine_, nullptr) {
    omp_set_num_threads(1);  // what the rows beside it run on
    primitive_ = make(engine_, shape);
  }
  void run(const float* x, float* out) {
    x_.set_data_handle(const_cast<float*>(x));
    out_.set_data_handle(out);
    primitive_.execute(stream_, {{DNNL_ARG_SRC, x_}, {DNNL_ARG_DST, out_}});
    stream_.wait();
  }

 private:
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  dnnl::memory x_, out_;
  dnnl::primitive primitive_;
};

template <dnnl::algorithm algorithm>
void map(const float* x, float* out, std::size_t n) {
  using namespace dnnl;
  static std::unique_ptr<Mapping> kept;
  static std::size_t kept_n = 0;
  if (!kept || kept_n != n) {
    kept = std::make_unique<Mapping>(
        memory::desc({memory::dim(n)}, memory::data_type::f32, memory::format_tag::a),
        [](const engine& e, const memory::desc& shape) -> primitive {
          return eltwise_forward({{prop_kind::forward_inference, algorithm, shape, 0.f, 0.f}, e});
        });
    kept_n = n;
  }
  kept->run(x, out);
}

template <bool kLog>
void softmax(const float* x, float* out, std::size_t rows, std::size_t columns) {
  using namespace dnnl;
  static std::unique_ptr<Mapping> kept;
  static std::pair<std::size_t, std::size_t> kept_shape;
  if (!kept || kept_shape != std::pair(rows, columns)) {
    kept = std::make_unique<Mapping>(
        memory::desc({memory::dim(rows), memory::dim(columns)}, memory::data_type::f32, memory::format_tag::ab),
        [](const engine& e, const memory::desc& shape) -> primitive {
          if constexpr (kLog)
            return logsoftmax_forward({{prop_kind::forward_inference, shape, 1}, e});
          else
            return softmax_forward({{prop_kind::forward_inference, shape, 1}, e});
        });
    kept_shape = {rows, columns};
  }
  kept->run(x, out);
}

const Registration rows([](Rows& r) {
  using dnnl::algorithm;
  add_math_rows(r, MathImplementation<float>{.impl = "onednn",
                                             .exp = map<algorithm::eltwise_exp>,
                                             .log = map<algorithm::eltwise_log>,
                                             .tanh = map<algorithm::eltwise_tanh>,
                                             .sigmoid = map<algorithm::eltwise_logistic>,
                                             .gelu = map<algorithm::eltwise_gelu_erf>,
                                             .gelu_tanh = map<algorithm::eltwise_gelu_tanh>});
  add_row_ops_rows(
      r, RowOpsImplementation<float>{.impl = "onednn", .softmax = softmax<false>, .log_softmax = softmax<true>});
});

}  // namespace
}  // namespace pawl::bench
