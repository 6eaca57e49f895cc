// heap.cpp -- see heap.hpp.
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

using detail::Bin;
using detail::ThreadCache;

// A thread keeps up to 2 MiB of each class, at most 256 blocks and at least 4: deep enough that a random walk of live
// blocks seldom reaches an end. All classes together are bounded by the thread's share.
constexpr std::size_t kBinBytes = std::size_t{2} << 20, kBinBlocks = 256, kLeastBinBlocks = 4;
// The shared stack of a class holds 8 MiB of blocks, four bins: when one of two threads that hand blocks over is ahead,
// they need not go to the pages and back (64 KiB: 1.2 to 1.5 times as fast as with 2 MiB). Of blocks above 256 KiB it
// holds 2 MiB, and those above that are coalesced at once.
constexpr std::size_t kSharedBytes = std::size_t{8} << 20, kSharedBytesOfLarge = std::size_t{2} << 20;
constexpr std::size_t kLarge = std::size_t{256} << 10;
// New memory is cut into blocks for a thread by this many bytes at a time.
constexpr std::size_t kCutBytes = std::size_t{64} << 10;
// Four blocks to a slab cost a quarter of the work on pages: 64 KiB from thread to thread 1.5 times as fast as with
// pages of their own, for 2 % more memory after a long run.
constexpr std::size_t kLargestSlabBlock = std::size_t{64} << 10;
constexpr unsigned kFirstClassOfPages = size_class(kLargestSlabBlock) + 1;
// How much a thread may take beyond its last report before it reports again (CachingResource::statistics).
constexpr std::int64_t kReportBytes = std::int64_t{1} << 20;
constexpr std::size_t kLeastShare = std::size_t{1} << 20;

constexpr std::size_t shared_capacity(unsigned c) {
  const std::size_t block = class_bytes(c);
  return std::min<std::size_t>((block <= kLarge ? kSharedBytes : kSharedBytesOfLarge) / block, kBinBlocks);
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

std::size_t cache_bytes() noexcept {
  std::size_t blocks = 0;
  for (unsigned c = 0; c < kSizeClasses; ++c) blocks += Heap::bin_capacity(c);
  return sizeof(ThreadCache) + blocks * sizeof(void*);
}

void* map(std::size_t bytes) noexcept {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? nullptr : p;
}

}  // namespace

std::uint32_t Heap::bin_capacity(unsigned c) noexcept {
  return static_cast<std::uint32_t>(std::clamp(kBinBytes / class_bytes(c), kLeastBinBlocks, kBinBlocks));
}

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
  while (caches_ != nullptr) {
    ThreadCache* const next = caches_->next;
    munmap(caches_, cache_bytes());
    caches_ = next;
  }
}

