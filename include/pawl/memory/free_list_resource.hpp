// free_list_resource.hpp -- one region whose free parts are a list by address; the first or the best that fits.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory_resource>

#include "pawl/memory/statistics.hpp"

namespace pawl::memory {

/// Which free part a block is cut from: the first that is large enough, or the smallest.
enum class Fit { first, best };

/// Free-list allocator of a fixed region: strategies to compare with CachingResource.
///
/// Method     Knuth, The Art of Computer Programming, vol. 1, section 2.5, without headers: the size comes back with
///            the block. Sizes are rounded up to 16 bytes; neighbours are joined when freed.
/// Threads    one at a time.
/// Cost       linear in the number of free parts.
/// Errors     std::bad_alloc if no part is large enough; nothing changes then. The constructor: std::invalid_argument
///            unless the region has from 16 to 2^40 bytes.
class FreeListResource final : public std::pmr::memory_resource {
 public:
  FreeListResource(std::size_t region_bytes, Fit fit,
                   std::pmr::memory_resource* upstream = std::pmr::get_default_resource());
  ~FreeListResource() override;
  FreeListResource(const FreeListResource&) = delete;
  FreeListResource& operator=(const FreeListResource&) = delete;

  Statistics statistics() const noexcept;

 private:
  struct Part {
    Part* next;
    std::size_t bytes;
  };
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  std::pmr::memory_resource* upstream_;
  Fit fit_;
  std::size_t region_bytes_;
  char* region_;
  Part* parts_;  // by address; no two touch
  std::size_t live_ = 0, peak_ = 0;
  std::uint64_t hits_ = 0;
};

}  // namespace pawl::memory
