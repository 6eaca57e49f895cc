// model.hpp -- random allocations and frees against what any allocator must do.
#pragma once
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <new>
#include <random>
#include <vector>

#include "pawl/memory/caching_resource.hpp"  // whether ASan is on

namespace pawl::memory {

#if defined(PAWL_MEMORY_ASAN) || defined(__SANITIZE_THREAD__)
inline constexpr int kModelOperations = 100'000;
#else
inline constexpr int kModelOperations = 1'000'000;
#endif

/// A size as the program finds it when it runs: g++ warns of one that it sees to be too large, in the sanitized build.
inline std::size_t unforeseen(std::size_t bytes) {
  asm("" : "+r"(bytes));
  return bytes;
}

/// Gives nothing and counts how often it was asked, where operator new would round a size up to 0 and give that.
class Asked final : public std::pmr::memory_resource {
 public:
  int times = 0;

 private:
  void* do_allocate(std::size_t, std::size_t) override {
    ++times;
    throw std::bad_alloc();
  }
  void do_deallocate(void*, std::size_t, std::size_t) override {}
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

struct ModelBlock {
  char* p;
  std::size_t bytes, alignment;
  std::uint64_t token;
};

/// Fills a block with its token at both ends, so that blocks that overlap spoil each other's.
inline void write_token(const ModelBlock& b) {
  if (b.bytes >= 8) std::memcpy(b.p, &b.token, 8);
  if (b.bytes >= 16) std::memcpy(b.p + b.bytes - 8, &b.token, 8);
}
inline bool has_token(const ModelBlock& b) {
  return (b.bytes < 8 || std::memcmp(b.p, &b.token, 8) == 0) &&
         (b.bytes < 16 || std::memcmp(b.p + b.bytes - 8, &b.token, 8) == 0);
}

/// Sizes spread evenly over the powers of two up to `largest`, alignments from 1 to `largest_alignment`; grows to
/// `live` blocks, then allocates and frees at random, and frees all in the end.
template <class Resource>
void run_model(Resource& resource, int operations, std::size_t largest, std::size_t largest_alignment, std::size_t live,
               std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<ModelBlock> blocks;
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (int i = 0; i < operations; ++i) {
    if (blocks.empty() || (blocks.size() < 2 * live && below(2 * live) >= blocks.size())) {
      ModelBlock b{};
      b.bytes = below(std::size_t{1} << (1 + below(static_cast<std::size_t>(std::bit_width(largest)))));
      b.bytes = std::min(b.bytes, largest);
      b.alignment = std::size_t{1} << below(static_cast<std::size_t>(std::bit_width(largest_alignment)));
      b.token = random();
      b.p = static_cast<char*>(resource.allocate(b.bytes, b.alignment));
      ASSERT_NE(b.p, nullptr);
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(b.p) % b.alignment, 0u) << b.bytes << " bytes to " << b.alignment;
      write_token(b);
      blocks.push_back(b);
    } else {
      std::swap(blocks[below(blocks.size())], blocks.back());
      ASSERT_TRUE(has_token(blocks.back())) << "operation " << i << " finds a block overwritten";
      resource.deallocate(blocks.back().p, blocks.back().bytes, blocks.back().alignment);
      blocks.pop_back();
    }
  }
  for (const ModelBlock& b : blocks) {
    ASSERT_TRUE(has_token(b));
    resource.deallocate(b.p, b.bytes, b.alignment);
  }
}

}  // namespace pawl::memory
