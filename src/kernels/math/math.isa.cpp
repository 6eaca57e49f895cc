// math.isa.cpp -- compiled once per ISA; defines that ISA's table of the category `math` and nothing else visible.
#include "kernels/math/exp.kernel.hpp"
#include "kernels/math/gelu.kernel.hpp"
#include "kernels/math/log.kernel.hpp"
#include "kernels/tables.hpp"

namespace pawl::PAWL_ISA_NS {

// Two vectors a turn, since each is a long chain of multiply-adds; the CPU overlaps more of them by itself.
template <class F, class T>
static void map(const T* x, T* out, std::size_t n) noexcept {
  constexpr std::size_t W = lanes<T>;
  const F f{};
  std::size_t i = 0;
  for (; i + 2 * W <= n; i += 2 * W) {
    const Vec<T> a = f.template of<T>(load<T>(x + i)), b = f.template of<T>(load<T>(x + i + W));
    store<T>(out + i, a);
    store<T>(out + i + W, b);
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
          .gelu_tanh = map<GeluTanh, T>};
}

constinit const MathTable math_table{.f32 = math_ops<float>(), .f64 = math_ops<double>()};

}  // namespace pawl::PAWL_ISA_NS
