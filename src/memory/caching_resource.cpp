// caching_resource.cpp -- caches by thread, what happens when they are empty or full, thread exit and fork.
#include "pawl/memory/caching_resource.hpp"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>

#include "memory/heap.hpp"
#include "pawl/memory/observer.hpp"

namespace pawl::memory {

namespace detail {
// The model again: without it g++ 12 asks __tls_get_addr() in this file, and the calls through std::pmr save registers
// around that (their pair takes half as long again).
[[gnu::tls_model("initial-exec")]] constinit thread_local Way thread_caches[kCachedResources + 1] = {};
constinit ThreadCache no_cache;
#ifdef PAWL_MEMORY_ASAN
const bool library_unpoisons = true;
#else
const bool library_unpoisons = false;
#endif
}  // namespace detail

namespace {

using detail::kCachedResources;
using detail::no_cache;
using detail::thread_caches;
using detail::ThreadCache;

// Which resource has which slot. The lock is taken before any of a heap's.
struct Registry {
  SpinLock lock;
  std::array<Heap*, kCachedResources> heaps{};
};
constinit Registry g_registry;
// Heaps beyond those with a slot are not known to fork(); their locks are not held over it.

// The caches themselves, also while thread_caches must not lead to them.
constinit thread_local ThreadCache* t_caches[kCachedResources] = {};
constinit thread_local bool t_ended = false;  // the thread's caches are gone and must not come back

struct AtThreadEnd {
  ~AtThreadEnd() {
    t_ended = true;
    const std::lock_guard lock(g_registry.lock);
    for (unsigned slot = 0; slot < kCachedResources; ++slot)
      if (ThreadCache* const cache = std::exchange(t_caches[slot], nullptr); cache != nullptr) {
        thread_caches[slot].cache.store(&no_cache, std::memory_order_relaxed);
        g_registry.heaps[slot]->drop_cache(cache);
      }
  }
};

void before_fork() {
  g_registry.lock.lock();
  for (Heap* heap : g_registry.heaps)
    if (heap != nullptr) heap->lock_all();
}

void after_fork() {
  for (Heap* heap : g_registry.heaps)
    if (heap != nullptr) heap->unlock_all();
  g_registry.lock.unlock();
}

void after_fork_in_child() {
  for (unsigned slot = 0; slot < kCachedResources; ++slot)
    if (Heap* const heap = g_registry.heaps[slot]; heap != nullptr) heap->keep_only(t_caches[slot]);
  after_fork();
}

ThreadCache* cache_of_this_thread(unsigned slot, Heap& heap) noexcept {
  if (slot == kCachedResources || t_ended) return nullptr;
  ThreadCache*& cache = t_caches[slot];
  if (cache == nullptr) {
    static thread_local AtThreadEnd at_thread_end;  // constructed here, so that it runs when the thread ends
    (void)&at_thread_end;
    ThreadCache* const made = heap.make_cache(&cache, &thread_caches[slot].cache);
    cache = made;
  }
  if (cache != nullptr && !observed() && thread_caches[slot].cache.load(std::memory_order_relaxed) == &no_cache)
    heap.open_way(*cache);
  return cache;
}

ThreadCache* own_cache(unsigned slot) noexcept { return slot == kCachedResources ? nullptr : t_caches[slot]; }

// Out of line, so that the others need not save their arguments.
[[gnu::noinline]] void* allocate_aligned(CachingResource& resource, std::size_t bytes, std::size_t alignment) {
  return resource.allocate(bytes, alignment);
}

[[gnu::noinline]] void deallocate_aligned(CachingResource& resource, void* block, std::size_t bytes,
                                          std::size_t alignment) noexcept {
  resource.deallocate(block, bytes, alignment);
}

void close_all_ways() noexcept {
  const std::lock_guard lock(g_registry.lock);
  for (Heap* heap : g_registry.heaps)
    if (heap != nullptr) heap->close_ways();
}

}  // namespace

CachingResource::CachingResource(const CachingOptions& options) : slot_(kCachedResources), heap_(new Heap(options)) {
  static const int registered = pthread_atfork(before_fork, after_fork, after_fork_in_child);
  on_observed(close_all_ways);
  (void)registered;  // it fails only without memory, and then fork() of a thread amid an allocation may hang the child
  const std::lock_guard lock(g_registry.lock);
  for (unsigned slot = 0; slot < kCachedResources; ++slot)
    if (g_registry.heaps[slot] == nullptr) {
      g_registry.heaps[slot] = heap_;
      slot_ = slot;
      break;
    }
    // The same in every thread: thread_caches lies in the block that begins with the program (initial-exec).
#ifdef PAWL_MEMORY_THREAD_POINTER
  way_ = reinterpret_cast<char*>(&thread_caches[slot_]) - static_cast<char*>(__builtin_thread_pointer());
#else
  way_ = 0;
#endif
}

CachingResource::~CachingResource() {
  if (slot_ != kCachedResources) {
    const std::lock_guard lock(g_registry.lock);
    heap_->for_each_cache([](ThreadCache& cache) {
      if (cache.home == nullptr) return;
      *cache.home = nullptr;
      cache.way->store(&no_cache, std::memory_order_relaxed);
    });
    g_registry.heaps[slot_] = nullptr;
  }
  delete heap_;
}

void* CachingResource::allocate_by_malloc(std::size_t bytes, std::size_t alignment) {
  // posix_memalign, since valgrind 3.19 does not see aligned_alloc.
  void* block = nullptr;
  // More than half of the address space is somebody's overflow, which sanitizers end the program for.
  if (bytes > PTRDIFF_MAX ||
      posix_memalign(&block, std::max(alignment, class_bytes(0)), std::max<std::size_t>(bytes, 1)) != 0)
    throw std::bad_alloc();
  heap_->count_without_cache();
  heap_->count_live(static_cast<std::int64_t>(bytes));
  if (observed()) tell_allocated(block, bytes);
  return block;
}

void* CachingResource::allocate_slowly(std::size_t bytes, std::size_t alignment) {
  if (heap_->from_malloc()) return allocate_by_malloc(bytes, alignment);
  ThreadCache* const cache = cache_of_this_thread(slot_, *heap_);
  if (!is_cached(bytes, alignment)) {
    void* const block = heap_->take_pages(bytes, alignment, cache);
    heap_->count_without_cache();
    heap_->count_live(static_cast<std::int64_t>(heap_->block_bytes(block)));
    poison(block, heap_->block_bytes(block));
    unpoison(block, bytes);
    if (observed()) tell_allocated(block, heap_->block_bytes(block));
    return block;
  }
  const unsigned c = class_of(bytes, alignment);
  const auto block_bytes = static_cast<std::int64_t>(class_bytes(c));
  void* block = nullptr;
  if (cache == nullptr) {
    heap_->fetch(c, &block, 1, nullptr);
    heap_->count_without_cache();
    heap_->count_live(block_bytes);
  } else {
    detail::Bin& bin = cache->bins[c];
    void** top = bin.top.load(std::memory_order_relaxed);
    if (top == bin.bottom) {
      // One at least: a bin above CachingOptions::largest_cached_bytes has no capacity, but its place.
      const std::size_t n = heap_->fetch(c, bin.bottom, std::max<std::size_t>(bin.capacity() / 2, 1), cache);
      top = bin.bottom + n;
      cache->cached_and_delta += static_cast<std::int64_t>(n) * block_bytes;
      heap_->set_most(*cache);
      count(cache->misses);
    }
    block = top[-1];
    bin.top.store(top - 1, std::memory_order_relaxed);
    const std::int64_t room = cache->room.load(std::memory_order_relaxed) - block_bytes;
    cache->room.store(room, std::memory_order_relaxed);
    count(cache->allocations);
    if (room < 0) heap_->fold(*cache);
  }
  poison(block, class_bytes(c));
  unpoison(block, bytes);
  if (observed()) tell_allocated(block, class_bytes(c));
  return block;
}

void CachingResource::deallocate_slowly(void* block, std::size_t bytes, std::size_t alignment) noexcept {
  if (block == nullptr) return;
  if (heap_->from_malloc()) {
    if (observed()) tell_freed(block, bytes);
    heap_->count_live(-static_cast<std::int64_t>(bytes));
    std::free(block);
    return;
  }
  if (!is_cached(bytes, alignment)) {
    const std::size_t whole = heap_->block_bytes(block);
    if (observed()) tell_freed(block, whole);
    poison(block, whole);
    heap_->give_pages(block);
    heap_->count_live(-static_cast<std::int64_t>(whole));
    return;
  }
  const unsigned c = class_of(bytes, alignment);
  const auto block_bytes = static_cast<std::int64_t>(class_bytes(c));
  if (observed()) tell_freed(block, class_bytes(c));
  poison(block, class_bytes(c));
  ThreadCache* const cache = cache_of_this_thread(slot_, *heap_);
  if (cache == nullptr) {
    heap_->give(c, &block, 1);
    heap_->count_live(-block_bytes);
    return;
  }
  detail::Bin& bin = cache->bins[c];
  const std::int64_t room = cache->room.load(std::memory_order_relaxed) + block_bytes;
  if (bin.capacity() == 0) {  // CachingOptions::largest_cached_bytes, or Heap::set_ends
    heap_->give(c, &block, 1);
    cache->cached_and_delta -= block_bytes;
    cache->room.store(room, std::memory_order_relaxed);
    heap_->set_most(*cache);  // what the cache holds is as before
    return;
  }
  if (bin.count() == bin.capacity()) heap_->flush_half(*cache, c);
  void** const top = bin.top.load(std::memory_order_relaxed);
  *top = block;
  bin.top.store(top + 1, std::memory_order_relaxed);
  cache->room.store(room, std::memory_order_relaxed);
  heap_->fold(*cache);  // sets `most` by the share of now
  if (cache->room.load(std::memory_order_relaxed) > cache->most) heap_->shrink(*cache);
}

// Alignments that every block has need not be looked at, nor kept for the slow way: five instructions less for the most
// frequent calls.
void* CachingResource::do_allocate(std::size_t bytes, std::size_t alignment) {
  if (alignment > class_bytes(0)) [[unlikely]]
    return allocate_aligned(*this, bytes, alignment);
  if (bytes - 1 >= kLargestClassBytes) [[unlikely]]
    return allocate_slowly(bytes, 1);
  const std::size_t last = bytes - 1;
  return take(last, last + 1, 1);
}

void CachingResource::do_deallocate(void* block, std::size_t bytes, std::size_t alignment) {
  if (alignment > class_bytes(0)) [[unlikely]]
    return deallocate_aligned(*this, block, bytes, alignment);
  if (bytes - 1 >= kLargestClassBytes) [[unlikely]]
    return deallocate_slowly(block, bytes, 1);
  const std::size_t last = bytes - 1;
  give(last, block, last + 1, 1);
}

void CachingResource::flush() noexcept {
  if (ThreadCache* const cache = own_cache(slot_); cache != nullptr) {
    heap_->empty(*cache);
    heap_->fold(*cache);
  }
  heap_->flush_shared();
}

void CachingResource::trim() noexcept {
  flush();
  heap_->release();
}

void CachingResource::reset_peak() noexcept {
  if (ThreadCache* const cache = own_cache(slot_); cache != nullptr) heap_->fold(*cache);
  heap_->reset_peak();
  if (ThreadCache* const cache = own_cache(slot_); cache != nullptr) heap_->fold(*cache);  // hears of the next step
}

Statistics CachingResource::statistics() const { return heap_->statistics(); }

CachingResource& caching_resource() {
  static CachingResource& resource = []() -> CachingResource& {
    CachingOptions options;
    const auto text_of = [](const char* name) {
      const char* const text = std::getenv(name);
      return std::string_view(text != nullptr ? text : "");
    };
    const auto refuse = [](const char* name, std::string_view text, const char* takes) {
      std::fprintf(stderr, "pawl: %s is '%.*s'; it takes %s\n", name, static_cast<int>(text.size()), text.data(),
                   takes);
      std::exit(2);
    };
    if (const auto text = text_of("PAWL_MEMORY_LIMIT"); !text.empty()) {
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), options.limit_bytes);
      if (error != std::errc() || end != text.data() + text.size() || options.limit_bytes == 0)
        refuse("PAWL_MEMORY_LIMIT", text, "bytes, a whole number above 0");
    }
    const auto set_by = [&](const char* name, bool& option) {
      const auto text = text_of(name);
      if (text.empty()) return;
      if (text != "0" && text != "1") refuse(name, text, "0 or 1");
      option = text == "1";
    };
    set_by("PAWL_MEMORY_HUGE_PAGES", options.huge_pages);
    set_by("PAWL_MEMORY_MALLOC", options.from_malloc);
    return *new CachingResource(options);
  }();
  return resource;
}

}  // namespace pawl::memory
