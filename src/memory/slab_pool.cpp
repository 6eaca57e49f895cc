// slab_pool.cpp -- the chunks of a pool.
#include "pawl/memory/slab_pool.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <stdexcept>

namespace pawl::memory {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{64} << 10, kLeastBlocks = 8;
constexpr std::size_t kLargestBlock = std::size_t{1} << 30;

std::size_t round_up(std::size_t n, std::size_t to) noexcept { return (n + to - 1) / to * to; }

}  // namespace

SlabPool::SlabPool(std::size_t block_bytes, std::size_t block_alignment, std::pmr::memory_resource* upstream)
    : upstream_(upstream) {
  if (!std::has_single_bit(block_alignment) || block_alignment > kLargestBlock || block_bytes > kLargestBlock)
    throw std::invalid_argument("SlabPool: the alignment is not a power of two, or a block is larger than 2^30 bytes");
  alignment_ = std::max(block_alignment, alignof(FreeBlock));
  block_bytes_ = round_up(std::max(block_bytes, sizeof(FreeBlock)), alignment_);
  header_bytes_ = round_up(sizeof(Chunk), alignment_);
  chunk_bytes_ = header_bytes_ + std::max(kChunkBytes / block_bytes_, kLeastBlocks) * block_bytes_;
}

void* SlabPool::allocate_slowly() {
  if (uncut_ == uncut_end_) {
    char* const memory = static_cast<char*>(upstream_->allocate(chunk_bytes_, alignment_));
    chunks_ = new (memory) Chunk{chunks_};
    uncut_ = memory + header_bytes_;
    uncut_end_ = memory + chunk_bytes_;
    reserved_ += chunk_bytes_;
    peak_reserved_ = std::max(peak_reserved_, reserved_);
    ++misses_;
  } else {
    ++hits_;
  }
  void* const block = uncut_;
  uncut_ += block_bytes_;
  ++blocks_cut_;
  return block;
}

void SlabPool::release() noexcept {
  while (chunks_ != nullptr) {
    Chunk* const next = chunks_->next;
    upstream_->deallocate(chunks_, chunk_bytes_, alignment_);
    chunks_ = next;
  }
  free_ = nullptr;
  uncut_ = uncut_end_ = nullptr;
  peak_ = std::max(peak_, blocks_cut_);
  blocks_cut_ = 0;
  dead_ = hits_ + misses_ - freed_;
  reserved_ = 0;
}

Statistics SlabPool::statistics() const noexcept {
  Statistics out;
  // A block is cut only when none is free: so as many were alive at once as are cut.
  const std::size_t live = static_cast<std::size_t>(hits_ + misses_ - freed_) - dead_;
  out.live_bytes = live * block_bytes_;
  out.peak_bytes = std::max(peak_, blocks_cut_) * block_bytes_;
  out.reserved_bytes = reserved_;
  out.peak_reserved_bytes = peak_reserved_;
  out.hits = hits_;
  out.misses = out.growths = misses_;
  out.largest_free_bytes = static_cast<std::size_t>(uncut_end_ - uncut_);
  out.free_bytes = (blocks_cut_ - live) * block_bytes_ + out.largest_free_bytes;
  if (out.largest_free_bytes == 0 && blocks_cut_ > live) out.largest_free_bytes = block_bytes_;
  return out;
}

}  // namespace pawl::memory
