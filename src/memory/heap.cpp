// heap.cpp -- the stacks that threads share, slabs and blocks of pages; see heap.hpp.
#include "memory/heap.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <new>

#include "pawl/memory/observer.hpp"

namespace pawl::memory {
namespace {

using detail::ThreadCache;

// The shared stack of a class holds 8 MiB of blocks, four bins: when one of two threads that hand blocks over is ahead,
// they need not go to the pages and back (64 KiB: 1.2 to 1.5 times as fast as with 2 MiB). Of blocks above 256 KiB it
// holds 2 MiB, and those above that are coalesced at once. Up to 2048 of the small ones: 1000 blocks of 1 KiB made and
// freed, or 4096 of 4 KiB from thread to thread, take two thirds to half of the time that they took with 256.
constexpr std::size_t kSharedBytes = std::size_t{8} << 20, kSharedBytesOfLarge = std::size_t{2} << 20;
constexpr std::size_t kLarge = std::size_t{256} << 10, kSharedBlocks = 2048;
// New memory is cut into blocks for a thread by this many bytes at a time.
constexpr std::size_t kCutBytes = std::size_t{64} << 10;
// Emptying caches costs some 10 ns for each block, to its slab and back, and each page that is taken earns as much as 4
// of them: a small heap whose classes take the same few pages from each other would do it all the time (a vector of 30
// ints 20 times as slow).
constexpr std::size_t kMovedPerPage = 4, kLeastMoved = 64;

// Up to here a heap grows before it empties caches, which it would have to do for each block of another size: a network
// with activations of 4 KB, or 10 blocks of 1 to 64 KiB, took 4 to 5 times as long. And it takes these blocks one by
// one from the pages: four at once of each class are 1.5 MiB.
constexpr std::size_t kSmallHeap = std::size_t{7} << 19, kFirstTakenAlone = std::size_t{16} << 10;

constexpr std::size_t shared_capacity(unsigned c) {
  const std::size_t block = class_bytes(c);
  return std::min<std::size_t>((block <= kLarge ? kSharedBytes : kSharedBytesOfLarge) / block, kSharedBlocks);
}

// Pages of a slab: at least 8 blocks (4 beyond a page), the first length that wastes at most a sixteenth.
constexpr std::size_t slab_pages(std::size_t block) {
  const std::size_t least = block <= kPageBytes ? std::max(8 * block, 2 * kPageBytes) : 4 * block;
  std::size_t pages = (least + kPageBytes - 1) / kPageBytes;
  while (pages * kPageBytes % block * 16 > pages * kPageBytes) ++pages;
  return pages;
}

constexpr auto kSlabPages = [] {
  std::array<std::uint8_t, kSizeClasses> pages{};
  for (unsigned c = 0; class_bytes(c) <= kLargestSlabBlock; ++c)
    pages[c] = static_cast<std::uint8_t>(slab_pages(class_bytes(c)));
  return pages;
}();
static_assert(kSlabPages[0] * kPageBytes / 16 == kSlabBlocks);

void* map(std::size_t bytes) noexcept {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? nullptr : p;
}

}  // namespace

Heap::Heap(const CachingOptions& options)
    : options_(options), pages_(options.limit_bytes, options.retained_bytes, options.huge_pages) {
  std::size_t blocks = 0;
  for (unsigned c = 0; c < kSizeClasses; ++c) blocks += shared_capacity(c);
  shared_storage_ = map(blocks * sizeof(void*));
  if (shared_storage_ == nullptr) throw std::bad_alloc();
  void** storage = static_cast<void**>(shared_storage_);
  for (unsigned c = 0; c < kSizeClasses; ++c) {
    shared_[c].blocks = storage;
    shared_[c].capacity = is_cached(c) ? static_cast<std::uint32_t>(shared_capacity(c)) : 0;
    storage += shared_[c].capacity;
  }
}

Heap::~Heap() {
  std::size_t blocks = 0;
  for (unsigned c = 0; c < kSizeClasses; ++c) blocks += shared_capacity(c);
  munmap(shared_storage_, blocks * sizeof(void*));
  unmap_caches();
}

Span* Heap::run(std::size_t pages, std::size_t alignment, ThreadCache* own, bool slab) {
  if (!pages_.could_hold(pages, alignment)) throw std::bad_alloc();
  const auto take = [&] { return pages_.take(pages, alignment, slab); };
  earned_ += kMovedPerPage * pages;
  if (Span* s = take()) return s;
  const bool small = pages_.reserved_bytes() + pages * kPageBytes <= kSmallHeap;
  if ((small || earned_ < emptying_ || pages_.has_seen_more(pages)) && pages_.grow(pages, alignment, slab))
    if (Span* s = take()) return s;
  // Before memory grows, what lies in caches is made whole again: first the blocks that are pages of their own, then
  // all. At the limit, free pages go back to the system.
  earned_ = 0;
  emptying_ = kLeastMoved;
  for (const unsigned from : {kFirstClassOfPages, 0U}) {
    pages_lock_.unlock();
    const std::size_t moved = (own != nullptr ? empty(*own, from) : 0) + flush_shared(from);
    pages_lock_.lock();
    emptying_ += moved;
    if (Span* s = take()) return s;
  }
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (Span* s = take()) return s;
    if (pages_.grow(pages, alignment, slab))
      if (Span* s = take()) return s;
    pages_.release_all();
  }
  // No address space for slabs: anywhere, then.
  if (slab) return run(pages, alignment, own);
  throw std::bad_alloc();
}

