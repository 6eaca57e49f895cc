// simd.isa.cpp -- compiled once per ISA; defines that ISA's table of the category `simd` and nothing else visible.
#include "kernels/simd/elementwise.kernel.hpp"
#include "kernels/simd/reduce.kernel.hpp"
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
