// whole_spans.hpp -- reductions of spans of any length by the active variant: long ones in parts, on the threads there
// are.
#pragma once
#include <array>
#include <cstddef>

#include "isa/long_array_isa.hpp"
#include "kernels/of_type.hpp"
#include "kernels/tables.hpp"
#include "parallel/parts.hpp"

namespace pawl::detail {

template <class T>
const SimdOps<T>& simd_ops(Isa isa = active_isa_inline()) noexcept {
  return of_type<T>(simd_table(isa));
}

/// What `of(begin, end)` gives for each part of n elements; `n_parts` is their number, at most Parts::kMost.
template <class T, class Of>
std::array<T, Parts::kMost> of_parts(const Parts& parts, Of of) {
  std::array<T, Parts::kMost> results;
  parts.each([&](std::size_t part, std::size_t begin, std::size_t end) { results[part] = of(begin, end); });
  return results;
}

template <class T>
T sum_span(const T* x, std::size_t n) {
  if (n <= Parts::kShortest) [[likely]]
    return simd_ops<T>().sum(x, n);
  const auto sum = simd_ops<T>(long_array_isa(n * sizeof(T))).sum;
  const Parts parts(n);
  const auto sums = of_parts<T>(parts, [=](std::size_t begin, std::size_t end) { return sum(x + begin, end - begin); });
  return sum_of_parts(sums.data(), parts.count());
}

template <class T>
T dot_span(const T* x, const T* y, std::size_t n) {
  if (n <= Parts::kShortest) [[likely]]
    return simd_ops<T>().dot(x, y, n);
  // So many elements of two arrays do not stay in L2: from L3 too vectors of 256 bits took 0.87 of the time (Zen 4).
  const auto dot = simd_ops<T>(unsplit_isa()).dot;
  const Parts parts(n);
  const auto sums =
      of_parts<T>(parts, [=](std::size_t begin, std::size_t end) { return dot(x + begin, y + begin, end - begin); });
  return sum_of_parts(sums.data(), parts.count());
}

/// `entry` is min or max: the extreme of extremes, and NaN of NaN.
template <class T>
T extreme_span(T (*SimdOps<T>::*entry)(const T*, std::size_t) noexcept, const T* x, std::size_t n) {
  if (n <= Parts::kShortest) [[likely]]
    return (simd_ops<T>().*entry)(x, n);
  const auto extreme = simd_ops<T>(long_array_isa(n * sizeof(T))).*entry;
  const Parts parts(n);
  const auto extremes =
      of_parts<T>(parts, [=](std::size_t begin, std::size_t end) { return extreme(x + begin, end - begin); });
  return extreme(extremes.data(), parts.count());
}

}  // namespace pawl::detail
