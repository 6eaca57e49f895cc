// real_lines.kernel.hpp -- short contiguous lines of real numbers <-> the half of their transforms that says all, a
// line in each lane.
//
// Lines come and go in parts (parts.kernel.hpp), the last of which steps back to stay inside its line. W lines are the
// real parts of complex columns and the next W the imaginary ones, as in real_columns.kernel.hpp.
#pragma once
#include <algorithm>

#include "kernels/fft/parts.kernel.hpp"
#include "kernels/fft/real_columns.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

#if !defined(PAWL_ISA_IS_scalar)
// The R real numbers of 2 W lines, and back.
template <class T, std::size_t R, class Line>
PAWL_INLINE void load_line_reals(Line line, Cx<T> (&x)[R]) {
  constexpr std::size_t B = part_lanes<T>, W = lanes<T>, width = R < B ? R : B;
  unroll<2>([&](auto half) PAWL_INLINE_LAMBDA {
    unroll<(R + B - 1) / B>([&](auto part) PAWL_INLINE_LAMBDA {
      constexpr std::size_t e = part_begin<T>(part, R);
      Reg<T> v[B];
      load_turned<T, width>([&](std::size_t i) PAWL_INLINE_LAMBDA { return line(half * W + i); }, e, v);
      unroll<width>([&](auto i) PAWL_INLINE_LAMBDA { (half == 0 ? x[e + i].re : x[e + i].im) = v[i]; });
    });
  });
}
template <class T, std::size_t R, class Line>
PAWL_INLINE void store_line_reals(const Cx<T> (&x)[R], Line line) {
  constexpr std::size_t B = part_lanes<T>, W = lanes<T>, width = R < B ? R : B;
  unroll<2>([&](auto half) PAWL_INLINE_LAMBDA {
    unroll<(R + B - 1) / B>([&](auto part) PAWL_INLINE_LAMBDA {
      constexpr std::size_t e = part_begin<T>(part, R);
      Reg<T> v[B];
      unroll<B>([&](auto i) PAWL_INLINE_LAMBDA {
        constexpr std::size_t j = i < width ? e + i : e;
        v[i] = half == 0 ? x[j].re : x[j].im;
      });
      store_turned<T, width>(
          v, [&](std::size_t i) PAWL_INLINE_LAMBDA { return line(half * W + i); }, e);
    });
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

// group(whether all lines are there, first line, lines) for 2 W lines at a time. The last ones step back to what is
// there; if there are fewer, the last one is done several times.
template <class T, class Group>
PAWL_INLINE void for_line_groups(std::size_t count, Group group) {
  constexpr std::size_t kLines = 2 * lanes<T>;
  if (count < kLines) return group(std::false_type{}, 0, count);
  for (std::size_t c = 0; c < count; c += kLines)
    group(std::true_type{}, c + kLines <= count ? c : count - kLines, kLines);
}

template <class T, std::size_t R>
static void real_lines(const T* in, std::ptrdiff_t in_distance, T* out, std::ptrdiff_t out_distance, std::size_t count,
                       T scale) noexcept {
  constexpr std::size_t W = lanes<T>, K = R / 2 + 1;
  const Reg<T> s = broadcast<T>(scale), half = broadcast<T>(scale / 2);
  for_line_groups<T>(count, [&](auto whole, std::size_t first, std::size_t lines) PAWL_INLINE_LAMBDA {
    const auto index = [&](std::size_t i) PAWL_INLINE_LAMBDA {
      return static_cast<std::ptrdiff_t>(decltype(whole)::value ? i : std::min(i, lines - 1));
    };
    const T* const from = in + static_cast<std::ptrdiff_t>(first) * in_distance;
    T* const to = out + static_cast<std::ptrdiff_t>(first) * out_distance;
    Cx<T> x[R], a[K], b[K];
    load_line_reals<T, R>([&](std::size_t i) PAWL_INLINE_LAMBDA { return from + index(i) * in_distance; }, x);
    Butterfly<Cx<T>, R>::run(x, {});
    unroll<K>([&](auto k) PAWL_INLINE_LAMBDA {
      constexpr bool one = k == 0 || 2 * k == R;
      TwoColumns<T> y;
      if constexpr (one)
        y = split_one<T>(x[k]);
      else
        y = split_two<T>(x[k], x[R - k]);
      a[k] = scaled_by<T>(y.first, one ? s : half);
      b[k] = scaled_by<T>(y.second, one ? s : half);
    });
    store_line_pairs<T, K>(a, [&](std::size_t i) PAWL_INLINE_LAMBDA { return to + index(i) * out_distance; });
    store_line_pairs<T, K>(b, [&](std::size_t i) PAWL_INLINE_LAMBDA { return to + index(W + i) * out_distance; });
  });
}

template <class T, std::size_t R>
static void real_lines_inverse(const T* in, std::ptrdiff_t in_distance, T* out, std::ptrdiff_t out_distance,
                               std::size_t count, T scale) noexcept {
  constexpr std::size_t W = lanes<T>, K = R / 2 + 1;
  const Reg<T> s = broadcast<T>(scale);
  for_line_groups<T>(count, [&](auto whole, std::size_t first, std::size_t lines) PAWL_INLINE_LAMBDA {
    const auto index = [&](std::size_t i) PAWL_INLINE_LAMBDA {
      return static_cast<std::ptrdiff_t>(decltype(whole)::value ? i : std::min(i, lines - 1));
    };
    const T* const from = in + static_cast<std::ptrdiff_t>(first) * in_distance;
    T* const to = out + static_cast<std::ptrdiff_t>(first) * out_distance;
    Cx<T> x[R], a[K], b[K];
    load_line_pairs<T, K>([&](std::size_t i) PAWL_INLINE_LAMBDA { return from + index(i) * in_distance; }, a);
    load_line_pairs<T, K>([&](std::size_t i) PAWL_INLINE_LAMBDA { return from + index(W + i) * in_distance; }, b);
    unroll<K>([&](auto k) PAWL_INLINE_LAMBDA {
      if constexpr (k == 0 || 2 * k == R) {
        x[k] = join_one<T>(a[k], b[k]);
      } else {
        const TwoColumns<T> z = join_two<T>(a[k], b[k]);
        x[k] = z.first;
        x[R - k] = z.second;
      }
    });
    Butterfly<Cx<T>, R>::run(x, {});
    unroll<R>([&](auto j) PAWL_INLINE_LAMBDA { x[j] = scaled_by<T>({x[j].im, x[j].re}, s); });
    store_line_reals<T, R>(x, [&](std::size_t i) PAWL_INLINE_LAMBDA { return to + index(i) * out_distance; });
  });
}

// `count` <= 2 W lines of n >= 2 numbers <-> the W real and the W imaginary parts of a block of one vector a row.
template <class T>
static void load_real_lines(const T* user, std::ptrdiff_t distance, std::size_t count, std::size_t n, T* out,
                            std::size_t out_row) noexcept {
  constexpr std::size_t B = part_lanes<T>, W = lanes<T>;
  for (std::size_t half = 0; half < 2; ++half) {
    const auto line = [&](std::size_t i) PAWL_INLINE_LAMBDA {
      return user + static_cast<std::ptrdiff_t>(std::min(half * W + i, count - 1)) * distance;
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
        if (begin + i < n) store_reg<T>(out + (begin + i) * out_row + half * W, v[i]);
      });
    }
  }
}

// Back, times scale, from a block whose parts have changed places.
template <class T>
static void store_real_lines(const T* in, std::size_t in_row, std::size_t n, std::size_t count, T* user,
                             std::ptrdiff_t distance, T scale) noexcept {
  constexpr std::size_t B = part_lanes<T>, W = lanes<T>;
  const Reg<T> s = broadcast<T>(scale);
  for (std::size_t half = 0; half < 2; ++half) {
    if (count < (half + 1) * W) {  // what other lanes hold belongs to no line
      for (std::size_t c = half * W; c < count; ++c)
        for (std::size_t j = 0; j < n; ++j)
          user[static_cast<std::ptrdiff_t>(c) * distance + static_cast<std::ptrdiff_t>(j)] =
              in[j * in_row + (half == 0 ? c + W : c - W)] * scale;
      continue;
    }
    const auto line = [&](std::size_t i)
                          PAWL_INLINE_LAMBDA { return user + static_cast<std::ptrdiff_t>(half * W + i) * distance; };
    for (std::size_t e = 0; e < n; e += B) {
      const std::size_t begin = n < B ? 0 : std::min(e, n - B);
      Reg<T> v[B];
      unroll<B>([&](auto i) PAWL_INLINE_LAMBDA {
        v[i] = load_reg<T>(in + std::min<std::size_t>(begin + i, n - 1) * in_row + (1 - half) * W) * s;
      });
      if (n >= B)
        store_turned<T, B>(v, line, begin);
      else if (n == 2)
        store_turned<T, 2>(v, line, 0);
      else
        store_turned<T, B == 4 ? 3 : 2>(v, line, 0);
    }
  }
}
#else
// Two lines are the parts of a complex number.
template <class T, std::size_t R>
static void real_lines(const T* in, std::ptrdiff_t in_distance, T* out, std::ptrdiff_t out_distance, std::size_t count,
                       T scale) noexcept {
  for (std::size_t c = 0; c < count; c += 2) {
    const T *const first = in + static_cast<std::ptrdiff_t>(c) * in_distance, *second = first;
    T *const to_first = out + static_cast<std::ptrdiff_t>(c) * out_distance, *to_second = to_first;
    if (c + 1 < count) {
      second += in_distance;
      to_second += out_distance;
    }
    Cx<T> x[R];
    for (std::size_t j = 0; j < R; ++j) x[j] = {first[j], second[j]};
    Butterfly<Cx<T>, R>::run(x, {});
    for (std::size_t k = 0; k <= R / 2; ++k) {
      const bool one = k == 0 || 2 * k == R;
      const TwoColumns<T> y = one ? split_one<T>(x[k]) : split_two<T>(x[k], x[R - k]);
      store_pairs<T>(to_second + 2 * k, scaled_by<T>(y.second, one ? scale : scale / 2), false);
      store_pairs<T>(to_first + 2 * k, scaled_by<T>(y.first, one ? scale : scale / 2), false);
    }
  }
}
template <class T, std::size_t R>
static void real_lines_inverse(const T* in, std::ptrdiff_t in_distance, T* out, std::ptrdiff_t out_distance,
                               std::size_t count, T scale) noexcept {
  for (std::size_t c = 0; c < count; c += 2) {
    const T *const first = in + static_cast<std::ptrdiff_t>(c) * in_distance, *second = first;
    T *const to_first = out + static_cast<std::ptrdiff_t>(c) * out_distance, *to_second = to_first;
    if (c + 1 < count) {
      second += in_distance;
      to_second += out_distance;
    }
    Cx<T> x[R];
    for (std::size_t k = 0; k <= R / 2; ++k) {
      const Cx<T> a = load_pairs<T>(first + 2 * k, false), b = load_pairs<T>(second + 2 * k, false);
      if (k == 0 || 2 * k == R) {
        x[k] = join_one<T>(a, b);
      } else {
        const TwoColumns<T> z = join_two<T>(a, b);
        x[k] = z.first;
        x[R - k] = z.second;
      }
    }
    Butterfly<Cx<T>, R>::run(x, {});
    for (std::size_t j = 0; j < R; ++j) {
      to_second[j] = x[j].re * scale;
      to_first[j] = x[j].im * scale;
    }
  }
}
template <class T>
static void load_real_lines(const T* user, std::ptrdiff_t distance, std::size_t count, std::size_t n, T* out,
                            std::size_t out_row) noexcept {
  const T* const second = count > 1 ? user + distance : user;
  for (std::size_t j = 0; j < n; ++j, out += out_row) {
    out[0] = user[j];
    out[1] = second[j];
  }
}
template <class T>
static void store_real_lines(const T* in, std::size_t in_row, std::size_t n, std::size_t count, T* user,
                             std::ptrdiff_t distance, T scale) noexcept {
  for (std::size_t j = 0; j < n; ++j, in += in_row) {
    user[j] = in[1] * scale;
    if (count > 1) user[distance + static_cast<std::ptrdiff_t>(j)] = in[0] * scale;
  }
}
#endif

}  // namespace pawl::PAWL_ISA_NS
