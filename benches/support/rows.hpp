// rows.hpp -- how a bench names its rows, registers them, says their work and times them.
//
// Names follow one grammar: op/type/impl/key:value/..., for example matmul/f32/pawl/m:1024/n:1024/k:1024. `impl` is
// `pawl` (what a user of the library gets), one ISA, or a peer. Filters, thresholds and tables all select by it.
#pragma once
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "memory.hpp"
#include "pawl/machine.hpp"
#include "percentiles.hpp"

namespace pawl::bench {

/// What one row is called. Errors of name(): std::invalid_argument if a part is empty or has a character outside
/// [a-z0-9_.-] (op, type, impl, keys) or a value has '/', ':' or a blank.
struct RowName {
  std::string op, type, impl;
  std::vector<std::pair<std::string, std::string>> parameters;

  RowName(std::string op_, std::string type_, std::string impl_)
      : op(std::move(op_)), type(std::move(type_)), impl(std::move(impl_)) {}
  RowName& with(const std::string& key, std::size_t value) {
    parameters.emplace_back(key, std::to_string(value));
    return *this;
  }
  RowName& with(const std::string& key, const std::string& value) {
    parameters.emplace_back(key, value);
    return *this;
  }
  std::string name() const;
};

/// Where benches put their rows. `quick` asks for few rows: the sizes and variants that a look at every change needs.
class Rows {
 public:
  explicit Rows(bool quick) : quick_(quick) {}
  bool quick() const noexcept { return quick_; }

  /// Registers a row; times are shown in `unit`. The body checks its result, then calls measure() once.
  void add(const RowName& name, std::function<void(benchmark::State&)> body,
           benchmark::TimeUnit unit = benchmark::kNanosecond);
  /// The same for a body that loops itself and sets the time of each iteration, where waiting is not the operation's.
  /// Google Benchmark adds "/manual_time" to the name.
  void add_manually_timed(const RowName& name, std::function<void(benchmark::State&)> body,
                          benchmark::TimeUnit unit = benchmark::kNanosecond);

 private:
  bool quick_;
};

/// Makes `add_rows` run when the bench starts. Use at namespace scope: `const Registration rows{[](Rows& r) { ... }};`
struct Registration {
  explicit Registration(void (*add_rows)(Rows&));
};

/// Runs all registrations; called once by the main.
void register_all_rows(bool quick);

/// The work of one iteration, which becomes rates and the share of the limit in reports.
struct Work {
  double flops = 0;              ///< floating-point operations; 0 if that is not what it does
  double bytes = 0;              ///< compulsory traffic: each input read once, each output written once
  double working_set_bytes = 0;  ///< what decides the cache level; `bytes` if 0
  double items = 0;              ///< elements, for items_per_second; 0 for none
};

/// Sets the counters flops and bytes (per second), working_set_bytes, and items and bytes processed.
void set_work(benchmark::State& state, const Work& work);

/// The name of the row of Rows that runs, or ran last since it was forgotten; empty if there is none.
const std::string& current_row() noexcept;
void forget_current_row() noexcept;

/// Whether measure() takes percentiles; the main sets it.
bool percentiles_wanted() noexcept;
void want_percentiles(bool wanted) noexcept;

/// Whether measure() looks who uses the core; the main sets it.
bool core_watched() noexcept;
void watch_core(bool wanted) noexcept;

/// Times `operation()`: the loop of Google Benchmark, and afterwards a sampling pass for the counters p50, p95 and p99.
/// With watch_core() also operations_per_cycle, the less of just before and just after the loop (pawl/machine.hpp).
///
/// A sample is the mean of a batch of calls that takes at least 1 us, since the clock itself takes some 20 ns; so for
/// short operations these are percentiles of batches. Samples stop at 200, after 10 ms or after the time of the loop: a
/// row is called several times with few iterations until they are enough, and only the last call's samples count. Of
/// few samples, as of a row that takes milliseconds, there is no p95 or p99 (percentiles.hpp).
template <class Operation>
void measure(benchmark::State& state, Operation&& operation) {
  using Clock = std::chrono::steady_clock;
  const auto seconds = [](Clock::duration d) { return std::chrono::duration<double>(d).count(); };
  const double operations_before = core_watched() ? pawl::operations_per_cycle() : 0;
  const auto loop_begin = Clock::now();
  {
    const CountedLoop counted;
    for (auto _ : state) {
      operation();
      benchmark::ClobberMemory();
    }
  }
  const auto loop_end = Clock::now();
  if (core_watched())
    state.counters["operations_per_cycle"] = std::min(operations_before, pawl::operations_per_cycle());
  if (!percentiles_wanted()) return;
  const double loop_seconds = seconds(loop_end - loop_begin);
  constexpr double kBatchSeconds = 1e-6, kPassSeconds = 10e-3;
  constexpr std::size_t kSamples = 200;
  std::size_t batch = 1;
  const auto time_batch = [&] {
    const auto start = Clock::now();
    for (std::size_t i = 0; i < batch; ++i) {
      operation();
      benchmark::ClobberMemory();
    }
    return seconds(Clock::now() - start);
  };
  // The loop tells already where one call is long enough: no call to find that out.
  if (loop_seconds < 2 * kBatchSeconds * static_cast<double>(state.iterations()))
    while (time_batch() < kBatchSeconds && batch < (std::size_t{1} << 20)) batch *= 2;
  std::vector<double> samples;
  samples.reserve(kSamples);
  const double pass_seconds = loop_seconds < kPassSeconds ? loop_seconds : kPassSeconds;
  const auto begin = Clock::now();
  do {
    samples.push_back(time_batch() / static_cast<double>(batch));
  } while (samples.size() < kSamples && seconds(Clock::now() - begin) < pass_seconds);
  const Percentiles p = percentiles(samples);
  // Seconds, as every time in our files; Google Benchmark prints counters with SI prefixes.
  state.counters["p50"] = p.p50;
  if (p.p95) state.counters["p95"] = *p.p95;
  if (p.p99) state.counters["p99"] = *p.p99;
}

}  // namespace pawl::bench
