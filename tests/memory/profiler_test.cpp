// profiler_test.cpp -- counts by tags and calls, from malloc, operator new, the caching resource and wrapped ones.
#include "pawl/memory/profiler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <thread>

#include "pawl/memory.hpp"
#include "pawl/memory/malloc_hooks.hpp"

// The compiler may drop an allocation whose address nobody sees.
template <class T>
void keep(T* p) {
  asm volatile("" : : "r"(p) : "memory");
}

// Outside all namespaces, with external linkage and not inlined: names that a backtrace has.
[[gnu::noinline]] void* profiler_test_allocates(std::size_t bytes) {
  void* p = std::malloc(bytes);
  keep(p);
  return p;
}
[[gnu::noinline]] void* profiler_test_calls_it(std::size_t bytes) {
  void* p = profiler_test_allocates(bytes);
  keep(p);
  return p;
}

namespace pawl::memory {
namespace {

using ::testing::HasSubstr;

class Profiler : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(malloc_hooks_present()); }
};

// What is tagged so, whoever else allocates meanwhile.
AllocationSite tagged(const MemorySnapshot& snapshot, const std::string& tags) {
  for (const AllocationSite& sum : by_tags(snapshot, OrderBy::allocated_bytes))
    if (sum.tags == tags) return sum;
  return {};
}

