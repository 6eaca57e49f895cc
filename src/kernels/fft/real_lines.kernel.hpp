// real_lines.kernel.hpp -- short contiguous lines of real numbers <-> the half of their transforms that says all, a
// line in each lane.
//
// Lines come and go in parts (parts.kernel.hpp), the last of which steps back to stay inside its line.
#pragma once
#include <algorithm>

#include "kernels/fft/parts.kernel.hpp"
#include "kernels/fft/real_columns.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

#if !defined(PAWL_ISA_IS_scalar)
// The R real numbers of W lines, and back.
template <class T, std::size_t R, class Line>
PAWL_INLINE void load_line_reals(Line line, Reg<T> (&x)[R]) {
  constexpr std::size_t B = part_lanes<T>, width = R < B ? R : B;
  unroll<(R + B - 1) / B>([&](auto part) PAWL_INLINE_LAMBDA {
    constexpr std::size_t e = part_begin<T>(part, R);
    Reg<T> v[B];
    load_turned<T, width>(line, e, v);
    unroll<width>([&](auto i) PAWL_INLINE_LAMBDA { x[e + i] = v[i]; });
  });
}
template <class T, std::size_t R, class Line>
PAWL_INLINE void store_line_reals(const Reg<T> (&x)[R], Line line) {
  constexpr std::size_t B = part_lanes<T>, width = R < B ? R : B;
  unroll<(R + B - 1) / B>([&](auto part) PAWL_INLINE_LAMBDA {
    constexpr std::size_t e = part_begin<T>(part, R);
    Reg<T> v[B];
    unroll<B>([&](auto i) PAWL_INLINE_LAMBDA { v[i] = x[i < width ? e + i : e]; });
    store_turned<T, width>(v, line, e);
  });
}

// The K >= 2 pairs of W lines, and back.
template <class T, std::size_t K, class Line>
PAWL_INLINE void load_line_pairs(Line line, Cx<T> (&x)[K]) {
  constexpr std::size_t B = part_lanes<T>;
  unroll<(2 * K + B - 1) / B>([&](auto part) PAWL_INLINE_LAMBDA {
    constexpr std::size_t e = part_begin<T>(part, 2 * K);
    Reg<T> v[B];
    load_turned<T, B>(line, e, v);
    unroll<B / 2>([&](auto i) PAWL_INLINE_LAMBDA { x[e / 2 + i] = {v[2 * i], v[2 * i + 1]}; });
  });
}
template <class T, std::size_t K, class Line>
PAWL_INLINE void store_line_pairs(const Cx<T> (&x)[K], Line line) {
  constexpr std::size_t B = part_lanes<T>;
  unroll<(2 * K + B - 1) / B>([&](auto part) PAWL_INLINE_LAMBDA {
    constexpr std::size_t e = part_begin<T>(part, 2 * K);
    Reg<T> v[B];
    unroll<B / 2>([&](auto i) PAWL_INLINE_LAMBDA {
      v[2 * i] = x[e / 2 + i].re;
      v[2 * i + 1] = x[e / 2 + i].im;
    });
    store_turned<T, B>(v, line, e);
  });
}

template <class T, std::size_t R>
static void real_lines(const T* in, std::ptrdiff_t in_distance, T* out, std::ptrdiff_t out_distance, std::size_t count,
                       T scale) noexcept {
  constexpr std::size_t K = R / 2 + 1;
  const Reg<T> s = broadcast<T>(scale);
  for_full_groups<T>(count, [&](auto whole, std::size_t first, std::size_t lines) PAWL_INLINE_LAMBDA {
    // Where there are fewer lines than lanes the last one is done several times.
    const auto index = [&](std::size_t i) PAWL_INLINE_LAMBDA {
      return static_cast<std::ptrdiff_t>(decltype(whole)::value ? i : std::min(i, lines - 1));
    };
    const T* const from = in + static_cast<std::ptrdiff_t>(first) * in_distance;
    T* const to = out + static_cast<std::ptrdiff_t>(first) * out_distance;
    Reg<T> x[R];
    Cx<T> y[K];
    load_line_reals<T, R>([&](std::size_t i) PAWL_INLINE_LAMBDA { return from + index(i) * in_distance; }, x);
    RealButterfly<T, R>::forward(x, y);
    unroll<K>([&](auto k) PAWL_INLINE_LAMBDA { y[k] = scaled_by<T>(y[k], s); });
    store_line_pairs<T, K>(y, [&](std::size_t i) PAWL_INLINE_LAMBDA { return to + index(i) * out_distance; });
  });
}

