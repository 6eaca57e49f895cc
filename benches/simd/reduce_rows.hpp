// reduce_rows.hpp -- what every implementation of the span functions of include/pawl/reduce.hpp is run on: sizes, data,
// check of results.
//
// Name      op/type/impl/n:<n>   op: mean variance stddev argmax norm cosine_similarity; type: f32 f64
// Counters  bytes (rate: each element read once), working_set_bytes, items, p50 p95 p99
// Question  does a second look at the data (variance, argmax) or care for accuracy cost a second pass over memory?
#pragma once
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "buffers.hpp"
#include "pawl/isa.hpp"
#include "pawl/parallel.hpp"
#include "reference/reduce_ref.hpp"
#include "rows.hpp"

namespace pawl::bench {

/// One implementation; an empty pointer is an operation that it does not have.
template <class T>
struct ReduceImplementation {
  std::string impl;
  T (*mean)(const T* x, std::size_t n) = nullptr;
  T (*variance)(const T* x, std::size_t n) = nullptr;
  T (*stddev)(const T* x, std::size_t n) = nullptr;
  std::size_t (*argmax)(const T* x, std::size_t n) = nullptr;
  T (*norm)(const T* x, std::size_t n) = nullptr;
  T (*cosine_similarity)(const T* x, const T* y, std::size_t n) = nullptr;
};

// f(x, y, n) -> a number; right(that, x, y, n) checks it. `inputs` arrays of n are read.
template <class T, class F, class Right>
void add_reduce_row(Rows& rows, const char* op, const std::string& impl, double inputs, F f, Right right) {
  constexpr std::size_t kKi = 1024 / sizeof(T);
  std::vector<std::size_t> sizes{16, 8 * kKi, 128 * kKi, 2048 * kKi, 65536 * kKi};
  if (rows.quick() || parse_isa(impl)) sizes = {8 * kKi};
  for (const std::size_t n : sizes)
    rows.add(RowName(op, sizeof(T) == 4 ? "f32" : "f64", impl).with("n", n), [=](benchmark::State& state) {
      set_num_threads(1);  // as the peers
      Buffers buffers;
      const auto x = buffers.random<T>(n, 1), y = buffers.random<T>(n, 2);
      if (!right(f(x.data(), y.data(), n), x.data(), y.data(), n)) return state.SkipWithError("wrong result");
      measure(state, [&] {
        const T* p = x.data();
        benchmark::DoNotOptimize(p);
        benchmark::DoNotOptimize(f(p, y.data(), n));
      });
      set_work(state, {.bytes = inputs * double(n * sizeof(T)), .items = double(n)});
    });
}

/// Registers all rows of one implementation. Peers' sums are let through with the error of plain summation.
template <class T>
void add_reduce_rows(Rows& rows, const ReduceImplementation<T>& f) {
  const auto near = [](long double got, long double want, std::size_t n) {
    return std::fabs(got - want) <= static_cast<long double>(n + 64) * std::numeric_limits<T>::epsilon();
  };
  if (f.mean)
    add_reduce_row<T>(
        rows, "mean", f.impl, 1, [g = f.mean](const T* x, const T*, std::size_t n) { return g(x, n); },
        [near](T got, const T* x, const T*, std::size_t n) { return near(got, reference::mean(x, n).value, n); });
  if (f.variance)
    add_reduce_row<T>(
        rows, "variance", f.impl, 1, [g = f.variance](const T* x, const T*, std::size_t n) { return g(x, n); },
        [near](T got, const T* x, const T*, std::size_t n) { return near(got, reference::variance(x, n, 0), n); });
  if (f.argmax)
    add_reduce_row<T>(
        rows, "argmax", f.impl, 1, [g = f.argmax](const T* x, const T*, std::size_t n) { return g(x, n); },
        [](std::size_t got, const T* x, const T*, std::size_t n) { return got == reference::argmax(x, n); });
  if (rows.quick()) return;
  if (f.stddev)
    add_reduce_row<T>(
        rows, "stddev", f.impl, 1, [g = f.stddev](const T* x, const T*, std::size_t n) { return g(x, n); },
        [near](T got, const T* x, const T*, std::size_t n) {
          return near(got, std::sqrt(reference::variance(x, n, 0)), n);
        });
  if (f.norm)
    add_reduce_row<T>(
        rows, "norm", f.impl, 1, [g = f.norm](const T* x, const T*, std::size_t n) { return g(x, n); },
        [near](T got, const T* x, const T*, std::size_t n) {
          const long double want = reference::norm(x, n);
          return near(got / want, 1, n);
        });
  if (f.cosine_similarity)
    add_reduce_row<T>(rows, "cosine_similarity", f.impl, 2, f.cosine_similarity,
                      [near](T got, const T* x, const T* y, std::size_t n) {
                        return near(got, reference::cosine_similarity(x, y, n), n);
                      });
}

}  // namespace pawl::bench
