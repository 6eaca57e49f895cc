// caching_resource.hpp -- a general allocator: size classes, a cache in each thread, one heap of pages behind.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory_resource>

#include "pawl/memory/size_class.hpp"
#include "pawl/memory/statistics.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define PAWL_MEMORY_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PAWL_MEMORY_ASAN 1
#endif
#endif
#ifdef PAWL_MEMORY_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace pawl::memory {

class CachingResource;
class Heap;

/// Bounds of a CachingResource.
struct CachingOptions {
  std::size_t limit_bytes = 0;  ///< never reserve more; 0: no limit but the system's
  /// What the caches of all threads may hold together; each thread gets an equal share, 1 MiB at least.
  std::size_t thread_caches_bytes = std::size_t{64} << 20;
  /// Larger blocks are pages of their own at once, never cached: slower (some 60 ns), but their pages are whole again
  /// as soon as they are free. At 32 KiB, programs of large tensors seldom ask the system again.
  std::size_t largest_cached_bytes = kLargestClassBytes;
  /// Free pages beyond this go back to the system at once, unless the program asked for half of them again since: then
  /// the bound doubles, up to what was once held, until the program has used less for a while. trim() gives all back.
  std::size_t retained_bytes = std::size_t{256} << 20;
  bool huge_pages = true;  ///< ask the system for them where memory grows by large pieces
  /// Each block is one of malloc's and nothing is cached, for tools that watch malloc (valgrind, heaptrack). Only live
  /// bytes and counts of statistics() mean something then, limit_bytes is not looked at, and live blocks outlast the
  /// resource.
  bool from_malloc = false;
};

namespace detail {

/// Blocks of one class that a thread has at hand: a stack of pointers. The blocks themselves are not touched, so
/// freeing and reusing cold memory misses no cache.
struct alignas(32) Bin {
  std::atomic<void**> top{nullptr};  // behind the last; written by the owner only, atomic because statistics look at it
  void** bottom = nullptr;
  void** end = nullptr;
  std::int64_t block_bytes = 0;

  std::size_t count() const noexcept { return static_cast<std::size_t>(top.load(std::memory_order_relaxed) - bottom); }
  std::size_t capacity() const noexcept { return static_cast<std::size_t>(end - bottom); }
};

/// What one thread has of one resource. A pair of calls is bound by how many instructions it takes (some 4 a cycle), so
/// the inlined ones keep one sum and compare it with one bound each.
struct ThreadCache {
  Bin bins[kSizeClasses];  // first: their place is the cache's plus a multiple of a power of two
  // Bytes that this thread may take before the resource must hear, because they may pass its peak: `high` - delta(). If
  // it grows beyond `most`, the cache holds its share of memory, and half of it goes back.
  std::atomic<std::int64_t> room{0};
  std::int64_t most = 0;
  std::atomic<std::uint64_t> allocations{0}, misses{0};  // misses: of this cache
  std::atomic<std::int64_t> high{0};
  std::int64_t cached_and_delta = 0;
  bool torn = false;  // bins for blocks of whole pages have no capacity (Heap::set_ends)
  // Its places in the tables of its thread. `way` is the one that the inlined calls take; it leads to no_cache while
  // observers (observer.hpp) must hear of every block, so that nobody pays for them otherwise.
  ThreadCache** home = nullptr;
  std::atomic<ThreadCache*>* way = nullptr;
  ThreadCache *previous = nullptr, *next = nullptr;

  /// Bytes that this thread took minus those it gave since it last told the resource.
  std::int64_t delta() const noexcept {
    return high.load(std::memory_order_relaxed) - room.load(std::memory_order_relaxed);
  }
};

/// All bins empty and full at once: who comes here goes the slow way. It is never written.
extern constinit ThreadCache no_cache;

/// Whether this library was compiled with AddressSanitizer, so that it unpoisons what it hands out.
extern const bool library_unpoisons;

/// Resources that have caches in threads at a time; further ones work, without.
inline constexpr unsigned kCachedResources = 32;
struct Way {
  std::atomic<ThreadCache*> cache{&no_cache};
};
/// This thread's caches by resource; the last stays no_cache. Another thread may close one at any time, and the owner
/// may go on with what it has read: the cache itself stays.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local Way thread_caches[kCachedResources + 1];

// g++ 12 takes four instructions to index a thread's array, and two to add to the thread's pointer.
#if defined(__GNUC__) && __GNUC__ >= 11 && !defined(__clang__) && defined(__x86_64__)
#define PAWL_MEMORY_THREAD_POINTER 1
#endif

}  // namespace detail

