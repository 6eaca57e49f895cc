// aligned_array.cpp -- see aligned_array.hpp.
#include "kernels/fft/aligned_array.hpp"

#include "pawl/memory/caching_resource.hpp"

namespace pawl::fft {
namespace {

constexpr std::size_t kAlignment = 64;  // a cache line, the widest vector

}  // namespace

// The process's own resource is never destroyed, as the plans are not (lines.cpp).
void* take_table_memory(std::size_t bytes) { return memory::caching_resource().allocate(bytes, kAlignment); }
void give_table_memory(void* memory, std::size_t bytes) noexcept {
  memory::caching_resource().deallocate(memory, bytes, kAlignment);
}

}  // namespace pawl::fft
