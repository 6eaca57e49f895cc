// array.cpp -- memory for the arrays of sparse matrices.
#include "pawl/sparse/array.hpp"

#include <cstdlib>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace pawl::sparse::detail {

void* allocate(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  constexpr std::size_t kHuge = std::size_t{2} << 20, kLine = 64;
  const std::size_t alignment = bytes >= 2 * kHuge ? kHuge : kLine;
  if (bytes > std::size_t(-1) / 2 - alignment) throw std::bad_alloc();
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) throw std::bad_alloc();
#if defined(__linux__)
  if (alignment == kHuge) (void)madvise(memory, rounded, MADV_HUGEPAGE);  // a hint; scattered writes gain most
#endif
  return memory;
}

void release(void* memory) noexcept { std::free(memory); }

}  // namespace pawl::sparse::detail
