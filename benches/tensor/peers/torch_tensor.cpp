// torch_tensor.cpp -- the rows of tensor_bench that libtorch runs (its calls are in torch_tensor_module.cpp).
#include "benches/peers/torch_late.hpp"
#include "benches/tensor/axis_rows.hpp"
#include "benches/tensor/creation_rows.hpp"
#include "benches/tensor/layout_rows.hpp"
#include "benches/tensor/matmul_rows.hpp"
#include "benches/tensor/peers/torch_products.hpp"

namespace pawl::bench {
namespace {

template <class T>
void add_torch_rows(Rows& rows) {
  using Products = TorchProducts<T>;
  const MatmulImplementation<T> matmul{"libtorch", late<&Products::multiply>, late<&Products::set_threads>};
  add_matmul_rows<T>(rows, matmul, thread_counts());
  add_matmul_batched_rows<T>(rows, matmul, thread_counts(), late<&Products::multiply_all>);
  using Axis = AxisImplementation<T>;
  add_axis_rows<T>(rows, {.impl = "libtorch",
                          .sum = late<&Axis::sum>,
                          .mean = late<&Axis::mean>,
                          .variance = late<&Axis::variance>,
                          .stddev = late<&Axis::stddev>,
                          .max = late<&Axis::max>,
                          .argmax = late<&Axis::argmax>});
  using Layout = LayoutImplementation<T>;
  add_layout_rows<T>(rows, {.impl = "libtorch",
                            .transpose = late<&Layout::transpose>,
                            .permute = late<&Layout::permute>,
                            .concat = late<&Layout::concat>,
                            .add_row = late<&Layout::add_row>,
                            .add_column = late<&Layout::add_column>});
}

// Not in the quick suite: its products are those of the BLAS under it, whose rows are there.
const Registration rows([](Rows& r) {
  if (r.quick()) return;
  add_torch_rows<float>(r);
  add_torch_rows<double>(r);
  using Creation = CreationImplementation;
  add_creation_rows(r, {.impl = "libtorch",
                        .zeros = late<&Creation::zeros>,
                        .ones = late<&Creation::ones>,
                        .randn = late<&Creation::randn>,
                        .uniform = late<&Creation::uniform>,
                        .from_data = late<&Creation::from_data>});
});

}  // namespace
}  // namespace pawl::bench
