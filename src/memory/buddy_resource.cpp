// buddy_resource.cpp -- see buddy_resource.hpp.
#include "pawl/memory/buddy_resource.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <stdexcept>

namespace pawl::memory {
namespace {

constexpr std::size_t kRegionAlignment = 4096, kLargestRegion = std::size_t{1} << 40;

unsigned order_of(std::size_t bytes, std::size_t alignment) noexcept {
  return static_cast<unsigned>(std::bit_width(std::max({bytes, alignment, std::size_t{64}}) - 1));
}

}  // namespace

BuddyResource::BuddyResource(std::size_t region_bytes, std::pmr::memory_resource* upstream) : upstream_(upstream) {
  if (!std::has_single_bit(region_bytes) || region_bytes < kRegionAlignment || region_bytes > kLargestRegion)
    throw std::invalid_argument("BuddyResource: the region is not a power of two from 4096 to 2^40 bytes");
  order_ = static_cast<unsigned>(std::bit_width(region_bytes)) - 1;
  lists_.resize(order_ + 1);
  free_order_.resize(region_bytes >> kSmallest);
  region_ = static_cast<char*>(upstream_->allocate(region_bytes, kRegionAlignment));
  push(0, order_);
}

BuddyResource::~BuddyResource() { upstream_->deallocate(region_, std::size_t{1} << order_, kRegionAlignment); }

void BuddyResource::push(std::size_t offset, unsigned order) noexcept {
  auto* const block = new (region_ + offset) FreeBlock{nullptr, lists_[order]};
  if (block->next != nullptr) block->next->previous = block;
  lists_[order] = block;
  free_order_[offset >> kSmallest] = static_cast<std::uint8_t>(order);
}

void BuddyResource::remove(std::size_t offset, unsigned order) noexcept {
  auto* const block = reinterpret_cast<FreeBlock*>(region_ + offset);
  (block->previous != nullptr ? block->previous->next : lists_[order]) = block->next;
  if (block->next != nullptr) block->next->previous = block->previous;
  free_order_[offset >> kSmallest] = kNotFree;
}

void* BuddyResource::do_allocate(std::size_t bytes, std::size_t alignment) {
  if (bytes > std::size_t{1} << order_ || alignment > kRegionAlignment) throw std::bad_alloc();
  const unsigned order = order_of(bytes, alignment);
  unsigned from = order;
  while (from <= order_ && lists_[from] == nullptr) ++from;
  if (from > order_) throw std::bad_alloc();
  const auto offset = static_cast<std::size_t>(reinterpret_cast<char*>(lists_[from]) - region_);
  remove(offset, from);
  while (from > order) {
    --from;
    push(offset + (std::size_t{1} << from), from);  // the upper half stays free
  }
  live_ += std::size_t{1} << order;
  peak_ = std::max(peak_, live_);
  ++hits_;
  return region_ + offset;
}

void BuddyResource::do_deallocate(void* p, std::size_t bytes, std::size_t alignment) {
  unsigned order = order_of(bytes, alignment);
  auto offset = static_cast<std::size_t>(static_cast<char*>(p) - region_);
  live_ -= std::size_t{1} << order;
  for (; order < order_; ++order) {
    const std::size_t buddy = offset ^ (std::size_t{1} << order);
    if (free_order_[buddy >> kSmallest] != order) break;
    remove(buddy, order);
    offset = std::min(offset, buddy);
  }
  push(offset, order);
}

Statistics BuddyResource::statistics() const noexcept {
  Statistics out;
  out.live_bytes = live_;
  out.peak_bytes = peak_;
  out.reserved_bytes = out.peak_reserved_bytes = std::size_t{1} << order_;
  out.hits = hits_;
  out.growths = 1;
  out.free_bytes = out.reserved_bytes - live_;
  for (unsigned order = 0; order <= order_; ++order)
    if (lists_[order] != nullptr) out.largest_free_bytes = std::size_t{1} << order;
  return out;
}

}  // namespace pawl::memory
