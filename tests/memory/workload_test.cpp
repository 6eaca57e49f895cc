// workload_test.cpp -- shapes of use that once made the caching resource slow or large: what it asks of the next level.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
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
  EXPECT_GT(r.statistics().hit_rate(), 0.95);
  EXPECT_LT(r.statistics().peak_reserved_bytes, kMiB);
}

}  // namespace
}  // namespace pawl::memory