/// General allocator for tensors: blocks from 16 B up, sized deallocation, any thread may free any block.
///
/// Method     a stack of free blocks per class and thread (after Bonwick and Adams, Magazines and Vmem, USENIX 2001);
///            full and empty stacks trade halves with a shared one; behind it slabs of equal blocks in runs of pages
///            whose free space is found by two-level segregated fit (Masmano et al., TLSF, ECRTS 2004) and coalesced.
/// Alignment  the one asked for, a power of two; 16 bytes if none is.
/// Threads    all members may be called by any thread. When a thread ends, what its cache holds goes back to the heap;
///            its live blocks stay valid. After fork() both processes go on; in the child the blocks that other
///            threads had cached are lost to reuse.
/// Cost       allocate and deallocate some 10 instructions each while the thread's cache serves them.
/// Errors     std::bad_alloc if sizes overflow, at the limit, or without memory; the resource stays as it was.
/// Lifetime   the destructor takes back all memory, live blocks too; no thread may be inside a call then.
class CachingResource final : public std::pmr::memory_resource {
 public:
  explicit CachingResource(const CachingOptions& options = {});
  ~CachingResource() override;
  CachingResource(const CachingResource&) = delete;
  CachingResource& operator=(const CachingResource&) = delete;

  /// As memory_resource::allocate, without the virtual call.
  [[nodiscard, gnu::always_inline]] void* allocate(std::size_t bytes,
                                                   std::size_t alignment = alignof(std::max_align_t)) {
    // The last byte of the size rounded up to the alignment; of 0 bytes it is too large.
    const std::size_t last = (bytes - 1) | (alignment - 1);
    if (last >= kLargestClassBytes || alignment > kPageBytes) [[unlikely]]
      return allocate_slowly(bytes, alignment);
    return take(last, bytes, alignment);
  }

  /// `bytes` and `alignment` are those of the allocation; null is ignored.
  [[gnu::always_inline]] void deallocate(void* block, std::size_t bytes,
                                         std::size_t alignment = alignof(std::max_align_t)) noexcept {
    const std::size_t last = (bytes - 1) | (alignment - 1);
    if (last >= kLargestClassBytes || alignment > kPageBytes) [[unlikely]]
      return deallocate_slowly(block, bytes, alignment);
    give(last, block, bytes, alignment);
  }

  /// Gives back what it can: this thread's cache, the shared stacks, all free pages. Other threads' caches stay.
  void trim() noexcept;
  /// The same without giving pages back to the system: what is free becomes as contiguous as it can.
  void flush() noexcept;

  /// The peak of statistics() starts again at what is live now.
  void reset_peak() noexcept;

  /// Exact while no other thread allocates, but for the peak: other threads' steps of up to 1 MiB each may be missed,
  /// and what their caches took in since they last touched the heap may be counted. A miss needed pages of the
  /// system. free_bytes has the caches, free blocks of slabs and free pages, those too that the system has back;
  /// largest_free_bytes is a run of pages.
  Statistics statistics() const;

