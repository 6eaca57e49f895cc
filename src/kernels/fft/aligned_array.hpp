// aligned_array.hpp -- n elements from a 64-byte boundary on, zero at first or unset: the tables of a plan.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace pawl::fft {

/// Memory for the tables of plans, at a 64-byte boundary. What is given back is kept for the next ones: a page that is
/// new to the process takes longer (0.3 to 0.7 us) than what a table of 4 KiB is made in.
///
/// Errors     std::bad_alloc.
void* take_table_memory(std::size_t bytes);
void give_table_memory(void* memory, std::size_t bytes) noexcept;

/// Elements of T, at least n, that end at a 64-byte boundary.
template <class T>
constexpr std::size_t up_to_line(std::size_t n) noexcept {
  constexpr std::size_t kElements = 64 / sizeof(T);
  return (n + kElements - 1) / kElements * kElements;
}

/// Whether p is a 64-byte boundary.
inline bool begins_line(const void* p) noexcept { return reinterpret_cast<std::uintptr_t>(p) % 64 == 0; }

struct Unset {};  ///< an array of any values, where all of them are written before they are read

template <class T>
class AlignedArray {
  static_assert(std::is_trivial_v<T>);

 public:
  AlignedArray() = default;
  /// Errors: std::bad_alloc.
  AlignedArray(std::size_t n, Unset)
      : size_(n), data_(n == 0 ? nullptr : static_cast<T*>(take_table_memory(n * sizeof(T))), Free{n * sizeof(T)}) {}
  explicit AlignedArray(std::size_t n) : AlignedArray(n, Unset{}) { std::fill_n(data_.get(), n, T{}); }

  std::size_t size() const noexcept { return size_; }
  T* data() noexcept { return data_.get(); }
  const T* data() const noexcept { return data_.get(); }
  T& operator[](std::size_t i) noexcept { return data_[i]; }
  const T& operator[](std::size_t i) const noexcept { return data_[i]; }

 private:
  struct Free {
    std::size_t bytes = 0;
    void operator()(T* p) const noexcept { give_table_memory(p, bytes); }
  };
  std::size_t size_ = 0;
  std::unique_ptr<T[], Free> data_;
};

}  // namespace pawl::fft
