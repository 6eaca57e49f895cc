// footprint_test.cpp -- how much memory a transformer's forward passes hold, and how often they ask the system for
// more.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "pawl/memory.hpp"

namespace pawl::memory {
namespace {

// tools/transformer_trace.py: bytes to allocate under the next id, or -(id + 1) to free.
constexpr std::int32_t kTrace[] = {
#include "benches/allocator/transformer_trace.inc"
};

std::size_t live_peak() {
  std::vector<std::int64_t> sizes;
  std::int64_t live = 0, peak = 0;
  for (const std::int32_t event : kTrace) {
    if (event > 0) sizes.push_back(event);
    live += event > 0 ? event : -sizes[static_cast<std::size_t>(-(event + 1))];
    peak = std::max(peak, live);
  }
  return static_cast<std::size_t>(peak);
}

struct Seen {
  double reserved_over_live_peak;
  std::uint64_t growths_after_the_first_pass;
  double hit_rate, reuse_rate;
};

Seen run(const CachingOptions& options) {
  CachingResource resource(options);
  struct Block {
    void* p;
    std::size_t bytes;
  };
  Statistics first;
  for (int pass = 0; pass < 50; ++pass) {
    std::vector<Block> blocks;
    blocks.reserve(std::size(kTrace));
    for (const std::int32_t event : kTrace)
      if (event > 0) {
        const auto bytes = static_cast<std::size_t>(event);
        blocks.push_back({resource.allocate(bytes, 64), bytes});
      } else {
        const Block& b = blocks[static_cast<std::size_t>(-(event + 1))];
        resource.deallocate(b.p, b.bytes, 64);
      }
    if (pass == 0) first = resource.statistics();
  }
  const Statistics last = resource.statistics();
  EXPECT_EQ(last.live_bytes, 0U);
  return {static_cast<double>(last.peak_reserved_bytes) / static_cast<double>(live_peak()),
          last.growths - first.growths, last.hit_rate(), last.reuse_rate()};
}

TEST(Footprint, ATransformersTensorsHoldLittleMoreThanTheirPeak) {
  const Seen seen = run({});
  EXPECT_LT(seen.reserved_over_live_peak, 1.25);
  EXPECT_LE(seen.growths_after_the_first_pass, 1U);
  EXPECT_GT(seen.reuse_rate, 0.999);
  EXPECT_GT(seen.hit_rate, 0.7);
}

TEST(Footprint, LessWhereLargeBlocksAreNotCached) {
  const Seen seen = run({.largest_cached_bytes = std::size_t{32} << 10});
  EXPECT_LT(seen.reserved_over_live_peak, 1.15);
  EXPECT_EQ(seen.growths_after_the_first_pass, 0U);
  EXPECT_GT(seen.reuse_rate, 0.999);
}

}  // namespace
}  // namespace pawl::memory
