// dispatch_bench.cpp -- what choosing a variant costs: the decision alone, and beside it a call that does nothing else.
//
// Name      op/none/pawl/n:<n>   op: active_isa should_use_simd empty_add (a whole add() of no element)
// Counters  p50 p95 p99
// Question  is a decision below 2 ns, and how much of a small call is the way to its kernel?
#include "pawl/isa.hpp"
#include "pawl/simd.hpp"
#include "rows.hpp"

namespace pawl::bench {
namespace {

const Registration rows([](Rows& r) {
  r.add(RowName("active_isa", "none", "pawl").with("n", 1),
        [](benchmark::State& state) { measure(state, [] { benchmark::DoNotOptimize(active_isa()); }); });
  r.add(RowName("should_use_simd", "none", "pawl").with("n", 64), [](benchmark::State& state) {
    measure(state, [n = std::size_t{64}]() mutable {
      benchmark::DoNotOptimize(n);
      benchmark::DoNotOptimize(should_use_simd(n));
    });
  });
  r.add(RowName("empty_add", "f32", "pawl").with("n", 0), [](benchmark::State& state) {
    float x = 0;
    measure(state, [&] { add(std::span<const float>(&x, 0), std::span<const float>(&x, 0), std::span<float>(&x, 0)); });
  });
});

}  // namespace
}  // namespace pawl::bench
