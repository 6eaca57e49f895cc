// system_memory.cpp -- the system's own calls; see system_memory.hpp.
#include "memory/system_memory.hpp"

#include <sys/mman.h>

namespace pawl::memory {
namespace {

void* map(void* at, std::size_t bytes, int protection, int flags) noexcept {
  return mmap(at, bytes, protection, flags | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

int protect(void* start, std::size_t bytes, int protection) noexcept { return mprotect(start, bytes, protection); }

int advise(void* start, std::size_t bytes, int advice) noexcept { return madvise(start, bytes, advice); }

void* move(void* from, std::size_t bytes, void* to) noexcept {
  return mremap(from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP, to);
}

}  // namespace

constinit const SystemMemory kSystemMemory = {map, protect, advise, move};

}  // namespace pawl::memory
