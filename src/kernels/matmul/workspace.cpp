// workspace.cpp -- see workspace.hpp.
#include "kernels/matmul/workspace.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace pawl {
namespace {

constexpr std::size_t kLine = 64,
                      kHugePage = std::size_t{2} << 20;  // bytes; 2 MiB is the huge page of x86-64 and arm64

struct Workspace {
  void* memory = nullptr;
  std::size_t bytes = 0;
  Workspace() = default;
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace() { std::free(memory); }

  void grow(std::size_t wanted) {
    std::free(memory);
    memory = nullptr;
    bytes = 0;
    const std::size_t alignment = wanted >= kHugePage ? kHugePage : kLine;
    const std::size_t rounded = (wanted + alignment - 1) / alignment * alignment;
    memory = std::aligned_alloc(alignment, rounded);
    if (!memory) throw std::bad_alloc();
    bytes = rounded;
    if (alignment == kHugePage) madvise(memory, rounded, MADV_HUGEPAGE);  // advice: without it all works, slower
  }
};

thread_local Workspace t_workspace;

}  // namespace

void* thread_workspace(std::size_t bytes) {
  Workspace& workspace = t_workspace;
  if (workspace.bytes < bytes) workspace.grow(bytes);
  return workspace.memory;
}

}  // namespace pawl
