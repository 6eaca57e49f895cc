// rows.isa.cpp -- compiled once per ISA; defines that ISA's table of the category `rows` and nothing else visible.
#include "kernels/rows/batchnorm.kernel.hpp"
#include "kernels/rows/bias.kernel.hpp"
#include "kernels/rows/norm.kernel.hpp"
#include "kernels/rows/softmax.kernel.hpp"
#include "kernels/rows/softmax_columns.kernel.hpp"
#include "kernels/tables.hpp"

namespace pawl::PAWL_ISA_NS {

template <class T>
static constexpr RowsOps<T> rows_ops() {
  return {.softmax = softmax<T>,
          .log_softmax = log_softmax<T>,
          .exponentials_of_blocks = exponentials_of_blocks<T, true>,
          .sums_of_blocks = exponentials_of_blocks<T, false>,
          .scale_blocks = scale_blocks<T>,
          .log_softmax_part = log_softmax_part<T>,
          .softmax_columns = softmax_columns<T, false>,
          .log_softmax_columns = softmax_columns<T, true>,
          .layernorm = layernorm<T>,
          .rmsnorm = rmsnorm<T>,
          .centred_moments_of_blocks = moments_of_blocks<T, true>,
          .moments_of_blocks = moments_of_blocks<T, false>,
          .normalize_part = normalize_part<T>,
          .cross_entropy = cross_entropy<T>,
          .fold_channels = fold_channels<T>,
          .scale_columns = scale_columns<T>,
          .scale_rows = scale_rows<T>,
          .bias_relu = bias_relu<T>,
          .bias_gelu = bias_map_either<GeluErf, T>,
          .bias_gelu_tanh = bias_map_either<GeluTanh, T>};
}

constinit const RowsTable rows_table{.f32 = rows_ops<float>(), .f64 = rows_ops<double>()};

}  // namespace pawl::PAWL_ISA_NS
