// layout.isa.cpp -- compiled once per ISA; defines that ISA's table of the category `layout` and nothing else visible.
#include "kernels/layout/copy_rows.kernel.hpp"
#include "kernels/layout/transpose.kernel.hpp"
#include "kernels/tables.hpp"

namespace pawl::PAWL_ISA_NS {

constinit const LayoutTable layout_table{.f32 = {.transpose = transpose<float>, .copy_rows = copy_rows<float>},
                                         .f64 = {.transpose = transpose<double>, .copy_rows = copy_rows<double>}};

}  // namespace pawl::PAWL_ISA_NS
