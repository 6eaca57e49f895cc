// torch_simd_module.cpp -- the operations of simd_bench by libtorch's C++ interface, on one thread.
#include <cstring>

#include "benches/peers/torch_tensors.hpp"
#include "benches/simd/math_rows.hpp"
#include "benches/simd/reduce_rows.hpp"
#include "benches/simd/row_ops_rows.hpp"
#include "benches/simd/simd_rows.hpp"

namespace pawl::bench {
namespace {

using N = std::size_t;

// Also says, before each call, that libtorch has one thread: that costs a comparison.
template <class T>
const at::Tensor& in(const T* x, N n) {
  set_torch_threads(1);
  return tensor_of(x, n);
}
template <class T>
at::Tensor& out(T* x, N n) {
  return const_cast<at::Tensor&>(tensor_of(x, n));
}
template <class T>
const at::Tensor& in(const T* x, N m, N n) {
  set_torch_threads(1);
  return tensor_of(x, m, n);
}
template <class T>
at::Tensor& out(T* x, N m, N n) {
  return const_cast<at::Tensor&>(tensor_of(x, m, n));
}

// A number beside a tensor is a tensor without dimensions: the form that writes into a given tensor.
template <class T>
const at::Tensor& number(T value) {
  static const at::Tensor kept = (torch_number<T>(), at::empty({}, torch_type<T>));
  *kept.data_ptr<T>() = value;
  return kept;
}

template <class T>
SimdImplementation<T> simd() {
  return {
      .impl = "libtorch",
      .add = [](const T* x, const T* y, T* z, N n) { at::add_out(out(z, n), in(x, n), in(y, n)); },
      .sub = [](const T* x, const T* y, T* z, N n) { at::sub_out(out(z, n), in(x, n), in(y, n)); },
      .mul = [](const T* x, const T* y, T* z, N n) { at::mul_out(out(z, n), in(x, n), in(y, n)); },
      .div = [](const T* x, const T* y, T* z, N n) { at::div_out(out(z, n), in(x, n), in(y, n)); },
      .axpy = [](T alpha, const T* x, T* y, N n) { out(y, n).add_(in(x, n), alpha); },
      .relu = [](const T* x, T* z, N n) { at::clamp_min_out(out(z, n), in(x, n), 0); },
      .dot = [](const T* x, const T* y,
                N n) { return value_of<T>(at::dot_out(torch_number<T>(), in(x, n), in(y, n))); },
      .sum = [](const T* x, N n) { return value_of<T>(at::sum_out(torch_number<T>(), in(x, n), at::IntArrayRef{0})); },
      .min = [](const T* x, N n) { return value_of<T>(at::amin_out(torch_number<T>(), in(x, n), {0})); },
      .max = [](const T* x, N n) { return value_of<T>(at::amax_out(torch_number<T>(), in(x, n), {0})); },
      .add_value = [](const T* x, T y, T* z, N n) { at::add_out(out(z, n), in(x, n), number(y)); },
      .clamp = [](T low, T high, const T* x, T* z, N n) { at::clamp_out(out(z, n), in(x, n), low, high); },
      .sqrt = [](const T* x, T* z, N n) { at::sqrt_out(out(z, n), in(x, n)); }};
}

template <class T>
MathImplementation<T> math() {
  return {.impl = "libtorch",
          .exp = [](const T* x, T* z, N n) { at::exp_out(out(z, n), in(x, n)); },
          .log = [](const T* x, T* z, N n) { at::log_out(out(z, n), in(x, n)); },
          .tanh = [](const T* x, T* z, N n) { at::tanh_out(out(z, n), in(x, n)); },
          .sigmoid = [](const T* x, T* z, N n) { at::sigmoid_out(out(z, n), in(x, n)); },
          .gelu = [](const T* x, T* z, N n) { at::gelu_out(out(z, n), in(x, n), "none"); },
          .gelu_tanh = [](const T* x, T* z, N n) { at::gelu_out(out(z, n), in(x, n), "tanh"); },
          .pow = [](const T* x, T* z, N n) { at::pow_out(out(z, n), in(x, n), kPower); }};
}

template <class T>
ReduceImplementation<T> reduce() {
  return {
      .impl = "libtorch",
      .mean = [](const T* x,
                 N n) { return value_of<T>(at::mean_out(torch_number<T>(), in(x, n), at::IntArrayRef{0})); },
      .variance = [](const T* x,
                     N n) { return value_of<T>(at::var_out(torch_number<T>(), in(x, n), at::IntArrayRef{0}, false)); },
      .stddev = [](const T* x,
                   N n) { return value_of<T>(at::std_out(torch_number<T>(), in(x, n), at::IntArrayRef{0}, false)); },
      .argmax =
          [](const T* x, N n) {
            return static_cast<N>(value_of<std::int64_t>(at::argmax_out(torch_number<std::int64_t>(), in(x, n), 0)));
          },
      .norm = [](const T* x, N n) { return value_of<T>(at::linalg_vector_norm_out(torch_number<T>(), in(x, n))); },
      .cosine_similarity = [](const T* x, const T* y,
                              N n) { return value_of<T>(at::cosine_similarity(in(x, n), in(y, n), 0)); }};
}

template <class T>
void cross_entropy(const T* x, T* losses, N r, N c) {
  static at::Tensor targets;
  if (!targets.defined() || targets.size(0) != static_cast<std::int64_t>(r))
    targets = at::full({static_cast<std::int64_t>(r)}, std::int64_t{kTarget}, at::kLong);
  const at::Tensor result = at::cross_entropy_loss(in(x, r, c), targets, {}, at::Reduction::None);
  std::memcpy(losses, result.data_ptr<T>(), r * sizeof(T));
}

template <class T>
RowOpsImplementation<T> row_ops() {
  return {.impl = "libtorch",
          .start = [] { torch_checked = false; },
          .softmax = [](const T* x, T* z, N r, N c) { at::softmax_out(out(z, r, c), in(x, r, c), 1); },
          .log_softmax = [](const T* x, T* z, N r, N c) { at::log_softmax_out(out(z, r, c), in(x, r, c), 1); },
          .softmax_axis0 = [](const T* x, T* z, N r, N c) { at::softmax_out(out(z, r, c), in(x, r, c), 0); },
          .log_softmax_axis0 = [](const T* x, T* z, N r, N c) { at::log_softmax_out(out(z, r, c), in(x, r, c), 0); },
          .layernorm =
              [](const T* x, const T* gain, const T* shift, T* z, N r, N c) {
                const at::Tensor result = at::layer_norm(in(x, r, c), {static_cast<std::int64_t>(c)}, in(gain, c),
                                                         in(shift, c), kRowOpsEpsilon);
                give_torch_result(result, z, r * c);
              },
          .cross_entropy = cross_entropy<T>,
          .batchnorm =
              [](const T* x, const T* gain, const T* shift, T* z, N r, N c) {
                const at::Tensor result = at::batch_norm(in(x, r, c), in(gain, c), in(shift, c), in(shift, c),
                                                         in(gain, c), false, 0, kRowOpsEpsilon, false);
                give_torch_result(result, z, r * c);
              },
          .bias_gelu =
              [](const T* x, const T* bias, T* z, N r, N c) {
                at::add_out(out(z, r, c), in(x, r, c), in(bias, c));
                at::gelu_(out(z, r, c), "none");
              }};
}

}  // namespace
}  // namespace pawl::bench

extern "C" [[gnu::visibility("default")]] const void* pawl_torch_table(const std::type_info& type) {
  using namespace pawl::bench;
  static const std::tuple tables(simd<float>(), simd<double>(), math<float>(), math<double>(), reduce<float>(),
                                 reduce<double>(), row_ops<float>(), row_ops<double>());
  return table_of_type(type, tables);
}
