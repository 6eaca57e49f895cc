// short_calls.cpp -- the inlined calls of few elements, compiled for the target that CMakeLists.txt gives this file.
//
// Nothing here runs before main(): the CPU may lack what the file is compiled for.
#include "kernels/simd/short_calls.hpp"

#include "pawl/reduce.hpp"
#include "pawl/simd.hpp"

namespace pawl::testing {
namespace {

template <class T>
using In = std::span<const T>;
template <class T>
using Out = std::span<T>;

template <class T>
constexpr ShortCalls<T> calls() {
  return {
      .add = [](const T* x, const T* y, T* out, std::size_t n) { add(In<T>(x, n), In<T>(y, n), Out<T>(out, n)); },
      .sub_from = [](T x, const T* y, T* out, std::size_t n) { sub(x, In<T>(y, n), Out<T>(out, n)); },
      .relu = [](const T* x, T* out, std::size_t n) { relu(In<T>(x, n), Out<T>(out, n)); },
      .div = [](const T* x, const T* y, T* out, std::size_t n) { div(In<T>(x, n), In<T>(y, n), Out<T>(out, n)); },
      .sqrt = [](const T* x, T* out, std::size_t n) { sqrt(In<T>(x, n), Out<T>(out, n)); },
      .clamp = [](const T* x, T low, T high, T* out, std::size_t n) { clamp(In<T>(x, n), low, high, Out<T>(out, n)); },
      .sum = [](const T* x, std::size_t n) { return sum(In<T>(x, n)); },
      .dot = [](const T* x, const T* y, std::size_t n) { return dot(In<T>(x, n), In<T>(y, n)); },
      .min = [](const T* x, std::size_t n) { return min(In<T>(x, n)); },
      .max = [](const T* x, std::size_t n) { return max(In<T>(x, n)); },
      .argmin = [](const T* x, std::size_t n) { return argmin(In<T>(x, n)); },
      .argmax = [](const T* x, std::size_t n) { return argmax(In<T>(x, n)); },
      .norm = [](const T* x, std::size_t n) { return norm(In<T>(x, n)); },
      .variance = [](const T* x, std::size_t n) { return variance(In<T>(x, n)); },
      .cosine = [](const T* x, const T* y, std::size_t n) { return cosine_similarity(In<T>(x, n), In<T>(y, n)); }};
}

}  // namespace

constinit const ShortTarget PAWL_SHORT_CALLS{PAWL_CALLER_BYTES, calls<float>(), calls<double>()};

}  // namespace pawl::testing
