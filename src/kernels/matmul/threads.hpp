// threads.hpp -- the size of a product -> how many threads it is worth, and whether to wake them.
#pragma once
#include <algorithm>
#include <cstddef>

#include "pawl/parallel.hpp"

namespace pawl {

/// What an element of C costs beside its products, in products: it is read or written, and so is what it is the sum of.
inline constexpr std::size_t kOfAnElement = 6;

/// Work, in products, from which a second thread that is awake is worth it: 2 us on one core with AVX-512, where
/// dividing it takes 0.5 us. Time of one thread over two on an Emerald Rapids, both awake, f32 10 x 144, k = 103 (157
/// thousand) 1.0, 64 cubed (287) 1.35, 39 x 267, k = 27 (344) 1.42, 461 x 39, k = 9 (270) 1.5, 100 cubed 1.8; f64 64
/// cubed 1.6.
template <class T>
inline constexpr std::size_t kWorthThreads = sizeof(T) == 8 ? 96 * 1024 : 192 * 1024;

/// Whether a product may be worth several threads; cheap, for those that are over in 20 ns.
template <class T>
[[gnu::always_inline]] inline bool may_want_threads(std::size_t m, std::size_t n, std::size_t k) noexcept {
  constexpr std::size_t kLimit = std::size_t{1} << 20;  // of extents whose product cannot overflow
  return ((m | n | k) >= kLimit || m * n * (k + kOfAnElement) >= kWorthThreads<T>)&&num_threads() > 1;
}

/// In products.
inline double product_work(std::size_t m, std::size_t n, std::size_t k) noexcept {
  return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k + kOfAnElement);
}

/// For so much work: at most num_threads(), where there are more than two half a million products for each.
template <class T>
int wanted_threads(double work) noexcept {
  constexpr double kEach = 1 << 19;
  if (work < static_cast<double>(kWorthThreads<T>)) return 1;
  return static_cast<int>(std::min<double>(num_threads(), std::max(2.0, work / kEach)));
}

/// What is over before a thread wakes is not worth waking it for, unless more of the kind follows: from 80 us on. f32
/// products 100, 128 and 160 cubed, each 500 us after the one before: 16, 27 and 50 us by one thread, 30, 42 and 64 by
/// two, one of which was woken (Emerald Rapids).
template <class T>
Wake wake_for(double work) noexcept {
  constexpr double kWorthWaking = 40;  // times what is worth a thread that is awake
  return work < kWorthWaking * static_cast<double>(kWorthThreads<T>) ? Wake::in_bursts : Wake::always;
}

}  // namespace pawl
