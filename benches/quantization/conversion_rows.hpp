// conversion_rows.hpp -- what every implementation of a conversion is run on: sizes, data and the check of results.
//
// Name      quantize/<s8|u8>/impl/n:<n>, dequantize/..., quantize_dynamic/...; quantize_rows/s8/impl/rows:<r>/cols:<c>;
//           from_f32/<bf16|f16>/impl/n:<n>, to_f32/...; where they matter /offset:<elements behind a cache line> and
//           /data:<pattern>
// Counters  bytes (each input and output once, a rate), items, working_set_bytes, p50 p95 p99; quantize also mse,
// snr_db,
//           max_error, bytes_per_weight
// Question  does each conversion run at the speed of the memory level that holds its arrays?
#pragma once
#include <cmath>
#include <string>
#include <vector>

#include "buffers.hpp"
#include "error_counters.hpp"
#include "pawl/isa.hpp"
#include "reference/quant_ref.hpp"
#include "rows.hpp"

namespace pawl::bench {

// Per tensor: int8 symmetric, uint8 affine. The values reach a little beyond the range of the codes.
inline constexpr float kScale = 0.0123f;
inline constexpr std::int32_t kZeroS8 = 0, kZeroU8 = 117;

/// One implementation; an empty pointer is an operation that it does not have.
struct ConversionImplementation {
  std::string impl;
  void (*start)() = [] {};  ///< a row begins: what was kept for another row's data is dropped
  void (*bf16_from_f32)(const float*, std::uint16_t*, std::size_t) = nullptr;
  void (*f16_from_f32)(const float*, std::uint16_t*, std::size_t) = nullptr;
  void (*bf16_to_f32)(const std::uint16_t*, float*, std::size_t) = nullptr;
  void (*f16_to_f32)(const std::uint16_t*, float*, std::size_t) = nullptr;
  void (*quantize_s8)(const float*, std::int8_t*, std::size_t) = nullptr;
  void (*quantize_u8)(const float*, std::uint8_t*, std::size_t) = nullptr;
  void (*dequantize_s8)(const std::int8_t*, float*, std::size_t) = nullptr;
  void (*dequantize_u8)(const std::uint8_t*, float*, std::size_t) = nullptr;
  void (*quantize_dynamic_s8)(const float*, std::int8_t*, std::size_t) = nullptr;  ///< symmetric
  void (*quantize_rows_s8)(const float*, const float* scales, std::size_t rows, std::size_t cols,
                           std::int8_t*) = nullptr;
  void (*quantize_columns_s8)(const float*, const float* scales, std::size_t rows, std::size_t cols,
                              std::int8_t*) = nullptr;
  /// Scale and zero point of each row found on the way.
  void (*quantize_dynamic_rows_s8)(const float*, std::size_t rows, std::size_t cols, std::int8_t*) = nullptr;
};

/// A thousand elements as in a row of activations; what fits into L2; what fits into L3; what fits into neither.
inline std::vector<std::size_t> conversion_sizes(bool quick, const std::string& impl) {
  if (quick) return {100'000};
  if (parse_isa(impl)) return {1024, 100'000};
  return {1024, 16'384, 100'000, 1'048'576, 16'777'216};
}

/// Elements of the result that are checked: the whole of most rows, the beginning and end of the largest.
template <class Check>
bool holds(std::size_t n, Check check) {
  constexpr std::size_t kMost = 20'000;
  for (std::size_t i = 0; i < std::min(n, kMost); ++i)
    if (!check(i)) return false;
  for (std::size_t i = n - std::min(n, kMost); i < n; ++i)
    if (!check(i)) return false;
  return true;
}

/// Peers may round a value next to a tie the other way.
template <class Q>
bool near(Q got, Q want) {
  return std::abs(int{got} - int{want}) <= 1;
}

/// Times convert(in, out, n); `matches(in[i], out[i])` checks.
template <class In, class Out, class Fill, class Matches, class After>
void add_conversion(Rows& rows, const RowName& name, std::size_t n, std::size_t offset, void (*start)(),
                    void (*convert)(const In*, Out*, std::size_t), Fill fill, Matches matches, After after) {
  rows.add(name, [=](benchmark::State& state) {
    start();
    Buffers buffers;
    const auto in = buffers.make<In>(n + offset).subspan(offset);
    const auto out = buffers.make<Out>(n + offset).subspan(offset);
    fill(in);
    try {
      convert(in.data(), out.data(), n);
    } catch (const std::exception& error) {
      return state.SkipWithError(error.what());
    }
    if (!holds(n, [&](std::size_t i) { return matches(in[i], out[i]); })) return state.SkipWithError("wrong result");
    measure(state, [&] { convert(in.data(), out.data(), n); });
    set_work(state, {.bytes = double(n) * (sizeof(In) + sizeof(Out)), .items = double(n)});
    after(state, in.data(), out.data(), n);
  });
}

inline constexpr auto no_counters = [](benchmark::State&, const auto*, const auto*, std::size_t) {};

/// Values for which conversions are known to be slow somewhere.
enum class Pattern : std::uint8_t { uniform, outliers, zeros, denormals };

inline void fill_pattern(std::span<float> x, Pattern pattern) {
  std::uint64_t random = seed() * 0x9e3779b97f4a7c15u + 1;
  for (std::size_t i = 0; i < x.size(); ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;  // Knuth's MMIX generator
    const float unit = static_cast<float>(static_cast<double>(random >> 11) * 0x1p-52 - 1);
    x[i] = 1.6f * unit;
    if (pattern == Pattern::outliers && i % 97 == 0) x[i] *= 1000;
    if (pattern == Pattern::zeros) x[i] = 0;
    if (pattern == Pattern::denormals) x[i] = unit * 1e-39f;
  }
}

template <class Q>
void add_quantize(Rows& rows, const ConversionImplementation& f, const char* op, const char* type,
                  void (*convert)(const float*, Q*, std::size_t), std::int32_t zero_point, std::size_t n,
                  std::size_t offset, Pattern pattern, const char* pattern_name) {
  if (convert == nullptr) return;
  RowName name = RowName(op, type, f.impl).with("n", n);
  if (offset) name.with("offset", offset);
  if (pattern != Pattern::uniform) name.with("data", pattern_name);
  add_conversion(
      rows, name, n, offset, f.start, convert, [=](std::span<float> x) { fill_pattern(x, pattern); },
      [=](float x, Q q) { return near(q, reference::quantize<Q>(x, kScale, zero_point)); },
      [=](benchmark::State& state, const float* x, const Q* q, std::size_t count) {
        std::vector<float> back(std::min<std::size_t>(count, 1 << 20));
        for (std::size_t i = 0; i < back.size(); ++i) back[i] = reference::dequantize<Q>(q[i], kScale, zero_point);
        set_error_counters(state, x, back.data(), back.size(), 1);
      });
}

template <class Q>
void add_dequantize(Rows& rows, const ConversionImplementation& f, const char* type,
                    void (*convert)(const Q*, float*, std::size_t), std::int32_t zero_point, std::size_t n) {
  if (convert == nullptr) return;
  add_conversion(
      rows, RowName("dequantize", type, f.impl).with("n", n), n, 0, f.start, convert,
      [](std::span<Q> q) {
        for (std::size_t i = 0; i < q.size(); ++i) q[i] = static_cast<Q>(i * 2654435761u >> 7);
      },
      [=](Q q, float x) {
        const float want = reference::dequantize<Q>(q, kScale, zero_point);
        return std::fabs(x - want) <= 1e-6f * std::fabs(want);
      },
      no_counters);
}

inline void add_halves(Rows& rows, const ConversionImplementation& f, std::size_t n) {
  const auto add = [&](const char* type, void (*narrow)(const float*, std::uint16_t*, std::size_t),
                       void (*widen)(const std::uint16_t*, float*, std::size_t), std::uint16_t (*bits)(float),
                       double (*value)(std::uint16_t)) {
    if (narrow)
      add_conversion(
          rows, RowName("from_f32", type, f.impl).with("n", n), n, 0, f.start, narrow,
          [](std::span<float> x) { fill_pattern(x, Pattern::uniform); },
          [=](float x, std::uint16_t h) { return bits(x) == h; }, no_counters);
    if (widen && !rows.quick())
      add_conversion(
          rows, RowName("to_f32", type, f.impl).with("n", n), n, 0, f.start, widen,
          [=](std::span<std::uint16_t> h) {
            for (std::size_t i = 0; i < h.size(); ++i)
              h[i] = static_cast<std::uint16_t>(0x3000 + (i * 40503u) % 0x1800);
          },
          [=](std::uint16_t h, float x) { return static_cast<double>(x) == value(h); }, no_counters);
  };
  add("bf16", f.bf16_from_f32, f.bf16_to_f32, reference::bf16_bits, reference::bf16_value);
  add("f16", f.f16_from_f32, f.f16_to_f32, reference::f16_bits, reference::f16_value);
}

/// Scales per row (a channel each) or per column of a row-major matrix.
inline void add_channels(Rows& rows, const ConversionImplementation& f, bool by_row, std::size_t m, std::size_t n) {
  const auto convert = by_row ? f.quantize_rows_s8 : f.quantize_columns_s8;
  if (convert == nullptr) return;
  const char* op = by_row ? "quantize_rows" : "quantize_columns";
  rows.add(RowName(op, "s8", f.impl).with("rows", m).with("cols", n), [=, start = f.start](benchmark::State& state) {
    start();
    Buffers buffers;
    const auto x = buffers.make<float>(m * n);
    fill_pattern(x, Pattern::uniform);
    const auto scales = buffers.random_f32(by_row ? m : n, 3, 0.01f, 0.02f);
    const auto q = buffers.make<std::int8_t>(m * n);
    const auto run = [&] { convert(x.data(), scales.data(), m, n, q.data()); };
    run();
    if (!holds(m * n, [&](std::size_t i) {
          return near(q[i], reference::quantize<std::int8_t>(x[i], scales[by_row ? i / n : i % n], 0));
        }))
      return state.SkipWithError("wrong result");
    measure(state, run);
    set_work(state, {.bytes = 5.0 * double(m * n), .items = double(m * n)});
  });
}

inline void add_dynamic_rows(Rows& rows, const ConversionImplementation& f, std::size_t m, std::size_t n) {
  if (f.quantize_dynamic_rows_s8 == nullptr) return;
  const auto convert = f.quantize_dynamic_rows_s8;
  rows.add(RowName("quantize_dynamic_rows", "s8", f.impl).with("rows", m).with("cols", n),
           [=](benchmark::State& state) {
             Buffers buffers;
             const auto x = buffers.make<float>(m * n);
             fill_pattern(x, Pattern::uniform);
             const auto q = buffers.make<std::int8_t>(m * n);
             convert(x.data(), m, n, q.data());
             for (const std::size_t row : {std::size_t{0}, m - 1}) {
               float most = 0;
               for (const float value : x.subspan(row * n, n)) most = std::max(most, std::fabs(value));
               for (std::size_t i = row * n; i < (row + 1) * n; ++i)
                 if (!near(q[i], reference::quantize<std::int8_t>(x[i], most / 127, 0)))
                   return state.SkipWithError("wrong result");
             }
             measure(state, [&] { convert(x.data(), m, n, q.data()); });
             set_work(state, {.bytes = 5.0 * double(m * n), .items = double(m * n)});
           });
}

/// Registers all rows of one implementation.
inline void add_conversion_rows(Rows& rows, const ConversionImplementation& f) {
  for (std::size_t n : conversion_sizes(rows.quick(), f.impl)) {
    add_quantize(rows, f, "quantize", "s8", f.quantize_s8, kZeroS8, n, 0, Pattern::uniform, "");
    add_dequantize(rows, f, "s8", f.dequantize_s8, kZeroS8, n);
    if (!rows.quick()) {
      add_quantize(rows, f, "quantize", "u8", f.quantize_u8, kZeroU8, n, 0, Pattern::uniform, "");
      add_dequantize(rows, f, "u8", f.dequantize_u8, kZeroU8, n);
    }
    add_halves(rows, f, n);
    if (f.quantize_dynamic_s8 && !rows.quick()) {
      // Symmetric: the scale comes from the largest value, which the check must find as well.
      const auto dynamic = f.quantize_dynamic_s8;
      rows.add(RowName("quantize_dynamic", "s8", f.impl).with("n", n), [=, start = f.start](benchmark::State& state) {
        start();
        Buffers buffers;
        const auto x = buffers.make<float>(n);
        fill_pattern(x, Pattern::uniform);
        const auto q = buffers.make<std::int8_t>(n);
        dynamic(x.data(), q.data(), n);
        float most = 0;
        for (const float value : x) most = std::max(most, std::fabs(value));
        if (!holds(n, [&](std::size_t i) { return near(q[i], reference::quantize<std::int8_t>(x[i], most / 127, 0)); }))
          return state.SkipWithError("wrong result");
        measure(state, [&] { dynamic(x.data(), q.data(), n); });
        set_work(state, {.bytes = 5.0 * double(n), .items = double(n)});
      });
    }
  }
  add_dynamic_rows(rows, f, 32, 3072);
  if (rows.quick() || parse_isa(f.impl)) return;
  add_dynamic_rows(rows, f, 100, 1024);
  add_dynamic_rows(rows, f, 1024, 128);
  constexpr std::size_t kInL2 = 100'000;
  add_quantize(rows, f, "quantize", "s8", f.quantize_s8, kZeroS8, kInL2, 1, Pattern::uniform, "");
  add_quantize(rows, f, "quantize", "s8", f.quantize_s8, kZeroS8, kInL2, 0, Pattern::outliers, "outliers");
  add_quantize(rows, f, "quantize", "s8", f.quantize_s8, kZeroS8, kInL2, 0, Pattern::zeros, "zeros");
  add_quantize(rows, f, "quantize", "s8", f.quantize_s8, kZeroS8, kInL2, 0, Pattern::denormals, "denormals");
  add_channels(rows, f, true, 100, 1024);  // beside the dynamic ones
  add_channels(rows, f, true, 1024, 128);
  for (const bool by_row : {true, false}) {
    add_channels(rows, f, by_row, 32, 3072);
    add_channels(rows, f, by_row, 768, 768);
    add_channels(rows, f, by_row, 4096, 64);
  }
}

}  // namespace pawl::bench