std::size_t Heap::fetch(unsigned c, void** out, std::size_t most, ThreadCache* own) {
  Shared& shared = shared_[c];
  if (shared.count.load(std::memory_order_relaxed) > 0) {
    const std::lock_guard lock(shared.lock);
    const std::uint32_t there = shared.count.load(std::memory_order_relaxed);
    if (const std::size_t n = std::min<std::size_t>(there, most); n > 0) {
      std::memcpy(out, shared.blocks + there - n, n * sizeof(void*));
      shared.count.store(there - static_cast<std::uint32_t>(n), std::memory_order_relaxed);
      return n;
    }
  }
  if (class_bytes(c) > kLargestSlabBlock) {
    if (own != nullptr && own->torn != torn_.load(std::memory_order_relaxed)) set_ends(*own);
    const std::lock_guard lock(pages_lock_);
    out[0] = pages_.address(run(class_bytes(c) / kPageBytes, 1, own));
    if (const bool torn = pages_.is_torn(); torn != torn_.load(std::memory_order_relaxed))
      torn_.store(torn, std::memory_order_relaxed);
    return 1;
  }
  const std::lock_guard lock(pages_lock_);
  return from_slabs(c, out, most, own);
}

std::size_t Heap::from_slabs(unsigned c, void** out, std::size_t most, ThreadCache* own) {
  const std::size_t bytes = class_bytes(c);
  std::size_t got = 0;
  while (got < most) {
    Span* slab = slabs_[c].front();
    if (slab == nullptr) {
      if (got > 0) break;
      most = std::min(most, std::max<std::size_t>(kCutBytes / bytes, 1));
      const bool alone = bytes >= kFirstTakenAlone && pages_.reserved_bytes() < kSmallHeap;
      const std::size_t pages = alone ? (bytes + kPageBytes - 1) / kPageBytes : kSlabPages[c];
      slab = run(pages, 1, own, true);
      slab->use = Span::Use::slab;
      slab->size_class = static_cast<std::uint8_t>(c);
      slab->blocks = slab->free_blocks = static_cast<std::uint16_t>(pages * kPageBytes / bytes);
      for (std::size_t word = 0; word < kSlabBlocks / 64; ++word) {
        const std::size_t left = slab->blocks > word * 64 ? slab->blocks - word * 64 : 0;
        slab->free_map[word] = left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
      }
      pages_.map_all_pages(slab);
      slabs_[c].push(slab);
      slab_free_bytes_ += slab->blocks * bytes;
    }
    char* const base = static_cast<char*>(pages_.address(slab));
    for (std::size_t word = 0; word < kSlabBlocks / 64 && got < most; ++word) {
      std::uint64_t& map = slab->free_map[word];
      for (; map != 0 && got < most; map &= map - 1, --slab->free_blocks, slab_free_bytes_ -= bytes)
        out[got++] = base + (word * 64 + static_cast<std::size_t>(std::countr_zero(map))) * bytes;
    }
    if (slab->free_blocks == 0) slabs_[c].remove(slab);
  }
  std::reverse(out, out + got);  // the stack is read from behind: addresses rise, as the core expects them to
  return got;
}

// Neighbours on a stack often come from one slab, so what is known of the last one is kept; in any other order the next
// ones' places in the map of pages are asked for ahead.
void Heap::give_blocks(unsigned c, void* const* blocks, std::size_t count) noexcept {
  const std::size_t bytes = class_bytes(c);
  if (bytes > kLargestSlabBlock) {
    for (std::size_t i = 0; i < count; ++i) pages_.give(pages_.span_of(blocks[i]));
    return;
  }
  // Divides offsets in a slab, which are multiples: below 2^40 / bytes it is exact.
  const std::uint64_t reciprocal = (std::uint64_t{1} << 40) / bytes + 1;
  constexpr std::size_t kAhead = 8;
  Span* slab = nullptr;
  std::uintptr_t base = 0, slab_bytes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (i + kAhead < count) pages_.prefetch_span_of(blocks[i + kAhead]);
    auto offset = reinterpret_cast<std::uintptr_t>(blocks[i]) - base;
    if (offset >= slab_bytes) {
      slab = pages_.span_of(blocks[i]);
      if (slab->use == Span::Use::block) {  // made when there was no address space for slabs
        pages_.give(slab);
        slab_bytes = 0;
        continue;
      }
      base = reinterpret_cast<std::uintptr_t>(pages_.address(slab));
      slab_bytes = slab->pages * kPageBytes;
      offset = reinterpret_cast<std::uintptr_t>(blocks[i]) - base;
    }
    const std::size_t index = (offset * reciprocal) >> 40;
    slab->free_map[index / 64] |= std::uint64_t{1} << (index % 64);
    slab_free_bytes_ += bytes;
    if (slab->free_blocks++ == 0) slabs_[c].push(slab);
    if (slab->free_blocks == slab->blocks) {
      slabs_[c].remove(slab);
      slab_free_bytes_ -= slab->blocks * bytes;
      pages_.give(slab);
      slab_bytes = 0;
    }
  }
}

