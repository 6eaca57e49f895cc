// layout.isa.cpp -- compiled once per ISA; defines that ISA's table of the category `layout` and nothing else visible.
#include "kernels/layout/copy_rows.kernel.hpp"
#include "kernels/layout/copy_stepped.kernel.hpp"
#include "kernels/layout/transpose.kernel.hpp"
#include "kernels/tables.hpp"

namespace pawl::PAWL_ISA_NS {

template <class T>
static constexpr LayoutOps<T> layout_ops() {
  return {.transpose = transpose<T>, .copy_rows = copy_rows<T>, .copy_stepped = copy_stepped<T>};
}

constinit const LayoutTable layout_table{.f32 = layout_ops<float>(), .f64 = layout_ops<double>()};

}  // namespace pawl::PAWL_ISA_NS
