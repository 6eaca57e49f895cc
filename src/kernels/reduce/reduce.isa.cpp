// reduce.isa.cpp -- compiled once per ISA; defines that ISA's table of the category `reduce` and nothing else visible.
#include "kernels/reduce/column_extremes.kernel.hpp"
#include "kernels/reduce/row_places.kernel.hpp"
#include "kernels/reduce/row_squares.kernel.hpp"
#include "kernels/reduce/rows.kernel.hpp"
#include "kernels/reduce/span.kernel.hpp"
#include "kernels/tables.hpp"

namespace pawl::PAWL_ISA_NS {

template <class T>
static constexpr ReduceOps<T> reduce_ops() {
  return {.moments = moments<T>,
          .argmin = arg_extreme<T, true>,
          .argmax = arg_extreme<T, false>,
          .squares = squares<T>,
          .scaled_squares = scaled_squares<T>,
          .cosine_sums = cosine_sums<T>,
          .sum_rows = sum_rows<T, false>,
          .mean_rows = sum_rows<T, true>,
          .min_rows = extreme_rows<T, true>,
          .max_rows = extreme_rows<T, false>,
          .norm_rows = norm_rows<T>,
          .spread_rows = spread_rows<T>,
          .argmin_rows = arg_rows<T, true>,
          .argmax_rows = arg_rows<T, false>,
          .sum_columns = sum_blocks<T, false>,
          .mean_columns = sum_blocks<T, true>,
          .norm_columns = norm_columns<T>,
          .spread_columns = spread_columns<T>,
          .min_columns = extreme_columns<T, true>,
          .max_columns = extreme_columns<T, false>,
          .argmin_columns = arg_columns<T, true>,
          .argmax_columns = arg_columns<T, false>};
}

constinit const ReduceTable reduce_table{.f32 = reduce_ops<float>(), .f64 = reduce_ops<double>()};

}  // namespace pawl::PAWL_ISA_NS
