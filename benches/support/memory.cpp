// memory.cpp -- an observer of malloc, operator new and the library's own allocators that counts when asked to.
//
// Cost when not counting: none, neither for malloc (pawl::malloc_hooks) nor for the caching resource.
#include "memory.hpp"

#include <atomic>
#include <optional>
#include <utility>

#include "pawl/memory/malloc_hooks.hpp"
#include "pawl/memory/observer.hpp"
#include "pawl/memory/profiler.hpp"

#if defined(__SANITIZE_THREAD__)
#define PAWL_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PAWL_TSAN 1
#endif
#endif

namespace pawl::bench {
namespace {

constinit std::atomic<bool> g_memory_pass{false};
bool g_loop_seen = false;  // in this pass
constinit std::atomic<std::int64_t> g_allocations{0}, g_allocated{0}, g_live{0}, g_peak{0};

void on_allocated(const void*, std::size_t size) noexcept {
  const auto bytes = static_cast<std::int64_t>(size);
  g_allocations.fetch_add(1, std::memory_order_relaxed);
  g_allocated.fetch_add(bytes, std::memory_order_relaxed);
  const std::int64_t live = g_live.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::int64_t peak = g_peak.load(std::memory_order_relaxed);
  while (live > peak && !g_peak.compare_exchange_weak(peak, live, std::memory_order_relaxed)) {
  }
}

void on_freed(const void*, std::size_t bytes) noexcept {
  g_live.fetch_sub(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
}

constexpr memory::AllocationObserver kCounter{on_allocated, on_freed};

// Where the loop allocates, if somebody wants to know: the profiler lives from the beginning of a pass to its end.
std::size_t g_places = 0;
std::optional<memory::MemoryProfiler> g_profiler;
memory::MemorySnapshot g_before_loop, g_loop;

void reset_counts() noexcept { g_allocations = g_allocated = g_live = g_peak = 0; }
AllocationCounts counts() noexcept { return {g_allocations, g_allocated, g_live, g_peak}; }

}  // namespace

bool allocation_hooks_present() noexcept {
#ifdef PAWL_TSAN
  return false;  // g++ 12's tells of the release of aligned blocks, but not of their allocation
#else
  return memory::malloc_hooks_present();
#endif
}

void start_counting_allocations() noexcept {
  reset_counts();
  memory::add_observer(kCounter);
}

AllocationCounts stop_counting_allocations() noexcept {
  memory::remove_observer(kCounter);
  return counts();
}

void begin_memory_pass() {
  reset_counts();
  g_memory_pass = true;
  g_loop_seen = false;
  g_loop = {};
  if (g_places > 0) g_profiler.emplace();
  memory::add_observer(kCounter);
}

AllocationCounts end_memory_pass() {
  g_memory_pass = false;
  memory::remove_observer(kCounter);
  if (g_profiler && !g_loop_seen) g_loop = g_profiler->snapshot();
  g_profiler.reset();
  return counts();
}

void profile_memory_passes(std::size_t places) { g_places = places; }

std::string memory_profile() {
  return g_loop.allocations == 0 ? "" : memory::format_sites(g_loop, g_places, memory::OrderBy::allocated_bytes);
}

CountedLoop::CountedLoop() {
  if (!g_memory_pass) return;
  if (g_profiler) {
    g_before_loop = g_profiler->snapshot();
    g_profiler->reset_peak();
  }
  // What was before the first loop does not count, and between loops nobody counts.
  if (!std::exchange(g_loop_seen, true)) reset_counts();
  memory::add_observer(kCounter);
}

CountedLoop::~CountedLoop() {
  if (!g_memory_pass) return;
  memory::remove_observer(kCounter);
  if (!g_profiler) return;
  g_loop = memory::difference(g_profiler->snapshot(), g_before_loop);
  g_loop.peak_bytes -= g_before_loop.live_bytes;
}

}  // namespace pawl::bench
