// memory.hpp -- counts what a timed loop allocates, by hooks in operator new and malloc.
#pragma once
#include <cstdint>

namespace pawl::bench {

/// What was allocated while counting was on.
struct AllocationCounts {
  std::int64_t allocations = 0;      ///< calls that returned memory
  std::int64_t allocated_bytes = 0;  ///< sum of their usable sizes; -1 if not known (end_memory_pass)
  std::int64_t live_bytes = 0;       ///< allocated minus freed
  std::int64_t peak_bytes = 0;       ///< largest live_bytes
};

/// False where the hooks are not compiled in: under sanitizers, which have their own, and outside glibc.
bool allocation_hooks_present() noexcept;

/// Starts from zero and counts, in all threads, until stop.
void start_counting_allocations() noexcept;
AllocationCounts stop_counting_allocations() noexcept;

/// Google Benchmark asks for the memory of a run in a pass of its own; counting is on only inside the timed loop of it.
void begin_memory_pass() noexcept;
AllocationCounts end_memory_pass() noexcept;

/// Put around the timed loop by measure(); does nothing outside a memory pass.
class CountedLoop {
 public:
  CountedLoop() noexcept;
  ~CountedLoop();
  CountedLoop(const CountedLoop&) = delete;
  CountedLoop& operator=(const CountedLoop&) = delete;
};

}  // namespace pawl::bench
