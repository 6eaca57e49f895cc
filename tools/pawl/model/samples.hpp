// samples.hpp -- the values of one metric, one of them without a heap block.
//
// Most series hold one value (one repetition). std::vector spends 56 bytes on it, this 16, and a file of 100,000 rows
// has half a million series.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

namespace pawl::model {

/// A contiguous sequence of doubles with the everyday interface of std::vector<double>; at most 2^32 - 1 of them.
class Samples {
 public:
  using value_type = double;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = double&;
  using const_reference = const double&;
  using iterator = double*;
  using const_iterator = const double*;

  Samples() noexcept = default;
  Samples(std::initializer_list<double> values) { assign(values.begin(), values.size()); }
  Samples(const std::vector<double>& values) { assign(values.data(), values.size()); }
  explicit Samples(std::size_t count, double value = 0) { resize(count, value); }
  Samples(const Samples& other) { assign(other.data(), other.size()); }
  Samples(Samples&& other) noexcept { swap(other); }
  Samples& operator=(const Samples& other) {
    if (this != &other) assign(other.data(), other.size());
    return *this;
  }
  Samples& operator=(Samples&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Samples() { release(); }

  std::size_t size() const noexcept { return size_; }
  std::size_t capacity() const noexcept { return capacity_; }
  bool empty() const noexcept { return size_ == 0; }
  double* data() noexcept { return is_heap() ? held_.many : &held_.one; }
  const double* data() const noexcept { return is_heap() ? held_.many : &held_.one; }
  double* begin() noexcept { return data(); }
  double* end() noexcept { return data() + size_; }
  const double* begin() const noexcept { return data(); }
  const double* end() const noexcept { return data() + size_; }
  double& operator[](std::size_t i) noexcept { return data()[i]; }
  const double& operator[](std::size_t i) const noexcept { return data()[i]; }
  double& front() noexcept { return *data(); }
  const double& front() const noexcept { return *data(); }
  double& back() noexcept { return data()[size_ - 1]; }
  const double& back() const noexcept { return data()[size_ - 1]; }
  const double& at(std::size_t i) const {
    if (i >= size_) throw std::out_of_range("Samples::at");
    return data()[i];
  }

  void push_back(double value) {
    double* to = size_ == capacity_ ? grow(std::size_t{2} * capacity_) : data();
    to[size_++] = value;
  }
  void reserve(std::size_t count) {
    if (count > capacity_) grow(count);
  }
  void resize(std::size_t count, double value = 0) {
    double* to = count > capacity_ ? grow(count) : data();
    for (std::size_t i = size_; i < count; ++i) to[i] = value;
    size_ = static_cast<std::uint32_t>(count);
  }
  void clear() noexcept { size_ = 0; }
  void assign(const double* values, std::size_t count) {
    size_ = 0;
    double* to = count > capacity_ ? grow(count) : data();
    std::copy_n(values, count, to);
    size_ = static_cast<std::uint32_t>(count);
  }
  void swap(Samples& other) noexcept {
    std::swap(held_, other.held_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  operator std::vector<double>() const { return {begin(), end()}; }
  friend bool operator==(const Samples& a, const Samples& b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  bool is_heap() const noexcept { return capacity_ > 1; }
  void release() noexcept {
    if (is_heap()) delete[] held_.many;
  }
  double* grow(std::size_t count) {
    if (count > std::numeric_limits<std::uint32_t>::max()) throw std::length_error("more than 2^32 - 1 samples");
    auto* moved = new double[count];
    std::copy_n(data(), size_, moved);
    release();
    held_.many = moved;
    capacity_ = static_cast<std::uint32_t>(count);
    return moved;
  }

  union Held {
    double one = 0;
    double* many;
  } held_;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 1;
};

}  // namespace pawl::model
