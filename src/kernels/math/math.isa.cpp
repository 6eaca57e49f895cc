// math.isa.cpp -- compiled once per ISA; defines that ISA's table of the category `math` and nothing else visible.
#include "kernels/math/exp.kernel.hpp"
#include "kernels/math/gelu.kernel.hpp"
#include "kernels/math/log.kernel.hpp"
#include "kernels/math/pow.kernel.hpp"
#include "kernels/tables.hpp"

namespace pawl::PAWL_ISA_NS {

// Four vectors a turn, whose operations the compiler mixes (CMakeLists.txt): each is a long chain of multiply-adds, and
// one chain after the other fills the CPU's schedulers with instructions that wait.
template <class F, class T>
static void map(const T* x, T* out, std::size_t n) noexcept {
  constexpr std::size_t W = lanes<T>, kAtOnce = 4;
  const F f{};
  std::size_t i = 0;
  for (; i + kAtOnce * W <= n; i += kAtOnce * W) {
    Vec<T> v[kAtOnce];
    unroll<kAtOnce>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = f.template of<T>(load<T>(x + i + k * W)); });
    unroll<kAtOnce>([&](auto k) PAWL_INLINE_LAMBDA { store<T>(out + i + k * W, v[k]); });
  }
  for (; i < n; i += W) {
    const std::size_t count = n - i < W ? n - i : W;
    store_first<T>(out + i, f.template of<T>(load_first<T>(x + i, count)), count);
  }
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
