// aligned_array.cpp -- see aligned_array.hpp.
#include "kernels/fft/aligned_array.hpp"

#include "pawl/memory/caching_resource.hpp"

namespace pawl::fft {
namespace {

constexpr std::size_t kAlignment = 64;  // a cache line, the widest vector

// Blocks that are pages of their own begin a line later. As all began at the start of a page 10007 points of f32 took
// 1.02 to 1.04 times as long: loads wait for stores to the same place of another page.
constexpr std::size_t offset_of(std::size_t bytes) noexcept {
  return bytes > memory::kLargestClassBytes ? kAlignment : 0;
}

}  // namespace

// The process's own resource is never destroyed, as the plans are not (lines.cpp).
void* take_table_memory(std::size_t bytes) {
  const std::size_t offset = offset_of(bytes);
  return static_cast<std::byte*>(memory::caching_resource().allocate(bytes + offset, kAlignment)) + offset;
}
void give_table_memory(void* memory, std::size_t bytes) noexcept {
  if (memory == nullptr) return;
  const std::size_t offset = offset_of(bytes);
  memory::caching_resource().deallocate(static_cast<std::byte*>(memory) - offset, bytes + offset, kAlignment);
}

}  // namespace pawl::fft
