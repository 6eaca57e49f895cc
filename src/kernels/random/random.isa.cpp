// random.isa.cpp -- compiled once per ISA; defines that ISA's table of the category `random` and nothing else visible.
#include "kernels/random/normal.kernel.hpp"
#include "kernels/random/random_table.hpp"
#include "kernels/random/uniform.kernel.hpp"
#include "kernels/tables.hpp"

namespace pawl::PAWL_ISA_NS {

constinit const RandomTable random_table{.f32 = {.normal = normal<float>, .uniform = uniform<float>},
                                         .f64 = {.normal = normal<double>, .uniform = uniform<double>}};

}  // namespace pawl::PAWL_ISA_NS
