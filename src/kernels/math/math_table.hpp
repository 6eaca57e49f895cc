// math_table.hpp -- the entries of the category `math`: elementary functions over contiguous elements.
#pragma once
#include <cstddef>

namespace pawl {

/// out[i] = f(x[i]) for i < n; out may be x. Contracts are in include/pawl/math.hpp.
template <class T>
struct MathOps {
  using Function = void (*)(const T* x, T* out, std::size_t n) noexcept;
  Function exp, log, tanh, sigmoid, gelu, gelu_tanh;
  /// out[i] = x[i]^y.
  void (*pow)(const T* x, T y, T* out, std::size_t n) noexcept;
};

struct MathTable {
  MathOps<float> f32;
  MathOps<double> f64;
};

}  // namespace pawl
