// real_divided.kernel.hpp -- a line of r m real numbers <-> m real ones and (r - 1) / 2 lines of m pairs, whose
// transforms are all results.
//
// The first pass of real_pass.kernel.hpp over the r rows of m contiguous numbers, neighbours in lanes: with y the real
// transforms of r points across the rows, line s is y[s] times exp(-2 pi i s p / (r m)) at place p.
#pragma once
#include "kernels/fft/real_butterfly.kernel.hpp"
#include "kernels/fft/some_columns.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// call(place) for the vectors of m >= W places, the last of which steps back.
template <class T, class Call>
PAWL_INLINE void for_places(std::size_t m, Call call) {
  constexpr std::size_t W = lanes<T>;
  for (std::size_t p = 0; p < m; p += W) call(p + W <= m ? p : m - W);
}

/// Rows of `out` are `row` elements apart, at least 2 max(m, W). twiddles: of each vector of places the (r - 1) / 2
/// complex vectors.
template <class T, std::size_t R>
static void divide_reals(const T* in, std::size_t m, const T* twiddles, T* out, std::size_t row) noexcept {
  constexpr std::size_t H = R / 2;
  const auto places = [&](std::size_t p, auto whole) PAWL_INLINE_LAMBDA {
    Reg<T> x[R];
    Cx<T> y[H + 1];
    unroll<R>([&](auto l) PAWL_INLINE_LAMBDA {
      x[l] = decltype(whole)::value ? load_once<T>(in + l * m + p) : load_reg_first<T>(in + l * m, m);
    });
    RealButterfly<T, R>::forward(x, y);
    store_reg<T>(out + p, y[0].re);
    unroll<H>([&](auto i) PAWL_INLINE_LAMBDA {
      store_pairs<T>(out + (i + 1) * row + 2 * p, y[i + 1] * load_cx<T>(twiddles + i * cx_size<T>), false);
    });
    twiddles += H * cx_size<T>;
  };
  if (m < lanes<T>) return places(0, std::false_type{});
  for_places<T>(m, [&](std::size_t p) PAWL_INLINE_LAMBDA { places(p, std::true_type{}); });
}

/// Back, from the inverse transforms of these, times scale.
template <class T, std::size_t R>
static void join_reals(const T* in, std::size_t row, std::size_t m, const T* twiddles, T* out, T scale) noexcept {
  constexpr std::size_t H = R / 2;
  const Reg<T> s = broadcast<T>(scale);
  const auto places = [&](std::size_t p, auto whole) PAWL_INLINE_LAMBDA {
    Reg<T> x[R];
    Cx<T> y[H + 1];
    y[0] = real_cx<T>(load_reg<T>(in + p));
    unroll<H>([&](auto i) PAWL_INLINE_LAMBDA {
      y[i + 1] = load_pairs<T>(in + (i + 1) * row + 2 * p, false) * conjugate<T>(load_cx<T>(twiddles + i * cx_size<T>));
    });
    twiddles += H * cx_size<T>;
    RealButterfly<T, R>::inverse(y, x);
    unroll<R>([&](auto l) PAWL_INLINE_LAMBDA {
      if constexpr (decltype(whole)::value)
        store_reg<T>(out + l * m + p, x[l] * s);
      else
        store_some<T>(out + l * m, x[l] * s, m);
    });
  };
  if (m < lanes<T>) return places(0, std::false_type{});
  for_places<T>(m, [&](std::size_t p) PAWL_INLINE_LAMBDA { places(p, std::true_type{}); });
}

}  // namespace pawl::PAWL_ISA_NS
