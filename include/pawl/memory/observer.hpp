// observer.hpp -- who hears of every allocation and release of this process.
//
// Told by malloc and operator new where the program is linked with pawl::malloc_hooks, by every CachingResource, and by
// ProfiledResource. The counts of a bench's memory pass and MemoryProfiler are observers.
#pragma once
#include <atomic>
#include <cstddef>

namespace pawl::memory {

/// Called in the thread that allocates, after it did, and in the thread that frees, before it does. `bytes` is what the
/// block takes, which may be more than was asked for. They may be called at the same time, and once more while
/// remove_observer() runs; what they allocate themselves is told too.
struct AllocationObserver {
  void (*allocated)(const void* p, std::size_t bytes) noexcept;
  void (*freed)(const void* p, std::size_t bytes) noexcept;
};

/// `observer` must live until the process ends. False, and nothing changes, if it is there already or four are.
bool add_observer(const AllocationObserver& observer) noexcept;
void remove_observer(const AllocationObserver& observer) noexcept;

namespace detail {
extern constinit std::atomic<unsigned> observer_count;
}

/// Whether anybody listens: one relaxed load, all that an allocator pays while nobody does.
inline bool observed() noexcept { return detail::observer_count.load(std::memory_order_relaxed) != 0; }

/// For allocators, when observed() is true. Null is ignored.
void tell_allocated(const void* p, std::size_t bytes) noexcept;
void tell_freed(const void* p, std::size_t bytes) noexcept;

/// An allocator whose usual way passes observed() by hears here when that becomes true. One place is enough: the
/// caching resources' own.
void on_observed(void (*listener)() noexcept) noexcept;

}  // namespace pawl::memory
