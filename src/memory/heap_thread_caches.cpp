// heap_thread_caches.cpp -- what a thread has at hand of a heap: made, counted, bounded, emptied, dropped.
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

#include "memory/heap.hpp"
#include "pawl/memory/observer.hpp"

namespace pawl::memory {
namespace {

using detail::Bin;
using detail::ThreadCache;

// A thread keeps up to 2 MiB of each class, at most 256 blocks and at least 4: deep enough that a random walk of live
// blocks seldom reaches an end. All classes together are bounded by the thread's share.
constexpr std::size_t kBinBytes = std::size_t{2} << 20, kBinBlocks = 256, kLeastBinBlocks = 4;
// How much a thread may take beyond its last report before it reports again (CachingResource::statistics).
constexpr std::int64_t kReportBytes = std::int64_t{1} << 20;
constexpr std::size_t kLeastShare = std::size_t{1} << 20;
// Caches of threads that ended are kept for the next ones: mapping one (180 KiB at most) and its first touch take 10
// us.
constexpr int kSpareCaches = 8;

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

void Heap::unmap_caches() noexcept {
  for (ThreadCache** const list : {&caches_, &spare_caches_})
    while (*list != nullptr) munmap(static_cast<void*>(std::exchange(*list, (*list)->next)), cache_bytes());
}

void Heap::set_ends(ThreadCache& cache) noexcept {
  cache.torn = torn_.load(std::memory_order_relaxed);
  if (cache.torn) empty(cache, kFirstClassOfTorn);
  for (unsigned c = kFirstClassOfTorn; c < kSizeClasses; ++c)
    cache.bins[c].end = cache.bins[c].bottom + (is_cached(c) && !cache.torn ? bin_capacity(c) : 0);
}

ThreadCache* Heap::make_cache(ThreadCache** home, std::atomic<ThreadCache*>* way) noexcept {
  void* memory = nullptr;
  {
    const std::lock_guard lock(threads_lock_);
    if (memory = spare_caches_; memory != nullptr) {
      spare_caches_ = spare_caches_->next;
      --spares_;
    }
  }
  if (memory == nullptr) memory = map(cache_bytes());
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
    --threads_;
    if (spares_ < kSpareCaches) {
      ++spares_;
      cache->next = spare_caches_;
      spare_caches_ = cache;
      return;
    }
  }
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

std::size_t Heap::empty(ThreadCache& cache, unsigned from) noexcept {
  std::size_t moved = 0;
  for (unsigned c = from; c < kSizeClasses; ++c)
    if (const std::size_t count = cache.bins[c].count(); count > 0) {
      flush_bin(cache, c, 0);
      moved += count;
    }
  set_most(cache);
  return moved;
}

void Heap::flush_half(ThreadCache& cache, unsigned c) noexcept { flush_bin(cache, c, cache.bins[c].count() / 2); }

void Heap::shrink(ThreadCache& cache) noexcept {
  const auto cached = [&] { return cache.cached_and_delta - cache.delta(); };
  // Half of each bin; what is still too much is in few large blocks.
  for (unsigned c = 0; c < kSizeClasses; ++c) flush_bin(cache, c, cache.bins[c].count() / 2);
  for (unsigned c = kSizeClasses; c-- > 0 && cached() > share() / 2;) flush_bin(cache, c, 0);
  set_most(cache);
}

void Heap::keep_only(const ThreadCache* own) noexcept {
  for (ThreadCache* t = caches_; t != nullptr; t = t->next)
    if (t != own) {
      t->home = nullptr;
      t->way = nullptr;
    }
}

}  // namespace pawl::memory
