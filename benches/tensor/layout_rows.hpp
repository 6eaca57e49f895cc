// layout_rows.hpp -- what every implementation of rearranging is run on: shapes, data, check of results.
//
// Name      transpose/type/impl/m:<m>/n:<n>                    a row-major matrix into another one
//           permute/type/impl/case:<nchw_nhwc|nhwc_nchw|heads>   8 x 64 x 56 x 56, its reverse, and 8 x 128 x 12 x 64
//           concat/type/impl/m:<m>/n:<n>                       two matrices of m x n side by side (axis 1)
//           broadcast_add_<row|column>/type/impl/m:<m>/n:<n>   m x n plus one row, or one column
// Counters  bytes (rate: each element read and written once), working_set_bytes, items, allocations, p50 p95 p99
// Question  how far is each from a copy?
#pragma once
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "buffers.hpp"
#include "pawl/parallel.hpp"
#include "reference/layout_ref.hpp"
#include "rows.hpp"

namespace pawl::bench {

/// One implementation; an empty pointer is an operation that it does not have.
template <class T>
struct LayoutImplementation {
  using N = std::size_t;
  std::string impl;
  void (*transpose)(const T* x, N m, N n, T* out) = nullptr;
  /// Four dimensions of the given extents in the order `axes`.
  void (*permute)(const T* x, const std::array<N, 4>& extents, const std::array<N, 4>& axes, T* out) = nullptr;
  void (*concat)(const T* x, const T* y, N m, N n, T* out) = nullptr;
  void (*add_row)(const T* x, const T* row, N m, N n, T* out) = nullptr;
  void (*add_column)(const T* x, const T* column, N m, N n, T* out) = nullptr;
};

template <class T>
RowName layout_name(const std::string& op, const std::string& impl) {
  return RowName(op, sizeof(T) == 4 ? "f32" : "f64", impl);
}

// want(x, y) is the exact result.
template <class T, class Run, class Want>
void add_layout_row(Rows& rows, const RowName& name, std::size_t x_size, std::size_t y_size, std::size_t out_size,
                    Run run, Want want) {
  rows.add(name, [=](benchmark::State& state) {
    set_num_threads(1);  // as the peers
    Buffers buffers;
    const auto x = buffers.random<T>(x_size, 1), y = buffers.random<T>(y_size + 1, 2),
               out = buffers.random<T>(out_size, 3);
    run(x.data(), y.data(), out.data());
    const std::vector<T> exact = want(x.data(), y.data());
    for (std::size_t i = 0; i < out_size; ++i)
      if (out[i] != exact[i]) return state.SkipWithError("wrong result");
    measure(state, [&] { run(x.data(), y.data(), out.data()); });
    set_work(state, {.bytes = double((x_size + y_size + out_size) * sizeof(T)), .items = double(out_size)});
  });
}

template <class T>
void add_permute_rows(Rows& rows, const LayoutImplementation<T>& f) {
  using A = std::array<std::size_t, 4>;
  struct Case {
    const char* name;
    A extents, axes;
  };
  for (const Case& c :
       {Case{"nchw_nhwc", {8, 64, 56, 56}, {0, 2, 3, 1}}, Case{"nhwc_nchw", {8, 56, 56, 64}, {0, 3, 1, 2}},
        Case{"heads", {8, 128, 12, 64}, {0, 2, 1, 3}}}) {
    const std::size_t size = c.extents[0] * c.extents[1] * c.extents[2] * c.extents[3];
    add_layout_row<T>(
        rows, layout_name<T>("permute", f.impl).with("case", c.name), size, 0, size,
        [=, g = f.permute](const T* x, const T*, T* out) { g(x, c.extents, c.axes, out); },
        [=](const T* x, const T*) {
          return reference::gather<T>(View<const T>(x, Shape(std::span(c.extents))).permute(std::span(c.axes)));
        });
  }
}

/// Registers all rows of one implementation.
template <class T>
void add_layout_rows(Rows& rows, const LayoutImplementation<T>& f) {
  using Shapes = std::vector<std::pair<std::size_t, std::size_t>>;
  if (f.transpose)
    for (const auto& [m, n] :
         rows.quick()
             ? Shapes{{256, 256}}
             : Shapes{{64, 64}, {256, 256}, {1000, 1000}, {1024, 1024}, {2048, 2048}, {4096, 4096}, {100'000, 3}})
      add_layout_row<T>(
          rows, layout_name<T>("transpose", f.impl).with("m", m).with("n", n), m * n, 0, m * n,
          [m = m, n = n, g = f.transpose](const T* x, const T*, T* out) { g(x, m, n, out); },
          [m = m, n = n](const T* x, const T*) { return reference::transpose(x, m, n); });
  if (rows.quick()) return;
  if (f.permute) add_permute_rows<T>(rows, f);
  for (const auto& [m_, n_] : Shapes{{100, 100}, {1000, 1000}, {4000, 4000}, {100'000, 8}}) {
    const std::size_t m = m_, n = n_;
    const auto name = [&](const char* op) { return layout_name<T>(op, f.impl).with("m", m).with("n", n); };
    if (f.concat)
      add_layout_row<T>(
          rows, name("concat"), m * n, m * n, 2 * m * n,
          [=, g = f.concat](const T* x, const T* y, T* out) { g(x, y, m, n, out); },
          [=](const T* x, const T* y) {
            std::vector<T> out;
            for (std::size_t i = 0; i < m; ++i) {
              out.insert(out.end(), x + i * n, x + (i + 1) * n);
              out.insert(out.end(), y + i * n, y + (i + 1) * n);
            }
            return out;
          });
    const auto added = [=](bool row) {
      return [=](const T* x, const T* y) {
        std::vector<T> out(m * n);
        for (std::size_t i = 0; i < m * n; ++i) out[i] = x[i] + y[row ? i % n : i / n];
        return out;
      };
    };
    if (f.add_row)
      add_layout_row<T>(
          rows, name("broadcast_add_row"), m * n, n, m * n,
          [=, g = f.add_row](const T* x, const T* y, T* out) { g(x, y, m, n, out); }, added(true));
    if (f.add_column)
      add_layout_row<T>(
          rows, name("broadcast_add_column"), m * n, m, m * n,
          [=, g = f.add_column](const T* x, const T* y, T* out) { g(x, y, m, n, out); }, added(false));
  }
}

}  // namespace pawl::bench