template <class T, std::size_t R>
static void real_lines_inverse(const T* in, std::ptrdiff_t in_distance, T* out, std::ptrdiff_t out_distance,
                               std::size_t count, T scale) noexcept {
  constexpr std::size_t K = R / 2 + 1;
  const Reg<T> s = broadcast<T>(scale);
  for_full_groups<T>(count, [&](auto whole, std::size_t first, std::size_t lines) PAWL_INLINE_LAMBDA {
    const auto index = [&](std::size_t i) PAWL_INLINE_LAMBDA {
      return static_cast<std::ptrdiff_t>(decltype(whole)::value ? i : std::min(i, lines - 1));
    };
    const T* const from = in + static_cast<std::ptrdiff_t>(first) * in_distance;
    T* const to = out + static_cast<std::ptrdiff_t>(first) * out_distance;
    Reg<T> x[R];
    Cx<T> y[K];
    load_line_pairs<T, K>([&](std::size_t i) PAWL_INLINE_LAMBDA { return from + index(i) * in_distance; }, y);
    RealButterfly<T, R>::inverse(y, x);
    unroll<R>([&](auto j) PAWL_INLINE_LAMBDA { x[j] = x[j] * s; });
    store_line_reals<T, R>(x, [&](std::size_t i) PAWL_INLINE_LAMBDA { return to + index(i) * out_distance; });
  });
}

// Two or four dense lines of n numbers are every second or fourth number of memory: W of each -> vectors, and back.
template <class T, std::size_t n>
PAWL_INLINE void load_dense(const T* in, Reg<T> (&v)[n]) {
  unroll<n>([&](auto i) PAWL_INLINE_LAMBDA { v[i] = load_reg<T>(in + i * lanes<T>); });
  const auto unzip = [](Reg<T>& a, Reg<T>& b) PAWL_INLINE_LAMBDA {
    const Cx<T> x = deinterleave<T>(a, b);
    a = x.re;
    b = x.im;
  };
  unroll<n / 2>([&](auto i) PAWL_INLINE_LAMBDA { unzip(v[2 * i], v[2 * i + 1]); });
  if constexpr (n == 4) {
    unzip(v[0], v[2]);
    unzip(v[1], v[3]);
  }
}
template <class T, std::size_t n>
PAWL_INLINE void store_dense(Reg<T> (&v)[n], T* out) {
  const auto zip = [](Reg<T>& a, Reg<T>& b) PAWL_INLINE_LAMBDA {
    const Pairs<T> x = interleave<T>({a, b});
    a = x.low;
    b = x.high;
  };
  if constexpr (n == 4) {
    zip(v[0], v[2]);
    zip(v[1], v[3]);
  }
  unroll<n / 2>([&](auto i) PAWL_INLINE_LAMBDA { zip(v[2 * i], v[2 * i + 1]); });
  unroll<n>([&](auto i) PAWL_INLINE_LAMBDA { store_reg<T>(out + i * lanes<T>, v[i]); });
}

// Lines of n >= 2 numbers <-> n rows, line c at number c. Rows are whole vectors; behind the last line are copies of
// it.
template <class T>
static void load_real_lines(const T* user, std::ptrdiff_t distance, std::size_t count, std::size_t n, T* out,
                            std::size_t out_row) noexcept {
  constexpr std::size_t B = part_lanes<T>, W = lanes<T>;
  const auto dense = [&]<std::size_t N>(std::integral_constant<std::size_t, N>) PAWL_INLINE_LAMBDA {
    for (; count >= W; count -= W, user += N * W, out += W) {
      Reg<T> v[N];
      load_dense<T, N>(user, v);
      unroll<N>([&](auto i) PAWL_INLINE_LAMBDA { store_reg<T>(out + i * out_row, v[i]); });
    }
  };
  if (n == 2 && distance == 2) dense(std::integral_constant<std::size_t, 2>{});
  if (n == 4 && distance == 4) dense(std::integral_constant<std::size_t, 4>{});
  for (std::size_t c = 0; c < count; c += W) {
    const auto line = [&](std::size_t i) PAWL_INLINE_LAMBDA {
      return user + static_cast<std::ptrdiff_t>(std::min(c + i, count - 1)) * distance;
    };
    for (std::size_t e = 0; e < n; e += B) {
      const std::size_t begin = n < B ? 0 : std::min(e, n - B);
      Reg<T> v[B];
      if (n >= B)
        load_turned<T, B>(line, begin, v);
      else if (n == 2)
        load_turned<T, 2>(line, 0, v);
      else
        load_turned<T, B == 4 ? 3 : 2>(line, 0, v);
      unroll<B>([&](auto i) PAWL_INLINE_LAMBDA {
        if (begin + i < n) store_reg<T>(out + (begin + i) * out_row + c, v[i]);
      });
    }
  }
}

