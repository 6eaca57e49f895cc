// low_bits_bench.cpp -- 8 bits and fewer: making the codes, and products with them.
//
// Name      quantize/<format>/pawl/n:<n>, dequantize/...; linear_packed/<format>/pawl/m:<m>/n:<n>/k:<k>/threads:<t>;
//           linear_from_memory/...: the same with many weight matrices in turn, also s8: int8 with a scale per column
//           format: q8_0 q4_0 int4_g32 int4_g64 int4_g128 uint4_g32 (with zero points) ternary2 ternary3 (five in a
//           byte)
// Counters  linear: flops (2 m n k, of integers; a rate), bytes (packed weights, x and c once); both: mse, snr_db,
// max_error
//           (of the weights, normally distributed) and bytes_per_weight, which make the Pareto table of error, size and
//           time; working_set_bytes, p50 p95 p99
// Question  does a product with one row run at the bandwidth of the level that holds the weights, so that fewer bits
// are
//           as much faster as they are smaller?
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "buffers.hpp"
#include "error_counters.hpp"
#include "pawl/isa.hpp"
#include "pawl/parallel.hpp"
#include "pawl/quant/int8_matmul.hpp"
#include "pawl/quant/low_bits_matmul.hpp"
#include "reference/quant_ref.hpp"
#include "rows.hpp"

namespace pawl::bench {
namespace {

// Normal by the sum of 12 uniform values (Irwin-Hall), as trained weights nearly are; times 0.02.
void fill_normal(std::span<float> x) {
  std::uint64_t random = seed() * 0x9e3779b97f4a7c15u + 1;
  constexpr std::size_t kDistinct = std::size_t{1} << 20;  // then they repeat
  for (std::size_t i = 0; i < std::min(kDistinct, x.size()); ++i) {
    float sum = -6;
    for (int j = 0; j < 12; ++j) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      sum += static_cast<float>(random >> 40) * 0x1p-24f;
    }
    x[i] = 0.02f * sum;
  }
  for (std::size_t i = kDistinct; i < x.size(); ++i) x[i] = x[i - kDistinct];
}

struct Format {
  std::string name;
  std::size_t group = 0;
  bool zeros = false;
};
const Format kFormats[] = {{"q8_0"},         {"q4_0"},           {"int4_g32", 32},
                           {"int4_g64", 64}, {"int4_g128", 128}, {"uint4_g32", 32, true},
                           {"ternary2"},     {"ternary3"}};

// The codes of x in a format; run() makes them again.
class Codes {
 public:
  Codes(const Format& format, std::span<const float> x) : format_(format), x_(x) {
    const std::size_t n = x.size();
    if (format.name == "q8_0") q8_.resize(n / 32);
    if (format.name == "q4_0") q4_.resize(n / 32);
    if (format.group) {
      bytes_.resize(n / 2);
      scales_.resize(n / format.group);
      if (format.zeros) zeros_.resize(n / format.group);
    }
    if (is_ternary()) bytes_.resize(ternary_bytes(n, packing()));
    run();
  }
  void run() {
    if (!q8_.empty()) {
      quantize(x_, std::span<Q8_0>(q8_));
    } else if (!q4_.empty()) {
      quantize(x_, std::span<Q4_0>(q4_));
    } else if (format_.group) {
      quantize_int4(x_, format_.group, bytes_, scales_, zeros_);
    } else {
      scale_ = quantize_ternary(x_, packing(), bytes_);
    }
  }
  std::size_t size_bytes() const {
    return q8_.size() * sizeof(Q8_0) + q4_.size() * sizeof(Q4_0) + bytes_.size() + 2 * scales_.size() + zeros_.size();
  }
  std::vector<float> values(std::size_t n) const {  // of the first n
    std::vector<float> w(n);
    values_into(w);
    return w;
  }
  void values_into(std::span<float> w) const {  // of the first w.size()
    const std::size_t n = w.size();
    if (!q8_.empty()) {
      dequantize(std::span<const Q8_0>(q8_).first(n / 32), w);
    } else if (!q4_.empty()) {
      dequantize(std::span<const Q4_0>(q4_).first(n / 32), w);
    } else if (format_.group) {
      const std::size_t groups = n / format_.group;
      dequantize_int4(std::span(bytes_).first(n / 2), format_.group, std::span(scales_).first(groups),
                      zeros_.empty() ? std::span<const std::uint8_t>() : std::span(zeros_).first(groups), w);
    } else {
      dequantize_ternary(std::span(bytes_).first(ternary_bytes(n, packing())), packing(), scale_, w);
    }
  }
  std::unique_ptr<PackedLowBits> packed(std::size_t n, std::size_t k) const {
    if (!q8_.empty()) return std::make_unique<PackedLowBits>(q8_, n, k);
    if (!q4_.empty()) return std::make_unique<PackedLowBits>(q4_, n, k);
    if (format_.group) return std::make_unique<PackedLowBits>(bytes_, format_.group, scales_, zeros_, n, k);
    return std::make_unique<PackedLowBits>(x_, packing(), n, k);
  }

