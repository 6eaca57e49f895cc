// math.isa.cpp -- compiled once per ISA; defines that ISA's table of the category `math` and nothing else visible.
#include "kernels/math/exp.kernel.hpp"
#include "kernels/math/gelu.kernel.hpp"
#include "kernels/math/log.kernel.hpp"
#include "kernels/math/map.kernel.hpp"
#include "kernels/math/pow.kernel.hpp"
#include "kernels/tables.hpp"

namespace pawl::PAWL_ISA_NS {

template <class F, class T>
static void map(const T* x, T* out, std::size_t n) noexcept {
  const F f{};
  const auto whole = [=](std::size_t i) PAWL_INLINE_LAMBDA { return load<T>(x + i); };
  const auto first = [=](std::size_t i, std::size_t count) PAWL_INLINE_LAMBDA { return load_first<T>(x + i, count); };
  if (worth_streaming(2 * n * sizeof(T)) && x != out) [[unlikely]] {
    const T* const ahead = x + detail::asked_ahead_bytes / sizeof(T);
    return map_past<F, T>(
        out, n, f,
        [=](std::size_t i) PAWL_INLINE_LAMBDA {
          prefetch<T>(ahead + i);
          return whole(i);
        },
        first);
  }
  map_four<F, T>(out, n, f, whole, first);
}

template <class T>
static constexpr MathOps<T> math_ops() {
  return {.exp = map<Exp, T>,
          .log = map<Log, T>,
          .tanh = map<Tanh, T>,
          .sigmoid = map<Sigmoid, T>,
          .gelu = map<GeluErf, T>,
          .gelu_tanh = map<GeluTanh, T>,
          .pow = pow<T>};
}

constinit const MathTable math_table{.f32 = math_ops<float>(), .f64 = math_ops<double>()};

}  // namespace pawl::PAWL_ISA_NS
