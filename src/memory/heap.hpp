// heap.hpp -- what all threads of a caching resource share: stacks of free blocks, slabs and pages.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "memory/page_heap.hpp"
#include "memory/spin_lock.hpp"
#include "pawl/memory/caching_resource.hpp"

namespace pawl::memory {

// Larger blocks are runs of pages, which any other size may take when they are free. Slabs for those up to 64 KiB as
// well are no faster from thread to thread, and hold 7 % more memory after a long run.
inline constexpr std::size_t kLargestSlabBlock = std::size_t{32} << 10;
inline constexpr unsigned kFirstClassOfPages = size_class(kLargestSlabBlock) + 1;
static_assert((class_bytes(kFirstClassOfPages) - kLargestSlabBlock) % kPageBytes == 0, "they are whole pages");
/// Larger blocks are not cached while the page heap is torn: those that wait for their size to come again keep free
/// pages apart.
inline constexpr std::size_t kLargestAlwaysCached = std::size_t{64} << 10;
inline constexpr unsigned kFirstClassOfTorn = size_class(kLargestAlwaysCached) + 1;

/// Locks are taken in the order: threads, shared stacks by class, pages. Never one of them while holding a later one.
class Heap {
 public:
  explicit Heap(const CachingOptions& options);
  ~Heap();
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  /// Writes up to `most` blocks of class `c` to `out`; at least one. `own` is the caller's cache or null: it is emptied
  /// before memory grows. Errors: std::bad_alloc.
  std::size_t fetch(unsigned c, void** out, std::size_t most, detail::ThreadCache* own);
  /// Takes blocks back: to the shared stack while it has room, then to their slabs and pages.
  void give(unsigned c, void** blocks, std::size_t count) noexcept;
  /// One block of whole pages. Errors: std::bad_alloc.
  void* take_pages(std::size_t bytes, std::size_t alignment, detail::ThreadCache* own);
  void give_pages(void* block) noexcept;

  /// null without memory; `home` and `way` are its places in the thread's tables.
  detail::ThreadCache* make_cache(detail::ThreadCache** home, std::atomic<detail::ThreadCache*>* way) noexcept;
  /// Inlined calls take the cache unless somebody observes; close_ways() is what the observers' arrival calls.
  void open_way(detail::ThreadCache& cache) noexcept;
  void close_ways() noexcept;
  void drop_cache(detail::ThreadCache* cache) noexcept;
  /// All blocks of class `from` and above; how many there were.
  std::size_t empty(detail::ThreadCache& cache, unsigned from = 0) noexcept;
  void shrink(detail::ThreadCache& cache) noexcept;  // to half of its share
  void flush_half(detail::ThreadCache& cache, unsigned c) noexcept;
  /// Tells the resource what the thread took and gave, and sets when it wants to hear next.
  void fold(detail::ThreadCache& cache) noexcept;
  void count_live(std::int64_t bytes) noexcept;
  void reset_peak() noexcept;
  void count_without_cache() noexcept { allocations_without_cache_.fetch_add(1, std::memory_order_relaxed); }
  /// Bytes that one thread's cache may hold.
  std::int64_t share() const noexcept;
  void set_most(detail::ThreadCache& cache) noexcept;

  std::size_t flush_shared(unsigned from = 0) noexcept;  // the same
  void release() noexcept;
  std::size_t block_bytes(const void* block) noexcept;
  bool from_malloc() const noexcept { return options_.from_malloc; }
  Statistics statistics() noexcept;

  void lock_all() noexcept;
  void unlock_all() noexcept;
  /// In the child of fork(): only the caller's cache still has a thread.
  void keep_only(const detail::ThreadCache* own) noexcept;
  /// For each cache whose thread lives.
  template <class F>
  void for_each_cache(F&& f) {
    threads_lock_.lock();
    for (detail::ThreadCache* t = caches_; t != nullptr; t = t->next) f(*t);
    threads_lock_.unlock();
  }

  static std::uint32_t bin_capacity(unsigned c) noexcept;

 private:
  struct Shared {
    SpinLock lock;
    std::atomic<std::uint32_t> count{0};  // changes under the lock; read without it to see that there is nothing
    std::uint32_t capacity = 0;
    void** blocks = nullptr;
  };
  void set_ends(detail::ThreadCache& cache) noexcept;
  void unmap_caches() noexcept;
  bool is_cached(unsigned c) const noexcept { return class_bytes(c) <= options_.largest_cached_bytes; }
  std::size_t from_slabs(unsigned c, void** out, std::size_t most, detail::ThreadCache* own);
  // Under the lock, which it may drop. `slab`: the run is to be one.
  Span* run(std::size_t pages, std::size_t alignment, detail::ThreadCache* own, bool slab = false);
  void give_blocks(unsigned c, void* const* blocks, std::size_t count) noexcept;  // under the lock
  void flush_bin(detail::ThreadCache& cache, unsigned c, std::size_t keep) noexcept;

  const CachingOptions options_;
  std::array<Shared, kSizeClasses> shared_;
  void* shared_storage_ = nullptr;

  SpinLock pages_lock_;
  PageHeap pages_;
  std::array<SpanList, kSizeClasses> slabs_;  // with a free block
  std::size_t slab_free_bytes_ = 0;
  std::size_t earned_ = 0, emptying_ = 0;  // since caches were emptied, and what that cost: in blocks moved

  SpinLock threads_lock_;
  detail::ThreadCache* caches_ = nullptr;
  detail::ThreadCache* spare_caches_ = nullptr;  // of threads that ended, empty
  int spares_ = 0;
  std::atomic<int> threads_{0};
  std::atomic<bool> torn_{false};  // as pages_ says

  std::atomic<std::int64_t> live_{0}, peak_{0};
  std::atomic<std::uint64_t> allocations_{0}, misses_{0};  // of caches whose threads ended
  std::atomic<std::uint64_t> allocations_without_cache_{0};
};

}  // namespace pawl::memory