void Heap::give(unsigned c, void** blocks, std::size_t count) noexcept {
  Shared& shared = shared_[c];
  std::size_t n = 0;
  if (shared.capacity > 0 && !(class_bytes(c) > kLargestAlwaysCached && torn_.load(std::memory_order_relaxed))) {
    const std::lock_guard lock(shared.lock);
    const std::uint32_t there = shared.count.load(std::memory_order_relaxed);
    n = std::min<std::size_t>(shared.capacity - there, count);
    if (n > 0) std::memcpy(shared.blocks + there, blocks, n * sizeof(void*));
    shared.count.store(there + static_cast<std::uint32_t>(n), std::memory_order_relaxed);
  }
  if (n == count) return;
  const std::lock_guard lock(pages_lock_);
  give_blocks(c, blocks + n, count - n);
}

void* Heap::take_pages(std::size_t bytes, std::size_t alignment, ThreadCache* own) {
  if (bytes > std::size_t(-1) / 2 || alignment > std::size_t(-1) / 4) throw std::bad_alloc();
  const std::size_t pages = std::max<std::size_t>((bytes + kPageBytes - 1) / kPageBytes, 1);
  const std::lock_guard lock(pages_lock_);
  return pages_.address(run(pages, std::max<std::size_t>(alignment / kPageBytes, 1), own));
}

void Heap::give_pages(void* block) noexcept {
  const std::lock_guard lock(pages_lock_);
  pages_.give(pages_.span_of(block));
}

std::size_t Heap::block_bytes(const void* block) noexcept {
  const std::lock_guard lock(pages_lock_);
  const Span* const s = pages_.span_of(block);
  return s->use == Span::Use::slab ? class_bytes(s->size_class) : s->pages * kPageBytes;
}

std::size_t Heap::flush_shared(unsigned from) noexcept {
  std::size_t moved = 0;
  for (unsigned c = from; c < kSizeClasses; ++c) {
    Shared& shared = shared_[c];
    if (shared.count.load(std::memory_order_relaxed) == 0) continue;
    const std::lock_guard lock(shared.lock);
    const std::uint32_t there = shared.count.load(std::memory_order_relaxed);
    const std::lock_guard pages(pages_lock_);
    give_blocks(c, shared.blocks, there);
    shared.count.store(0, std::memory_order_relaxed);
    moved += there;
  }
  return moved;
}

void Heap::release() noexcept {
  const std::lock_guard lock(pages_lock_);
  pages_.release_all();
}

Statistics Heap::statistics() noexcept {
  Statistics out;
  std::int64_t live = live_.load(std::memory_order_relaxed);
  std::uint64_t allocations = allocations_.load(std::memory_order_relaxed);
  std::uint64_t misses = misses_.load(std::memory_order_relaxed);
  std::size_t cached = 0;
  for_each_cache([&](const ThreadCache& t) {
    live += t.delta();
    allocations += t.allocations.load(std::memory_order_relaxed);
    misses += t.misses.load(std::memory_order_relaxed);
    for (unsigned c = 0; c < kSizeClasses; ++c) cached += t.bins[c].count() * class_bytes(c);
  });
  for (unsigned c = 0; c < kSizeClasses; ++c) {
    const std::lock_guard lock(shared_[c].lock);
    cached += shared_[c].count.load(std::memory_order_relaxed) * class_bytes(c);
  }
  const std::lock_guard lock(pages_lock_);
  out.live_bytes = static_cast<std::size_t>(std::max<std::int64_t>(live, 0));
  out.peak_bytes = static_cast<std::size_t>(std::max(peak_.load(std::memory_order_relaxed), live));
  out.reserved_bytes = pages_.reserved_bytes();
  out.peak_reserved_bytes = pages_.peak_reserved_bytes();
  out.thread_hits = allocations - std::min(misses, allocations);
  allocations += allocations_without_cache_.load(std::memory_order_relaxed);
  // An allocation that asks twice counts twice.
  out.misses = std::min(pages_.growths(), allocations);
  out.hits = allocations - out.misses;
  out.free_bytes = pages_.free_bytes() + slab_free_bytes_ + cached;
  out.largest_free_bytes = pages_.largest_free_bytes();
  out.growths = pages_.growths();
  return out;
}

void Heap::lock_all() noexcept {
  threads_lock_.lock();
  for (Shared& shared : shared_) shared.lock.lock();
  pages_lock_.lock();
}

void Heap::unlock_all() noexcept {
  pages_lock_.unlock();
  for (Shared& shared : shared_) shared.lock.unlock();
  threads_lock_.unlock();
}

}  // namespace pawl::memory
