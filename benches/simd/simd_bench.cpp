// simd_bench.cpp -- our rows: `pawl` is the public function, as a user calls it; each ISA is its entry of the table.
#include "pawl/simd.hpp"

#include "kernels/tables.hpp"
#include "simd_rows.hpp"

namespace pawl::bench {
namespace {

template <class T>
SimdImplementation<T> public_functions() {
  using In = std::span<const T>;
  using Out = std::span<T>;
  return {.impl = "pawl",
          .add = [](const T* x, const T* y, T* out, std::size_t n) { add(In(x, n), In(y, n), Out(out, n)); },
          .sub = [](const T* x, const T* y, T* out, std::size_t n) { sub(In(x, n), In(y, n), Out(out, n)); },
          .mul = [](const T* x, const T* y, T* out, std::size_t n) { mul(In(x, n), In(y, n), Out(out, n)); },
          .div = [](const T* x, const T* y, T* out, std::size_t n) { div(In(x, n), In(y, n), Out(out, n)); },
          .axpy = [](T alpha, const T* x, T* y, std::size_t n) { axpy(alpha, In(x, n), Out(y, n)); },
          .relu = [](const T* x, T* out, std::size_t n) { relu(In(x, n), Out(out, n)); },
          .dot = [](const T* x, const T* y, std::size_t n) { return dot(In(x, n), In(y, n)); },
          .sum = [](const T* x, std::size_t n) { return sum(In(x, n)); },
          .min = [](const T* x, std::size_t n) { return min(In(x, n)); },
          .max = [](const T* x, std::size_t n) { return max(In(x, n)); },
          .add_value = [](const T* x, T y, T* out, std::size_t n) { add(In(x, n), y, Out(out, n)); },
          .clamp = [](T low, T high, const T* x, T* out, std::size_t n) { clamp(In(x, n), low, high, Out(out, n)); },
          .sqrt = [](const T* x, T* out, std::size_t n) { sqrt(In(x, n), Out(out, n)); }};
}

template <class T>
SimdImplementation<T> variant(Isa isa, const SimdOps<T>& ops) {
  return {std::string(name(isa)),
          ops.add,
          ops.sub,
          ops.mul,
          ops.div,
          ops.axpy,
          ops.relu,
          ops.dot,
          ops.sum,
          ops.min,
          ops.max};
}

const Registration rows([](Rows& r) {
  add_simd_rows<float>(r, public_functions<float>());
  for (Isa isa : runnable_isas()) add_simd_rows<float>(r, variant(isa, simd_table(isa).f32));
  if (r.quick()) return;
  add_simd_rows<double>(r, public_functions<double>());
  for (Isa isa : runnable_isas()) add_simd_rows<double>(r, variant(isa, simd_table(isa).f64));
});

}  // namespace
}  // namespace pawl::bench
