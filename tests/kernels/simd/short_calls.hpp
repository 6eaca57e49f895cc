// short_calls.hpp -- what the headers inline for few elements, as functions of a file compiled for one caller's target.
#pragma once
#include <cstddef>

namespace pawl::testing {

template <class T>
struct ShortCalls {
  void (*add)(const T* x, const T* y, T* out, std::size_t n);
  void (*sub_from)(T x, const T* y, T* out, std::size_t n);
  void (*relu)(const T* x, T* out, std::size_t n);
  void (*div)(const T* x, const T* y, T* out, std::size_t n);
  void (*sqrt)(const T* x, T* out, std::size_t n);
  void (*clamp)(const T* x, T low, T high, T* out, std::size_t n);
  T (*sum)(const T* x, std::size_t n);
  T (*dot)(const T* x, const T* y, std::size_t n);
  T (*min)(const T* x, std::size_t n);
  T (*max)(const T* x, std::size_t n);
  std::size_t (*argmin)(const T* x, std::size_t n);
  std::size_t (*argmax)(const T* x, std::size_t n);
  T (*norm)(const T* x, std::size_t n);
  T (*variance)(const T* x, std::size_t n);
  T (*cosine)(const T* x, const T* y, std::size_t n);
};

/// The width in bytes that the headers took, and its functions. One per target: short_calls.cpp.
struct ShortTarget {
  std::size_t bytes;
  ShortCalls<float> f32;
  ShortCalls<double> f64;
};
extern const ShortTarget short_calls_16, short_calls_32, short_calls_64;

}  // namespace pawl::testing
