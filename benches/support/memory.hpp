// memory.hpp -- counts what a timed loop allocates: by hooks in operator new and malloc, and by pawl::memory's
// allocators.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace pawl::bench {

/// What was allocated while counting was on.
struct AllocationCounts {
  std::int64_t allocations = 0;      ///< calls that returned memory
  std::int64_t allocated_bytes = 0;  ///< sum of their usable sizes
  std::int64_t live_bytes = 0;       ///< allocated minus freed
  std::int64_t peak_bytes = 0;       ///< largest live_bytes
};

/// False where malloc cannot be counted: outside glibc, but for AddressSanitizer, and with ThreadSanitizer.
bool allocation_hooks_present() noexcept;

/// Starts from zero and counts, in all threads, until stop.
void start_counting_allocations() noexcept;
AllocationCounts stop_counting_allocations() noexcept;

/// Google Benchmark asks for the memory of a run in a pass of its own, outside the timed ones. What counts is inside
/// the CountedLoops of it; all of the pass, with its inputs, for a benchmark that has none.
void begin_memory_pass();
AllocationCounts end_memory_pass();

/// From now on memory passes also find which calls allocate what counts. After end_memory_pass() memory_profile() has
/// the `places` that allocate most, as text; it is empty if nothing was allocated.
void profile_memory_passes(std::size_t places);
std::string memory_profile();

/// Put around the timed loop by measure(); does nothing outside a memory pass.
class CountedLoop {
 public:
  CountedLoop();
  ~CountedLoop();
  CountedLoop(const CountedLoop&) = delete;
  CountedLoop& operator=(const CountedLoop&) = delete;
};

}  // namespace pawl::bench
