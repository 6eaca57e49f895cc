// workload_test.cpp -- shapes of use that once made the caching resource slow or large: what it asks of the next level.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "pawl/memory.hpp"

namespace pawl::memory {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

// A heap of a few pages, each class with a slab: what a class lacks must not be taken from the others' caches each
// time.
TEST(Workload, AGrowingVectorInASmallHeapHitsTheCache) {
  CachingResource r;
  for (int round = 0; round < 1000; ++round) {
    std::pmr::vector<int> v(&r);
    for (int i = 0; i < 1000; ++i) v.push_back(i);
  }
  EXPECT_GT(r.statistics().thread_hit_rate(), 0.95);
  EXPECT_LT(r.statistics().peak_reserved_bytes, kMiB);
}

// A free run that holds an aligned block need not be as long as the block and the alignment together.
TEST(Workload, BlocksOfAlignmentsBeyondAPageFitTheHolesOfOthers) {
  CachingResource r;
  constexpr std::size_t kAlignment = std::size_t{64} << 10;
  struct Block {
    void* p = nullptr;
    std::size_t bytes = 0;
  };
  std::vector<Block> blocks(300);
  std::mt19937_64 random(1);
  std::size_t live = 0, peak = 0;
  for (int i = 0; i < 30'000; ++i) {
    Block& b = blocks[random() % blocks.size()];
    if (b.p != nullptr) r.deallocate(b.p, b.bytes, kAlignment);
    live -= b.bytes;
    b.bytes = (std::size_t{16} << random() % 13) + random() % 4096;
    b.p = r.allocate(b.bytes, kAlignment);
    live += b.bytes;
    peak = std::max(peak, live);
  }
  EXPECT_LT(r.statistics().growths, 1500U);
  EXPECT_LT(static_cast<double>(r.statistics().peak_reserved_bytes), 1.6 * static_cast<double>(peak));
  for (const Block& b : blocks)
    if (b.p != nullptr) r.deallocate(b.p, b.bytes, kAlignment);
}

TEST(Workload, WhatComesAgainAndAgainIsRetainedUntilItNoLongerDoes) {
  CachingResource r({.thread_caches_bytes = 8 * kMiB, .retained_bytes = 16 * kMiB});
  const auto burst = [&] {
    std::vector<void*> blocks;
    for (int i = 0; i < 100; ++i) blocks.push_back(r.allocate(kMiB));
    for (void* p : blocks) r.deallocate(p, kMiB);
  };
  constexpr std::size_t kBound = (8 + 2 + 16) * kMiB;  // thread, shared stack, pages
  burst();
  EXPECT_LE(r.statistics().reserved_bytes, kBound);
  for (int i = 0; i < 5; ++i) burst();
  EXPECT_GE(r.statistics().reserved_bytes, 100 * kMiB);
  // Blocks of such an alignment are not cached: the pages hear of each.
  for (int i = 0; i < 5000; ++i) r.deallocate(r.allocate(kMiB, 2 * kPageBytes), kMiB, 2 * kPageBytes);
  EXPECT_LE(r.statistics().reserved_bytes, kBound);
}

// Threads that follow each other take over caches: what they count and hold must not come along.
TEST(Workload, ManyShortLivedThreadsLeaveNothingBehind) {
  CachingResource r;
  for (int round = 0; round < 20; ++round) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 12; ++t)  // more at a time than are kept
      threads.emplace_back([&r, t] {
        std::vector<std::pair<void*, std::size_t>> blocks;
        for (std::size_t i = 0; i < 100; ++i) {
          const std::size_t bytes = (i * 37 + static_cast<std::size_t>(t)) % 5000 + 1;
          blocks.emplace_back(r.allocate(bytes), bytes);
          static_cast<char*>(blocks.back().first)[bytes - 1] = 1;
        }
        for (const auto& [p, bytes] : blocks) r.deallocate(p, bytes);
      });
    for (std::thread& t : threads) t.join();
  }
  const Statistics seen = r.statistics();
  EXPECT_EQ(seen.live_bytes, 0U);
  EXPECT_EQ(seen.hits + seen.misses, 20U * 12 * 100);
  r.trim();
  EXPECT_EQ(r.statistics().reserved_bytes, 0U);
}

}  // namespace
}  // namespace pawl::memory
