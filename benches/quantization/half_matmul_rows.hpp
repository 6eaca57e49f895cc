// half_matmul_rows.hpp -- what every implementation of bf16 and f16 products is run on: shapes, data and the check of
// results.
//
// Name      matmul_packed/<bf16|f16>/impl/m:<m>/n:<n>/k:<k>/threads:<t> (bf16 or f16 in, f32 out, weights packed once
//           before the loop)
// Counters  flops (2 m n k per call, a rate), bytes (a, b and c once), working_set_bytes, p50 p95 p99
// Question  which share of the peak of bf16 dot products (f16: of f32) is reached, and at one row of the bandwidth?
#pragma once
#include <cmath>
#include <string>

#include "int8_matmul_rows.hpp"
#include "thread_counts.hpp"

namespace pawl::bench {

struct HalfCase {
  std::size_t m, n, k;
  const std::uint16_t *a, *b;  ///< [m, k], [k, n] row-major, by their bits
  float* c;
};

/// A type of 16 bits: its name, the value of its bits, and those of 0.5.
struct HalfType {
  const char* name;
  double (*value)(std::uint16_t);
  std::uint16_t half;
  int mantissa_bits;
};
inline constexpr HalfType kBf16{"bf16", reference::bf16_value, 0x3f00, 7},
    kF16{"f16", reference::f16_value, 0x3800, 10};

inline void add_half_rows(Rows& rows, const HalfType& type, const std::string& impl, void (*start)(int threads),
                          void (*multiply_packed)(const HalfCase&), const std::vector<int>& thread_counts) {
  for (const int threads : thread_counts)
    for (const auto& [m, n, k] : product_shapes(rows.quick(), impl)) {
      if (rows.quick() && (threads > 1 || m == 1)) continue;
      if (threads > 1 && m * n * k < 256u * 256 * 256) continue;
      rows.add(
          RowName("matmul_packed", type.name, impl)
              .with("m", m)
              .with("n", n)
              .with("k", k)
              .with("threads", static_cast<std::size_t>(threads)),
          [=, m = m, n = n, k = k](benchmark::State& state) {
            start(threads);
            Buffers buffers;
            const auto a = buffers.make<std::uint16_t>(m * k), b = buffers.make<std::uint16_t>(k * n);
            const auto c = buffers.make<float>(m * n);
            std::uint32_t random = 1;
            for (const auto halves : {a, b})
              for (std::uint16_t& half : halves) {
                random = random * 1664525u + 1013904223u;  // +-[0.5, 1)
                const std::uint32_t sign = random >> 31 << 15,
                                    mantissa = random >> 8 & ((1u << type.mantissa_bits) - 1);
                half = static_cast<std::uint16_t>(sign | (type.half + mantissa));
              }
            const HalfCase x{m, n, k, a.data(), b.data(), c.data()};
            multiply_packed(x);
            if (!sampled(m, n, [&](std::size_t i, std::size_t j) {
                  double want = 0;
                  for (std::size_t p = 0; p < k; ++p) want += type.value(a[i * k + p]) * type.value(b[p * n + j]);
                  return std::fabs(double(c[i * n + j]) - want) <= double(k + 3) * double(k) * 0x1p-23;
                }))
              return state.SkipWithError("wrong result");
            measure(state, [&] { multiply_packed(x); });
            set_work(state, {.flops = 2.0 * double(m) * double(n) * double(k),
                             .bytes = double(2 * m * k + 2 * k * n + 4 * m * n)});
          },
          benchmark::kMicrosecond);
    }
}

}  // namespace pawl::bench
