// real_columns.kernel.hpp -- short real columns side by side <-> the half of their transforms that says all, a column
// in each lane, all of it in registers.
#pragma once
#include "kernels/fft/real_butterfly.kernel.hpp"
#include "kernels/fft/some_columns.kernel.hpp"
#include "kernels/fft/stores_ahead.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// group(whether a vector is full, first transform, transforms) for W transforms at a time. The last ones step back to
// what is there: what they do twice they do from `in` twice.
template <class T, class Group>
PAWL_INLINE void for_full_groups(std::size_t count, Group group) {
  constexpr std::size_t W = lanes<T>;
  if (count < W) return group(std::false_type{}, 0, count);
  for (std::size_t c = 0; c < count; c += W) group(std::true_type{}, c + W <= count ? c : count - W, W);
}

template <class T, std::size_t R>
static void real_across(const T* in, std::ptrdiff_t in_row, T* out, std::ptrdiff_t out_row, std::size_t columns,
                        T scale) noexcept {
  const Reg<T> s = broadcast<T>(scale);
  const bool asks = asks_for_stores<T>(out_row, static_cast<std::ptrdiff_t>(R / 2 + 1) * out_row);
  for_full_groups<T>(columns, [&](auto whole, std::size_t first, std::size_t count) PAWL_INLINE_LAMBDA {
    constexpr bool all = decltype(whole)::value;
    Reg<T> x[R];
    Cx<T> y[R / 2 + 1];
    if (asks)
      unroll<R / 2 + 1>([&](auto k) PAWL_INLINE_LAMBDA {
        ask_for_store<2 * lanes<T>>(out + 2 * first + static_cast<std::ptrdiff_t>(k) * out_row);
      });
    unroll<R>([&](auto j) PAWL_INLINE_LAMBDA {
      const T* const row = in + first + static_cast<std::ptrdiff_t>(j) * in_row;
      x[j] = all ? load_once<T>(row) : load_reg_first<T>(row, count);
    });
    RealButterfly<T, R>::forward(x, y);
    unroll<R / 2 + 1>([&](auto k) PAWL_INLINE_LAMBDA {
      T* const row = out + 2 * first + static_cast<std::ptrdiff_t>(k) * out_row;
      if constexpr (all)
        store_pairs<T>(row, scaled_by<T>(y[k], s), false);
      else
        store_some_pairs<T>(row, scaled_by<T>(y[k], s), count);
    });
  });
}

template <class T, std::size_t R>
static void real_across_inverse(const T* in, std::ptrdiff_t in_row, T* out, std::ptrdiff_t out_row, std::size_t columns,
                                T scale) noexcept {
  const Reg<T> s = broadcast<T>(scale);
  const bool asks = asks_for_stores<T>(out_row, static_cast<std::ptrdiff_t>(R) * out_row);
  for_full_groups<T>(columns, [&](auto whole, std::size_t first, std::size_t count) PAWL_INLINE_LAMBDA {
    constexpr bool all = decltype(whole)::value;
    Reg<T> x[R];
    Cx<T> y[R / 2 + 1];
    if (asks)
      unroll<R>([&](auto j) PAWL_INLINE_LAMBDA {
        ask_for_store<lanes<T>>(out + first + static_cast<std::ptrdiff_t>(j) * out_row);
      });
    unroll<R / 2 + 1>([&](auto k) PAWL_INLINE_LAMBDA {
      const T* const row = in + 2 * first + static_cast<std::ptrdiff_t>(k) * in_row;
      y[k] = all ? load_pairs<T>(row, false) : load_some_pairs<T>(row, count);
    });
    RealButterfly<T, R>::inverse(y, x);
    unroll<R>([&](auto j) PAWL_INLINE_LAMBDA {
      T* const row = out + first + static_cast<std::ptrdiff_t>(j) * out_row;
      if constexpr (all)
        store_reg<T>(row, x[j] * s);
      else
        store_some<T>(row, x[j] * s, count);
    });
  });
}

}  // namespace pawl::PAWL_ISA_NS
