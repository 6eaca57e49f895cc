// torch_tensor_module.cpp -- products, reductions along an axis and rearranging by libtorch's C++ interface.
#include "benches/peers/torch_tensors.hpp"
#include "benches/tensor/axis_rows.hpp"
#include "benches/tensor/creation_rows.hpp"
#include "benches/tensor/layout_rows.hpp"
#include "benches/tensor/peers/torch_products.hpp"

namespace pawl::bench {
namespace {

using N = std::size_t;

// Products choose their threads, and everything else has one.
template <class T, class... Size>
const at::Tensor& in(const T* x, Size... sizes) {
  set_torch_threads(1);
  return tensor_of(x, sizes...);
}
template <class T, class... Size>
at::Tensor& out(T* x, Size... sizes) {
  return const_cast<at::Tensor&>(tensor_of(x, sizes...));
}

template <class T>
TorchProducts<T> products() {
  return {.set_threads = set_torch_threads,
          .multiply =
              [](N m, N n, N k, const T* a, const T* b, T* c) {
                if (m == 1)
                  at::matmul_out(out(c, n), tensor_of(a, k), tensor_of(b, k, n));
                else
                  at::mm_out(out(c, m, n), tensor_of(a, m, k), tensor_of(b, k, n));
              },
          .multiply_all =
              [](N batch, N m, N n, N k, const T* a, const T* b, T* c) {
                at::bmm_out(out(c, batch, m, n), tensor_of(a, batch, m, k), tensor_of(b, batch, k, n));
              }};
}

template <class T>
AxisImplementation<T> axis() {
  // Results in a row of their own length.
  static constexpr auto length = [](N m, N n, N axis) { return axis == 0 ? n : m; };
  static constexpr auto sign = [](N axis) { return static_cast<std::int64_t>(axis); };
  return {.impl = "libtorch",
          .sum = [](const T* x, N m, N n, N a,
                    T* z) { at::sum_out(out(z, length(m, n, a)), in(x, m, n), at::IntArrayRef{sign(a)}); },
          .mean = [](const T* x, N m, N n, N a,
                     T* z) { at::mean_out(out(z, length(m, n, a)), in(x, m, n), at::IntArrayRef{sign(a)}); },
          .variance = [](const T* x, N m, N n, N a,
                         T* z) { at::var_out(out(z, length(m, n, a)), in(x, m, n), at::IntArrayRef{sign(a)}, false); },
          .stddev = [](const T* x, N m, N n, N a,
                       T* z) { at::std_out(out(z, length(m, n, a)), in(x, m, n), at::IntArrayRef{sign(a)}, false); },
          .max = [](const T* x, N m, N n, N a,
                    T* z) { at::amax_out(out(z, length(m, n, a)), in(x, m, n), at::IntArrayRef{sign(a)}); },
          .argmax =
              [](const T* x, N m, N n, N a, std::size_t* z) {
                static_assert(sizeof(std::size_t) == sizeof(std::int64_t));
                at::argmax_out(out(reinterpret_cast<std::int64_t*>(z), length(m, n, a)), in(x, m, n), sign(a));
              }};
}

template <class T>
LayoutImplementation<T> layout() {
  return {
      .impl = "libtorch",
      .transpose = [](const T* x, N m, N n, T* z) { out(z, n, m).copy_(in(x, m, n).t()); },
      .permute =
          [](const T* x, const std::array<N, 4>& e, const std::array<N, 4>& axes, T* z) {
            const auto axis = [&](int i) { return static_cast<std::int64_t>(axes[static_cast<N>(i)]); };
            out(z, e[axes[0]], e[axes[1]], e[axes[2]], e[axes[3]])
                .copy_(in(x, e[0], e[1], e[2], e[3]).permute({axis(0), axis(1), axis(2), axis(3)}));
          },
      .concat =
          [](const T* x, const T* y, N m, N n, T* z) {
            at::cat_out(out(z, m, 2 * n), {in(x, m, n), in(y, m, n)}, 1);
          },
      .add_row = [](const T* x, const T* row, N m, N n, T* z) { at::add_out(out(z, m, n), in(x, m, n), in(row, n)); },
      .add_column = [](const T* x, const T* column, N m, N n,
                       T* z) { at::add_out(out(z, m, n), in(x, m, n), in(column, m, N{1})); }};
}

void give_ends(const at::Tensor& x, float* ends) {
  ends[0] = x.data_ptr<float>()[0];
  ends[1] = x.data_ptr<float>()[x.numel() - 1];
}
// One thread, and no record of gradients, as above.
template <class Make>
void create(N n, float* ends, Make make) {
  set_torch_threads(1);
  static const c10::InferenceMode no_gradients;
  give_ends(make(static_cast<std::int64_t>(n)), ends);
}

CreationImplementation creation() {
  return {.impl = "libtorch",
          .zeros = [](N n, float* ends) { create(n, ends, [](std::int64_t i) { return at::zeros({i}); }); },
          .ones = [](N n, float* ends) { create(n, ends, [](std::int64_t i) { return at::ones({i}); }); },
          .randn = [](N n, float* ends) { create(n, ends, [](std::int64_t i) { return at::randn({i}); }); },
          .uniform = [](N n, float* ends) { create(n, ends, [](std::int64_t i) { return at::rand({i}); }); },
          .from_data = [](const float* source, N n, float* ends) { give_ends(in(source, n).clone(), ends); }};
}

}  // namespace
}  // namespace pawl::bench

extern "C" [[gnu::visibility("default")]] const void* pawl_torch_table(const std::type_info& type) {
  using namespace pawl::bench;
  static const std::tuple tables(products<float>(), products<double>(), axis<float>(), axis<double>(), layout<float>(),
                                 layout<double>(), creation());
  return table_of_type(type, tables);
}
