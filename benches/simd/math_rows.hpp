// math_rows.hpp -- what every implementation of the math functions is run on: sizes, data and the check of results.
//
// Name      op/type/impl/n:<n>   op: exp log pow (x^2.5) tanh sigmoid gelu gelu_tanh, and with arguments that are often
//           beyond their ordinary size sigmoid_wide gelu_wide gelu_tanh_wide; type: f32 f64
// Counters  bytes (rate), working_set_bytes, items, max_ulp (largest error on the row's data), p50 p95 p99
// Question  how far is each from the speed of memory, and does the faster one pay with accuracy?
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "buffers.hpp"
#include "pawl/isa.hpp"
#include "pawl/parallel.hpp"
#include "reference/math_ref.hpp"
#include "rows.hpp"

namespace pawl::bench {

inline constexpr double kPower = 2.5;

/// One implementation; an empty pointer is a function that it does not have.
template <class T>
struct MathImplementation {
  std::string impl;
  using Function = void (*)(const T*, T*, std::size_t);
  Function exp = nullptr, log = nullptr, tanh = nullptr, sigmoid = nullptr, gelu = nullptr, gelu_tanh = nullptr;
  Function pow = nullptr;  ///< x^kPower
};

template <class T>
void add_math_row(Rows& rows, const char* op, const std::string& impl, void (*f)(const T*, T*, std::size_t),
                  reference::Wide<T> (*exact)(T), T low, T high) {
  if (f == nullptr) return;
  // A thousand elements as in a row of activations; then what fits into L2; then memory.
  std::vector<std::size_t> sizes{1000, 100'000, 16'000'000};
  if (rows.quick() || parse_isa(impl)) sizes = {1000};
  for (std::size_t n : sizes)
    rows.add(RowName(op, sizeof(T) == 4 ? "f32" : "f64", impl).with("n", n), [=](benchmark::State& state) {
      set_num_threads(1);  // as the peers
      Buffers buffers;
      const auto x = buffers.random<T>(n, 1, low, high), out = buffers.random<T>(n, 2);
      f(x.data(), out.data(), n);
      double worst = 0;
      for (std::size_t i = 0; i < std::min<std::size_t>(n, 10'000); ++i) {
        const reference::Wide<T> want = exact(x[i]), error = std::fabs(out[i] - want);
        int exponent = 0;
        std::frexp(want, &exponent);
        const auto ulp = std::ldexp(reference::Wide<T>(1), exponent - std::numeric_limits<T>::digits);
        // Peers are let through with a relative error of 1e-3, or that much of 1 where a tail loses its digits.
        if (!(error <= 1e-3 * std::max(std::fabs(want), reference::Wide<T>(1e-3))))
          return state.SkipWithError("wrong result");
        worst = std::max(worst, static_cast<double>(error / ulp));
      }
      measure(state, [&] { f(x.data(), out.data(), n); });
      set_work(state, {.bytes = 2.0 * double(n * sizeof(T)), .items = double(n)});
      state.counters["max_ulp"] = worst;
    });
}

/// Registers all rows of one implementation.
template <class T>
void add_math_rows(Rows& rows, const MathImplementation<T>& f) {
  add_math_row<T>(rows, "exp", f.impl, f.exp, reference::exp<T>, T(-20), T(20));
  add_math_row<T>(rows, "tanh", f.impl, f.tanh, reference::tanh<T>, T(-5), T(5));
  if (rows.quick()) return;
  add_math_row<T>(rows, "log", f.impl, f.log, reference::log<T>, T(1e-3), T(1e3));
  add_math_row<T>(
      rows, "pow", f.impl, f.pow, [](T x) { return reference::pow(x, T(kPower)); }, T(1e-2), T(100));
  add_math_row<T>(rows, "sigmoid", f.impl, f.sigmoid, reference::sigmoid<T>, T(-8), T(8));
  add_math_row<T>(rows, "gelu", f.impl, f.gelu, reference::gelu<T>, T(-5), T(5));
  add_math_row<T>(rows, "gelu_tanh", f.impl, f.gelu_tanh, reference::gelu_tanh<T>, T(-5), T(5));
  add_math_row<T>(rows, "sigmoid_wide", f.impl, f.sigmoid, reference::sigmoid<T>, T(-20), T(20));
  add_math_row<T>(rows, "gelu_wide", f.impl, f.gelu, reference::gelu<T>, T(-9), T(9));
  add_math_row<T>(rows, "gelu_tanh_wide", f.impl, f.gelu_tanh, reference::gelu_tanh<T>, T(-9), T(9));
}

}  // namespace pawl::bench
