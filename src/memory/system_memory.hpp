// system_memory.hpp -- what a page heap asks the system for, as a table of calls: tests have one that refuses some.
#pragma once
#include <cstddef>

namespace pawl::memory {

/// As mmap(), mprotect(), madvise() and mremap(), which say what a refusal is; errno tells why.
struct SystemMemory {
  void* (*map)(void* at, std::size_t bytes, int protection, int flags) noexcept;  // of no file
  int (*protect)(void* start, std::size_t bytes, int protection) noexcept;
  int (*advise)(void* start, std::size_t bytes, int advice) noexcept;
  /// Enters the pages elsewhere, where others may be; new ones take their place. Where it refuses, what was at `to` may
  /// be unmapped.
  void* (*move)(void* from, std::size_t bytes, void* to) noexcept;
};

extern const SystemMemory kSystemMemory;

}  // namespace pawl::memory