 private:
  bool is_ternary() const { return format_.name.starts_with("ternary"); }
  TernaryPacking packing() const {
    return format_.name == "ternary3" ? TernaryPacking::five_in_one : TernaryPacking::two_bits;
  }
  Format format_;
  std::span<const float> x_;
  std::vector<Q8_0> q8_;
  std::vector<Q4_0> q4_;
  std::vector<std::uint8_t> bytes_, zeros_;
  std::vector<f16> scales_;
  float scale_ = 0;
};

// Steps of error that a format may have, of the largest weight in each 32: a wrong code shows as more.
bool plausible(const Format& format, std::span<const float> x, const std::vector<float>& w) {
  const double step = format.name == "q8_0" ? 1.0 / 254 : format.name.starts_with("ternary") ? 1.0 : 1.0 / 7;
  for (std::size_t i = 0; i + 32 <= w.size(); i += 32) {
    double most = 0.02;
    for (std::size_t j = 0; j < 32; ++j) most = std::max(most, std::fabs(double(x[i + j])));
    if (format.group > 32 || format.name.starts_with("ternary")) most = 0.12;
    for (std::size_t j = 0; j < 32; ++j)
      if (!(std::fabs(double(w[i + j]) - double(x[i + j])) <= 1.1 * step * most)) return false;
  }
  return true;
}

void add_quantize_row(Rows& rows, const Format& format, std::size_t n) {
  rows.add(RowName("quantize", format.name, "pawl").with("n", n), [=](benchmark::State& state) {
    Buffers buffers;
    const auto x = buffers.make<float>(n);
    fill_normal(x);
    Codes codes(format, x);
    const std::size_t checked = std::min<std::size_t>(n, 128'000);
    const std::vector<float> values = codes.values(checked);
    if (!plausible(format, x, values)) return state.SkipWithError("wrong result");
    measure(state, [&] { codes.run(); });
    const double bytes = double(codes.size_bytes());
    set_work(state, {.bytes = 4.0 * double(n) + bytes, .items = double(n)});
    set_error_counters(state, x.data(), values.data(), checked, bytes / double(n));
  });
}

void add_dequantize_row(Rows& rows, const Format& format, std::size_t n) {
  rows.add(RowName("dequantize", format.name, "pawl").with("n", n), [=](benchmark::State& state) {
    Buffers buffers;
    const auto x = buffers.make<float>(n), back = buffers.make<float>(n);
    fill_normal(x);
    const Codes codes(format, x);
    codes.values_into(back);
    if (!plausible(format, x, {back.begin(), back.end()})) return state.SkipWithError("wrong result");
    measure(state, [&] { codes.values_into(back); });
    set_work(state, {.bytes = 4.0 * double(n) + double(codes.size_bytes()), .items = double(n)});
  });
}

void add_linear_row(Rows& rows, const Format& format, std::size_t m, std::size_t n, std::size_t k, int threads) {
  rows.add(
      RowName("linear_packed", format.name, "pawl")
          .with("m", m)
          .with("n", n)
          .with("k", k)
          .with("threads", static_cast<std::size_t>(threads)),
      [=](benchmark::State& state) {
        set_num_threads(threads);
        Buffers buffers;
        const auto w = buffers.make<float>(n * k);
        fill_normal(w);
        const auto x = buffers.random_f32(m * k, 2), c = buffers.make<float>(m * n);
        const std::size_t checked = 16 * k;
        std::vector<float> values;
        std::unique_ptr<PackedLowBits> packed;
        {
          const Codes codes(format, w);
          values = codes.values(checked);
          packed = codes.packed(n, k);
        }
        linear(x, *packed, c);
        for (std::size_t i = 0; i < m; ++i)
          for (std::size_t j = 0; j < 16; ++j) {
            double want = 0, size = 0;
            for (std::size_t p = 0; p < k; ++p) {
              want += double(x[i * k + p]) * double(values[j * k + p]);
              size += std::fabs(double(values[j * k + p]));
            }
            // Values in [-1, 1] in steps of 1 / 127.
            if (!(std::fabs(double(c[i * n + j]) - want) <= size / 254 * 1.01))
              return state.SkipWithError("wrong result");
          }
        measure(state, [&] { linear(x, *packed, c); });
        set_work(state, {.flops = 2.0 * double(m) * double(n) * double(k),
                         .bytes = double(packed->size_bytes()) + 4.0 * double(m * k + m * n)});
        set_error_counters(state, w.data(), values.data(), checked, double(packed->size_bytes()) / double(n * k));
      },
      benchmark::kMicrosecond);
}

// One row of activations with each of several weight matrices of 4096 x 4096 in turn, so many that together they are
// 3 times the L3: weights come from memory. `product(i)` multiplies with matrix i, all of which are equal.
void measure_from_memory(benchmark::State& state, std::size_t matrices, double bytes,
                         const std::function<void(std::size_t)>& product) {
  constexpr double kOperations = 2.0 * 4096 * 4096;
  std::size_t next = 0;
  measure(state, [&] {
    product(next);
    next = next + 1 == matrices ? 0 : next + 1;
  });
  set_work(state, {.flops = kOperations, .bytes = bytes, .working_set_bytes = bytes * double(matrices)});
}

std::size_t matrices_beyond_l3(std::size_t bytes) {
  const std::size_t l3 = assumed_cache_sizes().l3_bytes;
  return 3 * l3 / bytes + 1;
}

// type: a format, or s8 for int8 with a scale per column.
void add_memory_row(Rows& rows, const std::string& type, const Format* format) {
  rows.add(
      RowName("linear_from_memory", type, "pawl").with("m", 1).with("n", 4096).with("k", 4096).with("threads", 1),
      [=](benchmark::State& state) {
        constexpr std::size_t kExtent = 4096;
        set_num_threads(1);
        Buffers buffers;
        const auto w = buffers.make<float>(kExtent * kExtent);
        fill_normal(w);
        const auto x = buffers.random_f32(kExtent, 2), c = buffers.make<float>(kExtent),
                   first = buffers.make<float>(kExtent);
        const auto run = [&](auto& weights, const auto& make) {
          weights.push_back(make());
          const std::size_t bytes = weights[0].size_bytes(), count = matrices_beyond_l3(bytes);
          while (weights.size() < count) weights.push_back(make());
          linear(x, weights.front(), first);
          linear(x, weights.back(), c);
          if (!std::ranges::equal(first, c)) return state.SkipWithError("wrong result");
          measure_from_memory(state, count, double(bytes) + 8.0 * kExtent,
                              [&](std::size_t i) { linear(x, weights[i], c); });
        };
        if (format) {
          const Codes codes(*format, w);
          std::vector<PackedLowBits> weights;
          run(weights, [&] { return *codes.packed(kExtent, kExtent); });
        } else {
          std::vector<PackedInt8> weights;
          run(weights, [&] { return quantize_weights(w, kExtent, kExtent, true); });
        }
      },
      benchmark::kMicrosecond);
}

const Registration rows([](Rows& r) {
  if (!r.quick()) add_memory_row(r, "s8", nullptr);
  for (const Format& format : kFormats) {
    const bool common = format.name == "q4_0" || format.name == "ternary2";
    if (r.quick() && !common) continue;
    if (!r.quick()) add_quantize_row(r, format, 1920);
    add_quantize_row(r, format, 96'000);
    add_linear_row(r, format, 1, 4096, 4096, 1);
    if (r.quick()) continue;
    add_quantize_row(r, format, 15'360'000);
    for (const std::size_t n : {1920u, 96'000u, 15'360'000u}) add_dequantize_row(r, format, n);
    for (const std::size_t m : {4u, 8u, 32u}) add_linear_row(r, format, m, 4096, 4096, 1);
    add_linear_row(r, format, 1, 4096, 4096, 2);
    add_memory_row(r, format.name, &format);
  }
});

}  // namespace
}  // namespace pawl::bench
