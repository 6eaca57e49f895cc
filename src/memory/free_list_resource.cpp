// free_list_resource.cpp -- see free_list_resource.hpp.
#include "pawl/memory/free_list_resource.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>

namespace pawl::memory {
namespace {

constexpr std::size_t kGrain = 16, kRegionAlignment = 4096, kLargestRegion = std::size_t{1} << 40;

std::size_t rounded(std::size_t bytes) noexcept {
  return (std::max<std::size_t>(bytes, 1) + kGrain - 1) / kGrain * kGrain;
}

}  // namespace

FreeListResource::FreeListResource(std::size_t region_bytes, Fit fit, std::pmr::memory_resource* upstream)
    : upstream_(upstream), fit_(fit), region_bytes_(region_bytes / kGrain * kGrain) {
  static_assert(sizeof(Part) <= kGrain);
  if (region_bytes < kGrain || region_bytes > kLargestRegion)
    throw std::invalid_argument("FreeListResource: the region has less than 16 or more than 2^40 bytes");
  region_ = static_cast<char*>(upstream_->allocate(region_bytes_, kRegionAlignment));
  parts_ = new (region_) Part{nullptr, region_bytes_};
}

FreeListResource::~FreeListResource() { upstream_->deallocate(region_, region_bytes_, kRegionAlignment); }

void* FreeListResource::do_allocate(std::size_t bytes, std::size_t alignment) {
  if (bytes > region_bytes_ || alignment > region_bytes_) throw std::bad_alloc();
  const std::size_t need = rounded(bytes);
  // What is skipped in front of a block stays a part: a multiple of the grain.
  const auto skip = [&](const Part* p) { return -reinterpret_cast<std::uintptr_t>(p) & (alignment - 1); };
  Part **chosen = nullptr, **link = &parts_;
  for (; *link != nullptr; link = &(*link)->next) {
    const Part* const p = *link;
    const std::size_t lost = skip(p);
    if (p->bytes < lost || p->bytes - lost < need) continue;
    if (chosen == nullptr || p->bytes < (*chosen)->bytes) chosen = link;
    if (fit_ == Fit::first) break;
  }
  if (chosen == nullptr) throw std::bad_alloc();
  Part* const part = *chosen;
  const std::size_t before = skip(part), after = part->bytes - before - need;
  char* const block = reinterpret_cast<char*>(part) + before;
  Part* rest = part->next;
  if (after > 0) rest = new (block + need) Part{rest, after};
  if (before > 0) {
    part->next = rest;
    part->bytes = before;
  } else {
    *chosen = rest;
  }
  live_ += need;
  peak_ = std::max(peak_, live_);
  ++hits_;
  return block;
}

void FreeListResource::do_deallocate(void* p, std::size_t bytes, std::size_t) {
  const std::size_t size = rounded(bytes);
  live_ -= size;
  Part *left = nullptr, *right = parts_;
  while (right != nullptr && static_cast<void*>(right) < p) {
    left = right;
    right = right->next;
  }
  auto* part = new (p) Part{right, size};
  const auto touch = [](const Part* a, const Part* b) {
    return reinterpret_cast<const char*>(a) + a->bytes == reinterpret_cast<const char*>(b);
  };
  if (right != nullptr && touch(part, right)) {
    part->bytes += right->bytes;
    part->next = right->next;
  }
  if (left == nullptr) {
    parts_ = part;
  } else if (touch(left, part)) {
    left->bytes += part->bytes;
    left->next = part->next;
  } else {
    left->next = part;
  }
}

Statistics FreeListResource::statistics() const noexcept {
  Statistics out;
  out.live_bytes = live_;
  out.peak_bytes = peak_;
  out.reserved_bytes = out.peak_reserved_bytes = region_bytes_;
  out.hits = hits_;
  out.growths = 1;
  for (const Part* p = parts_; p != nullptr; p = p->next) {
    out.free_bytes += p->bytes;
    out.largest_free_bytes = std::max(out.largest_free_bytes, p->bytes);
  }
  return out;
}

}  // namespace pawl::memory
