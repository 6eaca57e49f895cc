// panel_memory.cpp -- see panel_memory.hpp.
#include "kernels/quant/panel_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>

namespace pawl {

void PanelMemory::Free::operator()(std::uint8_t* p) const noexcept { std::free(p); }

PanelMemory::PanelMemory(std::size_t bytes) {
  constexpr std::size_t kLine = 64, kHugePage = std::size_t{2} << 20;
  if (bytes > std::numeric_limits<std::ptrdiff_t>::max() - kHugePage) throw std::bad_alloc();
  const std::size_t alignment = bytes >= kHugePage ? kHugePage : kLine;
  const std::size_t size = (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  data_.reset(static_cast<std::uint8_t*>(std::aligned_alloc(alignment, size)));
  if (!data_) throw std::bad_alloc();
  if (alignment == kHugePage) madvise(data_.get(), size, MADV_HUGEPAGE);  // advice: without it all works, slower
}

}  // namespace pawl
