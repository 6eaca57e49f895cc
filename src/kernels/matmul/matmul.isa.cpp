// matmul.isa.cpp -- compiled once per ISA; defines that ISA's table of the category `matmul` and nothing else visible.
#include "kernels/matmul/direct.kernel.hpp"
#include "kernels/matmul/packed.kernel.hpp"
#include "kernels/tables.hpp"

namespace pawl::PAWL_ISA_NS {

template <class T>
static constexpr MatmulOps<T> matmul_ops() {
  return {.mr = kRows,
          .nr = kNr<T>,
          .a_stride = kAStride<T>,
          .pack_a = pack_a<T>,
          .pack_b = pack_b<T>,
          .product = product<T>,
          .direct = direct<T>,
          .dot_rows = dot_rows<T>,
          .max_kc = kMaxKc<T>};
}

constinit const MatmulTable matmul_table{.f32 = matmul_ops<float>(), .f64 = matmul_ops<double>()};

}  // namespace pawl::PAWL_ISA_NS
