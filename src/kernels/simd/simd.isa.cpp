// simd.isa.cpp -- compiled once per ISA; defines that ISA's table of the category `simd` and nothing else visible.
#include "kernels/simd/elementwise.kernel.hpp"
#include "kernels/simd/reduce.kernel.hpp"
#include "kernels/simd/spans_by_row.kernel.hpp"
#include "kernels/tables.hpp"

namespace pawl::PAWL_ISA_NS {

template <class T>
static constexpr SimdOps<T> simd_ops() {
  return {.add = add<T>,
          .sub = sub<T>,
          .mul = mul<T>,
          .div = div<T>,
          .add_value = add_value<T>,
          .sub_value = sub_value<T>,
          .value_sub = value_sub<T>,
          .mul_value = mul_value<T>,
          .div_value = div_value<T>,
          .value_div = value_div<T>,
          .add_rows = rows_and_rows<Plus, T>,
          .sub_rows = rows_and_rows<Minus, T>,
          .mul_rows = rows_and_rows<Times, T>,
          .div_rows = rows_and_rows<Over, T>,
          .add_values = rows_and_values<Plus, T>,
          .sub_values = rows_and_values<Minus, T>,
          .values_sub = rows_and_values<Exchanged<Minus>, T>,
          .mul_values = rows_and_values<Times, T>,
          .div_values = rows_and_values<Over, T>,
          .values_div = rows_and_values<Exchanged<Over>, T>,
          .fill = fill_value<T>,
          .axpy = axpy<T>,
          .relu = relu<T>,
          .clamp = clamp<T>,
          .sqrt = sqrt<T>,
          .dot = dot<T>,
          .sum = sum<T>,
          .min = extreme<T, true>,
          .max = extreme<T, false>};
}

constinit const SimdTable simd_table{.f32 = simd_ops<float>(), .f64 = simd_ops<double>()};

}  // namespace pawl::PAWL_ISA_NS
