// softmax_columns.kernel.hpp -- columns of a matrix -> softmax and log-softmax of each, written once for every ISA.
//
// A lane a column, four vectors of them side by side: nothing is folded across lanes and nothing is read with a stride.
// The strip stays in the caches between its passes (1000 rows of 256 bytes are 256 KiB).
#pragma once
#include "kernels/rows/softmax.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// K vectors of columns; take(p) and put(p, v) move one, whole or the first lanes of it. Rows are `stride` apart.
template <class T, bool kLog, std::size_t K, class Take, class Put>
PAWL_INLINE void softmax_strip(const T* x, T* out, std::size_t rows, std::size_t stride, Take take, Put put) {
  constexpr std::size_t W = lanes<T>;
  Vec<T> top[K], sum[K];
  unroll<K>([&](auto k) PAWL_INLINE_LAMBDA {
    top[k] = Vec<T>(-std::numeric_limits<T>::infinity());
    sum[k] = Vec<T>(T(0));
  });
  for (std::size_t r = 0; r < rows; ++r)
    unroll<K>([&](auto k) PAWL_INLINE_LAMBDA { top[k] = max<T>(take(x + r * stride + k * W), top[k]); });
  for (std::size_t r = 0; r < rows; ++r)
    unroll<K>([&](auto k) PAWL_INLINE_LAMBDA {
      const Vec<T> e = exp_below<T>(take(x + r * stride + k * W), top[k]);
      if constexpr (!kLog) put(out + r * stride + k * W, e);
      sum[k] = sum[k] + e;
    });
  Share<T> share[K];
  unroll<K>([&](auto k) PAWL_INLINE_LAMBDA {
    if constexpr (kLog)
      sum[k] = Log{}.of<T>(sum[k]);
    else
      share[k] = Share<T>(Vec<T>(T(1)) / sum[k]);
  });
  for (std::size_t r = 0; r < rows; ++r)
    unroll<K>([&](auto k) PAWL_INLINE_LAMBDA {
      T* to = out + r * stride + k * W;
      if constexpr (kLog)
        put(to, (take(x + r * stride + k * W) - top[k]) - sum[k]);
      else
        put(to, share[k].of(take(to)));
    });
}

// Whole vectors of so many are 16 KiB.
inline constexpr std::size_t kNarrowRows = 256;

// Rows of less than a vector, by way of whole ones: a load waits for the masked store of the row before, which its
// vector overlaps. Axis of 40, 10 beside it, f32: 13.6 ns for each of the axis, in place 31.7; so 5.9 and 6.2 (Emerald
// Rapids).
template <class T, bool kLog>
[[gnu::noinline]] static void softmax_narrow(const T* x, T* out, std::size_t rows, std::size_t columns) noexcept {
  constexpr std::size_t W = lanes<T>;
  alignas(64) T strip[kNarrowRows * W];
  for (std::size_t r = 0; r < rows; ++r) store<T>(strip + r * W, load_first<T>(x + r * columns, columns));
  softmax_strip<T, kLog, 1>(strip, strip, rows, W, load<T>, store<T>);
  for (std::size_t r = 0; r < rows; ++r) store_first<T>(out + r * columns, load<T>(strip + r * W), columns);
}

template <class T, bool kLog>
static void softmax_columns(const T* x, T* out, std::size_t rows, std::size_t stride, std::size_t columns) noexcept {
  constexpr std::size_t W = lanes<T>;
  if (stride < W && columns == stride && rows <= kNarrowRows) return softmax_narrow<T, kLog>(x, out, rows, columns);
  const auto take = [](const T* p) PAWL_INLINE_LAMBDA { return load<T>(p); };
  const auto put = [](T* p, Vec<T> v) PAWL_INLINE_LAMBDA { store<T>(p, v); };
  std::size_t j = 0;
  for (; j + 4 * W <= columns; j += 4 * W) softmax_strip<T, kLog, 4>(x + j, out + j, rows, stride, take, put);
  for (; j < columns; j += W) {
    const std::size_t count = columns - j < W ? columns - j : W;
    softmax_strip<T, kLog, 1>(
        x + j, out + j, rows, stride, [=](const T* p) PAWL_INLINE_LAMBDA { return load_first<T>(p, count); },
        [=](T* p, Vec<T> v) PAWL_INLINE_LAMBDA { store_first<T>(p, v, count); });
  }
}

}  // namespace pawl::PAWL_ISA_NS
