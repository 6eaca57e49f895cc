// aligned_buffer.hpp -- n elements of a trivial type at an address that is a multiple of what is asked.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <memory_resource>
#include <new>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "pawl/memory/caching_resource.hpp"

namespace pawl::memory {

/// Owns n elements from a resource; movable, not copyable. data() is never null, also for n = 0.
///
/// Alignment  a power of two of at least alignof(T); 64 (a cache line) if none is asked for.
/// Errors     std::invalid_argument for another alignment; std::bad_alloc if n * sizeof(T) is above PTRDIFF_MAX or
///            there is no memory.
template <class T>
class AlignedBuffer {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  /// Elements are not initialised.
  explicit AlignedBuffer(std::size_t n, std::size_t alignment = kDefault,
                         std::pmr::memory_resource& resource = caching_resource())
      : n_(n), alignment_(alignment), resource_(&resource) {
    if (!std::has_single_bit(alignment) || alignment < alignof(T))
      throw std::invalid_argument("AlignedBuffer: the alignment is not a power of two of at least that of the type");
    if (n > std::size_t(-1) / 2 / sizeof(T)) throw std::bad_alloc();  // PTRDIFF_MAX bytes; operator new may round to 0
    data_ = static_cast<T*>(resource.allocate(bytes(), alignment));
  }
  static AlignedBuffer zeros(std::size_t n, std::size_t alignment = kDefault,
                             std::pmr::memory_resource& resource = caching_resource()) {
    AlignedBuffer out(n, alignment, resource);
    std::memset(static_cast<void*>(out.data_), 0, n * sizeof(T));
    return out;
  }
  AlignedBuffer(AlignedBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        n_(std::exchange(other.n_, 0)),
        alignment_(other.alignment_),
        resource_(other.resource_) {}
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(n_, other.n_);
    std::swap(alignment_, other.alignment_);
    std::swap(resource_, other.resource_);
    return *this;
  }
  ~AlignedBuffer() {
    if (data_ != nullptr) resource_->deallocate(data_, bytes(), alignment_);
  }

  T* data() noexcept { return data_; }
  const T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return n_; }
  std::span<T> span() noexcept { return {data_, n_}; }
  std::span<const T> span() const noexcept { return {data_, n_}; }
  T& operator[](std::size_t i) noexcept { return data_[i]; }
  const T& operator[](std::size_t i) const noexcept { return data_[i]; }

 private:
  static constexpr std::size_t kDefault = std::max<std::size_t>(64, alignof(T));
  std::size_t bytes() const noexcept { return std::max<std::size_t>(n_ * sizeof(T), 1); }

  T* data_ = nullptr;
  std::size_t n_, alignment_;
  std::pmr::memory_resource* resource_;
};

}  // namespace pawl::memory
