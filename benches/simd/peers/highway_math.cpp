// highway_math.cpp -- the math functions of Highway's contrib/math, statically dispatched for this CPU.
#define HWY_COMPILE_ONLY_STATIC  // 1.0 refuses a CPU above the targets that it builds by itself
#include <hwy/highway.h>
//
#include <hwy/contrib/math/math-inl.h>

#include "benches/simd/math_rows.hpp"

namespace pawl::bench {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

struct Exp {
  template <class D, class V>
  static V of(D d, V v) {
    return hn::Exp(d, v);
  }
};
struct Log {
  template <class D, class V>
  static V of(D d, V v) {
    return hn::Log(d, v);
  }
};
struct Tanh {
  template <class D, class V>
  static V of(D d, V v) {
    return hn::Tanh(d, v);
  }
};

template <class F, class T>
void map(const T* x, T* out, std::size_t n) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(F::of(d, hn::LoadU(d, x + i)), d, out + i);
  if (i < n) {
    HWY_ALIGN T part[hn::MaxLanes(d)] = {};
    for (std::size_t k = i; k < n; ++k) part[k - i] = x[k];
    hn::Store(F::of(d, hn::Load(d, part)), d, part);
    for (std::size_t k = i; k < n; ++k) out[k] = part[k - i];
  }
}

template <class T>
MathImplementation<T> highway() {
  return {.impl = "highway", .exp = map<Exp, T>, .log = map<Log, T>, .tanh = map<Tanh, T>};
}

const Registration rows([](Rows& r) {
  add_math_rows(r, highway<float>());
  if (!r.quick()) add_math_rows(r, highway<double>());
});

}  // namespace
}  // namespace pawl::bench
