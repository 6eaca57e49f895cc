// profiler.hpp -- which calls allocate: tags on a stack, snapshots, what changed between two, the largest, the leaks.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::memory {

/// Names what this thread does while the object lives; scopes within scopes give "forward/attention/softmax". Up to 16
/// deep; what is deeper counts with the 16th.
///
/// Cost       a store and two additions to thread-local memory, profiler or not; allocates nothing.
/// Lifetime   `name` must live as long as the scope: a literal, or a string that outlives it.
class MemoryTag {
 public:
  explicit MemoryTag(const char* name) noexcept;
  ~MemoryTag();
  MemoryTag(const MemoryTag&) = delete;
  MemoryTag& operator=(const MemoryTag&) = delete;
};

/// What was allocated by one chain of calls under one stack of tags.
struct AllocationSite {
  std::string tags;                   ///< "forward/attention"; empty outside all tags
  std::vector<std::uintptr_t> calls;  ///< addresses in the calling functions, the innermost first
  std::uint64_t allocations = 0, frees = 0;
  std::uint64_t allocated_bytes = 0;
  std::int64_t live_blocks = 0, live_bytes = 0;  ///< may be below 0 in a difference
  std::int64_t peak_bytes = 0;                   ///< largest live_bytes since the profiler started; 0 in a difference
};

/// All that the profiler saw, at one moment. A value: it changes no more.
struct MemorySnapshot {
  std::uint64_t allocations = 0, frees = 0, allocated_bytes = 0;
  std::int64_t live_blocks = 0, live_bytes = 0, peak_bytes = 0;
  std::vector<AllocationSite> sites;  ///< those with an allocation, in no order
};

/// What happened between two snapshots of one profiler: counts are differences, sites without any are left out;
/// peak_bytes is that of `after` for the whole and 0 for sites. Pure.
MemorySnapshot difference(const MemorySnapshot& after, const MemorySnapshot& before);

enum class OrderBy { live_bytes, allocated_bytes, allocations, peak_bytes };
/// The `count` sites that are largest in `order`; those with nothing of it are left out. Pure.
std::vector<AllocationSite> top(const MemorySnapshot& snapshot, std::size_t count, OrderBy order);
/// One entry per stack of tags, without calls, the largest in `order` first; peak_bytes is 0. Pure.
std::vector<AllocationSite> by_tags(const MemorySnapshot& snapshot, OrderBy order);

/// "pawl::matmul(...) at src/kernels/matmul/matmul.cpp:41", one per function, inlined ones too; the calls of the
/// allocator itself are left out. Names come from the symbol tables and lines from debug information, by libbacktrace
/// where the compiler has it (g++ does), else from dladdr(), which knows exported functions only.
std::vector<std::string> describe_calls(std::span<const std::uintptr_t> calls);

/// What people read: totals, then the largest sites with up to `depth` calls each.
std::string format_sites(const MemorySnapshot& snapshot, std::size_t count, OrderBy order, std::size_t depth = 6);
/// The same of what is alive, the largest first; "no leaks" if nothing is. Take difference(end, begin), so that what
/// was alive before does not count.
std::string format_leaks(const MemorySnapshot& snapshot, std::size_t count = 20, std::size_t depth = 6);

struct ProfilerOptions {
  unsigned calls = 24;  ///< recorded for each allocation, up to 64; 0: by tags only, which is several times faster
};

/// Records the allocations and releases of all threads while it lives: those of malloc and operator new if the program
/// is linked with pawl::malloc_hooks, of every CachingResource (so of Tensor) and of ProfiledResource. Blocks that were
/// allocated before it started are not known to it, and their release is not counted; nor are the functions above.
///
/// Threads    snapshot() and reset_peak() may be called by any thread, while others allocate.
/// Cost       none while there is none (docs/kernels/memory.md has the figures); else about two microseconds for each
///            allocation, nearly all of it to walk the stack. Memory: some 100 bytes a live block.
/// Errors     std::logic_error if there is one already. What cannot be recorded for want of memory is left out.
class MemoryProfiler {
 public:
  explicit MemoryProfiler(const ProfilerOptions& options = {});
  ~MemoryProfiler();
  MemoryProfiler(const MemoryProfiler&) = delete;
  MemoryProfiler& operator=(const MemoryProfiler&) = delete;

  MemorySnapshot snapshot() const;
  /// peak_bytes, of the whole and of each site, start again at what is live now.
  void reset_peak();
};

}  // namespace pawl::memory
