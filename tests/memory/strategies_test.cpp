// strategies_test.cpp -- buddy, first fit and best fit, and the caches.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <new>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "memory/model.hpp"
#include "pawl/memory/bounded_cache.hpp"
#include "pawl/memory/buddy_resource.hpp"
#include "pawl/memory/free_list_resource.hpp"

namespace pawl::memory {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

TEST(BuddyResource, HoldsUpAMillionRandomOperations) {
  BuddyResource r(16 * kMiB, std::pmr::new_delete_resource());
  run_model(r, kModelOperations, 10'000, 4096, 500, 1);
  EXPECT_EQ(r.statistics().live_bytes, 0u);
  EXPECT_EQ(r.statistics().largest_free_bytes, 16 * kMiB) << "halves were not joined";
}

TEST(BuddyResource, RoundsUpToPowersOfTwoAndCountsThem) {
  BuddyResource r(8192, std::pmr::new_delete_resource());
  void *a = r.allocate(1), *b = r.allocate(65), *c = r.allocate(100, 1024);
  EXPECT_EQ(r.statistics().live_bytes, 64u + 128 + 1024);
  EXPECT_EQ(r.statistics().largest_free_bytes, 4096u);
  EXPECT_THROW((void)r.allocate(4097), std::bad_alloc);
  EXPECT_THROW((void)r.allocate(unforeseen(std::size_t(-1))), std::bad_alloc);
  r.deallocate(b, 65);
  r.deallocate(a, 1);
  r.deallocate(c, 100, 1024);
  EXPECT_EQ(r.statistics().fragmentation(), 0);
  EXPECT_THROW(BuddyResource(5000), std::invalid_argument);
}

class FreeLists : public ::testing::TestWithParam<Fit> {};
INSTANTIATE_TEST_SUITE_P(Fits, FreeLists, ::testing::Values(Fit::first, Fit::best));

TEST_P(FreeLists, HoldUpAMillionRandomOperations) {
  FreeListResource r(4 * kMiB, GetParam(), std::pmr::new_delete_resource());
  run_model(r, kModelOperations, 10'000, 4096, 100, 2);
  EXPECT_EQ(r.statistics().live_bytes, 0u);
  EXPECT_EQ(r.statistics().largest_free_bytes, 4 * kMiB) << "neighbours were not joined";
}

TEST_P(FreeLists, ChooseAsTheyAreNamed) {
  FreeListResource r(4096, GetParam(), std::pmr::new_delete_resource());
  void *wide = r.allocate(256), *wall = r.allocate(16), *tight = r.allocate(64), *end = r.allocate(16);
  r.deallocate(wide, 256);
  r.deallocate(tight, 64);
  EXPECT_EQ(r.allocate(60), GetParam() == Fit::first ? wide : tight);
  EXPECT_THROW((void)r.allocate(4096), std::bad_alloc);
  EXPECT_THROW((void)r.allocate(unforeseen(std::size_t(-1))), std::bad_alloc);
  EXPECT_THROW((void)r.allocate(1, std::size_t{1} << 30), std::bad_alloc);
  EXPECT_NE(wall, end);
  EXPECT_THROW(FreeListResource(8, GetParam()), std::invalid_argument);
}

using Cache = BoundedCache<int, std::string>;

// Of 1, 2, 3 (each a third of the room), used as given, who is gone once 4 came?
int gone_after(Eviction eviction, std::initializer_list<int> uses) {
  Cache cache(30, eviction);
  for (int key : {1, 2, 3}) cache.insert(key, std::to_string(key), 10);
  for (int key : uses) EXPECT_NE(cache.find(key), nullptr);
  cache.insert(4, "4", 10);
  EXPECT_EQ(cache.size(), 3u);
  EXPECT_EQ(cache.bytes(), 30u);
  for (int key : {1, 2, 3})
    if (cache.find(key) == nullptr) return key;
  return 0;
}

TEST(BoundedCache, EvictsByItsPolicy) {
  EXPECT_EQ(gone_after(Eviction::fifo, {1, 1, 1}), 1);
  EXPECT_EQ(gone_after(Eviction::lru, {1}), 2);
  EXPECT_EQ(gone_after(Eviction::lru, {1, 2, 2, 2, 3, 1}), 2);
  EXPECT_EQ(gone_after(Eviction::lfu, {1, 1, 2, 2, 3}), 3);
  EXPECT_EQ(gone_after(Eviction::lfu, {3, 2, 1}), 3) << "of those as often used, the least recently used";
}

TEST(BoundedCache, CountsAndReplaces) {
  Cache cache(100, Eviction::lru);
  EXPECT_EQ(cache.find(1), nullptr);
  EXPECT_TRUE(cache.insert(1, "a", 40));
  EXPECT_TRUE(cache.insert(1, "b", 60));
  EXPECT_EQ(*cache.find(1), "b");
  EXPECT_EQ(cache.bytes(), 60u);
  EXPECT_FALSE(cache.insert(1, "too large", 101));
  EXPECT_EQ(cache.find(1), nullptr);
  EXPECT_TRUE(cache.insert(2, "c", 0));
  EXPECT_TRUE(cache.insert(3, "d", 100));
  EXPECT_EQ(cache.counts().hits, 1u);
  EXPECT_EQ(cache.counts().misses, 2u);
  EXPECT_EQ(cache.counts().evictions, 0u);
  EXPECT_TRUE(cache.erase(3));
  EXPECT_FALSE(cache.erase(3));
  EXPECT_EQ(cache.bytes(), 0u);
}

TEST(BoundedCache, IsMovedWithAllItHasAndNotCopied) {
  EXPECT_FALSE(std::is_copy_constructible_v<Cache>);
  EXPECT_FALSE(std::is_copy_assignable_v<Cache>);
  Cache a(100, Eviction::lru);
  a.insert(1, "one", 40);
  a.insert(2, "two", 50);
  Cache b(std::move(a));
  // NOLINTBEGIN(bugprone-use-after-move,clang-analyzer-cplusplus.Move): what is left is promised
  EXPECT_EQ(a.size(), 0u);
  EXPECT_EQ(a.bytes(), 0u);
  EXPECT_TRUE(a.insert(3, "three", 95)) << "a cache that was moved from is empty and goes on";
  EXPECT_EQ(a.counts().evictions, 0u);
  EXPECT_EQ(*b.find(1), "one");
  EXPECT_TRUE(b.insert(4, "four", 20));
  EXPECT_EQ(b.find(2), nullptr) << "the order of uses moves along";
  a = std::move(b);
  EXPECT_EQ(a.bytes(), 60u);
  EXPECT_EQ(*a.find(4), "four");
  EXPECT_EQ(a.find(3), nullptr);
  EXPECT_EQ(a.counts().evictions, 1u);
  EXPECT_EQ(b.bytes(), 0u);
  EXPECT_TRUE(b.insert(5, "five", 100));
  // NOLINTEND(bugprone-use-after-move,clang-analyzer-cplusplus.Move)
}

// A key that cannot be copied while `copies` is 0.
struct CountedKey {
  explicit CountedKey(int number) : n(number) {}
  CountedKey(const CountedKey& other) : n(other.n) {
    if (copies-- == 0) throw std::bad_alloc();
  }
  friend bool operator==(const CountedKey& a, const CountedKey& b) { return a.n == b.n; }
  int n;
  static inline int copies = 0;
};
struct CountedHash {
  std::size_t operator()(const CountedKey& key) const { return static_cast<std::size_t>(key.n); }
};

TEST(BoundedCache, KeepsAllIfAnInsertionThrows) {
  for (const Eviction eviction : {Eviction::lru, Eviction::lfu, Eviction::fifo}) {
    for (const bool used : {false, true}) {
      CountedKey::copies = 1000;
      BoundedCache<CountedKey, int, CountedHash> cache(2, eviction);
      const CountedKey one(1), two(2), three(3);
      cache.insert(one, 1, 1);
      cache.insert(two, 2, 1);
      if (used) {  // of lfu: then a line for new entries is needed
        cache.find(one);
        cache.find(two);
      }
      int failures = 0;
      for (const CountedKey* key : {&one, &three})
        for (int copies = 0; copies < 10; ++copies) {
          CountedKey::copies = copies;
          try {
            cache.insert(*key, 9, 1);
            break;
          } catch (const std::bad_alloc&) {
            ++failures;
          }
          CountedKey::copies = 1000;
          ASSERT_EQ(cache.bytes(), 2u);
          if (key == &one) {
            ASSERT_NE(cache.find(one), nullptr) << "one that would have been replaced is gone";
            ASSERT_EQ(*cache.find(one), 1);
          }
          ASSERT_NE(cache.find(two), nullptr);
          ASSERT_EQ(cache.counts().evictions, 0u);
        }
      EXPECT_GE(failures, 2);
      CountedKey::copies = 1000;
      EXPECT_EQ(*cache.find(three), 9);
      EXPECT_EQ(cache.size(), 2u);
    }
  }
}

TEST(BoundedCache, TakesAKeyThatLiesInAnEntryThatGoes) {
  const std::string long_name(100, 'a'), other(100, 'b');
  BoundedCache<std::string, std::string> cache(10, Eviction::lru);
  cache.insert(long_name, long_name, 5);
  EXPECT_TRUE(cache.insert(*cache.find(long_name), "replaced", 5));
  EXPECT_EQ(*cache.find(long_name), "replaced");
  cache.insert(other, long_name + "c", 5);
  EXPECT_TRUE(cache.insert(*cache.find(other), "new", 10)) << "evicts all others";
  EXPECT_EQ(*cache.find(long_name + "c"), "new");
  EXPECT_EQ(cache.size(), 1u);
}

// Of entries of one byte each: uses and time of the last one decide, looked for one by one.
TEST(BoundedCache, EvictsWhatAModelSays) {
  struct Kept {
    int key, uses, last;
  };
  for (const Eviction eviction : {Eviction::lru, Eviction::lfu, Eviction::fifo}) {
    constexpr std::size_t kRoom = 20;
    BoundedCache<int, int> cache(kRoom, eviction);
    std::vector<Kept> model;
    std::mt19937_64 random(7);
    for (int now = 0; now < 20'000; ++now) {
      const int key = static_cast<int>(std::min(random() % 60, random() % 60));
      const auto kept = std::ranges::find(model, key, &Kept::key);
      ASSERT_EQ(cache.find(key) != nullptr, kept != model.end()) << "key " << key << " at " << now;
      if (kept != model.end()) {
        if (eviction != Eviction::fifo) kept->last = now;
        if (eviction == Eviction::lfu) ++kept->uses;
        if (random() % 16 == 0) {
          cache.erase(key);
          model.erase(kept);
        }
        continue;
      }
      if (model.size() == kRoom)
        model.erase(std::ranges::min_element(model, {}, [](const Kept& k) { return std::pair(k.uses, k.last); }));
      model.push_back({key, 1, now});
      ASSERT_TRUE(cache.insert(key, key, 1));
    }
  }
}

TEST(BoundedCache, HoldsUpRandomOperationsWithinItsBytes) {
  for (Eviction eviction : {Eviction::lru, Eviction::lfu, Eviction::fifo}) {
    Cache cache(1000, eviction);
    std::mt19937_64 random(1);
    std::deque<int> order;  // of fifo
    for (int i = 0; i < kModelOperations / 10; ++i) {
      const int key = static_cast<int>(random() % 100);
      if (const std::string* value = cache.find(key); value != nullptr) {
        ASSERT_EQ(*value, std::to_string(key));
      } else {
        ASSERT_TRUE(cache.insert(key, std::to_string(key), 20));
        order.push_back(key);
        if (order.size() > 50) order.pop_front();
      }
      ASSERT_LE(cache.bytes(), 1000u);
      ASSERT_EQ(cache.bytes(), 20 * cache.size());
      if (eviction == Eviction::fifo && i % 1000 == 0) {
        for (int kept : order) ASSERT_NE(cache.find(kept), nullptr);
      }
    }
    EXPECT_GT(cache.counts().hit_rate(), 0.3);
  }
}

}  // namespace
}  // namespace pawl::memory