template <class T>
static void store_real_lines(const T* in, std::size_t in_row, std::size_t n, std::size_t count, T* user,
                             std::ptrdiff_t distance) noexcept {
  constexpr std::size_t B = part_lanes<T>, W = lanes<T>;
  const auto dense = [&]<std::size_t N>(std::integral_constant<std::size_t, N>) PAWL_INLINE_LAMBDA {
    for (; count >= W; count -= W, user += N * W, in += W) {
      Reg<T> v[N];
      unroll<N>([&](auto i) PAWL_INLINE_LAMBDA { v[i] = load_reg<T>(in + i * in_row); });
      store_dense<T, N>(v, user);
    }
  };
  if (n == 2 && distance == 2) dense(std::integral_constant<std::size_t, 2>{});
  if (n == 4 && distance == 4) dense(std::integral_constant<std::size_t, 4>{});
  for (; count >= W; count -= W, in += W, user += static_cast<std::ptrdiff_t>(W) * distance) {
    const auto line = [&](std::size_t i)
                          PAWL_INLINE_LAMBDA { return user + static_cast<std::ptrdiff_t>(i) * distance; };
    for (std::size_t e = 0; e < n; e += B) {
      const std::size_t begin = n < B ? 0 : std::min(e, n - B);
      Reg<T> v[B];
      unroll<B>([&](auto i)
                    PAWL_INLINE_LAMBDA { v[i] = load_reg<T>(in + std::min<std::size_t>(begin + i, n - 1) * in_row); });
      if (n >= B)
        store_turned<T, B>(v, line, begin);
      else if (n == 2)
        store_turned<T, 2>(v, line, 0);
      else
        store_turned<T, B == 4 ? 3 : 2>(v, line, 0);
    }
  }
  for (std::size_t c = 0; c < count; ++c, user += distance)  // what other lanes hold belongs to no line
    for (std::size_t j = 0; j < n; ++j) user[j] = in[j * in_row + c];
}
#else
template <class T, std::size_t R>
static void real_lines(const T* in, std::ptrdiff_t in_distance, T* out, std::ptrdiff_t out_distance, std::size_t count,
                       T scale) noexcept {
  for (; count > 0; --count, in += in_distance, out += out_distance) {
    Reg<T> x[R];
    Cx<T> y[R / 2 + 1];
    for (std::size_t j = 0; j < R; ++j) x[j] = in[j];
    RealButterfly<T, R>::forward(x, y);
    for (std::size_t k = 0; k <= R / 2; ++k) store_pairs<T>(out + 2 * k, scaled_by<T>(y[k], scale), false);
  }
}
template <class T, std::size_t R>
static void real_lines_inverse(const T* in, std::ptrdiff_t in_distance, T* out, std::ptrdiff_t out_distance,
                               std::size_t count, T scale) noexcept {
  for (; count > 0; --count, in += in_distance, out += out_distance) {
    Reg<T> x[R];
    Cx<T> y[R / 2 + 1];
    for (std::size_t k = 0; k <= R / 2; ++k) y[k] = load_pairs<T>(in + 2 * k, false);
    RealButterfly<T, R>::inverse(y, x);
    for (std::size_t j = 0; j < R; ++j) out[j] = x[j] * scale;
  }
}
template <class T>
static void load_real_lines(const T* user, std::ptrdiff_t distance, std::size_t count, std::size_t n, T* out,
                            std::size_t out_row) noexcept {
  for (std::size_t c = 0; c < count; ++c, user += distance)
    for (std::size_t j = 0; j < n; ++j) out[j * out_row + c] = user[j];
}
template <class T>
static void store_real_lines(const T* in, std::size_t in_row, std::size_t n, std::size_t count, T* user,
                             std::ptrdiff_t distance) noexcept {
  for (std::size_t c = 0; c < count; ++c, user += distance)
    for (std::size_t j = 0; j < n; ++j) user[j] = in[j * in_row + c];
}
#endif

}  // namespace pawl::PAWL_ISA_NS
