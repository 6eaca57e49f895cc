// matmul_rows.hpp -- what every implementation of matmul is run on: shapes, data, threads and the check of results.
//
// Name      matmul/type/impl/m:<m>/n:<n>/k:<k>/threads:<t>; matmul_packed where B was packed once before the loop;
//           matmul_batched/.../batch:<b>/... for b products of their own data
// Counters  flops (2 m n k per call, a rate), bytes (A, B and C once), working_set_bytes, p50 p95 p99
// Question  which share of the FMA peak is reached from tiny to large and for few rows, and where do the peers stand?
#pragma once
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "buffers.hpp"
#include "pawl/isa.hpp"
#include "reference/matmul_ref.hpp"
#include "rows.hpp"
#include "thread_counts.hpp"

namespace pawl::bench {

/// Row-major c [m x n] = a [m x k] * b [k x n], on as many threads as set_threads was told.
template <class T>
struct MatmulImplementation {
  std::string impl;
  void (*multiply)(std::size_t m, std::size_t n, std::size_t k, const T* a, const T* b, T* c);
  /// Starts a row: what was kept for another row's data is dropped.
  void (*set_threads)(int threads);
  bool packed = false;  ///< the first call with some data packs B and keeps it
};

using MatmulShape = std::array<std::size_t, 3>;  // m, n, k

/// Square sizes from a register tile to beyond L3; few rows as in inference of one to a few tokens; a transformer's
/// layer.
/// Quick: one of each kind; of the single ISAs, which all run the same driver, one size.
inline std::vector<MatmulShape> matmul_shapes(bool quick, const std::string& impl, bool packed) {
  if (quick && packed) return {{1024, 1024, 1024}, {1, 4096, 1024}, {8, 4096, 1024}};
  if (quick && parse_isa(impl)) return {{256, 256, 256}};
  if (quick) return {{16, 16, 16}, {64, 64, 64}, {256, 256, 256}, {1024, 1024, 1024}, {1, 4096, 1024}, {8, 4096, 1024}};
  return {{16, 16, 16},     {32, 32, 32},       {64, 64, 64},       {128, 128, 128},  {256, 256, 256},
          {512, 512, 512},  {1024, 1024, 1024}, {2048, 2048, 2048}, {1, 4096, 4096},  {8, 4096, 4096},
          {16, 1024, 1024}, {1024, 16, 1024},   {1024, 1024, 16},   {128, 3072, 768}, {1000, 3, 200},
          {900, 17, 60},    {300, 10, 260},     {5, 100, 300},      {1, 1000, 5}};
}

/// Whether a sample of the elements of c, first and last row and column among them, is within matmul.hpp's bound: the
/// whole reference would take longer than the measurement.
template <class T>
bool is_product(std::size_t m, std::size_t n, std::size_t k, const T* a, const T* b, const T* c) {
  const std::size_t step_i = m > 8 ? m / 8 : 1, step_j = n > 8 ? n / 8 : 1;
  for (std::size_t i = m - 1; i < m; i = i >= step_i ? i - step_i : m)
    for (std::size_t j = n - 1; j < n; j = j >= step_j ? j - step_j : n) {
      const auto want = reference::matmul_element<T>(false, false, i, j, k, T(1), a, k, b, n, T(0), T(0));
      const long double bound = static_cast<long double>(k + 2) * std::numeric_limits<T>::epsilon() * want.magnitude;
      if (!(std::fabs(c[i * n + j] - want.value) <= bound)) return false;
    }
  return true;
}

template <class T>
void add_matmul_rows(Rows& rows, const MatmulImplementation<T>& f, const std::vector<int>& thread_counts) {
  for (int threads : thread_counts)
    for (const auto& [m, n, k] : matmul_shapes(rows.quick(), f.impl, f.packed)) {
      if (threads > 1 && m * n * k < 512u * 512 * 512) continue;
      const char* type = sizeof(T) == 4 ? "f32" : "f64";
      rows.add(
          RowName(f.packed ? "matmul_packed" : "matmul", type, f.impl)
              .with("m", m)
              .with("n", n)
              .with("k", k)
              .with("threads", static_cast<std::size_t>(threads)),
          [=, m = m, n = n, k = k](benchmark::State& state) {
            f.set_threads(threads);
            Buffers buffers;
            const auto a = buffers.random<T>(m * k, 1), b = buffers.random<T>(k * n, 2), c = buffers.make<T>(m * n);
            f.multiply(m, n, k, a.data(), b.data(), c.data());
            if (!is_product<T>(m, n, k, a.data(), b.data(), c.data())) return state.SkipWithError("wrong result");
            measure(state, [&] { f.multiply(m, n, k, a.data(), b.data(), c.data()); });
            const double bytes = double(m * k + k * n + m * n) * sizeof(T);
            set_work(state, {.flops = 2.0 * double(m) * double(n) * double(k), .bytes = bytes});
          },
          m * n * k > 100'000 ? benchmark::kMicrosecond : benchmark::kNanosecond);
    }
}

/// Small products of their own data each, as in the attention of a transformer: by `multiply_all` if there is one, else
/// by a loop over f.multiply, which is what users of that library write.
template <class T>
void add_matmul_batched_rows(Rows& rows, const MatmulImplementation<T>& f, const std::vector<int>& thread_counts,
                             void (*multiply_all)(std::size_t batch, std::size_t m, std::size_t n, std::size_t k,
                                                  const T* a, const T* b, T* c) = nullptr) {
  if (rows.quick()) return;
  for (int threads : thread_counts)
    for (const auto& [batch, side] : {std::array<std::size_t, 2>{4, 32}, {8, 64}, {16, 128}}) {
      const char* type = sizeof(T) == 4 ? "f32" : "f64";
      rows.add(
          RowName("matmul_batched", type, f.impl)
              .with("batch", batch)
              .with("m", side)
              .with("n", side)
              .with("k", side)
              .with("threads", static_cast<std::size_t>(threads)),
          [=, batch = batch, side = side](benchmark::State& state) {
            f.set_threads(threads);
            Buffers buffers;
            const std::size_t each = side * side;
            const auto a = buffers.random<T>(batch * each, 1), b = buffers.random<T>(batch * each, 2);
            const auto c = buffers.make<T>(batch * each);
            const auto run = [&] {
              if (multiply_all) return multiply_all(batch, side, side, side, a.data(), b.data(), c.data());
              for (std::size_t s = 0; s < batch * each; s += each)
                f.multiply(side, side, side, a.data() + s, b.data() + s, c.data() + s);
            };
            run();
            for (std::size_t s = 0; s < batch * each; s += each)
              if (!is_product<T>(side, side, side, a.data() + s, b.data() + s, c.data() + s))
                return state.SkipWithError("wrong result");
            measure(state, run);
            set_work(state,
                     {.flops = 2.0 * double(batch * each * side), .bytes = 3.0 * double(batch * each) * sizeof(T)});
          },
          benchmark::kMicrosecond);
    }
}

}  // namespace pawl::bench
