// allocator_bench.cpp -- our rows of the allocators: the caching resource, called directly and through std::pmr.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "allocator_rows.hpp"
#include "buffers.hpp"
#include "pawl/memory.hpp"
#include "transformer_trace.hpp"

namespace pawl::bench {
namespace {

using memory::CachingResource;

struct Pawl {
  CachingResource* resource;
  void* allocate(std::size_t bytes) { return resource->allocate(bytes, 64); }
  void deallocate(void* p, std::size_t bytes) { resource->deallocate(p, bytes, 64); }
  double fragmentation() const { return resource->statistics().fragmentation(); }
  double fragmentation_when_flushed() const {
    resource->flush();
    return fragmentation();
  }
};

struct Pmr {
  std::pmr::memory_resource* resource;
  void* allocate(std::size_t bytes) { return resource->allocate(bytes); }
  void deallocate(void* p, std::size_t bytes) { resource->deallocate(p, bytes); }
};

// How much the trace needs of a resource that serves nothing else, with and without caches of large blocks.
void add_trace_footprint(Rows& rows) {
  for (const std::size_t largest : {memory::kLargestClassBytes, std::size_t{32} << 10})
    rows.add(
        RowName("transformer_footprint", "u8", "pawl").with("passes", 3).with("cached_upto", largest),
        [=](benchmark::State& state) {
          const auto fresh = std::make_unique<CachingResource>(memory::CachingOptions{.largest_cached_bytes = largest});
          Pawl a{fresh.get()};
          std::vector<Block> tensors(trace_tensors());
          run_trace(a, tensors);
          const auto first = fresh->statistics();
          measure(state, [&] { run_trace(a, tensors); });
          const auto all = fresh->statistics();
          const double allocations = double(all.hits + all.misses - first.hits - first.misses);
          state.counters["reserved_over_live_peak"] = double(all.peak_reserved_bytes) / double(trace_peak_bytes());
          state.counters["hit_rate"] = double(all.hits - first.hits) / allocations;
          state.counters["thread_hit_rate"] = double(all.thread_hits - first.thread_hits) / allocations;
          set_work(state, {.items = double(trace_tensors())});
        },
        benchmark::kMicrosecond);
}

// What the trace holds may be luck of its sizes: the same for traces whose lengths are 0.5 to 4 times as large each.
void add_rescaled_footprint(Rows& rows) {
  constexpr std::size_t kTraces = 60;
  constexpr int kPasses = 30;
  rows.add(
      RowName("transformer_footprint", "u8", "pawl").with("passes", 3).with("rescaled", kTraces),
      [=](benchmark::State& state) {
        Buffers buffers;
        const auto random = buffers.random_f64(3 * kTraces, 1, -1, 2);
        std::vector<Block> tensors(trace_tensors());
        std::vector<std::int32_t> trace;
        std::unique_ptr<CachingResource> fresh;
        double sum = 0, most = 0, hits = 0, thread_hits = 0;
        for (std::size_t i = 0; i < kTraces; ++i) {
          const double factors[] = {std::exp2(random[3 * i]), std::exp2(random[3 * i + 1]),
                                    std::exp2(random[3 * i + 2])};
          trace = rescaled_trace(factors);
          fresh = std::make_unique<CachingResource>();
          Pawl a{fresh.get()};
          for (int pass = 0; pass < kPasses; ++pass) run_trace(a, tensors, trace);
          const auto s = fresh->statistics();
          const double ratio = double(s.peak_reserved_bytes) / double(trace_peak_bytes(trace));
          sum += ratio;
          most = std::max(most, ratio);
          hits += s.hit_rate();
          thread_hits += s.thread_hit_rate();
        }
        Pawl last{fresh.get()};
        measure(state, [&] { run_trace(last, tensors, trace); });
        state.counters["reserved_over_live_peak"] = sum / kTraces;
        state.counters["largest_of_them"] = most;
        state.counters["hit_rate"] = hits / kTraces;
        state.counters["thread_hit_rate"] = thread_hits / kTraces;
        set_work(state, {.items = double(trace_tensors())});
      },
      benchmark::kMicrosecond);
}

// The first block of a size after everything went back to the system: without touching it, and touching each page.
void add_cold_rows(Rows& rows) {
  for (const bool touched : {false, true})
    for (const std::size_t bytes :
         {std::size_t{64}, std::size_t{64} << 10, std::size_t{1} << 20, std::size_t{16} << 20})
      rows.add_manually_timed(RowName(touched ? "first_touch" : "allocate_cold", "u8", "pawl").with("bytes", bytes),
                              [=](benchmark::State& state) {
                                CachingResource fresh;
                                const CountedLoop counted;
                                for (auto _ : state) {
                                  fresh.trim();
                                  using Clock = std::chrono::steady_clock;
                                  auto start = Clock::now();
                                  auto* p = static_cast<char*>(fresh.allocate(bytes, 64));
                                  if (touched) {
                                    start = Clock::now();
                                    for (std::size_t at = 0; at < bytes; at += memory::kPageBytes) p[at] = 1;
                                  }
                                  benchmark::DoNotOptimize(p);
                                  state.SetIterationTime(std::chrono::duration<double>(Clock::now() - start).count());
                                  fresh.deallocate(p, bytes, 64);
                                }
                                set_work(state, {.bytes = touched ? double(bytes) : 0, .items = 1});
                              });
}

const Registration rows([](Rows& r) {
  add_allocator_rows(r, "pawl", Pawl{&memory::caching_resource()});
  if (r.quick()) return;
  add_allocator_rows(r, "pawl-pmr", Pmr{&memory::caching_resource()});
  add_trace_footprint(r);
  add_rescaled_footprint(r);
  add_cold_rows(r);
});

}  // namespace
}  // namespace pawl::bench
