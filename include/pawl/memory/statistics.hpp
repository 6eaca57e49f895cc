// statistics.hpp -- what an allocator says about itself.
#pragma once
#include <cstddef>
#include <cstdint>

namespace pawl::memory {

/// Figures of one resource, in bytes and calls since it was made. Blocks count with the size that they take, which
/// may be more than was asked for.
struct Statistics {
  std::size_t live_bytes = 0;           ///< in the hands of the program
  std::size_t peak_bytes = 0;           ///< largest live_bytes
  std::size_t reserved_bytes = 0;       ///< held from the system or the upstream resource
  std::size_t peak_reserved_bytes = 0;  ///< largest reserved_bytes
  std::uint64_t hits = 0;               ///< allocations served from what the resource held
  std::uint64_t misses = 0;             ///< allocations for which it asked the system or upstream
  std::uint64_t thread_hits = 0;        ///< of the hits those of the thread's own cache, where there are such
  std::uint64_t growths = 0;            ///< times that it asked the system or upstream
  std::size_t free_bytes = 0;           ///< that the resource could hand out without growing
  std::size_t largest_free_bytes = 0;   ///< the largest contiguous part of free_bytes

  /// 1 - largest free / total free: 0 where all that is free is one piece, or nothing is free.
  double fragmentation() const noexcept {
    return free_bytes == 0 ? 0 : 1 - static_cast<double>(largest_free_bytes) / static_cast<double>(free_bytes);
  }
  /// Share of allocations for which nothing was asked from the system or upstream, as pools and caching allocators of
  /// tensors count it; 1 before the first.
  double hit_rate() const noexcept { return share(hits); }
  /// Share of allocations that the thread's own cache served, without a lock; 1 before the first.
  double thread_hit_rate() const noexcept { return share(thread_hits); }

 private:
  double share(std::uint64_t part) const noexcept {
    const auto all = static_cast<double>(hits + misses);
    return all == 0 ? 1 : static_cast<double>(part) / all;
  }
};

}  // namespace pawl::memory
