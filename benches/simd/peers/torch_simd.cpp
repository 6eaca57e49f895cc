// torch_simd.cpp -- the rows of simd_bench that libtorch runs (its calls are in torch_simd_module.cpp).
#include "benches/peers/torch_late.hpp"
#include "benches/simd/math_rows.hpp"
#include "benches/simd/reduce_rows.hpp"
#include "benches/simd/row_ops_rows.hpp"
#include "benches/simd/simd_rows.hpp"

namespace pawl::bench {
namespace {

template <class T>
void add_torch_rows(Rows& rows) {
  using Simd = SimdImplementation<T>;
  add_simd_rows<T>(rows, {.impl = "libtorch",
                          .add = late<&Simd::add>,
                          .sub = late<&Simd::sub>,
                          .mul = late<&Simd::mul>,
                          .div = late<&Simd::div>,
                          .axpy = late<&Simd::axpy>,
                          .relu = late<&Simd::relu>,
                          .dot = late<&Simd::dot>,
                          .sum = late<&Simd::sum>,
                          .min = late<&Simd::min>,
                          .max = late<&Simd::max>,
                          .add_value = late<&Simd::add_value>,
                          .clamp = late<&Simd::clamp>,
                          .sqrt = late<&Simd::sqrt>});
  using Math = MathImplementation<T>;
  add_math_rows<T>(rows, {.impl = "libtorch",
                          .exp = late<&Math::exp>,
                          .log = late<&Math::log>,
                          .tanh = late<&Math::tanh>,
                          .sigmoid = late<&Math::sigmoid>,
                          .gelu = late<&Math::gelu>,
                          .gelu_tanh = late<&Math::gelu_tanh>,
                          .pow = late<&Math::pow>});
  using Reduce = ReduceImplementation<T>;
  add_reduce_rows<T>(rows, {.impl = "libtorch",
                            .mean = late<&Reduce::mean>,
                            .variance = late<&Reduce::variance>,
                            .stddev = late<&Reduce::stddev>,
                            .argmax = late<&Reduce::argmax>,
                            .norm = late<&Reduce::norm>,
                            .cosine_similarity = late<&Reduce::cosine_similarity>});
  using RowOps = RowOpsImplementation<T>;
  add_row_ops_rows<T>(rows, {.impl = "libtorch",
                             .start = late<&RowOps::start>,
                             .softmax = late<&RowOps::softmax>,
                             .log_softmax = late<&RowOps::log_softmax>,
                             .softmax_axis0 = late<&RowOps::softmax_axis0>,
                             .log_softmax_axis0 = late<&RowOps::log_softmax_axis0>,
                             .layernorm = late<&RowOps::layernorm>,
                             .cross_entropy = late<&RowOps::cross_entropy>,
                             .batchnorm = late<&RowOps::batchnorm>,
                             .bias_gelu = late<&RowOps::bias_gelu>});
}

// Not in the quick suite: a call of a thousand elements is libtorch's dispatch, and the other peers are faster.
const Registration rows([](Rows& r) {
  if (r.quick()) return;
  add_torch_rows<float>(r);
  add_torch_rows<double>(r);
});

}  // namespace
}  // namespace pawl::bench
