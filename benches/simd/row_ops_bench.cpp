// row_ops_bench.cpp -- our rows of softmax and the norms: `pawl` is the public function, each ISA its entry, and
// `pawl-separate` the same from elementwise functions and reductions, a pass over the array each: what fusion gains.
#include "kernels/tables.hpp"
#include "pawl/math.hpp"
#include "pawl/reduce.hpp"
#include "pawl/rows.hpp"
#include "pawl/simd.hpp"
#include "row_ops_rows.hpp"
#include "variants.hpp"

namespace pawl::bench {
namespace {

template <class T>
RowOpsImplementation<T> public_row_ops() {
  using In = std::span<const T>;
  using Out = std::span<T>;
  return {
      .impl = "pawl",
      .softmax = [](const T* x, T* out, std::size_t r, std::size_t c) { softmax(In(x, r * c), c, Out(out, r * c)); },
      .log_softmax = [](const T* x, T* out, std::size_t r,
                        std::size_t c) { log_softmax(In(x, r * c), c, Out(out, r * c)); },
      .softmax_axis0 = [](const T* x, T* out, std::size_t r,
                          std::size_t c) { softmax(In(x, r * c), r, c, Out(out, r * c)); },
      .log_softmax_axis0 = [](const T* x, T* out, std::size_t r,
                              std::size_t c) { log_softmax(In(x, r * c), r, c, Out(out, r * c)); },
      .layernorm =
          [](const T* x, const T* gain, const T* shift, T* out, std::size_t r, std::size_t c) {
            layernorm(In(x, r * c), c, In(gain, c), In(shift, c), T(kRowOpsEpsilon), Out(out, r * c));
          },
      .rmsnorm = [](const T* x, const T* gain, T* out, std::size_t r,
                    std::size_t c) { rmsnorm(In(x, r * c), c, In(gain, c), T(kRowOpsEpsilon), Out(out, r * c)); },
      .cross_entropy =
          [](const T* x, T* out, std::size_t r, std::size_t c) {
            static std::vector<std::size_t> targets;
            if (targets.size() != r) targets.assign(r, kTarget);
            cross_entropy(In(x, r * c), c, targets, Out(out, r));
          },
      .batchnorm =
          [](const T* x, const T* gain, const T* shift, T* out, std::size_t r, std::size_t c) {
            batchnorm(In(x, r * c), c, 1, {In(shift, c), In(gain, c), In(gain, c), In(shift, c)}, T(kRowOpsEpsilon),
                      Out(out, r * c));
          },
      .bias_gelu =
          [](const T* x, const T* bias, T* out, std::size_t r, std::size_t c) {
            bias_activation(In(x, r * c), c, In(bias, c), Activation::gelu, Out(out, r * c));
          }};
}

// The same operations one after the other, each over the whole array, as without fusion.
template <class T>
RowOpsImplementation<T> separate_row_ops() {
  using In = std::span<const T>;
  using Out = std::span<T>;
  return {.impl = "pawl-separate",
          .softmax =
              [](const T* x, T* out, std::size_t r, std::size_t c) {
                static std::vector<T> of_row;
                of_row.resize(r);
                const auto row = [&](std::size_t k) { return Out(out + k * c, c); };
                for (std::size_t k = 0; k < r; ++k) of_row[k] = max(In(x + k * c, c));
                for (std::size_t k = 0; k < r; ++k) sub(In(x + k * c, c), of_row[k], row(k));
                exp(In(out, r * c), Out(out, r * c));
                for (std::size_t k = 0; k < r; ++k) of_row[k] = sum(In(row(k)));
                for (std::size_t k = 0; k < r; ++k) mul(In(row(k)), T(1) / of_row[k], row(k));
              },
          .layernorm =
              [](const T* x, const T* gain, const T* shift, T* out, std::size_t r, std::size_t c) {
                static std::vector<T> means, factors;
                means.resize(r);
                factors.resize(r);
                const auto row = [&](std::size_t k) { return Out(out + k * c, c); };
                for (std::size_t k = 0; k < r; ++k) means[k] = mean(In(x + k * c, c));
                for (std::size_t k = 0; k < r; ++k)
                  factors[k] = T(1) / std::sqrt(variance(In(x + k * c, c)) + T(kRowOpsEpsilon));
                for (std::size_t k = 0; k < r; ++k) sub(In(x + k * c, c), means[k], row(k));
                for (std::size_t k = 0; k < r; ++k) mul(In(row(k)), factors[k], row(k));
                for (std::size_t k = 0; k < r; ++k) mul(In(row(k)), In(gain, c), row(k));
                for (std::size_t k = 0; k < r; ++k) add(In(row(k)), In(shift, c), row(k));
              },
          .bias_gelu =
              [](const T* x, const T* bias, T* out, std::size_t r, std::size_t c) {
                for (std::size_t k = 0; k < r; ++k) add(In(x + k * c, c), In(bias, c), Out(out + k * c, c));
                gelu(In(out, r * c), Out(out, r * c));
              }};
}

template <class T, Isa isa>
const RowsOps<T>& entries() {
  if constexpr (sizeof(T) == sizeof(float)) {
    return rows_table(isa).f32;
  } else {
    return rows_table(isa).f64;
  }
}

template <class T>
void add_all(Rows& rows) {
  add_row_ops_rows<T>(rows, public_row_ops<T>());
  if (rows.quick()) return;
  add_row_ops_rows<T>(rows, separate_row_ops<T>());
  for_each_runnable_isa([&]<Isa isa>() {
    add_row_ops_rows<T>(
        rows,
        {.impl = std::string(name(isa)),
         .softmax = entries<T, isa>().softmax,
         .log_softmax = entries<T, isa>().log_softmax,
         .layernorm = [](const T* x, const T* gain, const T* shift, T* out, std::size_t r,
                         std::size_t c) { entries<T, isa>().layernorm(x, gain, shift, T(kRowOpsEpsilon), out, r, c); },
         .rmsnorm = [](const T* x, const T* gain, T* out, std::size_t r,
                       std::size_t c) { entries<T, isa>().rmsnorm(x, gain, T(kRowOpsEpsilon), out, r, c); }});
  });
}

const Registration rows([](Rows& r) {
  add_all<float>(r);
  if (!r.quick()) add_all<double>(r);
});

}  // namespace
}  // namespace pawl::bench
