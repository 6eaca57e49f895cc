// array.hpp -- an owned array whose elements are not set to zero first, from the memory that tensors have.
#pragma once
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

namespace pawl::sparse {

namespace detail {
/// Uninitialised memory of memory::caching_resource(), aligned to 64 bytes; null for 0 bytes. Errors: std::bad_alloc.
void* allocate(std::size_t bytes);
/// `bytes` is what was asked for.
void release(void* memory, std::size_t bytes) noexcept;
}  // namespace detail

/// n elements of a trivial type, uninitialised. std::vector would write each element once more than needed, which is
/// a third of the time of building a matrix. What a dead array had is kept for the next one, or a tensor;
/// memory::caching_resource().trim() gives it back to the system.
template <class T>
class Array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Array() = default;
  explicit Array(std::size_t n) : n_(n) {
    constexpr std::size_t kMost = std::size_t(-1) / sizeof(T);  // more is refused as kMost elements are
    bytes_ = (n < kMost ? n : kMost) * sizeof(T);
    data_ = static_cast<T*>(detail::allocate(bytes_));
  }
  explicit Array(std::span<const T> from) : Array(from.size()) {
    if (n_ > 0) std::memcpy(data_, from.data(), n_ * sizeof(T));
  }
  Array(const Array& other) : Array(std::span<const T>(other.data_, other.n_)) {}
  Array(Array&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        n_(std::exchange(other.n_, 0)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  Array& operator=(Array other) noexcept {
    std::swap(data_, other.data_);
    std::swap(n_, other.n_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Array() { detail::release(data_, bytes_); }

  T* data() noexcept { return data_; }
  const T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return n_; }
  T& operator[](std::size_t i) noexcept { return data_[i]; }
  const T& operator[](std::size_t i) const noexcept { return data_[i]; }
  T* begin() noexcept { return data_; }
  T* end() noexcept { return data_ + n_; }
  const T* begin() const noexcept { return data_; }
  const T* end() const noexcept { return data_ + n_; }

  /// Forgets the elements from n on; the memory stays.
  void truncate(std::size_t n) noexcept { n_ = n < n_ ? n : n_; }

 private:
  T* data_ = nullptr;
  std::size_t n_ = 0, bytes_ = 0;
};

}  // namespace pawl::sparse
