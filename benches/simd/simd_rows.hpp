// simd_rows.hpp -- what every implementation of simd_bench is run on: operations, sizes, data and the check of results.
//
// Name      op/type/impl/n:<n>[/threads:<t>]   op: add sub mul div add_value axpy relu clamp sqrt dot sum min max;
// type: f32
//           f64; one thread where the name says none
// Counters  flops, bytes (rates), working_set_bytes, p50 p95 p99
// Question  does each wider variant win, at which size does memory take over, and where do the peers stand?
#pragma once
#include <cmath>
#include <string>
#include <vector>

#include "buffers.hpp"
#include "pawl/isa.hpp"
#include "pawl/parallel.hpp"
#include "reference/simd_ref.hpp"
#include "rows.hpp"
#include "thread_counts.hpp"

namespace pawl::bench {

template <class T>
constexpr const char* type_name = sizeof(T) == 4 ? "f32" : "f64";

/// One implementation of the category; an empty pointer is an operation that it does not have.
template <class T>
struct SimdImplementation {
  std::string impl;
  void (*add)(const T*, const T*, T*, std::size_t) = nullptr;
  void (*sub)(const T*, const T*, T*, std::size_t) = nullptr;
  void (*mul)(const T*, const T*, T*, std::size_t) = nullptr;
  void (*div)(const T*, const T*, T*, std::size_t) = nullptr;
  void (*axpy)(T, const T*, T*, std::size_t) = nullptr;
  void (*relu)(const T*, T*, std::size_t) = nullptr;
  T (*dot)(const T*, const T*, std::size_t) = nullptr;
  T (*sum)(const T*, std::size_t) = nullptr;
  T (*min)(const T*, std::size_t) = nullptr;
  T (*max)(const T*, std::size_t) = nullptr;
  void (*add_value)(const T*, T, T*, std::size_t) = nullptr;
  void (*clamp)(T, T, const T*, T*, std::size_t) = nullptr;
  void (*sqrt)(const T*, T*, std::size_t) = nullptr;
};

/// Threads that rows of an implementation run on: one, as the peers beside it; ours in memory on more as well, in
/// rows of their own.
template <class T>
std::vector<int> simd_threads(const std::string& impl, std::size_t n) {
  if (impl == "pawl" && n * sizeof(T) >= (std::size_t{64} << 20)) return thread_counts();
  return {1};
}

inline RowName with_threads(RowName name, int threads) {
  return threads == 1 ? name : name.with("threads", static_cast<std::size_t>(threads));
}

/// Elements per array: a small call, L1, L2, L3, and memory (three arrays of 64 MiB: more than any L3 keeps).
/// Quick: a small call, L1 and L2, whose times hardly move from run to run; the single ISAs in L1 only.
template <class T>
std::vector<std::size_t> simd_sizes(bool quick, const std::string& impl) {
  constexpr std::size_t kKi = 1024 / sizeof(T);
  if (quick && parse_isa(impl)) return {8 * kKi};
  if (quick) return {16, 8 * kKi, 128 * kKi};
  return {16, 8 * kKi, 128 * kKi, 2048 * kKi, 65536 * kKi};
}

/// Within `bound` of the reference; false for NaN.
inline bool close(long double value, long double want, long double bound) { return std::fabs(value - want) <= bound; }

template <class T>
void add_binary_rows(Rows& rows, const char* op, const std::string& impl,
                     void (*f)(const T*, const T*, T*, std::size_t), T (*want)(T, T)) {
  if (f == nullptr) return;
  for (std::size_t n : simd_sizes<T>(rows.quick(), impl))
    for (const int threads : simd_threads<T>(impl, n))
      rows.add(with_threads(RowName(op, type_name<T>, impl).with("n", n), threads), [=](benchmark::State& state) {
        set_num_threads(threads);
        Buffers buffers;
        // Divisors stay away from 0, so that no quotient is huge.
        const auto x = buffers.random<T>(n, 1), y = buffers.random<T>(n, 2, T(0.5), T(2)),
                   out = buffers.random<T>(n, 3);
        f(x.data(), y.data(), out.data(), n);
        for (std::size_t i = 0; i < n; ++i)
          if (!close(out[i], want(x[i], y[i]), std::fabs(want(x[i], y[i])) * T(1e-6)))
            return state.SkipWithError("wrong result");
        measure(state, [&] { f(x.data(), y.data(), out.data(), n); });
        set_work(state, {.flops = double(n), .bytes = 3.0 * double(n * sizeof(T)), .items = double(n)});
      });
}

/// One operand; f(x, out, n). Ours are exact (tests); peers may estimate, as Eigen's square root does.
template <class T, class F, class Want>
void add_unary_rows(Rows& rows, const char* op, const std::string& impl, F f, Want want) {
  for (std::size_t n : simd_sizes<T>(rows.quick(), impl))
    rows.add(RowName(op, type_name<T>, impl).with("n", n), [=](benchmark::State& state) {
      set_num_threads(1);
      Buffers buffers;
      const auto x = buffers.random<T>(n, 1, T(0), T(2)), out = buffers.random<T>(n, 2);
      f(x.data(), out.data(), n);
      for (std::size_t i = 0; i < n; ++i)
        if (!close(out[i], want(x[i]), T(1e-6) * want(x[i]))) return state.SkipWithError("wrong result");
      measure(state, [&] { f(x.data(), out.data(), n); });
      set_work(state, {.bytes = 2.0 * double(n * sizeof(T)), .items = double(n)});
    });
}

template <class T>
void add_reduction_rows(Rows& rows, const char* op, const std::string& impl, T (*f)(const T*, std::size_t),
                        long double (*error)(const T*, std::size_t, T)) {
  if (f == nullptr) return;
  for (std::size_t n : simd_sizes<T>(rows.quick(), impl))
    for (const int threads : simd_threads<T>(impl, n))
      rows.add(with_threads(RowName(op, type_name<T>, impl).with("n", n), threads), [=](benchmark::State& state) {
        set_num_threads(threads);
        Buffers buffers;
        const auto x = buffers.random<T>(n, 1);
        if (!(error(x.data(), n, f(x.data(), n)) <= 1)) return state.SkipWithError("wrong result");
        measure(state, [&] {
          const T* p = x.data();
          benchmark::DoNotOptimize(p);
          benchmark::DoNotOptimize(f(p, n));
        });
        set_work(state, {.flops = double(n), .bytes = double(n * sizeof(T)), .items = double(n)});
      });
}

/// Registers all rows of one implementation.
template <class T>
void add_simd_rows(Rows& rows, const SimdImplementation<T>& f) {
  add_binary_rows<T>(rows, "add", f.impl, f.add, reference::add<T>);
  add_binary_rows<T>(rows, "mul", f.impl, f.mul, reference::mul<T>);
  if (!rows.quick()) {
    add_binary_rows<T>(rows, "sub", f.impl, f.sub, reference::sub<T>);
    add_binary_rows<T>(rows, "div", f.impl, f.div, reference::div<T>);
  }
  if (!rows.quick()) {
    if (f.add_value)
      add_unary_rows<T>(
          rows, "add_value", f.impl, [g = f.add_value](const T* x, T* out, std::size_t n) { g(x, T(0.75), out, n); },
          [](T x) { return x + T(0.75); });
    if (f.clamp)
      add_unary_rows<T>(
          rows, "clamp", f.impl, [g = f.clamp](const T* x, T* out, std::size_t n) { g(T(0.5), T(1.5), x, out, n); },
          [](T x) { return reference::clamp(x, T(0.5), T(1.5)); });
    if (f.sqrt) add_unary_rows<T>(rows, "sqrt", f.impl, f.sqrt, reference::sqrt<T>);
  }
  // Errors in units of the bound n * eps * sum of magnitudes (docstrings of simd.hpp).
  add_reduction_rows<T>(rows, "sum", f.impl, f.sum, [](const T* x, std::size_t n, T value) {
    const auto want = reference::sum(x, n);
    return std::fabs(value - want.value) /
           (static_cast<long double>(n) * std::numeric_limits<T>::epsilon() * want.magnitude);
  });
  add_reduction_rows<T>(rows, "max", f.impl, f.max,
                        [](const T* x, std::size_t n, T value) { return value == reference::max(x, n) ? 0.0L : 2.0L; });
  if (!rows.quick())
    add_reduction_rows<T>(rows, "min", f.impl, f.min, [](const T* x, std::size_t n, T value) {
      return value == reference::min(x, n) ? 0.0L : 2.0L;
    });
  for (std::size_t n : simd_sizes<T>(rows.quick(), f.impl)) {
    if (f.dot)
      rows.add(RowName("dot", type_name<T>, f.impl).with("n", n), [=](benchmark::State& state) {
        set_num_threads(1);
        Buffers buffers;
        const auto x = buffers.random<T>(n, 1), y = buffers.random<T>(n, 2);
        const auto want = reference::dot(x.data(), y.data(), n);
        const long double bound = static_cast<long double>(n) * std::numeric_limits<T>::epsilon() * want.magnitude;
        if (!close(f.dot(x.data(), y.data(), n), want.value, bound)) return state.SkipWithError("wrong result");
        measure(state, [&] {
          const T* p = x.data();
          benchmark::DoNotOptimize(p);
          benchmark::DoNotOptimize(f.dot(p, y.data(), n));
        });
        set_work(state, {.flops = 2.0 * double(n), .bytes = 2.0 * double(n * sizeof(T)), .items = double(n)});
      });
    if (f.axpy)
      rows.add(RowName("axpy", type_name<T>, f.impl).with("n", n), [=](benchmark::State& state) {
        set_num_threads(1);
        Buffers buffers;
        const auto x = buffers.random<T>(n, 1), y = buffers.random<T>(n, 2);
        const T alpha = T(0.75), before = y[n - 1];
        f.axpy(alpha, x.data(), y.data(), n);
        if (!close(y[n - 1], reference::axpy(alpha, x[n - 1], before), T(1e-5)))
          return state.SkipWithError("wrong result");
        // Growing by alpha x a turn, y stays far from overflow for any number of turns that fits into a measurement.
        measure(state, [&] { f.axpy(alpha, x.data(), y.data(), n); });
        set_work(state, {.flops = 2.0 * double(n),
                         .bytes = 3.0 * double(n * sizeof(T)),
                         .working_set_bytes = 2.0 * double(n * sizeof(T)),
                         .items = double(n)});
      });
    if (f.relu && !rows.quick())
      rows.add(RowName("relu", type_name<T>, f.impl).with("n", n), [=](benchmark::State& state) {
        set_num_threads(1);
        Buffers buffers;
        const auto x = buffers.random<T>(n, 1), out = buffers.random<T>(n, 2);
        f.relu(x.data(), out.data(), n);
        for (std::size_t i = 0; i < n; ++i)
          if (out[i] != reference::relu(x[i])) return state.SkipWithError("wrong result");
        measure(state, [&] { f.relu(x.data(), out.data(), n); });
        set_work(state, {.bytes = 2.0 * double(n * sizeof(T)), .items = double(n)});
      });
  }
}

}  // namespace pawl::bench
