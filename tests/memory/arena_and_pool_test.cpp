#include <gtest/gtest.h>

#include <cstdint>
#include <list>
#include <new>
#include <set>
#include <stdexcept>

#include "memory/model.hpp"
#include "pawl/memory/aligned_buffer.hpp"
#include "pawl/memory/monotonic_arena.hpp"
#include "pawl/memory/slab_pool.hpp"

namespace pawl::memory {
namespace {

std::pmr::memory_resource* heap() { return std::pmr::new_delete_resource(); }

TEST(MonotonicArena, HoldsUpAMillionRandomOperationsWithMarks) {
  MonotonicArena arena(1024, heap());
  std::mt19937_64 random(1);
  struct Scope {
    MonotonicArena::Mark mark;
    std::size_t blocks, live;
  };
  std::vector<Scope> scopes;
  std::vector<ModelBlock> blocks;
  std::size_t live = 0;
  for (int i = 0; i < kModelOperations; ++i) {
    const auto what = random() % 1000;
    if (what < 10) {
      scopes.push_back({arena.mark(), blocks.size(), live});
    } else if (what < 20 && !scopes.empty()) {
      for (const ModelBlock& b : blocks) ASSERT_TRUE(has_token(b));
      const Scope s = scopes[random() % scopes.size()];  // of nested scopes any may end
      while (!scopes.empty() && scopes.back().blocks >= s.blocks) scopes.pop_back();
      arena.rewind(s.mark);
      blocks.resize(s.blocks);
      live = s.live;
    } else if (what == 20) {
      arena.reset();
      scopes.clear(), blocks.clear(), live = 0;
    } else {
      ModelBlock b{nullptr, random() % (std::size_t{1} << (random() % 14)), std::size_t{1} << (random() % 9), random()};
      b.p = static_cast<char*>(arena.allocate(b.bytes, b.alignment));
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(b.p) % b.alignment, 0u);
      write_token(b);
      blocks.push_back(b);
      live += b.bytes;
      ASSERT_EQ(arena.statistics().live_bytes, live);
    }
  }
  EXPECT_GT(arena.statistics().hits, 10 * arena.statistics().misses);
}

TEST(MonotonicArena, MemoryAfterAMarkIsUsedAgain) {
  MonotonicArena arena(4096, heap());
  void* before = arena.allocate(100);
  const auto mark = arena.mark();
  void* first = arena.allocate(1000);
  for (int i = 0; i < 100; ++i) (void)arena.allocate(1000);
  const auto reserved = arena.statistics().reserved_bytes;
  EXPECT_EQ(arena.statistics().peak_bytes, 100 + 101 * 1000u);
  for (int round = 0; round < 10; ++round) {
    arena.rewind(mark);
    EXPECT_EQ(arena.statistics().live_bytes, 100u);
    EXPECT_EQ(arena.allocate(1000), first);
    for (int i = 0; i < 100; ++i) (void)arena.allocate(1000);
  }
  EXPECT_EQ(arena.statistics().reserved_bytes, reserved);
  arena.reset();
  EXPECT_EQ(arena.allocate(100), before);
  arena.release();
  EXPECT_EQ(arena.statistics().reserved_bytes, 0u);
}

TEST(MonotonicArena, PassesThatNeedMoreEachTimeDoNotKeepWhatAllNeeded) {
  MonotonicArena arena(4096, heap());
  std::vector<ModelBlock> blocks;
  std::size_t large = 10'000;
  for (int pass = 0; pass < 40; ++pass, large += large / 5, blocks.clear()) {
    arena.reset();
    for (std::size_t i = 0; i < 300; ++i) {
      ModelBlock b{nullptr, i == 20 ? large : 500, 8, i};
      b.p = static_cast<char*>(arena.allocate(b.bytes, b.alignment));
      write_token(b);
      blocks.push_back(b);
    }
    for (const ModelBlock& b : blocks) ASSERT_TRUE(has_token(b));
    EXPECT_LE(arena.statistics().reserved_bytes, 3 * arena.statistics().peak_bytes + 4096) << "pass " << pass;
  }
}

TEST(MonotonicArena, RefusesOverflowAndStaysAsItWas) {
  CachingResource upstream;  // sanitizers end a program that asks operator new for as much
  MonotonicArena arena(256, &upstream);
  (void)arena.allocate(100);
  for (std::size_t bytes : {std::size_t(-1), std::size_t(-1) / 2, std::size_t(-1) / 8})
    EXPECT_THROW((void)arena.allocate(bytes, 64), std::bad_alloc);
  EXPECT_THROW((void)arena.allocate(1, std::size_t{1} << 63), std::bad_alloc);
  EXPECT_EQ(arena.statistics().live_bytes, 100u);
  MonotonicArena nothing(256, std::pmr::null_memory_resource());
  EXPECT_THROW((void)nothing.allocate(1), std::bad_alloc);
  EXPECT_EQ(nothing.statistics().reserved_bytes, 0u);
}

TEST(MonotonicArena, AsksNobodyForMoreThanAnObjectMayHave) {
  Asked upstream;
  for (std::size_t first : {std::size_t(-1), std::size_t(-1) - 3, std::size_t(-1) / 2 + 1}) {
    MonotonicArena arena(first, &upstream);
    EXPECT_THROW((void)arena.allocate(1000), std::bad_alloc) << first;
    EXPECT_EQ(arena.statistics().reserved_bytes, 0u);
  }
  EXPECT_EQ(upstream.times, 0);
}

TEST(SlabPool, HoldsUpAMillionRandomOperations) {
  SlabPool pool(48, 32, heap());
  EXPECT_EQ(pool.block_bytes(), 64u);
  run_model(static_cast<std::pmr::memory_resource&>(pool), kModelOperations, 64, 32, 1000, 7);
  EXPECT_EQ(pool.statistics().live_bytes, 0u);
  EXPECT_LE(pool.statistics().peak_bytes, pool.statistics().reserved_bytes);
  EXPECT_GT(pool.statistics().peak_bytes, 1000u * 64);
}

TEST(SlabPool, OtherSizesGoUpstream) {
  SlabPool pool(32, 16, heap());
  run_model(static_cast<std::pmr::memory_resource&>(pool), 10'000, 100, 64, 100, 8);
  std::pmr::list<int> numbers(&pool);
  for (int i = 0; i < 1000; ++i) numbers.push_back(i);
  EXPECT_EQ(pool.statistics().live_bytes, 1000u * 32);
}

TEST(SlabPool, ReleaseGivesEverythingBackAndThePoolGoesOn) {
  SlabPool pool(100, 16, heap());
  std::set<void*> blocks;
  for (int i = 0; i < 3000; ++i) blocks.insert(pool.allocate_block());
  EXPECT_EQ(blocks.size(), 3000u);
  pool.release();
  EXPECT_EQ(pool.statistics().live_bytes, 0u);
  EXPECT_EQ(pool.statistics().reserved_bytes, 0u);
  EXPECT_EQ(pool.statistics().peak_bytes, 3000u * 112);
  void* p = pool.allocate_block();
  EXPECT_EQ(pool.statistics().live_bytes, 112u);
  pool.deallocate_block(p);
}

TEST(SlabPool, RefusesWhatIsNoBlock) {
  EXPECT_THROW(SlabPool(16, 24), std::invalid_argument);
  EXPECT_THROW(SlabPool(std::size_t(-1)), std::invalid_argument);
  SlabPool nothing(16, 16, std::pmr::null_memory_resource());
  EXPECT_THROW((void)nothing.allocate_block(), std::bad_alloc);
  EXPECT_EQ(nothing.statistics().live_bytes, 0u);
}

TEST(AlignedBuffer, IsAlignedAndOwnsItsMemory) {
  CachingResource r;
  for (std::size_t alignment : {std::size_t{8}, std::size_t{64}, std::size_t{4096}, std::size_t{2} << 20}) {
    AlignedBuffer<double> x(1000, alignment, r);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(x.data()) % alignment, 0u);
    x[999] = 1;
    AlignedBuffer<double> y(std::move(x));
    EXPECT_EQ(y[999], 1);
    AlignedBuffer<double> z(1, 8, r);
    z = std::move(y);
    EXPECT_EQ(z.size(), 1000u);
  }
  EXPECT_EQ(r.statistics().live_bytes, 0u);
  EXPECT_NE(AlignedBuffer<int>(0).data(), nullptr);
}

TEST(AlignedBuffer, ZerosAreZeroAlsoInUsedMemory) {
  CachingResource r;
  for (std::size_t i = 0; i < 100; ++i) {
    auto x = AlignedBuffer<int>::zeros(100 + i, 64, r);
    for (int v : x.span()) ASSERT_EQ(v, 0);
    std::fill_n(x.data(), x.size(), -1);
  }
}

TEST(AlignedBuffer, RefusesOverflowAndOddAlignments) {
  EXPECT_THROW(AlignedBuffer<double>(std::size_t(-1) / 8 + 1), std::bad_alloc);
  EXPECT_THROW(AlignedBuffer<double>(std::size_t(-1) / 8), std::bad_alloc);
  Asked upstream;
  EXPECT_THROW(AlignedBuffer<char>(std::size_t(-1) - 3, 64, upstream), std::bad_alloc);
  EXPECT_EQ(upstream.times, 0);
  EXPECT_THROW(AlignedBuffer<double>(1, 24), std::invalid_argument);
  EXPECT_THROW(AlignedBuffer<double>(1, 4), std::invalid_argument);
}

}  // namespace
}  // namespace pawl::memory
