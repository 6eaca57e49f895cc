#include "pawl/memory/caching_resource.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <list>
#include <memory>
#include <new>
#include <optional>
#include <thread>

#include "memory/model.hpp"

namespace pawl::memory {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

TEST(CachingResource, HoldsUpAMillionRandomOperations) {
  CachingResource r;
  run_model(r, kModelOperations, 100'000, 256, 2000, 1);
  EXPECT_EQ(r.statistics().live_bytes, 0u);
}

TEST(CachingResource, HoldsUpRandomLargeBlocksAndAlignments) {
  CachingResource r({.retained_bytes = 32 * kMiB});
  run_model(r, kModelOperations / 20, 8 * kMiB, 4 * kMiB, 20, 2);
  EXPECT_EQ(r.statistics().live_bytes, 0u);
  r.trim();
  EXPECT_EQ(r.statistics().reserved_bytes, 0u);
}

TEST(CachingResource, HoldsUpWhereBlocksOfSlabsAreNotCached) {
  CachingResource r({.largest_cached_bytes = 1024});
  run_model(r, kModelOperations / 10, 100'000, 256, 500, 5);
  EXPECT_EQ(r.statistics().live_bytes, 0u);
}

TEST(CachingResource, ThroughTheInterfaceOfPmrToo) {
  CachingResource r;
  std::pmr::memory_resource& base = r;
  run_model(base, kModelOperations / 10, 5000, 64, 500, 3);
  std::pmr::list<std::pmr::vector<int>> lists(&r);
  for (int i = 0; i < 100; ++i) lists.emplace_back(100, i);
  for (int i = 0; const auto& v : lists) EXPECT_EQ(v[99], i++);
}

TEST(CachingResource, ZeroBytesIsABlockOfItsOwn) {
  CachingResource r;
  void *a = r.allocate(0), *b = r.allocate(0);
  EXPECT_NE(a, nullptr);
  EXPECT_NE(a, b);
  r.deallocate(a, 0);
  r.deallocate(b, 0);
  r.deallocate(nullptr, 0);
  r.deallocate(nullptr, 100 * kMiB);
  EXPECT_EQ(r.statistics().live_bytes, 0u);
}

TEST(CachingResource, SizesThatOverflowAreRefusedAndNothingChanges) {
  CachingResource r;
  void* p = r.allocate(100);
  const Statistics before = r.statistics();
  for (std::size_t bytes : {std::size_t(-1), std::size_t(-1) - 15, std::size_t(-1) - 4096, std::size_t(-1) / 2 + 1,
                            std::size_t{1} << 62, std::size_t{1} << 46})
    for (std::size_t alignment : {std::size_t{1}, std::size_t{64}, std::size_t{1} << 21, std::size_t{1} << 62})
      EXPECT_THROW((void)r.allocate(bytes, alignment), std::bad_alloc) << bytes << " to " << alignment;
  EXPECT_THROW((void)r.allocate(16, std::size_t{1} << 62), std::bad_alloc);
  EXPECT_EQ(r.statistics().live_bytes, before.live_bytes);
  EXPECT_EQ(r.statistics().reserved_bytes, before.reserved_bytes);
  r.deallocate(p, 100);
}

TEST(CachingResource, AtTheLimitItRefusesAndStaysWhole) {
  CachingResource r({.limit_bytes = 20 * kMiB});
  for (std::size_t bytes : {std::size_t{100}, std::size_t{5000}, std::size_t{100'000}, 3 * kMiB}) {
    std::vector<ModelBlock> blocks;
    try {
      for (;;) {
        ModelBlock b{static_cast<char*>(r.allocate(bytes, 64)), bytes, 64, blocks.size() + 7};
        write_token(b);
        blocks.push_back(b);
      }
    } catch (const std::bad_alloc&) {
    }
    const Statistics s = r.statistics();
    EXPECT_LE(s.peak_reserved_bytes, 20 * kMiB);
    EXPECT_GE(blocks.size() * bytes, 14 * kMiB) << "of 20 MiB, in blocks of " << bytes;
    EXPECT_THROW((void)r.allocate(21 * kMiB), std::bad_alloc);
    for (const ModelBlock& b : blocks) {
      ASSERT_TRUE(has_token(b));
      r.deallocate(b.p, b.bytes, b.alignment);
    }
    EXPECT_EQ(r.statistics().live_bytes, 0u);
  }
  void* whole = r.allocate(19 * kMiB);  // nothing was lost
  r.deallocate(whole, 19 * kMiB);
}

TEST(CachingResource, CountsLiveAndPeakExactlyInOneThread) {
  CachingResource r;
  std::vector<void*> blocks;
  for (int i = 0; i < 3000; ++i) blocks.push_back(r.allocate(1024));
  EXPECT_EQ(r.statistics().live_bytes, 3000u * 1024);
  EXPECT_EQ(r.statistics().peak_bytes, 3000u * 1024);
  for (int i = 0; i < 2000; ++i) r.deallocate(blocks[std::size_t(i)], 1024);
  EXPECT_EQ(r.statistics().live_bytes, 1000u * 1024);
  for (int i = 0; i < 2000; ++i) blocks[std::size_t(i)] = r.allocate(1024);
  void* more = r.allocate(16);
  EXPECT_EQ(r.statistics().peak_bytes, 3000u * 1024 + 16);
  void* large = r.allocate(100 * kMiB);
  EXPECT_EQ(r.statistics().peak_bytes, 3000u * 1024 + 16 + 100 * kMiB);
  r.deallocate(large, 100 * kMiB);
  r.deallocate(more, 16);
  for (void* p : blocks) r.deallocate(p, 1024);
  EXPECT_EQ(r.statistics().live_bytes, 0u);
  EXPECT_EQ(r.statistics().peak_bytes, 3000u * 1024 + 16 + 100 * kMiB);
}

TEST(CachingResource, ThePeakStartsAgainWhenAsked) {
  CachingResource r;
  void* a = r.allocate(4096);
  r.deallocate(r.allocate(kMiB), kMiB);
  r.reset_peak();
  EXPECT_EQ(r.statistics().peak_bytes, 4096u);
  r.deallocate(r.allocate(8192), 8192);
  r.deallocate(r.allocate(64), 64);
  EXPECT_EQ(r.statistics().peak_bytes, 4096u + 8192);
  r.deallocate(a, 4096);
}

TEST(CachingResource, CountsHitsAndMisses) {
  CachingResource r;
  for (int i = 0; i < 1000; ++i) r.deallocate(r.allocate(64), 64);
  EXPECT_EQ(r.statistics().misses, 1u);
  EXPECT_EQ(r.statistics().hits, 999u);
  EXPECT_EQ(r.statistics().thread_hits, 999u);
  // Another size takes pages that are there: a hit, but not of the thread's cache. Pages that the system had back are
  // asked for.
  r.deallocate(r.allocate(2048), 2048);
  EXPECT_EQ(r.statistics().misses, 1u);
  EXPECT_EQ(r.statistics().hits, 1000u);
  EXPECT_EQ(r.statistics().thread_hits, 999u);
  r.trim();
  r.deallocate(r.allocate(2048), 2048);
  EXPECT_EQ(r.statistics().misses, 2u);
  EXPECT_EQ(r.statistics().hits, 1000u);
  // Blocks that are never cached count as well.
  for (int i = 0; i < 10; ++i) r.deallocate(r.allocate(100 * kMiB), 100 * kMiB);
  EXPECT_EQ(r.statistics().misses, 3u);
  EXPECT_EQ(r.statistics().hits, 1009u);
  EXPECT_EQ(r.statistics().thread_hits, 999u);
}

TEST(CachingResource, FreedMemoryIsOnePieceAfterAFlushAndTheSystemsAfterATrim) {
  CachingResource r;
  run_model(r, 20'000, 200'000, 64, 1000, 4);
  r.flush();
  // What the system has back is free as well.
  EXPECT_GE(r.statistics().free_bytes, r.statistics().reserved_bytes);
  EXPECT_EQ(r.statistics().fragmentation(), 0);
  r.trim();
  EXPECT_EQ(r.statistics().reserved_bytes, 0u);
  EXPECT_GT(r.statistics().peak_reserved_bytes, 0u);
  auto* p = static_cast<char*>(r.allocate(kMiB));
  EXPECT_EQ(p[0] + p[kMiB - 1], 0);  // the system gave new pages
  EXPECT_GE(r.statistics().reserved_bytes, kMiB);
  r.deallocate(p, kMiB);
}

TEST(CachingResource, WhatIsRetainedIsBounded) {
  CachingResource r({.thread_caches_bytes = 8 * kMiB, .retained_bytes = 16 * kMiB});
  std::vector<void*> blocks;
  for (int i = 0; i < 100; ++i) blocks.push_back(r.allocate(kMiB));
  for (void* p : blocks) r.deallocate(p, kMiB);
  EXPECT_LE(r.statistics().reserved_bytes, 8 * kMiB + 2 * kMiB + 16 * kMiB);  // thread, shared stack, pages
}

TEST(CachingResource, BlocksOutliveTheThreadThatMadeThem) {
  CachingResource r;
  std::vector<ModelBlock> blocks;
  std::thread([&] {
    for (std::size_t i = 0; i < 5000; ++i) {
      blocks.push_back({static_cast<char*>(r.allocate(i, 8)), i, 8, i});
      write_token(blocks.back());
    }
    for (int i = 0; i < 100; ++i) r.deallocate(r.allocate(777), 777);
  }).join();
  EXPECT_GT(r.statistics().live_bytes, 5000u * 2499);
  run_model(r, 10'000, 5000, 64, 300, 5);
  for (const ModelBlock& b : blocks) {
    ASSERT_TRUE(has_token(b));
    r.deallocate(b.p, b.bytes, b.alignment);
  }
  EXPECT_EQ(r.statistics().live_bytes, 0u);
  r.flush();
  EXPECT_EQ(r.statistics().free_bytes, r.statistics().largest_free_bytes) << "the thread's cache was not given back";
}

TEST(CachingResource, ThreadsMayFreeEachOthersBlocks) {
  CachingResource r;
  constexpr int kThreads = 4, kRounds = 40;
  std::array<std::vector<ModelBlock>, kThreads> from, to;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&, t] {
        std::mt19937_64 random(static_cast<std::uint64_t>(round * kThreads + t));
        for (const ModelBlock& b : from[std::size_t(t + 1) % kThreads]) {
          EXPECT_TRUE(has_token(b));
          r.deallocate(b.p, b.bytes, b.alignment);
        }
        for (int i = 0; i < 500; ++i) {
          const std::size_t bytes = random() % (std::size_t{1} << (4 + random() % 14));
          to[std::size_t(t)].push_back({static_cast<char*>(r.allocate(bytes, 64)), bytes, 64, random()});
          write_token(to[std::size_t(t)].back());
        }
      });
    for (auto& t : threads) t.join();
    for (std::size_t t = 0; t < kThreads; ++t) from[t] = std::move(to[t]), to[t].clear();
  }
  for (const auto& blocks : from)
    for (const ModelBlock& b : blocks) r.deallocate(b.p, b.bytes, b.alignment);
  EXPECT_EQ(r.statistics().live_bytes, 0u);
}

TEST(CachingResource, ABlockFreedWhileAThreadEndsGoesToTheHeap) {
  static CachingResource* r;
  CachingResource resource;
  r = &resource;
  struct FreesLate {
    void* p = nullptr;
    ~FreesLate() {
      r->deallocate(p, 100);
      r->deallocate(r->allocate(100), 100);
    }
  };
  std::thread([] {
    static thread_local FreesLate late;  // constructed before the cache, so it dies after it
    late.p = r->allocate(100);
  }).join();
  EXPECT_EQ(resource.statistics().live_bytes, 0u);
}

TEST(CachingResource, AResourceMayDieBeforeThreadsThatUsedIt) {
  auto first = std::make_unique<CachingResource>();
  std::optional<CachingResource> second;
  std::atomic<int> step{0};
  const auto wait_for = [&](int s) {
    while (step != s) std::this_thread::yield();
  };
  std::thread user([&] {
    (void)first->allocate(100);
    step = 1;
    wait_for(2);
    void* p = second->allocate(100);  // takes the place of the first; its cache is not the dead one
    std::memset(p, 1, 100);
    second->deallocate(p, 100);
  });
  wait_for(1);
  first.reset();
  second.emplace();
  step = 2;
  user.join();
  EXPECT_EQ(second->statistics().live_bytes, 0u);
}

TEST(CachingResource, ManyAtATimeWork) {
  std::vector<std::unique_ptr<CachingResource>> many;
  for (int i = 0; i < 40; ++i) many.push_back(std::make_unique<CachingResource>());
  for (auto& r : many) {
    run_model(*r, 500, 5000, 64, 50, 6);
    EXPECT_EQ(r->statistics().live_bytes, 0u);
  }
}

#ifndef __SANITIZE_THREAD__  // which does not follow threads over fork()
TEST(CachingResource, WorksInBothProcessesAfterAFork) {
  CachingResource r;
  std::atomic<bool> stop{false};
  std::thread other([&] {
    std::mt19937_64 random(1);
    std::vector<std::pair<void*, std::size_t>> live;
    while (!stop) {  // in the slow paths most of the time, so that forks meet held locks
      for (int i = 0; i < 300; ++i)
        live.emplace_back(r.allocate(5000), 5000), live.emplace_back(r.allocate(100'000), 100'000);
      for (auto [p, bytes] : live) r.deallocate(p, bytes);
      live.clear();
    }
  });
  ModelBlock kept{static_cast<char*>(r.allocate(1000)), 1000, 16, 99};
  write_token(kept);
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(20);  // a lock that nobody will release
      bool right = has_token(kept);
      for (std::size_t bytes = 1; bytes < 300'000; bytes = bytes * 3 / 2 + 1) {
        void* p = r.allocate(bytes);
        std::memset(p, 1, bytes);
        r.deallocate(p, bytes);
      }
      std::thread([&] { r.deallocate(r.allocate(100), 100); }).join();
      r.deallocate(kept.p, 1000);
      _exit(right ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  stop = true;
  other.join();
  EXPECT_TRUE(has_token(kept));
  r.deallocate(kept.p, 1000);
  EXPECT_EQ(r.statistics().live_bytes, 0u);
}
#endif

#ifdef PAWL_MEMORY_ASAN
TEST(CachingResource, AddressSanitizerSeesFreedBlocksAndTheirEnds) {
  CachingResource r;
  auto* p = static_cast<char*>(r.allocate(100));
  EXPECT_FALSE(__asan_address_is_poisoned(p + 99));
  EXPECT_TRUE(__asan_address_is_poisoned(p + 104));
  r.deallocate(p, 100);
  EXPECT_TRUE(__asan_address_is_poisoned(p));
  auto* q = static_cast<char*>(r.allocate(40, 16));
  EXPECT_FALSE(__asan_address_is_poisoned(q + 39));
  EXPECT_TRUE(__asan_address_is_poisoned(q + 40));
  r.deallocate(q, 40, 16);
}
#endif

TEST(CachingResource, TheProcessesOwnIsOne) {
  EXPECT_EQ(&caching_resource(), &caching_resource());
  void* p = caching_resource().allocate(10);
  caching_resource().deallocate(p, 10);
}

}  // namespace
}  // namespace pawl::memory