 private:
  static constexpr bool is_cached(std::size_t bytes, std::size_t alignment) noexcept {
    return bytes <= kLargestClassBytes && alignment <= kPageBytes;
  }
  static constexpr unsigned class_of(std::size_t bytes, std::size_t alignment) noexcept {
    // The last byte of the size rounded up to the alignment; 0 bytes count as 1.
    return size_class_of_last((bytes - (bytes != 0)) | (alignment - 1));
  }
  [[gnu::always_inline]] void* take(std::size_t last, std::size_t bytes, std::size_t alignment) {
    detail::ThreadCache& cache = way();
    detail::Bin& bin = bin_of(cache, last);
    void** const top = bin.top.load(std::memory_order_relaxed);
    const std::int64_t room = cache.room.load(std::memory_order_relaxed) - bin.block_bytes;
    if (room < 0) [[unlikely]]
      return allocate_slowly(bytes, alignment);
    if (top == bin.bottom) [[unlikely]]
      return allocate_slowly(bytes, alignment);
    void* const block = top[-1];
    bin.top.store(top - 1, std::memory_order_relaxed);
    cache.room.store(room, std::memory_order_relaxed);
    count(cache.allocations);
    unpoison(block, bytes);
    return block;
  }
  [[gnu::always_inline]] void give(std::size_t last, void* block, std::size_t bytes, std::size_t alignment) noexcept {
    detail::ThreadCache& cache = way();
    detail::Bin& bin = bin_of(cache, last);
    void** const top = bin.top.load(std::memory_order_relaxed);
    const std::int64_t room = cache.room.load(std::memory_order_relaxed) + bin.block_bytes;
    // Each by itself: of several in one condition g++ 12 makes bytes and their product.
    if (block == nullptr) [[unlikely]]
      return deallocate_slowly(block, bytes, alignment);
    if (top == bin.end) [[unlikely]]
      return deallocate_slowly(block, bytes, alignment);
    if (room > cache.most) [[unlikely]]
      return deallocate_slowly(block, bytes, alignment);
    poison(block, static_cast<std::size_t>(bin.block_bytes));
    *top = block;
    bin.top.store(top + 1, std::memory_order_relaxed);
    cache.room.store(room, std::memory_order_relaxed);
  }
  static detail::Bin& bin_of(detail::ThreadCache& cache, std::size_t last) noexcept {
    detail::Bin* bin = &cache.bins[size_class_of_last(last)];
    // Hidden from g++ 12, which would keep two addresses for one bin and take three instructions for the second.
    asm("" : "+r"(bin));
    return *bin;
  }
  detail::ThreadCache& way() const noexcept {
#ifdef PAWL_MEMORY_THREAD_POINTER
    char* const here = static_cast<char*>(__builtin_thread_pointer()) + way_;
    return *reinterpret_cast<detail::Way*>(here)->cache.load(std::memory_order_relaxed);
#else
    return *detail::thread_caches[slot_].cache.load(std::memory_order_relaxed);
#endif
  }
  // By the thread that owns the number. One instruction, where g++ 12 makes three of a relaxed load and store.
  static void count(std::atomic<std::uint64_t>& n) noexcept {
#if defined(__GNUC__) && defined(__x86_64__)
    static_assert(sizeof n == sizeof(std::uint64_t));
    asm("addq $1, %0" : "+m"(n) : : "cc");
#else
    n.store(n.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
#endif
  }
  static void poison([[maybe_unused]] void* block, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef PAWL_MEMORY_ASAN
    if (detail::library_unpoisons) __asan_poison_memory_region(block, bytes);
#endif
  }
  static void unpoison([[maybe_unused]] void* block, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef PAWL_MEMORY_ASAN
    __asan_unpoison_memory_region(block, bytes);
#endif
  }

  void* allocate_slowly(std::size_t bytes, std::size_t alignment);
  void* allocate_by_malloc(std::size_t bytes, std::size_t alignment);
  void deallocate_slowly(void* block, std::size_t bytes, std::size_t alignment) noexcept;
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  std::ptrdiff_t way_;  // thread_caches[slot_] from the thread pointer on
  unsigned slot_;
  Heap* heap_;
};

/// The process's own, which Tensor uses: made at the first call, never destroyed, so that objects of static duration
/// may use it. PAWL_MEMORY_LIMIT, in bytes, limits it; PAWL_MEMORY_HUGE_PAGES=0 lets it ask for no huge pages;
/// PAWL_MEMORY_MALLOC=1 has it take every block from malloc (CachingOptions::from_malloc). What they do not take ends
/// the program, with a line that says so.
CachingResource& caching_resource();

}  // namespace pawl::memory
