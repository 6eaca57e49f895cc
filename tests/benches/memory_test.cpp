// memory_test.cpp -- the hooks count what was allocated, and only while they are on.
#include "memory.hpp"

#include <benchmark/benchmark.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <vector>

extern "C" void pawl_caching_resource_counts(int begin, std::int64_t* allocations, std::int64_t* live,
                                             std::int64_t* peak);

namespace pawl::bench {
namespace {

class Memory : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!allocation_hooks_present()) GTEST_SKIP() << "no allocation hooks in this build (sanitizers have their own)";
  }
};

TEST_F(Memory, CountsNewMallocAndFree) {
  start_counting_allocations();
  auto* vector = new std::vector<double>(1000);
  void* block = std::malloc(5000);
  benchmark::DoNotOptimize(block);
  std::free(block);
  const AllocationCounts during = stop_counting_allocations();
  delete vector;
  EXPECT_EQ(during.allocations, 3);  // the object, its elements, the block
  EXPECT_GE(during.allocated_bytes, 8000 + 5000);
  EXPECT_LT(during.allocated_bytes, 8000 + 5000 + 200);
  EXPECT_GE(during.peak_bytes, 13'000);
  EXPECT_GE(during.live_bytes, 8000);
  EXPECT_LT(during.live_bytes, 8200);
}

TEST_F(Memory, CountsAlignedAndReallocated) {
  start_counting_allocations();
  void* a = std::aligned_alloc(64, 640);
  void* b = nullptr;
  const int failed = posix_memalign(&b, 128, 1000);
  b = std::realloc(b, 3000);
  benchmark::DoNotOptimize(a);
  benchmark::DoNotOptimize(b);
  std::free(a);
  std::free(b);
  const AllocationCounts counts = stop_counting_allocations();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(counts.allocations, 3);
  EXPECT_EQ(counts.live_bytes, 0);
}

TEST_F(Memory, NothingIsCountedOutsideTheTimedLoopOfAMemoryPass) {
  begin_memory_pass();
  auto before = std::make_unique<int[]>(100);
  benchmark::DoNotOptimize(before.get());
  {
    const CountedLoop loop;
    auto inside = std::make_unique<int[]>(100);
    benchmark::DoNotOptimize(inside.get());
  }
  auto after = std::make_unique<int[]>(100);
  benchmark::DoNotOptimize(after.get());
  const AllocationCounts counts = end_memory_pass();
  EXPECT_EQ(counts.allocations, 1);
  {
    const CountedLoop loop;  // outside a pass
    benchmark::DoNotOptimize(std::make_unique<int[]>(100).get());
  }
  EXPECT_EQ(end_memory_pass().allocations, 1);
}

// What src/memory/caching_resource.cpp answers in a bench that is linked with it; here, what this test wants.
struct OwnBlocks {
  std::int64_t allocations = 0, live = 0, peak = 0;
} own;

TEST_F(Memory, TheLibrarysOwnBlocksCountInAMemoryPass) {
  own = {100, 5000, 90'000};
  begin_memory_pass();
  own.allocations += 7;  // outside the loop
  {
    const CountedLoop loop;
    EXPECT_EQ(own.peak, own.live) << "the peak starts with the loop";
    own.allocations += 3;
    own.peak = 25'000;
    own.live = 6000;
  }
  const AllocationCounts counts = end_memory_pass();
  EXPECT_EQ(counts.allocations, 3);
  EXPECT_EQ(counts.peak_bytes, 20'000);
  EXPECT_EQ(counts.live_bytes, 1000);
  EXPECT_EQ(counts.allocated_bytes, -1) << "the sum of their bytes is not known";
  own = {};
}

}  // namespace
}  // namespace pawl::bench

extern "C" void pawl_caching_resource_counts(int begin, std::int64_t* allocations, std::int64_t* live,
                                             std::int64_t* peak) {
  auto& own = pawl::bench::own;
  if (begin != 0) own.peak = own.live;
  *allocations = own.allocations;
  *live = own.live;
  *peak = own.peak;
}