Span* Heap::run(std::size_t pages, std::size_t alignment, ThreadCache* own, bool slab) {
  if (!pages_.could_hold(pages, alignment)) throw std::bad_alloc();
  const auto take = [&] { return pages_.take(pages, alignment, slab); };
  if (Span* s = take()) return s;
  if (pages_.has_seen_more(pages) && pages_.grow(pages, alignment, slab))
    if (Span* s = take()) return s;
  // Before memory grows, what lies in caches is made whole again: first the blocks that are pages of their own, then
  // all. At the limit, free pages go back to the system.
  for (const unsigned from : {kFirstClassOfPages, 0U}) {
    pages_lock_.unlock();
    if (own != nullptr) empty(*own, from);
    flush_shared(from);
    pages_lock_.lock();
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
      slab = run(kSlabPages[c], 1, own, true);
      slab->use = Span::Use::slab;
      slab->size_class = static_cast<std::uint8_t>(c);
      slab->blocks = slab->free_blocks = static_cast<std::uint16_t>(kSlabPages[c] * kPageBytes / bytes);
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
  return got;
}

void Heap::give_block(void* block) noexcept {
  Span* const s = pages_.span_of(block);
  if (s->use == Span::Use::block) return pages_.give(s);
  const unsigned c = s->size_class;
  const auto offset = static_cast<std::uint32_t>(static_cast<char*>(block) - static_cast<char*>(pages_.address(s)));
  const std::uint32_t index = offset / static_cast<std::uint32_t>(class_bytes(c));
  s->free_map[index / 64] |= std::uint64_t{1} << (index % 64);
  slab_free_bytes_ += class_bytes(c);
  if (s->free_blocks++ == 0) slabs_[c].push(s);
  if (s->free_blocks == s->blocks) {
    slabs_[c].remove(s);
    slab_free_bytes_ -= s->blocks * class_bytes(c);
    pages_.give(s);
  }
}

void Heap::give(unsigned c, void** blocks, std::size_t count) noexcept {
  Shared& shared = shared_[c];
  std::size_t n = 0;
  if (shared.capacity > 0 && !(class_bytes(c) > kLargestSlabBlock && torn_.load(std::memory_order_relaxed))) {
    const std::lock_guard lock(shared.lock);
    const std::uint32_t there = shared.count.load(std::memory_order_relaxed);
    n = std::min<std::size_t>(shared.capacity - there, count);
    if (n > 0) std::memcpy(shared.blocks + there, blocks, n * sizeof(void*));
    shared.count.store(there + static_cast<std::uint32_t>(n), std::memory_order_relaxed);
  }
  if (n == count) return;
  const std::lock_guard lock(pages_lock_);
  for (std::size_t i = n; i < count; ++i) give_block(blocks[i]);
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

void Heap::set_ends(ThreadCache& cache) noexcept {
  cache.torn = torn_.load(std::memory_order_relaxed);
  if (cache.torn) empty(cache, kFirstClassOfPages);
  for (unsigned c = kFirstClassOfPages; c < kSizeClasses; ++c)
    cache.bins[c].end = cache.bins[c].bottom + (is_cached(c) && !cache.torn ? bin_capacity(c) : 0);
}

ThreadCache* Heap::make_cache(ThreadCache** home, std::atomic<ThreadCache*>* way) noexcept {
  void* const memory = map(cache_bytes());
  if (memory == nullptr) return nullptr;
  auto* const cache = new (memory) ThreadCache;
  cache->home = home;
  cache->way = way;
  void** blocks = reinterpret_cast<void**>(cache + 1);
  for (unsigned c = 0; c < kSizeClasses; ++c) {
    Bin& bin = cache->bins[c];
    bin.bottom = blocks;
    bin.end = blocks + (is_cached(c) ? bin_capacity(c) : 0);
    bin.top.store(blocks, std::memory_order_relaxed);
    bin.block_bytes = static_cast<std::int64_t>(class_bytes(c));
    blocks += bin_capacity(c);
  }
  ++threads_;
  set_most(*cache);
  const std::lock_guard lock(threads_lock_);
  cache->next = caches_;
  if (caches_ != nullptr) caches_->previous = cache;
  caches_ = cache;
  return cache;
}

// Under the lock that close_ways() takes: an observer that comes meanwhile either is seen here or closes it again.
void Heap::open_way(ThreadCache& cache) noexcept {
  const std::lock_guard lock(threads_lock_);
  if (!observed()) cache.way->store(&cache, std::memory_order_relaxed);
}

void Heap::close_ways() noexcept {
  for_each_cache([](const ThreadCache& cache) {
    if (cache.way != nullptr) cache.way->store(&detail::no_cache, std::memory_order_relaxed);
  });
}

void Heap::drop_cache(ThreadCache* cache) noexcept {
  empty(*cache);
  fold(*cache);
  {
    const std::lock_guard lock(threads_lock_);
    (cache->previous != nullptr ? cache->previous->next : caches_) = cache->next;
    if (cache->next != nullptr) cache->next->previous = cache->previous;
    allocations_ += cache->allocations.load(std::memory_order_relaxed);
    misses_ += cache->misses.load(std::memory_order_relaxed);
  }
  --threads_;
  munmap(static_cast<void*>(cache), cache_bytes());
}

std::int64_t Heap::share() const noexcept {
  const auto threads = static_cast<std::size_t>(std::max(threads_.load(std::memory_order_relaxed), 1));
  return static_cast<std::int64_t>(std::max(options_.thread_caches_bytes / threads, kLeastShare));
}

// The cache holds cached_and_delta - delta, and that is high - room.
void Heap::set_most(ThreadCache& cache) noexcept {
  cache.most = cache.high.load(std::memory_order_relaxed) - cache.cached_and_delta + share();
}

void Heap::fold(ThreadCache& cache) noexcept {
  const std::int64_t delta = cache.delta();
  cache.cached_and_delta -= delta;
  count_live(delta);
  const std::int64_t high = std::clamp<std::int64_t>(
      peak_.load(std::memory_order_relaxed) - live_.load(std::memory_order_relaxed), 0, kReportBytes);
  cache.high.store(high, std::memory_order_relaxed);
  cache.room.store(high, std::memory_order_relaxed);
  set_most(cache);
}

void Heap::count_live(std::int64_t bytes) noexcept {
  const std::int64_t live = live_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::int64_t peak = peak_.load(std::memory_order_relaxed);
  while (live > peak && !peak_.compare_exchange_weak(peak, live, std::memory_order_relaxed)) {
  }
}

void Heap::reset_peak() noexcept {
  std::int64_t live = live_.load(std::memory_order_relaxed);
  for_each_cache([&](const ThreadCache& t) { live += t.delta(); });
  peak_.store(live, std::memory_order_relaxed);
}

// The oldest blocks go, the recently used stay.
void Heap::flush_bin(ThreadCache& cache, unsigned c, std::size_t keep) noexcept {
  Bin& bin = cache.bins[c];
  const std::size_t count = bin.count();
  if (count <= keep) return;
  const std::size_t n = count - keep;
  give(c, bin.bottom, n);
  std::memmove(bin.bottom, bin.bottom + n, keep * sizeof(void*));
  bin.top.store(bin.bottom + keep, std::memory_order_relaxed);
  cache.cached_and_delta -= static_cast<std::int64_t>(n * class_bytes(c));
}

void Heap::empty(ThreadCache& cache, unsigned from) noexcept {
  for (unsigned c = from; c < kSizeClasses; ++c)
    if (cache.bins[c].count() > 0) flush_bin(cache, c, 0);
  set_most(cache);
}

void Heap::flush_half(ThreadCache& cache, unsigned c) noexcept { flush_bin(cache, c, cache.bins[c].count() / 2); }

void Heap::shrink(ThreadCache& cache) noexcept {
  const auto cached = [&] { return cache.cached_and_delta - cache.delta(); };
  // Half of each bin; what is still too much is in few large blocks.
  for (unsigned c = 0; c < kSizeClasses; ++c) flush_bin(cache, c, cache.bins[c].count() / 2);
  for (unsigned c = kSizeClasses; c-- > 0 && cached() > share() / 2;) flush_bin(cache, c, 0);
  set_most(cache);
}

void Heap::flush_shared(unsigned from) noexcept {
  for (unsigned c = from; c < kSizeClasses; ++c) {
    Shared& shared = shared_[c];
    if (shared.count.load(std::memory_order_relaxed) == 0) continue;
    const std::lock_guard lock(shared.lock);
    const std::uint32_t there = shared.count.load(std::memory_order_relaxed);
    const std::lock_guard pages(pages_lock_);
    for (std::uint32_t i = 0; i < there; ++i) give_block(shared.blocks[i]);
    shared.count.store(0, std::memory_order_relaxed);
  }
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
  out.hits = allocations - std::min(misses, allocations);
  out.misses = misses;
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

void Heap::keep_only(const ThreadCache* own) noexcept {
  for (ThreadCache* t = caches_; t != nullptr; t = t->next)
    if (t != own) {
      t->home = nullptr;
      t->way = nullptr;
    }
}

}  // namespace pawl::memory
