// slab_pool.hpp -- blocks of one fixed size, cut from chunks.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory_resource>

#include "pawl/memory/statistics.hpp"

namespace pawl::memory {

/// Blocks of `block_bytes` each, for nodes and other objects of one kind. Requests of other sizes or alignments than
/// fit a block go upstream, so that any container may use it.
///
/// Method     an intrusive list of free blocks; chunks of some 64 KiB, cut as they are needed, kept until release().
/// Threads    one at a time.
/// Cost       allocate and deallocate: a load and a store each.
/// Errors     std::bad_alloc without memory; std::invalid_argument from the constructor unless block_alignment is a
///            power of two and block_bytes at most 2^30.
class SlabPool final : public std::pmr::memory_resource {
 public:
  explicit SlabPool(std::size_t block_bytes, std::size_t block_alignment = alignof(std::max_align_t),
                    std::pmr::memory_resource* upstream = std::pmr::get_default_resource());
  ~SlabPool() override { release(); }
  SlabPool(const SlabPool&) = delete;
  SlabPool& operator=(const SlabPool&) = delete;

  /// One block.
  [[nodiscard]] void* allocate_block() {
    if (free_ == nullptr) [[unlikely]]
      return allocate_slowly();
    FreeBlock* const block = free_;
    free_ = block->next;
    ++hits_;
    return block;
  }
  void deallocate_block(void* p) noexcept {
    free_ = new (p) FreeBlock{free_};
    ++freed_;
  }

  /// Every block is dead; chunks go back upstream. Blocks that went upstream themselves are not touched.
  void release() noexcept;

  std::size_t block_bytes() const noexcept { return block_bytes_; }
  /// Of the blocks, without what went upstream. A miss asked upstream for a chunk.
  Statistics statistics() const noexcept;

 private:
  struct FreeBlock {
    FreeBlock* next;
  };
  struct Chunk {
    Chunk* next;
  };
  bool fits(std::size_t bytes, std::size_t alignment) const noexcept {
    return bytes <= block_bytes_ && alignment <= alignment_;
  }
  void* allocate_slowly();
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    return fits(bytes, alignment) ? allocate_block() : upstream_->allocate(bytes, alignment);
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    if (fits(bytes, alignment))
      deallocate_block(p);
    else
      upstream_->deallocate(p, bytes, alignment);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  FreeBlock* free_ = nullptr;
  std::uint64_t hits_ = 0, freed_ = 0, misses_ = 0;
  char *uncut_ = nullptr, *uncut_end_ = nullptr;
  Chunk* chunks_ = nullptr;
  std::size_t block_bytes_, alignment_, chunk_bytes_, header_bytes_;
  std::size_t reserved_ = 0, peak_reserved_ = 0, blocks_cut_ = 0, dead_ = 0, peak_ = 0;
  std::pmr::memory_resource* upstream_;
};

}  // namespace pawl::memory
