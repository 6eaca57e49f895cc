// row_ops_rows.hpp -- what every implementation of include/pawl/rows.hpp is run on: shapes, data, check of results.
//
// Name      op/type/impl/rows:<r>/columns:<c>   op: softmax log_softmax (of each column: softmax_axis0
//           log_softmax_axis0) layernorm rmsnorm cross_entropy batchnorm (channels last) bias_gelu; type: f32 f64
// Counters  bytes (rate: each element read and written once), working_set_bytes, items, p50 p95 p99
// Question  are the passes over a row hidden behind its exponentials, and does it stay in cache between them?
#pragma once
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "buffers.hpp"
#include "pawl/isa.hpp"
#include "pawl/parallel.hpp"
#include "reference/math_ref.hpp"
#include "reference/rows_ref.hpp"
#include "rows.hpp"

namespace pawl::bench {

/// One implementation; an empty pointer is an operation that it does not have. epsilon is 1e-5.
template <class T>
struct RowOpsImplementation {
  std::string impl;
  void (*start)() = [] {};  ///< a row begins
  void (*softmax)(const T* x, T* out, std::size_t rows, std::size_t columns) = nullptr;
  void (*log_softmax)(const T* x, T* out, std::size_t rows, std::size_t columns) = nullptr;
  /// Along the first axis: of each column.
  void (*softmax_axis0)(const T* x, T* out, std::size_t rows, std::size_t columns) = nullptr;
  void (*log_softmax_axis0)(const T* x, T* out, std::size_t rows, std::size_t columns) = nullptr;
  void (*layernorm)(const T* x, const T* gain, const T* shift, T* out, std::size_t rows, std::size_t columns) = nullptr;
  void (*rmsnorm)(const T* x, const T* gain, T* out, std::size_t rows, std::size_t columns) = nullptr;
  /// The target of every row is kTarget; out has a loss per row.
  void (*cross_entropy)(const T* x, T* out, std::size_t rows, std::size_t columns) = nullptr;
  /// Channels are columns; gain is also the variance, shift also the mean.
  void (*batchnorm)(const T* x, const T* gain, const T* shift, T* out, std::size_t rows, std::size_t columns) = nullptr;
  void (*bias_gelu)(const T* x, const T* bias, T* out, std::size_t rows, std::size_t columns) = nullptr;
};

inline constexpr double kRowOpsEpsilon = 1e-5;
inline constexpr std::size_t kTarget = 7;

template <class T>
void add_row_ops_rows(Rows& rows, const RowOpsImplementation<T>& f) {
  // One row in L1, a batch in L2, many short rows, one row beyond L2, and memory.
  std::vector<std::pair<std::size_t, std::size_t>> shapes{
      {1, 1000}, {100, 1000}, {2000, 64}, {1, 1'000'000}, {16'000, 1000}};
  if (rows.quick() || parse_isa(f.impl)) shapes.resize(1);
  for (const auto& [r, c] : shapes) {
    // run(x, gain, shift, out) is the call; want(x, gain, shift) the exact first row.
    const auto add = [&, r = r, c = c](const char* op, auto run, auto want) {
      rows.add(RowName(op, sizeof(T) == 4 ? "f32" : "f64", f.impl).with("rows", r).with("columns", c),
               [=, start = f.start](benchmark::State& state) {
                 set_num_threads(1);  // as the peers
                 start();
                 Buffers buffers;
                 const auto x = buffers.random<T>(r * c, 1, T(-3), T(3)), out = buffers.random<T>(r * c, 2);
                 const auto gain = buffers.random<T>(c, 3, T(0.5), T(1.5)), shift = buffers.random<T>(c, 4);
                 run(x.data(), gain.data(), shift.data(), out.data(), r, c);
                 const auto exact = want(x.data(), gain.data(), shift.data());
                 for (std::size_t i = 0; i < exact.size(); ++i)
                   if (!(std::fabs(out[i] - exact[i]) <= 1e-4 * (std::fabs(exact[i]) + 1e-2)))
                     return state.SkipWithError("wrong result");
                 measure(state, [&] { run(x.data(), gain.data(), shift.data(), out.data(), r, c); });
                 set_work(state, {.bytes = 2.0 * double(r * c * sizeof(T)), .items = double(r * c)});
               });
    };
    const std::size_t n = c;
    // The exact first column is every c-th element; others are right or wrong with it (tests).
    const auto add_axis0 = [&, rs = r](const char* op, void (*g)(const T*, T*, std::size_t, std::size_t), auto exact) {
      if (g == nullptr || rs == 1) return;
      add(
          op, [g](const T* x, const T*, const T*, T* out, std::size_t rs_, std::size_t cs) { g(x, out, rs_, cs); },
          [=](const T* x, const T*, const T*) {
            std::vector<T> column(rs);
            for (std::size_t i = 0; i < rs; ++i) column[i] = x[i * n];
            return std::vector<long double>{exact(column.data(), rs)[0]};
          });
    };
    add_axis0("softmax_axis0", f.softmax_axis0, reference::softmax<T>);
    add_axis0("log_softmax_axis0", f.log_softmax_axis0, reference::log_softmax<T>);
    if (f.softmax)
      add(
          "softmax",
          [g = f.softmax](const T* x, const T*, const T*, T* out, std::size_t rs, std::size_t cs) {
            g(x, out, rs, cs);
          },
          [n](const T* x, const T*, const T*) { return reference::softmax(x, n); });
    if (f.log_softmax && !rows.quick())
      add(
          "log_softmax",
          [g = f.log_softmax](const T* x, const T*, const T*, T* out, std::size_t rs, std::size_t cs) {
            g(x, out, rs, cs);
          },
          [n](const T* x, const T*, const T*) { return reference::log_softmax(x, n); });
    // Eigen's mean of a million f32 fails the check.
    const bool loses_digits = sizeof(T) == 4 && r == 1 && c > 1000 && std::string_view(f.impl) == "eigen";
    if (f.layernorm && !loses_digits)
      add(
          "layernorm",
          [g = f.layernorm](const T* x, const T* gain, const T* shift, T* out, std::size_t rs, std::size_t cs) {
            g(x, gain, shift, out, rs, cs);
          },
          [n](const T* x, const T* gain, const T* shift) {
            auto y = reference::layernorm(x, n, T(kRowOpsEpsilon)).y;
            for (std::size_t i = 0; i < n; ++i) y[i] = y[i] * gain[i] + shift[i];
            return y;
          });
    if (f.rmsnorm && !rows.quick())
      add(
          "rmsnorm",
          [g = f.rmsnorm](const T* x, const T* gain, const T*, T* out, std::size_t rs, std::size_t cs) {
            g(x, gain, out, rs, cs);
          },
          [n](const T* x, const T* gain, const T*) {
            auto y = reference::rmsnorm(x, n, T(kRowOpsEpsilon));
            for (std::size_t i = 0; i < n; ++i) y[i] *= gain[i];
            return y;
          });
    if (rows.quick()) continue;
    if (f.cross_entropy)
      add(
          "cross_entropy",
          [g = f.cross_entropy](const T* x, const T*, const T*, T* out, std::size_t rs, std::size_t cs) {
            g(x, out, rs, cs);
          },
          [n](const T* x, const T*, const T*) {
            return std::vector<long double>{-reference::log_softmax(x, n)[kTarget]};
          });
    if (f.batchnorm)
      add(
          "batchnorm",
          [g = f.batchnorm](const T* x, const T* gain, const T* shift, T* out, std::size_t rs, std::size_t cs) {
            g(x, gain, shift, out, rs, cs);
          },
          [n](const T* x, const T* gain, const T* shift) {
            std::vector<long double> y(n);
            for (std::size_t i = 0; i < n; ++i)
              y[i] = reference::batchnorm(x[i], shift[i], gain[i], gain[i], shift[i], T(kRowOpsEpsilon));
            return y;
          });
    if (f.bias_gelu)
      add(
          "bias_gelu",
          [g = f.bias_gelu](const T* x, const T*, const T* shift, T* out, std::size_t rs, std::size_t cs) {
            g(x, shift, out, rs, cs);
          },
          [n](const T* x, const T*, const T* shift) {
            std::vector<long double> y(n);
            for (std::size_t i = 0; i < n; ++i) y[i] = reference::gelu<T>(x[i] + shift[i]);
            return y;
          });
  }
}

}  // namespace pawl::bench
