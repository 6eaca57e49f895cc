// axis_rows.hpp -- what every implementation of reductions along an axis is run on: shapes, data, check of results.
//
// Name      op_axis<0|1>/type/impl/m:<m>/n:<n>   op: sum mean variance stddev max argmax; x is m x n, row-major; type:
//                                                f32 f64
//           sum_slice_axis<0|1>/type/impl/m:<m>/n:<n>/stride:<s>   x is n columns of a matrix of s columns
// Counters  bytes (rate: each element read once), working_set_bytes, items, allocations, p50 p95 p99
// Question  do columns cost more than rows, and a part more than the whole?
#pragma once
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "buffers.hpp"
#include "pawl/parallel.hpp"
#include "reference/reduce_ref.hpp"
#include "rows.hpp"

namespace pawl::bench {

/// op(x, m, n, axis, out): out has n results for axis 0, m for axis 1. An empty pointer is an operation it lacks.
template <class T>
struct AxisImplementation {
  using Function = void (*)(const T* x, std::size_t m, std::size_t n, std::size_t axis, T* out);
  std::string impl;
  Function sum = nullptr, mean = nullptr, variance = nullptr, stddev = nullptr, max = nullptr;
  void (*argmax)(const T* x, std::size_t m, std::size_t n, std::size_t axis, std::size_t* out) = nullptr;
  /// Row r starts at x + r * stride.
  void (*sum_slice)(const T* x, std::size_t m, std::size_t n, std::size_t stride, std::size_t axis, T* out) = nullptr;
};

// exact(first, length, stride) is one result.
template <class T, class Out, class Exact>
void add_axis_row(Rows& rows, const char* op, const std::string& impl,
                  void (*f)(const T*, std::size_t, std::size_t, std::size_t, Out*), Exact exact) {
  if (f == nullptr) return;
  std::vector<std::pair<std::size_t, std::size_t>> shapes{{256, 256}, {1000, 1000}, {4096, 4096}, {2000, 5}};
  if (rows.quick()) shapes = {{256, 256}};
  for (const auto& shape : shapes)
    for (const std::size_t axis : {std::size_t{0}, std::size_t{1}}) {
      const auto [m, n] = shape;
      rows.add(
          RowName(std::string(op) + "_axis" + std::to_string(axis), sizeof(T) == 4 ? "f32" : "f64", impl)
              .with("m", m)
              .with("n", n),
          [=, m = m, n = n](benchmark::State& state) {
            set_num_threads(1);  // as the peers
            Buffers buffers;
            const auto x = buffers.random<T>(m * n, 1);
            const std::size_t results = axis == 0 ? n : m, length = axis == 0 ? m : n;
            std::vector<Out> out(results);
            f(x.data(), m, n, axis, out.data());
            for (std::size_t k = 0; k < results; k += results / 37 + 1) {
              const auto want =
                  axis == 0 ? exact(x.data() + k, length, n) : exact(x.data() + k * n, length, std::size_t{1});
              const long double error = std::fabs(static_cast<long double>(out[k]) - static_cast<long double>(want));
              // Plain summation of values below 1 loses at most this.
              const long double bound = static_cast<long double>(length * length) * std::numeric_limits<T>::epsilon();
              if (!(error <= (std::is_same_v<Out, T> ? bound : 0))) return state.SkipWithError("wrong result");
            }
            measure(state, [&] { f(x.data(), m, n, axis, out.data()); });
            set_work(state, {.bytes = double(m * n * sizeof(T)), .items = double(m * n)});
          });
    }
}

template <class T>
void add_slice_rows(Rows& rows, const AxisImplementation<T>& f) {
  if (f.sum_slice == nullptr) return;
  constexpr std::size_t m = 200, n = 120, stride = 400, first = 37;
  for (const std::size_t axis : {std::size_t{0}, std::size_t{1}})
    rows.add(RowName("sum_slice_axis" + std::to_string(axis), sizeof(T) == 4 ? "f32" : "f64", f.impl)
                 .with("m", m)
                 .with("n", n)
                 .with("stride", stride),
             [axis, sum = f.sum_slice](benchmark::State& state) {
               set_num_threads(1);  // as the peers
               Buffers buffers;
               const auto x = buffers.random<T>(m * stride, 1);
               const std::size_t results = axis == 0 ? n : m, length = axis == 0 ? m : n;
               std::vector<T> out(results);
               sum(x.data() + first, m, n, stride, axis, out.data());
               for (std::size_t k = 0; k < results; ++k) {
                 const auto want = axis == 0 ? reference::mean(x.data() + first + k, length, stride)
                                             : reference::mean(x.data() + first + k * stride, length, std::size_t{1});
                 const auto count = static_cast<long double>(length);
                 if (!(std::fabs(out[k] - want.value * count) <= count * count * std::numeric_limits<T>::epsilon()))
                   return state.SkipWithError("wrong result");
               }
               measure(state, [&] { sum(x.data() + first, m, n, stride, axis, out.data()); });
               set_work(state, {.bytes = double(m * n * sizeof(T)), .items = double(m * n)});
             });
}

/// Registers all rows of one implementation.
template <class T>
void add_axis_rows(Rows& rows, const AxisImplementation<T>& f) {
  add_axis_row<T>(rows, "sum", f.impl, f.sum, [](const T* x, std::size_t n, std::size_t stride) {
    return reference::mean(x, n, stride).value * static_cast<long double>(n);
  });
  add_axis_row<T>(rows, "max", f.impl, f.max, [](const T* x, std::size_t n, std::size_t stride) {
    return x[reference::argmax(x, n, stride) * stride];
  });
  if (rows.quick()) return;
  add_slice_rows<T>(rows, f);
  add_axis_row<T>(rows, "mean", f.impl, f.mean,
                  [](const T* x, std::size_t n, std::size_t stride) { return reference::mean(x, n, stride).value; });
  add_axis_row<T>(rows, "stddev", f.impl, f.stddev, [](const T* x, std::size_t n, std::size_t stride) {
    return std::sqrt(reference::variance(x, n, 0, stride));
  });
  add_axis_row<T>(rows, "variance", f.impl, f.variance,
                  [](const T* x, std::size_t n, std::size_t stride) { return reference::variance(x, n, 0, stride); });
  add_axis_row<T>(rows, "argmax", f.impl, f.argmax,
                  [](const T* x, std::size_t n, std::size_t stride) { return reference::argmax(x, n, stride); });
}

}  // namespace pawl::bench
