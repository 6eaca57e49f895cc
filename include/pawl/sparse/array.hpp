// array.hpp -- an owned array whose elements are not set to zero first, on huge pages where it is large.
#pragma once
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

namespace pawl::sparse {

namespace detail {
/// Uninitialised memory, aligned to 64 bytes, from 4 MiB on to 2 MiB with huge pages asked for; null for 0 bytes.
/// `bytes` becomes the size of the block, which release() wants back. Errors: std::bad_alloc.
void* allocate(std::size_t& bytes);
void release(void* memory, std::size_t bytes) noexcept;
}  // namespace detail

/// Gives back the memory of dead matrices, of which up to 64 MiB are kept for the next ones.
void release_kept_memory() noexcept;

/// n elements of a trivial type, uninitialised. std::vector would write each element once more than needed, which is
/// a third of the time of building a matrix.
template <class T>
class Array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Array() = default;
  explicit Array(std::size_t n) : n_(n) {
    if (n > std::size_t(-1) / 2 / sizeof(T)) n = std::size_t(-1) / 2 / sizeof(T);  // which allocate() refuses
    bytes_ = n * sizeof(T);
    data_ = static_cast<T*>(detail::allocate(bytes_));
  }
  explicit Array(std::span<const T> from) : Array(from.size()) {
    for (std::size_t i = 0; i < n_; ++i) data_[i] = from[i];
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
