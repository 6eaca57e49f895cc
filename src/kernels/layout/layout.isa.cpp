// layout.isa.cpp -- compiled once per ISA; defines that ISA's table of the category `layout` and nothing else visible.
#include "kernels/layout/transpose.kernel.hpp"
#include "kernels/tables.hpp"

namespace pawl::PAWL_ISA_NS {

constinit const LayoutTable layout_table{.f32 = {.transpose = transpose<float>},
                                         .f64 = {.transpose = transpose<double>}};

}  // namespace pawl::PAWL_ISA_NS
