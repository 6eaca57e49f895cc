// framed.hpp -- an array of any plain type at a chosen misalignment, in a frame of known bytes that shows stray writes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <vector>

namespace pawl::testing {

template <class T>
class Framed {
 public:
  /// n elements that start `offset` elements past a 64-byte boundary.
  explicit Framed(std::size_t n, std::size_t offset = 0) : n_(n), bytes_((n + offset) * sizeof(T) + 2 * kFrame + 64) {
    std::memset(bytes_.data(), kByte, bytes_.size());
    const auto address = reinterpret_cast<std::uintptr_t>(bytes_.data() + kFrame);
    begin_ = kFrame + (64 - address % 64) % 64 + offset * sizeof(T);
  }
  Framed(const Framed&) = delete;
  Framed& operator=(const Framed&) = delete;

  T* data() { return reinterpret_cast<T*>(bytes_.data() + begin_); }
  const T* data() const { return reinterpret_cast<const T*>(bytes_.data() + begin_); }
  std::size_t size() const { return n_; }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  std::span<T> span() { return {data(), n_}; }
  std::span<const T> view() const { return {data(), n_}; }

  /// True while nothing was written outside [0, n).
  bool untouched() const {
    for (std::size_t i = 0; i < bytes_.size(); ++i)
      if ((i < begin_ || i >= begin_ + n_ * sizeof(T)) && bytes_[i] != kByte) return false;
    return true;
  }

 private:
  static constexpr std::size_t kFrame = 256;    // bytes; wider than any block
  static constexpr unsigned char kByte = 0xff;  // a NaN as f32, -1 as an integer: seen if it is read
  std::size_t n_, begin_ = 0;
  std::vector<unsigned char> bytes_;
};

/// Seeded values in [low, high).
inline void fill_uniform(std::span<float> x, std::uint64_t seed, float low = -1, float high = 1) {
  std::mt19937_64 random(seed);
  for (float& value : x)
    value = static_cast<float>(low + static_cast<double>(high - low) * (static_cast<double>(random() >> 11) * 0x1p-53));
}
template <class Q>
void fill_codes(std::span<Q> q, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (Q& value : q) value = static_cast<Q>(random() >> 40);
}

}  // namespace pawl::testing
