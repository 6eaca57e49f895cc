// yardsticks.cpp -- times the loops of yardsticks.isa.cpp over arrays in each cache level.
#include "yardsticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "benches/support/yardstick_table.hpp"
#include "buffers.hpp"
#include "isa/isa_list.hpp"
#include "pawl/isa.hpp"
#include "pawl/machine.hpp"
#include "thread_counts.hpp"

namespace pawl {

#define PAWL_DECLARE_YARDSTICKS(isa)                  \
  namespace isa {                                     \
  extern const bench::YardstickTable yardstick_table; \
  }
PAWL_FOR_EACH_ISA(PAWL_DECLARE_YARDSTICKS)
#undef PAWL_DECLARE_YARDSTICKS
#if defined(__x86_64__)
namespace avx512 {
extern double dot_s8(std::size_t rounds) noexcept;
extern double dot_bf16(std::size_t rounds) noexcept;
}  // namespace avx512
#endif

namespace bench {
namespace {

const YardstickTable& table(Isa isa) {
#define PAWL_YARDSTICK_CASE(each) \
  case Isa::each:                 \
    return each::yardstick_table;
  switch (isa) {
    PAWL_FOR_EACH_ISA(PAWL_YARDSTICK_CASE)
    default:
      return scalar::yardstick_table;
  }
#undef PAWL_YARDSTICK_CASE
}

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Work per second of the fastest of several trials, each of them long enough for the clock. The fastest, because a
// limit is wanted: what disturbs a loop only ever makes it slower.
template <class Loop>
double best_rate(double work_per_call, double trial_seconds, int trials, Loop loop) {
  std::size_t calls = 1;
  double best = 0;
  for (int trial = 0; trial < trials;) {
    const auto start = Clock::now();
    for (std::size_t i = 0; i < calls; ++i) loop();
    const double seconds = seconds_since(start);
    best = std::max(best, work_per_call * static_cast<double>(calls) / seconds);
    if (seconds >= trial_seconds / 2) ++trial;
    if (seconds < trial_seconds / 2) calls *= 2;
  }
  return best;
}

// The same of several threads that begin together, each with a loop of its own; `work` is that of all of them. It ends
// with the last one.
template <class Loop>
double best_rate_together(int threads, double work, double trial_seconds, int trials, Loop loop) {
  std::size_t calls = 1;
  double best = 0;
  for (int trial = 0; trial < trials;) {
    std::atomic<int> awaited{threads};
    std::vector<Clock::time_point> starts(static_cast<std::size_t>(threads)), ends(starts);
    const auto run = [&](int thread) {
      awaited.fetch_sub(1);
      while (awaited.load() > 0) {
      }
      starts[static_cast<std::size_t>(thread)] = Clock::now();
      for (std::size_t i = 0; i < calls; ++i) loop(thread);
      ends[static_cast<std::size_t>(thread)] = Clock::now();
    };
    {
      std::vector<std::jthread> others;
      for (int thread = 1; thread < threads; ++thread) others.emplace_back(run, thread);
      run(0);
    }
    const double seconds =
        std::chrono::duration<double>(*std::ranges::max_element(ends) - *std::ranges::min_element(starts)).count();
    best = std::max(best, work * static_cast<double>(calls) / seconds);
    if (seconds >= trial_seconds / 2) ++trial;
    if (seconds < trial_seconds / 2) calls *= 2;
  }
  return best;
}

constexpr double kTrialSeconds = 0.5e-3;  // 20,000 times what reading the clock takes
constexpr int kTrials = 5;
constexpr std::size_t kMemoryBytes = std::size_t{128} << 20;  // four times the largest L3 slice of a core here

// `variants`: those of which the fastest counts.
void add_bandwidth(Yardsticks& out, const std::string& level, std::span<const YardstickTable* const> variants,
                   std::size_t bytes, int trials) {
  // Three arrays of n floats that together fill `bytes`; a read alone uses them all.
  const std::size_t n = bytes / 3 / sizeof(float) / 1024 * 1024;
  Buffers buffers;
  const auto memory = buffers.random_f32(3 * n + 1024, 1);
  constexpr std::uintptr_t kPage = 4096;
  float* x = memory.data() + (-reinterpret_cast<std::uintptr_t>(memory.data()) % kPage) / sizeof(float);
  float *y = x + n, *z = y + n;
  const double array = static_cast<double>(n * sizeof(float)) * 1e-9;
  volatile float sink = 0;
  const auto add = [&](const std::string& name, double arrays, auto run) {
    double& best = out[name + "_" + level + "_gbs"];
    for (const YardstickTable* loops : variants)
      best = std::max(best, best_rate(arrays * array, kTrialSeconds, trials, [&] { run(*loops); }));
  };
  add("read", 3, [&](const YardstickTable& loops) { sink = loops.read(x, 3 * n); });
  add("copy", 2, [&](const YardstickTable& loops) { loops.copy(x, y, n); });
  add("triad", 3, [&](const YardstickTable& loops) { loops.triad(x, y, z, n); });
  if (level == "mem") add("stream_copy", 2, [&](const YardstickTable& loops) { loops.stream_copy(x, y, n); });

  // What threads share: each has its part of the arrays. Private caches need no such yardstick.
  if (level == "l1" || level == "l2") return;
  for (const int threads : thread_counts()) {
    if (threads == 1 || threads > usable_cores()) continue;
    const std::size_t part = n / static_cast<std::size_t>(threads) / 1024 * 1024;
    if (3 * part * sizeof(float) < std::size_t{2} * cache_sizes().l2_bytes) continue;  // would be their own caches
    const auto at = [&](float* whole, int thread) { return whole + static_cast<std::size_t>(thread) * part; };
    const double moved = static_cast<double>(threads) * static_cast<double>(part * sizeof(float)) * 1e-9;
    const auto together = [&](const std::string& name, double arrays, auto run) {
      double& best = out[fmt::format("{}_{}_gbs/threads:{}", name, level, threads)];
      for (const YardstickTable* loops : variants)
        best = std::max(best, best_rate_together(threads, arrays * moved, kTrialSeconds, trials,
                                                 [&](int thread) { run(*loops, thread); }));
    };
    together("read", 3, [&](const YardstickTable& loops, int thread) {
      volatile float one = 0;
      for (float* whole : {x, y, z}) one = one + loops.read(at(whole, thread), part);
    });
    together("copy", 2, [&](const YardstickTable& loops, int t) { loops.copy(at(x, t), at(y, t), part); });
    together("triad", 3, [&](const YardstickTable& loops, int t) { loops.triad(at(x, t), at(y, t), at(z, t), part); });
    if (level == "mem")
      together("stream_copy", 2,
               [&](const YardstickTable& loops, int t) { loops.stream_copy(at(x, t), at(y, t), part); });
  }
}

// A cycle through all lines of the array in random order (Sattolo 1986), so that each load waits for the one before it.
double chase_rate(std::size_t bytes) {
  constexpr std::size_t kLine = 64, kStep = kLine / sizeof(std::uint32_t);
  const std::size_t lines = bytes / kLine;
  Buffers buffers;
  const auto next = buffers.make<std::uint32_t>(lines * kStep);
  static std::vector<std::uint32_t> order;
  if (order.size() != lines) {
    order.resize(lines);
    for (std::size_t i = 0; i < lines; ++i) order[i] = static_cast<std::uint32_t>(i);
    std::uint64_t state = 88172645463325252u;  // xorshift64, Marsaglia 2003
    for (std::size_t i = lines - 1; i > 0; --i) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      std::swap(order[i], order[state % i]);
    }
  }
  for (std::size_t i = 0; i < lines; ++i) next[i * kStep] = static_cast<std::uint32_t>(order[i] * kStep);
  std::uint32_t at = 0;
  constexpr std::size_t kLoads = 20'000;
  const double rate = best_rate(kLoads * 1e-6, 2e-3, 3, [&] {
    for (std::size_t i = 0; i < kLoads; ++i) at = next[at];
  });
  volatile std::uint32_t sink = at;
  (void)sink;
  return rate;
}

}  // namespace

Yardsticks measure_yardsticks() {
  const YardstickTable& loops = table(runnable_isas().back());
  Yardsticks out;
  // Wake the clock and the wide units first.
  loops.fma_f32(1'000'000);
  constexpr std::size_t kRounds = 10'000;
  const double f32 = loops.fma_f32(1) * kRounds * 1e-9, f64 = loops.fma_f64(1) * kRounds * 1e-9;
  out["fma_f32_gflops"] = best_rate(f32, kTrialSeconds, kTrials, [&] { loops.fma_f32(kRounds); });
  out["fma_f64_gflops"] = best_rate(f64, kTrialSeconds, kTrials, [&] { loops.fma_f64(kRounds); });
#if defined(__x86_64__)
  const auto add_dot = [&](const char* name, double (*dot)(std::size_t) noexcept) {
    out[name] = best_rate(dot(1) * kRounds * 1e-9, kTrialSeconds, kTrials, [&] { dot(kRounds); });
  };
  if (is_runnable(Isa::avx512) && cpu_features().avx512vnni) add_dot("fma_s8_gflops", avx512::dot_s8);
  if (is_runnable(Isa::avx512) && cpu_features().avx512bf16) add_dot("fma_bf16_gflops", avx512::dot_bf16);
#endif
  const CacheSizes& caches = cache_sizes();
  const std::vector<const YardstickTable*> widest{&loops};
  if (caches.l1d_bytes > 0) add_bandwidth(out, "l1", widest, caches.l1d_bytes / 2, kTrials);
  if (caches.l2_bytes > 0) add_bandwidth(out, "l2", widest, caches.l2_bytes / 2, kTrials);
  if (caches.l3_bytes > 0) add_bandwidth(out, "l3", widest, std::min<std::size_t>(caches.l3_bytes / 4, 16u << 20), 3);
  const auto available = describe_machine().available_bytes;
  if (available && *available > 8 * kMemoryBytes) {
    // A Zen 4 reads memory 1.06 to 1.3 times as fast by vectors of 256 bits as by its widest, of 512.
    std::vector<const YardstickTable*> variants = widest;
    if (is_runnable(Isa::avx512)) variants.push_back(&table(Isa::avx2));
    add_bandwidth(out, "mem", variants, kMemoryBytes, 2);
    out["chase_mem_mloads"] = chase_rate(kMemoryBytes);
  }
  return out;
}

}  // namespace bench
}  // namespace pawl
