// math_bench.cpp -- our rows of the math functions: `pawl` is the public function, each ISA its entry of the table.
#include "kernels/tables.hpp"
#include "math_rows.hpp"
#include "pawl/math.hpp"

namespace pawl::bench {
namespace {

template <class T>
MathImplementation<T> public_math() {
  using In = std::span<const T>;
  using Out = std::span<T>;
  return {.impl = "pawl",
          .exp = [](const T* x, T* out, std::size_t n) { exp(In(x, n), Out(out, n)); },
          .log = [](const T* x, T* out, std::size_t n) { log(In(x, n), Out(out, n)); },
          .tanh = [](const T* x, T* out, std::size_t n) { tanh(In(x, n), Out(out, n)); },
          .sigmoid = [](const T* x, T* out, std::size_t n) { sigmoid(In(x, n), Out(out, n)); },
          .gelu = [](const T* x, T* out, std::size_t n) { gelu(In(x, n), Out(out, n)); },
          .gelu_tanh = [](const T* x, T* out, std::size_t n) { gelu_tanh(In(x, n), Out(out, n)); },
          .pow = [](const T* x, T* out, std::size_t n) { pow(In(x, n), T(kPower), Out(out, n)); }};
}

template <class T>
MathImplementation<T> variant(Isa isa, const MathOps<T>& ops) {
  return {std::string(name(isa)), ops.exp, ops.log, ops.tanh, ops.sigmoid, ops.gelu, ops.gelu_tanh};
}

const Registration rows([](Rows& r) {
  add_math_rows<float>(r, public_math<float>());
  if (r.quick()) return;
  for (Isa isa : runnable_isas()) add_math_rows<float>(r, variant(isa, math_table(isa).f32));
  add_math_rows<double>(r, public_math<double>());
  for (Isa isa : runnable_isas()) add_math_rows<double>(r, variant(isa, math_table(isa).f64));
});

}  // namespace
}  // namespace pawl::bench
