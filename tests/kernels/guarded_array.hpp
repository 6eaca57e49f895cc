// guarded_array.hpp -- an array at a chosen misalignment whose surroundings tell if a kernel read or wrote beyond it.
//
// The element before and those after hold NaN (a kernel that reads them shows a NaN in its result) with a known bit
// pattern (one that writes them is seen by untouched()).
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace pawl::testing {

template <class T>
class GuardedArray {
 public:
  /// n elements that start `offset` elements past a 64-byte boundary; every element is NaN at first.
  explicit GuardedArray(std::size_t n, std::size_t offset = 0) : n_(n), storage_(n + offset + 2 * kGuard + kLine) {
    for (T& value : storage_) value = std::numeric_limits<T>::quiet_NaN();
    const auto address = reinterpret_cast<std::uintptr_t>(storage_.data() + kGuard);
    const std::size_t to_line = (64 - address % 64) % 64 / sizeof(T);
    begin_ = kGuard + to_line + offset;
  }

  T* data() { return storage_.data() + begin_; }
  const T* data() const { return storage_.data() + begin_; }
  std::size_t size() const { return n_; }
  T& operator[](std::size_t i) { return data()[i]; }
  T operator[](std::size_t i) const { return data()[i]; }

  /// True while nothing was written outside [0, n).
  bool untouched() const {
    const T nan = std::numeric_limits<T>::quiet_NaN();
    for (std::size_t i = 0; i < storage_.size(); ++i)
      if ((i < begin_ || i >= begin_ + n_) && std::memcmp(&storage_[i], &nan, sizeof(T)) != 0) return false;
    return true;
  }

  /// Seeded values in [-1, 1), never zero.
  void fill(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (std::size_t i = 0; i < n_; ++i) {
      const double u = static_cast<double>(random() >> 11) * 0x1p-52 - 1.0;
      data()[i] = static_cast<T>(u == 0 ? 0.5 : u);
    }
  }

 private:
  static constexpr std::size_t kGuard = 64;             // elements; wider than any vector
  static constexpr std::size_t kLine = 64 / sizeof(T);  // elements in 64 bytes
  std::size_t n_, begin_ = 0;
  std::vector<T> storage_;
};

}  // namespace pawl::testing
