// tensor.hpp -- an N-dimensional array that owns its elements, and how to make one.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pawl/view.hpp"

namespace pawl {

/// Contiguous row-major array of f32 or f64 that owns its memory, aligned to 64 bytes. Moves cost O(1); copies are
/// asked for by name (clone), so that none happens unseen. Memory comes from memory::caching_resource(), which keeps
/// that of dead tensors for new ones; built with AddressSanitizer, from malloc, so that uses after free are found.
///
/// Errors     std::bad_alloc if the memory is not there; std::invalid_argument (from Shape) if its size overflows.
template <class T>
class Tensor {
 public:
  /// Alignment of the first element, in bytes: a cache line, and the widest vector register.
  static constexpr std::size_t kAlignment = 64;

  /// Elements are not initialised: for results that are about to be written.
  static Tensor uninitialized(const Shape& shape);
  static Tensor zeros(const Shape& shape);
  static Tensor ones(const Shape& shape) { return full(shape, T(1)); }
  static Tensor full(const Shape& shape, T value);

  /// Normally distributed, mean 0 and variance 1. The same seed gives the same elements, on every CPU and with any
  /// number of threads (fill_normal in random.hpp).
  static Tensor randn(const Shape& shape, std::uint64_t seed);

  /// Uniform in [low, high), likewise (fill_uniform). Errors: std::invalid_argument unless low < high, a finite way
  /// apart.
  static Tensor uniform(const Shape& shape, std::uint64_t seed, T low = T(0), T high = T(1));

  /// Copies `values` in row-major order. Errors: std::invalid_argument if their number is not the shape's.
  static Tensor from(const Shape& shape, std::span<const T> values);

  /// A contiguous copy of any view.
  static Tensor copy_of(const View<const T>& source);

  Tensor(Tensor&&) noexcept = default;
  Tensor& operator=(Tensor&&) noexcept = default;

  Tensor clone() const { return copy_of(view()); }
  std::vector<T> to_vector() const { return {data(), data() + elements()}; }

  T* data() noexcept { return data_.get(); }
  const T* data() const noexcept { return data_.get(); }
  const Shape& shape() const noexcept { return shape_; }
  std::size_t rank() const noexcept { return shape_.rank(); }
  std::size_t elements() const noexcept { return shape_.elements(); }
  /// Bytes that the elements take, without the object itself.
  std::size_t size_bytes() const noexcept { return elements() * sizeof(T); }

  View<T> view() noexcept { return {data(), shape_}; }
  View<const T> view() const noexcept { return {data(), shape_}; }
  /// So that functions of views take tensors.
  operator View<const T>() const noexcept { return view(); }
  std::span<T> flat() noexcept { return {data(), elements()}; }
  std::span<const T> flat() const noexcept { return {data(), elements()}; }
  T& at(std::initializer_list<std::size_t> index) { return view().at(index); }
  const T& at(std::initializer_list<std::size_t> index) const { return view().at(index); }

 private:
  struct Free {
    std::size_t bytes = 0;
    void operator()(T* p) const noexcept;
  };
  Tensor(std::unique_ptr<T[], Free> data, const Shape& shape) noexcept : data_(std::move(data)), shape_(shape) {}

  std::unique_ptr<T[], Free> data_;
  Shape shape_;
};

extern template class Tensor<float>;
extern template class Tensor<double>;

/// out = x op y elementwise; the contracts of simd.hpp hold. Shapes that differ are broadcast, as layout.hpp says.
///
/// Errors     std::invalid_argument, naming both shapes, if two extents differ and neither is 1.
Tensor<float> add(const Tensor<float>& x, const Tensor<float>& y);
Tensor<double> add(const Tensor<double>& x, const Tensor<double>& y);
Tensor<float> sub(const Tensor<float>& x, const Tensor<float>& y);
Tensor<double> sub(const Tensor<double>& x, const Tensor<double>& y);
Tensor<float> mul(const Tensor<float>& x, const Tensor<float>& y);
Tensor<double> mul(const Tensor<double>& x, const Tensor<double>& y);
Tensor<float> div(const Tensor<float>& x, const Tensor<float>& y);
Tensor<double> div(const Tensor<double>& x, const Tensor<double>& y);
Tensor<float> relu(const Tensor<float>& x);
Tensor<double> relu(const Tensor<double>& x);

}  // namespace pawl
