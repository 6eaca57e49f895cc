// tensor.cpp -- making tensors and copying views into them.
#include "pawl/tensor.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <stdexcept>

#include "kernels/layout/copy_view.hpp"
#include "pawl/layout.hpp"
#include "pawl/memory/caching_resource.hpp"
#include "pawl/random.hpp"
#include "pawl/simd.hpp"
#include "tensor/shape_text.hpp"

namespace pawl {
template <class T>
void Tensor<T>::Free::operator()(T* p) const noexcept {
#ifdef PAWL_MEMORY_ASAN
  std::free(p);
#else
  memory::caching_resource().deallocate(p, bytes, kAlignment);
#endif
}

template <class T>
Tensor<T> Tensor<T>::uninitialized(const Shape& shape) {
  const std::size_t bytes = shape.elements() * sizeof(T);
#ifdef PAWL_MEMORY_ASAN
  // aligned_alloc wants a multiple of the alignment; an empty tensor still gets a line, so that data() is never null.
  const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
  T* data = static_cast<T*>(std::aligned_alloc(kAlignment, rounded));
  if (data == nullptr) throw std::bad_alloc();
#else
  T* data = static_cast<T*>(memory::caching_resource().allocate(bytes, kAlignment));
#endif
  return Tensor(std::unique_ptr<T[], Free>(data, Free{bytes}), shape);
}

template <class T>
Tensor<T> Tensor<T>::zeros(const Shape& shape) {
  return full(shape, T(0));
}

template <class T>
Tensor<T> Tensor<T>::full(const Shape& shape, T value) {
  Tensor result = uninitialized(shape);
  fill(result.flat(), value);
  return result;
}

template <class T>
Tensor<T> Tensor<T>::randn(const Shape& shape, std::uint64_t seed) {
  Tensor result = uninitialized(shape);
  fill_normal(result.flat(), seed);
  return result;
}

template <class T>
Tensor<T> Tensor<T>::uniform(const Shape& shape, std::uint64_t seed, T low, T high) {
  if (!(low < high)) throw std::invalid_argument("Tensor::uniform: low is not below high");
  Tensor result = uninitialized(shape);
  fill_uniform(result.flat(), seed, low, high);
  return result;
}

template <class T>
Tensor<T> Tensor<T>::from(const Shape& shape, std::span<const T> values) {
  if (values.size() != shape.elements())
    throw std::invalid_argument("Tensor::from: " + std::to_string(values.size()) + " values for shape " +
                                shape_text(shape));
  if (values.empty()) return uninitialized(shape);
  return copy_of(View<const T>(values.data(), shape));  // on threads, and past the caches where that pays
}

template <class T>
Tensor<T> Tensor<T>::copy_of(const View<const T>& source) {
  Tensor result = uninitialized(source.shape());
  detail::copy_view(source, result.data(), row_major(source.shape()));
  return result;
}

template class Tensor<float>;
template class Tensor<double>;

namespace {

template <class T, class Broadcast, class Function>
Tensor<T> elementwise(const Tensor<T>& x, const Tensor<T>& y, Broadcast function, Function apply) {
  if (!(x.shape() == y.shape())) return function(x.view(), y.view());
  auto out = Tensor<T>::uninitialized(x.shape());
  apply(x.flat(), y.flat(), out.flat());
  return out;
}

template <class T>
Tensor<T> apply_relu(const Tensor<T>& x) {
  auto out = Tensor<T>::uninitialized(x.shape());
  relu(x.flat(), out.flat());
  return out;
}

}  // namespace

using F = Tensor<float>;
using D = Tensor<double>;

F add(const F& x, const F& y) {
  return elementwise(
      x, y, [](auto a, auto b) { return add(a, b); }, [](auto a, auto b, auto c) { add(a, b, c); });
}
D add(const D& x, const D& y) {
  return elementwise(
      x, y, [](auto a, auto b) { return add(a, b); }, [](auto a, auto b, auto c) { add(a, b, c); });
}
F sub(const F& x, const F& y) {
  return elementwise(
      x, y, [](auto a, auto b) { return sub(a, b); }, [](auto a, auto b, auto c) { sub(a, b, c); });
}
D sub(const D& x, const D& y) {
  return elementwise(
      x, y, [](auto a, auto b) { return sub(a, b); }, [](auto a, auto b, auto c) { sub(a, b, c); });
}
F mul(const F& x, const F& y) {
  return elementwise(
      x, y, [](auto a, auto b) { return mul(a, b); }, [](auto a, auto b, auto c) { mul(a, b, c); });
}
D mul(const D& x, const D& y) {
  return elementwise(
      x, y, [](auto a, auto b) { return mul(a, b); }, [](auto a, auto b, auto c) { mul(a, b, c); });
}
F div(const F& x, const F& y) {
  return elementwise(
      x, y, [](auto a, auto b) { return div(a, b); }, [](auto a, auto b, auto c) { div(a, b, c); });
}
D div(const D& x, const D& y) {
  return elementwise(
      x, y, [](auto a, auto b) { return div(a, b); }, [](auto a, auto b, auto c) { div(a, b, c); });
}
F relu(const F& x) { return apply_relu(x); }
D relu(const D& x) { return apply_relu(x); }

}  // namespace pawl
