// pack_buffer.hpp -- memory for packed blocks that a thread keeps from call to call.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace pawl {

/// Grows and never shrinks; freed when its thread ends. Contents are undefined after each get().
class PackBuffer {
 public:
  PackBuffer() = default;
  PackBuffer(const PackBuffer&) = delete;
  PackBuffer& operator=(const PackBuffer&) = delete;
  ~PackBuffer() { std::free(data_); }

  /// At least `bytes` bytes, aligned to a page. Errors: std::bad_alloc, and what was there before is gone.
  void* get(std::size_t bytes) {
    if (bytes <= capacity_) return data_;
    std::free(data_);
    capacity_ = 0;
    // On huge pages where they are large enough for one: a packed block is read in an order that misses small pages'
    // TLB.
    const std::size_t alignment = bytes >= kHugePage ? kHugePage : kPage;
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    data_ = std::aligned_alloc(alignment, rounded);
    if (data_ == nullptr) throw std::bad_alloc();
#if defined(__linux__)
    if (alignment == kHugePage) madvise(data_, rounded, MADV_HUGEPAGE);  // advice: nothing is lost if it is not taken
#endif
    capacity_ = rounded;
    return data_;
  }

 private:
  static constexpr std::size_t kPage = 4096, kHugePage = std::size_t{2} << 20;
  void* data_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace pawl
