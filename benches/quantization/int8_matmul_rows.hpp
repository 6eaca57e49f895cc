// int8_matmul_rows.hpp -- what every implementation of int8 products is run on: shapes, data and the check of results.
//
// Name      matmul/s8/impl/m:<m>/n:<n>/k:<k>/threads:<t> (i32 out, weights as they lie); matmul_packed/... (weights
// packed
//           once before the loop); linear_packed/... (f32 in, quantized on the way, f32 out with bias and relu)
// Counters  flops (2 m n k per call, of integers; a rate), bytes (a, b and c once), working_set_bytes, p50 p95 p99
// Question  which share of the dot-product peak is reached, and at one row of the bandwidth that holds the weights?
#pragma once
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "buffers.hpp"
#include "pawl/isa.hpp"
#include "reference/quant_ref.hpp"
#include "rows.hpp"
#include "thread_counts.hpp"

namespace pawl::bench {

struct Int8Case {
  std::size_t m, n, k;
  const std::int8_t *a, *b;  ///< [m, k], [k, n] row-major
  std::int32_t* c;
};

struct LinearCase {
  std::size_t m, n, k;
  const float *x, *w, *bias;  ///< [m, k], [k, n], [n]
  float* c;
};

/// One implementation; an empty pointer is an operation that it does not have.
struct Int8Implementation {
  std::string impl;
  void (*start)(int threads);  ///< a row begins: what was kept for another row's data is dropped
  void (*multiply)(const Int8Case&) = nullptr;
  void (*multiply_packed)(const Int8Case&) = nullptr;  ///< the first call packs b and keeps it
  void (*linear)(const LinearCase&) = nullptr;         ///< likewise
};

using ProductShape = std::array<std::size_t, 3>;  // m, n, k

/// Squares; one and a few tokens through a large layer; a batch through a transformer's layers; what does not divide
/// into panels; few columns; little depth, so that the results are most of the traffic.
inline std::vector<ProductShape> product_shapes(bool quick, const std::string& impl) {
  if (quick) return {{256, 256, 256}, {1, 4096, 4096}};
  if (parse_isa(impl)) return {{256, 256, 256}, {1, 4096, 4096}, {8, 4096, 4096}};
  return {{256, 256, 256}, {1024, 1024, 1024}, {1, 4096, 4096},  {2, 4096, 4096},  {4, 4096, 4096},
          {8, 4096, 4096}, {32, 768, 768},     {32, 3072, 768},  {32, 4096, 1024}, {33, 1000, 333},
          {100, 100, 100}, {256, 16, 1024},    {2048, 2048, 128}};
}

/// Calls check(i, j) for a sample of the elements of [m, n], first and last among them.
template <class Check>
bool sampled(std::size_t m, std::size_t n, Check check) {
  const std::size_t step_i = m > 8 ? m / 8 : 1, step_j = n > 40 ? n / 40 : 1;
  for (std::size_t i = m - 1; i < m; i = i >= step_i ? i - step_i : m)
    for (std::size_t j = n - 1; j < n; j = j >= step_j ? j - step_j : n)
      if (!check(i, j)) return false;
  return true;
}

inline void add_product(Rows& rows, const Int8Implementation& f, const char* op, void (*multiply)(const Int8Case&),
                        std::size_t m, std::size_t n, std::size_t k, int threads) {
  if (multiply == nullptr) return;
  rows.add(
      RowName(op, "s8", f.impl)
          .with("m", m)
          .with("n", n)
          .with("k", k)
          .with("threads", static_cast<std::size_t>(threads)),
      [=, start = f.start](benchmark::State& state) {
        start(threads);
        Buffers buffers;
        const auto a = buffers.make<std::int8_t>(m * k), b = buffers.make<std::int8_t>(k * n);
        const auto c = buffers.make<std::int32_t>(m * n);
        std::uint32_t random = 1;
        for (const auto codes : {a, b})
          for (std::int8_t& code : codes)
            code = static_cast<std::int8_t>((random = random * 1664525u + 1013904223u) >> 24);
        const Int8Case x{m, n, k, a.data(), b.data(), c.data()};
        try {
          multiply(x);
        } catch (const std::exception& error) {
          return state.SkipWithError(error.what());
        }
        if (!sampled(m, n, [&](std::size_t i, std::size_t j) {
              return c[i * n + j] == reference::int8_product(a.data() + i * k, 0, b.data() + j, n, 0, k);
            }))
          return state.SkipWithError("wrong result");
        measure(state, [&] { multiply(x); });
        set_work(state, {.flops = 2.0 * double(m) * double(n) * double(k), .bytes = double(m * k + k * n + 4 * m * n)});
      },
      benchmark::kMicrosecond);
}

inline void add_linear(Rows& rows, const Int8Implementation& f, std::size_t m, std::size_t n, std::size_t k,
                       int threads) {
  if (f.linear == nullptr) return;
  rows.add(
      RowName("linear_packed", "s8", f.impl)
          .with("m", m)
          .with("n", n)
          .with("k", k)
          .with("threads", static_cast<std::size_t>(threads)),
      [=](benchmark::State& state) {
        f.start(threads);
        Buffers buffers;
        const auto x = buffers.random_f32(m * k, 1), w = buffers.random_f32(k * n, 2), bias = buffers.random_f32(n, 3);
        const auto c = buffers.make<float>(m * n);
        const LinearCase layer{m, n, k, x.data(), w.data(), bias.data(), c.data()};
        f.linear(layer);
        // Values in [-1, 1], steps of 1 / 127: each product is at most 1 / 127 off, and at random.
        const double bound = 6 * std::sqrt(double(k)) / 127 / std::sqrt(12.0) * 2;
        double worst = 0;
        if (!sampled(m, n, [&](std::size_t i, std::size_t j) {
              double want = static_cast<double>(bias[j]);
              for (std::size_t p = 0; p < k; ++p) want += double(x[i * k + p]) * double(w[p * n + j]);
              const double error = std::fabs(double(c[i * n + j]) - std::max(want, 0.0));
              worst = std::max(worst, error);
              return error <= bound;
            }))
          return state.SkipWithError("wrong result");
        measure(state, [&] { f.linear(layer); });
        set_work(state,
                 {.flops = 2.0 * double(m) * double(n) * double(k), .bytes = double(4 * m * k + k * n + 4 * m * n)});
        state.counters["max_error"] = worst;
      },
      benchmark::kMicrosecond);
}

inline void add_int8_rows(Rows& rows, const Int8Implementation& f, const std::vector<int>& thread_counts) {
  for (const int threads : thread_counts)
    for (const auto& [m, n, k] : product_shapes(rows.quick(), f.impl)) {
      if (threads > 1 && (rows.quick() || m * n * k < 256u * 256 * 256)) continue;
      if (m > 1 || !rows.quick()) add_product(rows, f, "matmul", f.multiply, m, n, k, threads);
      add_product(rows, f, "matmul_packed", f.multiply_packed, m, n, k, threads);
      if (m > 1 && m <= 32) add_linear(rows, f, m, n, k, threads);
    }
}

}  // namespace pawl::bench
