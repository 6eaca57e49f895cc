// memory.cpp -- malloc and its relatives, replaced by ones that count when asked to. operator new ends in malloc;
// the blocks of pawl::memory::caching_resource() are counted by itself.
//
// Cost when not counting: one relaxed load per call.
#include "memory.hpp"

#include <algorithm>
#include <atomic>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PAWL_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PAWL_SANITIZED 1
#endif
#endif

#if defined(__GLIBC__) && !defined(PAWL_SANITIZED)
#define PAWL_MALLOC_HOOKS 1
#include <malloc.h>

#include <cerrno>
#endif

// The library's own allocator, where it is linked: its blocks are not malloc's.
extern "C" [[gnu::weak]] void pawl_caching_resource_counts(int begin, std::int64_t* allocations, std::int64_t* live,
                                                           std::int64_t* peak);

namespace pawl::bench {
namespace {

struct OwnCounts {
  std::int64_t allocations = 0, live = 0, peak = 0;
};
constinit OwnCounts g_own_before, g_own;  // of the counted loop's thread

OwnCounts own_counts([[maybe_unused]] bool begin) noexcept {
  OwnCounts now;
  if (pawl_caching_resource_counts != nullptr)
    pawl_caching_resource_counts(begin ? 1 : 0, &now.allocations, &now.live, &now.peak);
  return now;
}

constinit std::atomic<bool> g_counting{false}, g_memory_pass{false};
constinit std::atomic<std::int64_t> g_allocations{0}, g_allocated{0}, g_live{0}, g_peak{0};

}  // namespace

bool allocation_hooks_present() noexcept {
#ifdef PAWL_MALLOC_HOOKS
  return true;
#else
  return false;
#endif
}

void start_counting_allocations() noexcept {
  g_allocations = g_allocated = g_live = g_peak = 0;
  g_counting = true;
}

AllocationCounts stop_counting_allocations() noexcept {
  g_counting = false;
  return {g_allocations, g_allocated, g_live, g_peak};
}

void begin_memory_pass() noexcept {
  g_allocations = g_allocated = g_live = g_peak = 0;
  g_own = {};
  g_memory_pass = true;
}

AllocationCounts end_memory_pass() noexcept {
  g_memory_pass = false;
  // Both peaks at once is what can have been; the bytes in sum are known of malloc only.
  return {g_allocations + g_own.allocations, g_own.allocations == 0 ? g_allocated.load() : -1, g_live + g_own.live,
          g_peak + g_own.peak};
}

CountedLoop::CountedLoop() noexcept {
  if (!g_memory_pass) return;
  g_own_before = own_counts(true);
  g_counting = true;
}

CountedLoop::~CountedLoop() {
  if (!g_memory_pass) return;
  g_counting = false;
  const OwnCounts now = own_counts(false);
  g_own = {g_own.allocations + now.allocations - g_own_before.allocations, g_own.live + now.live - g_own_before.live,
           std::max(g_own.peak, now.peak - g_own_before.live)};
}

#ifdef PAWL_MALLOC_HOOKS
namespace {

void* count_allocation(void* p) noexcept {
  if (g_counting.load(std::memory_order_relaxed) && p != nullptr) [[unlikely]] {
    const auto bytes = static_cast<std::int64_t>(malloc_usable_size(p));
    g_allocations.fetch_add(1, std::memory_order_relaxed);
    g_allocated.fetch_add(bytes, std::memory_order_relaxed);
    const std::int64_t live = g_live.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    std::int64_t peak = g_peak.load(std::memory_order_relaxed);
    while (live > peak && !g_peak.compare_exchange_weak(peak, live, std::memory_order_relaxed)) {
    }
  }
  return p;
}

void count_free(void* p) noexcept {
  if (g_counting.load(std::memory_order_relaxed) && p != nullptr) [[unlikely]]
    g_live.fetch_sub(static_cast<std::int64_t>(malloc_usable_size(p)), std::memory_order_relaxed);
}

}  // namespace
#endif

}  // namespace pawl::bench

#ifdef PAWL_MALLOC_HOOKS
// glibc's own functions under the names that it keeps for replacements such as these (manual, "Replacing malloc").
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier): the names are glibc's
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
// NOLINTEND(bugprone-reserved-identifier)

void* malloc(std::size_t n) { return pawl::bench::count_allocation(__libc_malloc(n)); }
void* calloc(std::size_t n, std::size_t size) { return pawl::bench::count_allocation(__libc_calloc(n, size)); }
void* realloc(void* p, std::size_t n) {
  pawl::bench::count_free(p);
  return pawl::bench::count_allocation(__libc_realloc(p, n));
}
void* memalign(std::size_t alignment, std::size_t n) {
  return pawl::bench::count_allocation(__libc_memalign(alignment, n));
}
void* aligned_alloc(std::size_t alignment, std::size_t n) { return memalign(alignment, n); }
int posix_memalign(void** out, std::size_t alignment, std::size_t n) {
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
  void* p = memalign(alignment, n);
  if (p == nullptr) return ENOMEM;
  *out = p;
  return 0;
}
void free(void* p) {
  pawl::bench::count_free(p);
  __libc_free(p);
}
}
#endif
