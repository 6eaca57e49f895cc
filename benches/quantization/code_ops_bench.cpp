// code_ops_bench.cpp -- our rows of operations on 8-bit codes: sums back to codes, addition, relu.
//
// Name      requantize/<s8|u8>/pawl/n:<n>, quantized_add/..., quantized_relu/...
// Counters  bytes (each input and output once, a rate), items, working_set_bytes, p50 p95 p99
// Question  do they run at the speed of the memory level that holds their arrays?
#include "conversion_rows.hpp"
#include "pawl/quant.hpp"

namespace pawl::bench {
namespace {

constexpr float kMultiplier = 0.0007f;

template <class Q>
void fill_codes(std::span<Q> q, std::size_t seed) {
  for (std::size_t i = 0; i < q.size(); ++i) q[i] = static_cast<Q>((i + seed) * 2654435761u >> 9);
}

template <class Q>
void add_rows(Rows& rows, const char* type, std::int32_t zero_point, std::size_t n) {
  rows.add(RowName("requantize", type, "pawl").with("n", n), [=](benchmark::State& state) {
    Buffers buffers;
    const auto sums = buffers.make<std::int32_t>(n);
    const auto q = buffers.make<Q>(n);
    for (std::size_t i = 0; i < n; ++i) sums[i] = static_cast<std::int32_t>(i * 2654435761u) >> 12;
    const auto run = [&] { requantize(sums, kMultiplier, zero_point, q); };
    run();
    if (!holds(n, [&](std::size_t i) { return q[i] == reference::requantize<Q>(sums[i], kMultiplier, zero_point); }))
      return state.SkipWithError("wrong result");
    measure(state, run);
    set_work(state, {.bytes = 5.0 * double(n), .items = double(n)});
  });
  rows.add(RowName("quantized_add", type, "pawl").with("n", n), [=](benchmark::State& state) {
    Buffers buffers;
    const auto a = buffers.make<Q>(n), b = buffers.make<Q>(n), q = buffers.make<Q>(n);
    fill_codes(a, 1);
    fill_codes(b, 2);
    const QuantParams of_a{0.5f, zero_point}, of_b{0.25f, zero_point}, of_q{0.75f, zero_point};
    const auto run = [&] { quantized_add(a, of_a, b, of_b, q, of_q); };
    run();
    if (!holds(n, [&](std::size_t i) {
          const float sum = 0.5f * float(int{a[i]} - zero_point) + 0.25f * float(int{b[i]} - zero_point);
          return near(q[i], reference::quantize<Q>(sum, 0.75f, zero_point));
        }))
      return state.SkipWithError("wrong result");
    measure(state, run);
    set_work(state, {.bytes = 3.0 * double(n), .items = double(n)});
  });
  rows.add(RowName("quantized_relu", type, "pawl").with("n", n), [=](benchmark::State& state) {
    Buffers buffers;
    const auto a = buffers.make<Q>(n), q = buffers.make<Q>(n);
    fill_codes(a, 1);
    const auto run = [&] { quantized_relu(a, zero_point, q); };
    run();
    if (!holds(n, [&](std::size_t i) { return q[i] == std::max(a[i], static_cast<Q>(zero_point)); }))
      return state.SkipWithError("wrong result");
    measure(state, run);
    set_work(state, {.bytes = 2.0 * double(n), .items = double(n)});
  });
}

const Registration rows([](Rows& r) {
  if (r.quick()) return;
  for (const std::size_t n : {1024u, 100'000u, 1'048'576u, 16'777'216u}) {
    add_rows<std::int8_t>(r, "s8", kZeroS8, n);
    add_rows<std::uint8_t>(r, "u8", kZeroU8, n);
  }
});

}  // namespace
}  // namespace pawl::bench
