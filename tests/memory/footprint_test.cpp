// footprint_test.cpp -- how much memory a transformer's forward passes hold, and how often they ask the system for
// more.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "benches/allocator/transformer_trace.hpp"
#include "pawl/memory.hpp"

namespace pawl::memory {
namespace {

using Trace = std::vector<std::int64_t>;

Trace recorded() { return {std::begin(bench::kTransformerTrace), std::end(bench::kTransformerTrace)}; }

Trace rescaled(const double (&factors)[3]) {
  const auto trace = bench::rescaled_trace(factors);
  return {trace.begin(), trace.end()};
}

/// Up to 30 events of one and then of the other.
Trace interleaved(const Trace& a, const Trace& b, std::mt19937_64& random) {
  Trace out;
  std::int64_t made = 0;
  struct Reader {
    const Trace& trace;
    std::size_t next = 0;
    std::vector<std::int64_t> ids{};
  } readers[] = {{a}, {b}};
  while (readers[0].next < a.size() || readers[1].next < b.size())
    for (Reader& r : readers)
      for (std::uint64_t left = 1 + random() % 30; left > 0 && r.next < r.trace.size(); --left) {
        const std::int64_t event = r.trace[r.next++];
        if (event > 0) r.ids.push_back(made++);
        out.push_back(event > 0 ? event : -(r.ids[static_cast<std::size_t>(-(event + 1))] + 1));
      }
  return out;
}

std::size_t live_peak(const Trace& trace) {
  std::vector<std::int64_t> sizes;
  std::int64_t live = 0, peak = 0;
  for (const std::int64_t event : trace) {
    if (event > 0) sizes.push_back(event);
    live += event > 0 ? event : -sizes[static_cast<std::size_t>(-(event + 1))];
    peak = std::max(peak, live);
  }
  return static_cast<std::size_t>(peak);
}

struct Seen {
  double reserved_over_live_peak;
  std::uint64_t growths_after_the_first_pass;
  double hit_rate, thread_hit_rate;
};

Seen run(const Trace& trace, int passes, const CachingOptions& options = {}) {
  CachingResource resource(options);
  struct Block {
    char* p;
    std::size_t bytes;
  };
  Statistics first;
  for (int pass = 0; pass < passes; ++pass) {
    std::vector<Block> blocks;
    blocks.reserve(trace.size());
    // The ends of a block hold its number while it lives: memory that goes to the system meanwhile would lose it.
    const auto mark = [&](std::size_t id) { return static_cast<char>(id % 127 + 1); };
    for (const std::int64_t event : trace)
      if (event > 0) {
        const auto bytes = static_cast<std::size_t>(event);
        blocks.push_back({static_cast<char*>(resource.allocate(bytes, 64)), bytes});
        blocks.back().p[0] = blocks.back().p[bytes - 1] = mark(blocks.size() - 1);
      } else {
        const auto id = static_cast<std::size_t>(-(event + 1));
        const Block& b = blocks[id];
        EXPECT_TRUE(b.p[0] == mark(id) && b.p[b.bytes - 1] == mark(id)) << "tensor " << id << " of pass " << pass;
        resource.deallocate(b.p, b.bytes, 64);
      }
    if (pass == 0) first = resource.statistics();
  }
  const Statistics last = resource.statistics();
  EXPECT_EQ(last.live_bytes, 0U);
  return {static_cast<double>(last.peak_reserved_bytes) / static_cast<double>(live_peak(trace)),
          last.growths - first.growths, last.hit_rate(), last.thread_hit_rate()};
}

TEST(Footprint, ATransformersTensorsHoldLittleMoreThanTheirPeak) {
  const Seen seen = run(recorded(), 400);
  EXPECT_LT(seen.reserved_over_live_peak, 1.2);
  EXPECT_GT(seen.hit_rate, 0.998);
  EXPECT_GT(seen.thread_hit_rate, 0.7);
}

TEST(Footprint, LessWhereLargeBlocksAreNotCached) {
  const Seen seen = run(recorded(), 50, {.largest_cached_bytes = std::size_t{32} << 10});
  EXPECT_LT(seen.reserved_over_live_peak, 1.2);
  EXPECT_EQ(seen.growths_after_the_first_pass, 0U);
  EXPECT_GT(seen.hit_rate, 0.999);
}

// Few blocks of many sizes: each size finds pages of its own before caches of others are emptied for it.
TEST(Footprint, ASmallHeapKeepsItsCaches) {
  struct Case {
    std::size_t blocks;
    double least_bytes, most_reserved;
  };
  for (const auto& [count, least_bytes, most_reserved] : {Case{1, 16, 2.25}, Case{10, 1024, 4.25}}) {
    CachingResource resource;
    std::mt19937_64 random(7);
    struct Block {
      void* p = nullptr;
      std::size_t bytes = 0;
    };
    std::vector<Block> blocks(count);
    Statistics first;
    for (int step = 0; step < 20000; ++step) {
      Block& b = blocks[random() % count];
      if (b.p != nullptr) resource.deallocate(b.p, b.bytes, 64);
      const double share = static_cast<double>(random() >> 11) * 0x1p-53;
      b.bytes = static_cast<std::size_t>(least_bytes * std::pow(65536 / least_bytes, share));
      b.p = resource.allocate(b.bytes, 64);
      if (step == 5000) first = resource.statistics();
    }
    const Statistics last = resource.statistics();
    for (const Block& b : blocks) resource.deallocate(b.p, b.bytes, 64);
    EXPECT_GT(static_cast<double>(last.thread_hits - first.thread_hits), 0.99 * 15000) << count;
    EXPECT_LT(static_cast<double>(last.peak_reserved_bytes), most_reserved * (1 << 20)) << count;
  }
}

// What holds for one trace may be luck.
TEST(Footprint, SoDoThoseOfOtherSizes) {
  std::mt19937_64 random(1);
  const auto factor = [&] { return std::exp2(static_cast<double>(random() >> 11) * 0x1p-53 * 3 - 1); };  // 0.5 to 4
  double sum = 0, sum_of_two = 0;
  constexpr int kTraces = 30;
  for (int i = 0; i < kTraces; ++i) {
    const double factors[3] = {factor(), factor(), factor()}, others[3] = {factor(), factor(), factor()};
    const Trace one = rescaled(factors);
    const Seen seen = run(one, 20);
    EXPECT_LT(seen.reserved_over_live_peak, 1.6) << factors[0] << ' ' << factors[1] << ' ' << factors[2];
    EXPECT_GT(seen.hit_rate, 0.98);
    sum += seen.reserved_over_live_peak;
    sum_of_two += run(interleaved(one, rescaled(others), random), 5).reserved_over_live_peak;
  }
  EXPECT_LT(sum / kTraces, 1.4);
  EXPECT_LT(sum_of_two / kTraces, 1.4);
}

}  // namespace
}  // namespace pawl::memory
