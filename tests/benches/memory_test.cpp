// memory_test.cpp -- the hooks count what was allocated, and only while they are on.
#include "memory.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <vector>

#include "pawl/memory/observer.hpp"

namespace pawl::bench {
namespace {

// The compiler may drop an allocation whose address nobody sees. Not DoNotOptimize, which wrote a stale pointer back
// (Google Benchmark 1.7, g++ 12 -O1).
void keep(const void* p) { asm volatile("" : : "r"(p) : "memory"); }

class Memory : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!allocation_hooks_present()) GTEST_SKIP() << "malloc cannot be counted here";
  }
};

TEST_F(Memory, CountsNewMallocAndFree) {
  start_counting_allocations();
  auto* vector = new std::vector<double>(1000);
  void* block = std::malloc(5000);
  keep(block);
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
  keep(a);
  keep(b);
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
  keep(before.get());
  {
    const CountedLoop loop;
    auto inside = std::make_unique<int[]>(100);
    keep(inside.get());
  }
  auto after = std::make_unique<int[]>(100);
  keep(after.get());
  const AllocationCounts counts = end_memory_pass();
  EXPECT_EQ(counts.allocations, 1);
  {
    const CountedLoop loop;  // outside a pass
    keep(std::make_unique<int[]>(100).get());
  }
  EXPECT_EQ(end_memory_pass().allocations, 1);
}

TEST_F(Memory, AllOfAPassCountsWhereNoLoopIsMarked) {
  begin_memory_pass();
  keep(std::make_unique<int[]>(100).get());
  EXPECT_EQ(end_memory_pass().allocations, 1);
}

TEST_F(Memory, AProfileNamesWhatTheLoopAllocates) {
  profile_memory_passes(3);
  begin_memory_pass();
  keep(std::make_unique<int[]>(50'000).get());
  {
    const CountedLoop loop;
    for (int i = 0; i < 7; ++i) keep(std::make_unique<int[]>(100).get());
  }
  end_memory_pass();
  const std::string text = memory_profile();
  EXPECT_TRUE(text.starts_with("7 allocations of 2.")) << text;  // 2.7 KiB
  begin_memory_pass();
  { const CountedLoop loop; }
  end_memory_pass();
  EXPECT_EQ(memory_profile(), "");
  profile_memory_passes(0);
}

// What an allocator of the library does for each of its blocks.
TEST_F(Memory, TheLibrarysOwnBlocksCountInAMemoryPass) {
  int block = 0;
  begin_memory_pass();
  memory::tell_allocated(&block, 50'000);  // outside the loop
  {
    const CountedLoop loop;
    for (int i = 0; i < 3; ++i) {
      memory::tell_allocated(&block, 20'000);
      memory::tell_freed(&block, 20'000);
    }
    memory::tell_allocated(&block, 1000);
  }
  const AllocationCounts counts = end_memory_pass();
  EXPECT_EQ(counts.allocations, 4);
  EXPECT_EQ(counts.allocated_bytes, 61'000);
  EXPECT_EQ(counts.peak_bytes, 20'000);
  EXPECT_EQ(counts.live_bytes, 1000);
}

}  // namespace
}  // namespace pawl::bench
