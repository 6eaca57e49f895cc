// page_moves_test.cpp -- blocks made of the pages of holes: what lives stays as it is, and memory does not grow.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <new>
#include <random>
#include <vector>

#include "pawl/memory/caching_resource.hpp"

namespace pawl::memory {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20, kPage = 4096;

CachingOptions blocks_go_to_the_heap() {
  CachingOptions options;
  options.largest_cached_bytes = 4096;
  return options;
}

// The first 8 bytes of each page; `bytes` is a multiple of 8.
void mark(void* block, std::size_t bytes, std::uint64_t value) {
  for (std::size_t at = 0; at < bytes; at += kPage) std::memcpy(static_cast<char*>(block) + at, &value, sizeof value);
}

std::size_t pages_marked(const void* block, std::size_t bytes, std::uint64_t value) {
  std::size_t found = 0;
  for (std::size_t at = 0; at < bytes; at += kPage)
    found += std::memcmp(static_cast<const char*>(block) + at, &value, sizeof value) == 0 ? 1 : 0;
  return found;
}

bool the_system_moves_pages() {
  constexpr std::size_t bytes = kPage;
  void* const from = mmap(nullptr, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (from == MAP_FAILED) return false;
  const bool moves = mremap(from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP,
                            static_cast<char*>(from) + bytes) != MAP_FAILED;
  munmap(from, 2 * bytes);
  return moves;
}

TEST(PageMoves, ABlockTakesThePagesOfHolesThatAreTooShort) {
  if (!the_system_moves_pages()) GTEST_SKIP() << "mremap() with MREMAP_DONTUNMAP needs Linux 5.7";
  CachingResource resource(blocks_go_to_the_heap());
  constexpr std::size_t kBytes = 8 * kMiB, kLong = 28 * kMiB;
  constexpr std::uint64_t kDead = 99;
  std::vector<void*> blocks;
  for (std::uint64_t k = 0; k < 9; ++k) {
    blocks.push_back(resource.allocate(kBytes, 64));
    mark(blocks.back(), kBytes, k % 2 == 0 ? k : kDead);
  }
  const std::size_t reserved = resource.statistics().reserved_bytes;
  for (std::size_t k = 1; k < 9; k += 2) resource.deallocate(blocks[k], kBytes, 64);
  void* const block = resource.allocate(kLong, 64);
  // Each hole of 8 MiB has at least 3 whole huge pages.
  EXPECT_GE(pages_marked(block, kLong, kDead), 4 * 3 * 2 * kMiB / kPage);
  EXPECT_LE(resource.statistics().reserved_bytes, reserved + 4 * kMiB);
  mark(block, kLong, 100);
  for (std::uint64_t k = 0; k < 9; k += 2) {
    EXPECT_EQ(pages_marked(blocks[k], kBytes, k), kBytes / kPage) << k;
    resource.deallocate(blocks[k], kBytes, 64);
  }
  EXPECT_EQ(pages_marked(block, kLong, 100), kLong / kPage);
  resource.deallocate(block, kLong, 64);
}

TEST(PageMoves, BlocksKeepWhatIsInThemHoweverTheyComeAndGo) {
  // The last with so little address space that the heap cannot always grow.
  struct Bounds {
    std::size_t retained, limit;
  };
  for (const auto [retained, limit] :
       {Bounds{0, 0}, Bounds{16 * kMiB, 0}, Bounds{1024 * kMiB, 0}, Bounds{1024 * kMiB, 24 * kMiB}}) {
    CachingOptions options = blocks_go_to_the_heap();
    options.retained_bytes = retained;
    options.limit_bytes = limit;
    CachingResource resource(options);
    struct Block {
      void* data;
      std::size_t bytes;
      std::uint64_t mark;
    };
    std::vector<Block> blocks;
    std::mt19937_64 random(retained + 5);
    std::size_t refused = 0;
    for (std::uint64_t step = 0; step < 1500; ++step) {
      if (blocks.size() > 12 || (!blocks.empty() && random() % 3 == 0)) {
        std::swap(blocks[random() % blocks.size()], blocks.back());
        const Block b = blocks.back();
        ASSERT_EQ(pages_marked(b.data, b.bytes, b.mark), (b.bytes + kPage - 1) / kPage) << step;
        resource.deallocate(b.data, b.bytes, 64);
        blocks.pop_back();
      } else {
        const std::size_t bytes = kPage + 8 * (random() % (random() % 4 == 0 ? 12 * kMiB : 3 * kMiB) / 8);
        try {
          blocks.push_back({resource.allocate(bytes, 64), bytes, step + 1});
        } catch (const std::bad_alloc&) {
          ASSERT_NE(limit, 0U);
          ++refused;
          continue;
        }
        mark(blocks.back().data, bytes, step + 1);
      }
      if (step % 400 == 399) resource.trim();
    }
    for (const Block& b : blocks) {
      ASSERT_EQ(pages_marked(b.data, b.bytes, b.mark), (b.bytes + kPage - 1) / kPage);
      resource.deallocate(b.data, b.bytes, 64);
    }
    EXPECT_EQ(refused != 0, limit != 0);
    resource.trim();
    const Statistics s = resource.statistics();
    EXPECT_EQ(s.live_bytes, 0U);
    EXPECT_EQ(s.reserved_bytes, 0U);
    EXPECT_EQ(s.largest_free_bytes, s.free_bytes);
  }
}

}  // namespace
}  // namespace pawl::memory
