// aligned_array.hpp -- n elements from a 64-byte boundary on, zero at first: the tables of a plan.
#pragma once
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

namespace pawl::fft {

/// Elements of T, at least n, that end at a 64-byte boundary.
template <class T>
constexpr std::size_t up_to_line(std::size_t n) noexcept {
  constexpr std::size_t kElements = 64 / sizeof(T);
  return (n + kElements - 1) / kElements * kElements;
}

template <class T>
class AlignedArray {
 public:
  AlignedArray() = default;
  /// Errors: std::bad_alloc.
  explicit AlignedArray(std::size_t n) : size_(n), data_(n == 0 ? nullptr : new (kAlignment) T[n]()) {}

  std::size_t size() const noexcept { return size_; }
  T* data() noexcept { return data_.get(); }
  const T* data() const noexcept { return data_.get(); }
  T& operator[](std::size_t i) noexcept { return data_[i]; }
  const T& operator[](std::size_t i) const noexcept { return data_[i]; }

 private:
  static constexpr std::align_val_t kAlignment{64};  // a cache line, the widest vector
  struct Free {
    void operator()(T* p) const noexcept { ::operator delete[](p, kAlignment); }
  };
  std::size_t size_ = 0;
  std::unique_ptr<T[], Free> data_;
};

}  // namespace pawl::fft
