// buddy_resource.hpp -- blocks of powers of two within one region, each the half of another.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "pawl/memory/statistics.hpp"

namespace pawl::memory {

/// Buddy allocator of a fixed region: a strategy to compare with CachingResource.
///
/// Method     Knowlton, CACM 8, 1965: sizes are rounded up to a power of two of at least 64 bytes; a freed block is
///            joined with its other half while that is free.
/// Alignment  up to 4096, or the size if that is less than the alignment asked for.
/// Threads    one at a time.
/// Cost       allocate and deallocate: up to one step per power of two between the block and the region.
/// Errors     std::bad_alloc if no block is large enough; nothing changes then. The constructor: std::invalid_argument
///            unless the region is a power of two from 4096 to 2^40 bytes.
class BuddyResource final : public std::pmr::memory_resource {
 public:
  explicit BuddyResource(std::size_t region_bytes,
                         std::pmr::memory_resource* upstream = std::pmr::get_default_resource());
  ~BuddyResource() override;
  BuddyResource(const BuddyResource&) = delete;
  BuddyResource& operator=(const BuddyResource&) = delete;

  Statistics statistics() const noexcept;

 private:
  struct FreeBlock {
    FreeBlock *previous, *next;
  };
  static constexpr unsigned kSmallest = 6;  // 64 bytes
  static constexpr std::uint8_t kNotFree = 0;

  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
  void push(std::size_t offset, unsigned order) noexcept;
  void remove(std::size_t offset, unsigned order) noexcept;

  std::pmr::memory_resource* upstream_;
  char* region_;
  unsigned order_;                        // of the region: 2^order_ bytes
  std::vector<FreeBlock*> lists_;         // by order
  std::vector<std::uint8_t> free_order_;  // by 64 bytes: the order of the free block that starts there, or kNotFree
  std::size_t live_ = 0, peak_ = 0;
  std::uint64_t hits_ = 0;
};

}  // namespace pawl::memory
