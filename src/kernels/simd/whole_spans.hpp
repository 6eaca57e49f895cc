// whole_spans.hpp -- reductions of spans of any length by the active variant: long ones in parts, on the threads there
// are.
#pragma once
#include <array>
#include <cstddef>

#include "isa/active.hpp"
#include "kernels/tables.hpp"
#include "parallel/parts.hpp"

namespace pawl::detail {

template <class T>
const SimdOps<T>& simd_ops() noexcept {
  const SimdTable& table = simd_table(active_isa_inline());
  if constexpr (sizeof(T) == sizeof(float)) {
    return table.f32;
  } else {
    return table.f64;
  }
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
  const auto sum = simd_ops<T>().sum;
  if (n <= Parts::kShortest) [[likely]]
    return sum(x, n);
  const Parts parts(n);
  const auto sums = of_parts<T>(parts, [=](std::size_t begin, std::size_t end) { return sum(x + begin, end - begin); });
  return sum_of_parts(sums.data(), parts.count());
}

template <class T>
T dot_span(const T* x, const T* y, std::size_t n) {
  const auto dot = simd_ops<T>().dot;
  if (n <= Parts::kShortest) [[likely]]
    return dot(x, y, n);
  const Parts parts(n);
  const auto sums =
      of_parts<T>(parts, [=](std::size_t begin, std::size_t end) { return dot(x + begin, y + begin, end - begin); });
  return sum_of_parts(sums.data(), parts.count());
}

/// entry is that of min or max: the extreme of extremes, and NaN of NaN.
template <class T>
T extreme_span(T (*entry)(const T*, std::size_t) noexcept, const T* x, std::size_t n) {
  if (n <= Parts::kShortest) [[likely]]
    return entry(x, n);
  const Parts parts(n);
  const auto extremes =
      of_parts<T>(parts, [=](std::size_t begin, std::size_t end) { return entry(x + begin, end - begin); });
  return entry(extremes.data(), parts.count());
}

}  // namespace pawl::detail
