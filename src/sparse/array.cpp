// array.cpp -- memory for the arrays of sparse matrices; large blocks that were freed are kept for the next matrix.
//
// A system that gets each block back and hands it out again with zeros takes more time than many operations: of a
// sparse product with 10^4 rows 60 % was page faults.
#include "pawl/sparse/array.hpp"

#include <cstdlib>
#include <mutex>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace pawl::sparse::detail {
namespace {

constexpr std::size_t kHuge = std::size_t{2} << 20, kLine = 64;
constexpr std::size_t kSmallestKept = std::size_t{64} << 10;  // below, malloc does not ask the system
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kMostKept = 0;  // so that a use after release is seen
#else
constexpr std::size_t kMostKept = std::size_t{64} << 20;
#endif

struct Block {
  void* memory;
  std::size_t bytes;
};

// The blocks kept, oldest first.
struct Kept {
  std::mutex mutex;
  std::vector<Block> blocks;
  std::size_t bytes = 0;
};
Kept& kept() {
  static Kept* const blocks = new Kept;  // lives on: matrices with static storage die late
  return *blocks;
}

std::size_t rounded(std::size_t bytes) noexcept {
  const std::size_t alignment = bytes >= 2 * kHuge ? kHuge : kLine;
  return (bytes + alignment - 1) / alignment * alignment;
}

// A kept block that is not more than twice as large as asked for.
void* take_kept(std::size_t& bytes) {
  if (bytes < kSmallestKept || bytes > kMostKept) return nullptr;
  Kept& all = kept();
  const std::lock_guard lock(all.mutex);
  std::size_t best = all.blocks.size();
  for (std::size_t i = 0; i < all.blocks.size(); ++i)
    if (all.blocks[i].bytes >= bytes && all.blocks[i].bytes <= 2 * bytes &&
        (best == all.blocks.size() || all.blocks[i].bytes < all.blocks[best].bytes))
      best = i;
  if (best == all.blocks.size()) return nullptr;
  const Block block = all.blocks[best];
  all.blocks.erase(all.blocks.begin() + static_cast<std::ptrdiff_t>(best));
  all.bytes -= block.bytes;
  bytes = block.bytes;
  return block.memory;
}

}  // namespace

void* allocate(std::size_t& bytes) {
  if (bytes == 0) return nullptr;
  if (bytes > std::size_t(-1) / 2 - kHuge) throw std::bad_alloc();
  bytes = rounded(bytes);
  if (void* const memory = take_kept(bytes)) return memory;
  const std::size_t alignment = bytes >= 2 * kHuge ? kHuge : kLine;
  void* const memory = std::aligned_alloc(alignment, bytes);
  if (memory == nullptr) throw std::bad_alloc();
#if defined(__linux__)
  if (alignment == kHuge) (void)madvise(memory, bytes, MADV_HUGEPAGE);  // a hint; scattered writes gain most
#endif
  return memory;
}

void release(void* memory, std::size_t bytes) noexcept {
  if (bytes < kSmallestKept || bytes > kMostKept) return std::free(memory);
  Kept& all = kept();
  const std::lock_guard lock(all.mutex);
  try {
    all.blocks.push_back({memory, bytes});
  } catch (const std::bad_alloc&) {
    return std::free(memory);
  }
  all.bytes += bytes;
  while (all.bytes > kMostKept) {
    all.bytes -= all.blocks.front().bytes;
    std::free(all.blocks.front().memory);
    all.blocks.erase(all.blocks.begin());
  }
}

}  // namespace pawl::sparse::detail

namespace pawl::sparse {

void release_kept_memory() noexcept {
  detail::Kept& all = detail::kept();
  const std::lock_guard lock(all.mutex);
  for (const detail::Block& block : all.blocks) std::free(block.memory);
  all.blocks.clear();
  all.bytes = 0;
}

}  // namespace pawl::sparse
