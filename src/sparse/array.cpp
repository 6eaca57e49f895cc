// array.cpp -- memory for the arrays of sparse matrices, from where tensors have theirs: what dies is kept for the
// next.
//
// A system that gets each block back and hands it out again with zeros takes more time than many operations: of a
// sparse product with 10^4 rows 60 % was page faults.
#include "pawl/sparse/array.hpp"

#include <new>

#include "pawl/memory/caching_resource.hpp"

namespace pawl::sparse::detail {

constexpr std::size_t kLine = 64;

void* allocate(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  if (bytes > std::size_t(-1) / 2) throw std::bad_alloc();
  return memory::caching_resource().allocate(bytes, kLine);
}

void release(void* memory, std::size_t bytes) noexcept {
  if (memory != nullptr) memory::caching_resource().deallocate(memory, bytes, kLine);
}

}  // namespace pawl::sparse::detail