TEST_F(Profiler, CountsMallocNewAndOurResourcesUnderTheirTags) {
  CachingResource caching;
  void* warm = caching.allocate(1000);  // its thread's cache exists before anybody observes
  caching.deallocate(warm, 1000);
  const MemoryProfiler profiler;
  void* block = nullptr;
  std::unique_ptr<int[]> array;
  void* ours = nullptr;
  {
    const MemoryTag outer("outer");
    block = std::malloc(5000);
    keep(block);
    {
      const MemoryTag inner("inner");
      array = std::make_unique<int[]>(2500);
      keep(array.get());
      ours = caching.allocate(3000, 64);
    }
  }
  MemorySnapshot snapshot = profiler.snapshot();
  EXPECT_EQ(tagged(snapshot, "outer").allocations, 1U);
  EXPECT_GE(tagged(snapshot, "outer").live_bytes, 5000);
  EXPECT_LT(tagged(snapshot, "outer").live_bytes, 5100);
  EXPECT_EQ(tagged(snapshot, "outer/inner").allocations, 2U);
  EXPECT_GE(tagged(snapshot, "outer/inner").live_bytes, 10'000 + 3000);
  EXPECT_LT(tagged(snapshot, "outer/inner").live_bytes, 10'100 + 3400);
  std::free(block);
  array.reset();
  caching.deallocate(ours, 3000, 64);
  snapshot = profiler.snapshot();
  EXPECT_EQ(tagged(snapshot, "outer").live_bytes, 0);
  EXPECT_EQ(tagged(snapshot, "outer/inner").live_blocks, 0);
  EXPECT_EQ(tagged(snapshot, "outer/inner").frees, 2U);
}

// Resources whose inlined calls find this thread's cache.
std::ptrdiff_t fast_resources() {
  return std::ranges::count_if(detail::thread_caches,
                               [](const auto& way) { return way.cache.load() != &detail::no_cache; });
}

TEST_F(Profiler, TheCachingResourceIsSilentAfterwardsAndFastAgain) {
  CachingResource caching;
  caching.deallocate(caching.allocate(64), 64);
  EXPECT_GE(fast_resources(), 1);
  {
    const MemoryProfiler profiler;
    const MemoryTag tag("while");
    caching.deallocate(caching.allocate(64), 64);
    caching.deallocate(caching.allocate(64), 64);
    EXPECT_EQ(tagged(profiler.snapshot(), "while").allocations, 2U);
    EXPECT_EQ(fast_resources(), 0);
  }
  caching.deallocate(caching.allocate(64), 64);
  EXPECT_GE(fast_resources(), 1);
  const MemoryProfiler profiler;
  EXPECT_EQ(profiler.snapshot().live_blocks, 0) << "a new profiler starts from nothing";
}

TEST_F(Profiler, SitesAreChainsOfCalls) {
  const MemoryProfiler profiler;
  void* direct = nullptr;
  void* through = nullptr;
  {
    const MemoryTag tag("calls");
    direct = profiler_test_allocates(100);
    for (int i = 0; i < 3; ++i) {
      if (through != nullptr) std::free(through);
      through = profiler_test_calls_it(40'000);
    }
  }
  const auto largest = top(profiler.snapshot(), 1, OrderBy::allocated_bytes);
  ASSERT_EQ(largest.size(), 1U);
  EXPECT_EQ(largest[0].tags, "calls");
  EXPECT_EQ(largest[0].allocations, 3U);
  EXPECT_EQ(largest[0].frees, 2U);
  const auto calls = describe_calls(largest[0].calls);
  ASSERT_GE(calls.size(), 2U);
  EXPECT_THAT(calls[0], HasSubstr("profiler_test_allocates")) << "malloc itself and the profiler are left out";
  EXPECT_THAT(calls[1], HasSubstr("profiler_test_calls_it"));
  const std::string text = format_sites(profiler.snapshot(), 3, OrderBy::allocated_bytes);
  EXPECT_THAT(text, HasSubstr("[calls]"));
  EXPECT_THAT(text, HasSubstr("in profiler_test_allocates"));
  std::free(direct);
  std::free(through);
}

TEST_F(Profiler, DifferencesAndLeaks) {
  const MemoryProfiler profiler({.calls = 12});
  void* before = profiler_test_allocates(3000);
  const MemorySnapshot begin = profiler.snapshot();
  EXPECT_EQ(format_leaks(difference(profiler.snapshot(), begin)), "no leaks\n");
  void* leaked = nullptr;
  {
    const MemoryTag tag("request");
    leaked = profiler_test_calls_it(2000);
    std::free(profiler_test_allocates(9000));
  }
  std::free(before);
  const MemorySnapshot change = difference(profiler.snapshot(), begin);
  EXPECT_EQ(tagged(change, "request").live_blocks, 1);
  EXPECT_EQ(tagged(change, "request").allocations, 2U);
  EXPECT_EQ(tagged(change, "").live_blocks, -1) << "freed since, allocated before";
  const std::string leaks = format_leaks(change);
  EXPECT_THAT(leaks, HasSubstr("in 1 block\n"));
  EXPECT_THAT(leaks, HasSubstr("[request]"));
  EXPECT_THAT(leaks, HasSubstr("profiler_test_calls_it"));
  std::free(leaked);
  EXPECT_EQ(format_leaks(difference(profiler.snapshot(), begin)), "no leaks\n");
}

TEST_F(Profiler, PeaksOfTheWholeAndOfSitesAndAgain) {
  MemoryProfiler profiler({.calls = 0});
  {
    const MemoryTag tag("peak");
    void* a = profiler_test_allocates(10'000);
    void* b = profiler_test_allocates(20'000);
    std::free(a);
    void* c = profiler_test_allocates(5'000);
    std::free(b);
    std::free(c);
  }
  const auto by_peak = top(profiler.snapshot(), 1, OrderBy::peak_bytes);
  ASSERT_EQ(by_peak.size(), 1U);
  EXPECT_GE(by_peak[0].peak_bytes, 30'000);
  EXPECT_LT(by_peak[0].peak_bytes, 30'200);
  EXPECT_TRUE(by_peak[0].calls.empty());
  profiler.reset_peak();
  EXPECT_LT(profiler.snapshot().peak_bytes, 10'000);
}

TEST_F(Profiler, ReallocKeepsTheBooks) {
  const MemoryProfiler profiler;
  const MemoryTag tag("realloc");
  void* p = profiler_test_allocates(100);
  p = std::realloc(p, 50'000);
  keep(p);
  EXPECT_EQ(tagged(profiler.snapshot(), "realloc").live_blocks, 1);
  EXPECT_GE(tagged(profiler.snapshot(), "realloc").live_bytes, 50'000);
  std::free(p);
  EXPECT_EQ(tagged(profiler.snapshot(), "realloc").live_blocks, 0);
}

TEST_F(Profiler, WrappedResourcesTellTheirBlocks) {
  MonotonicArena arena;
  ProfiledResource told(&arena);
  void* first = told.allocate(64);  // the arena's chunk is there
  const MemoryProfiler profiler;
  void* p = nullptr;
  {
    const MemoryTag tag("arena");
    p = told.allocate(640, 64);
  }
  EXPECT_EQ(tagged(profiler.snapshot(), "arena").live_bytes, 640);
  told.deallocate(p, 640, 64);
  EXPECT_EQ(tagged(profiler.snapshot(), "arena").live_bytes, 0);
  told.deallocate(first, 64);
}

TEST_F(Profiler, ThereIsOneAtATime) {
  {
    const MemoryProfiler profiler;
    EXPECT_THROW(MemoryProfiler{}, std::logic_error);
  }
  EXPECT_NO_THROW(MemoryProfiler{});
}

TEST_F(Profiler, ThreadsAllocateAndFreeAcrossWhileItComesAndGoes) {
  CachingResource caching;
  std::atomic<bool> stop{false};
  std::atomic<void*> handed{nullptr};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      while (!stop) {
        const MemoryTag tag("thread");
        caching.deallocate(caching.allocate(100), 100);
        if (void* old = handed.exchange(caching.allocate(200)); old != nullptr) caching.deallocate(old, 200);
        std::free(profiler_test_allocates(64));
      }
    });
  for (int round = 0; round < 20; ++round) {
    const MemoryProfiler profiler({.calls = 8});
    while (profiler.snapshot().allocations < 200) std::this_thread::yield();
    const MemorySnapshot snapshot = profiler.snapshot();
    std::int64_t live = 0;
    for (const AllocationSite& site : snapshot.sites) live += site.live_bytes;
    EXPECT_EQ(live, snapshot.live_bytes);
    EXPECT_GE(live, 0);
  }
  stop = true;
  for (auto& thread : threads) thread.join();
  if (handed != nullptr) caching.deallocate(handed, 200);
  EXPECT_EQ(caching.statistics().live_bytes, 0U);
}

TEST_F(Profiler, SurvivesAFork) {
  const MemoryProfiler profiler;
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) std::free(profiler_test_allocates(64));
  });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      std::free(profiler_test_allocates(640));
      _exit(profiler.snapshot().allocations > 0 ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  stop = true;
  other.join();
}

TEST(MemoryTags, DeeperThanTheStackCountWithTheLast) {
  ASSERT_TRUE(malloc_hooks_present());
  const MemoryProfiler profiler({.calls = 0});
  {
    std::vector<std::unique_ptr<MemoryTag>> tags;
    tags.reserve(20);
    for (int i = 0; i < 20; ++i) tags.push_back(std::make_unique<MemoryTag>("t"));
    std::free(profiler_test_allocates(12'345));
    while (!tags.empty()) tags.pop_back();
  }
  EXPECT_EQ(tagged(profiler.snapshot(), "t/t/t/t/t/t/t/t/t/t/t/t/t/t/t/t").allocations, 5U);  // 4 tags, the block
  std::free(profiler_test_allocates(54'321));
  EXPECT_GE(tagged(profiler.snapshot(), "").allocated_bytes, 54'321U) << "all scopes are left";
}

}  // namespace
}  // namespace pawl::memory
