// real_columns.kernel.hpp -- real columns side by side <-> the half of their transforms that says all.
//
// Column c and the one W beside it are the parts of one complex column, so that loads take nothing apart. With Z the
// transform of a + i b: 2 A[k] = Z[k] + conj(Z[n - k]) and 2 i B[k] = Z[k] - conj(Z[n - k]), lane by lane.
#pragma once
#include "kernels/fft/butterfly.kernel.hpp"
#include "kernels/fft/interleave.kernel.hpp"
#include "kernels/fft/pairs.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

/// Of W real columns and of the W beside them.
template <class T>
struct TwoColumns {
  Cx<T> first, second;
};
/// Twice the results from z = Z[k] and m = Z[n - k].
template <class T>
PAWL_INLINE TwoColumns<T> split_two(Cx<T> z, Cx<T> m) {
  return {{z.re + m.re, z.im - m.im}, {z.im + m.im, m.re - z.re}};
}
/// The same of k = 0 and n / 2, which are their own mirror images: the results themselves.
template <class T>
PAWL_INLINE TwoColumns<T> split_one(Cx<T> z) {
  const Reg<T> zero = broadcast<T>(T(0));
  return {{z.re, zero}, {z.im, zero}};
}
/// Z[k] and Z[n - k] with their parts exchanged, whose forward transform is the inverse one.
template <class T>
PAWL_INLINE TwoColumns<T> join_two(Cx<T> a, Cx<T> b) {
  return {{a.im + b.re, a.re - b.im}, {b.re - a.im, a.re + b.im}};
}
/// The same of k = 0 and n / 2, whose imaginary parts do not count.
template <class T>
PAWL_INLINE Cx<T> join_one(Cx<T> a, Cx<T> b) {
  return {b.re, a.re};
}

template <class T>
PAWL_INLINE Cx<T> scaled_by(Cx<T> x, Reg<T> s) {
  return {x.re * s, x.im * s};
}

/// Of a block of n rows, results 0 to n / 2 as rows of twice as many vectors: those of the first W columns of each, and
/// of the others.
template <class T>
static void split_columns(const T* in, std::size_t in_row, std::size_t n, std::size_t vectors, T* out,
                          std::size_t out_row, T scale) noexcept {
  constexpr std::size_t kVector = cx_size<T>;
  const Reg<T> s = broadcast<T>(scale), half = broadcast<T>(scale / 2);
  for (std::size_t k = 0; k <= n / 2; ++k) {
    const std::size_t mirror = k == 0 ? 0 : n - k;
    const T *const z = in + k * in_row, *const m = in + mirror * in_row;
    T* const row = out + k * out_row;
    for (std::size_t q = 0; q < vectors; ++q) {
      const bool one = mirror == k;
      const TwoColumns<T> x = one ? split_one<T>(load_cx<T>(z + q * kVector))
                                  : split_two<T>(load_cx<T>(z + q * kVector), load_cx<T>(m + q * kVector));
      store_cx<T>(row + 2 * q * kVector, scaled_by<T>(x.first, one ? s : half));
      store_cx<T>(row + (2 * q + 1) * kVector, scaled_by<T>(x.second, one ? s : half));
    }
  }
}

/// Back, parts exchanged.
template <class T>
static void join_halves(const T* in, std::size_t in_row, std::size_t n, std::size_t vectors, T* out,
                        std::size_t out_row) noexcept {
  constexpr std::size_t kVector = cx_size<T>;
  for (std::size_t k = 0; k <= n / 2; ++k) {
    const std::size_t mirror = k == 0 ? 0 : n - k;
    const T* const row = in + k * in_row;
    for (std::size_t q = 0; q < vectors; ++q) {
      const Cx<T> a = load_cx<T>(row + 2 * q * kVector), b = load_cx<T>(row + (2 * q + 1) * kVector);
      if (mirror == k) {
        store_cx<T>(out + k * out_row + q * kVector, join_one<T>(a, b));
        continue;
      }
      const TwoColumns<T> z = join_two<T>(a, b);
      store_cx<T>(out + k * out_row + q * kVector, z.first);
      store_cx<T>(out + mirror * out_row + q * kVector, z.second);
    }
  }
}

// The first `count` pairs of a complex vector in pieces: see store_px.
template <class T>
PAWL_INLINE void store_some_pairs(T* p, Cx<T> x, std::size_t count) {
#if defined(PAWL_ISA_IS_scalar)
  store_pairs_first<T>(p, x, count, false);
#else
  constexpr std::size_t P = pair_lanes<T>;
  if (count == 0) return;
  const Pairs<T> pairs = interleave<T>(x);
  store_px<T>(p, Px<T>{pairs.low}, count < P ? count : P);
  if (count > P) store_px<T>(p + 2 * P, Px<T>{pairs.high}, count - P);
#endif
}

// The first `count` numbers of a vector in pieces, for the same reason.
template <class T>
PAWL_INLINE void store_some(T* p, Reg<T> v, std::size_t count) {
#if defined(PAWL_ISA_IS_scalar)
  if (count > 0) *p = v;
#else
  constexpr std::size_t P = pair_lanes<T>;
  const std::size_t pairs = count / 2;
  if (pairs > 0) store_px<T>(p, Px<T>{v}, pairs < P ? pairs : P);
  if (count % 2 == 1) {
    alignas(64) T memory[lanes<T>];
    store_reg<T>(memory, v);
    p[count - 1] = memory[count - 1];
  }
#endif
}

template <class T>
PAWL_INLINE Cx<T> load_some_pairs(const T* p, std::size_t count) {
#if defined(PAWL_ISA_IS_scalar)
  return load_pairs_first<T>(p, count, false);
#else
  constexpr std::size_t P = pair_lanes<T>;
  const Reg<T> zero = broadcast<T>(T(0));
  if (count == 0) return {zero, zero};
  return deinterleave<T>(load_px<T>(p, count < P ? count : P).v, count > P ? load_px<T>(p + 2 * P, count - P).v : zero);
#endif
}

template <class T, std::size_t R>
static void real_across(const T* in, std::ptrdiff_t in_row, T* out, std::ptrdiff_t out_row, std::size_t columns,
                        T scale) noexcept {
  constexpr std::size_t W = lanes<T>;
  const Reg<T> s = broadcast<T>(scale), half = broadcast<T>(scale / 2);
  const auto group = [&](const T* from, T* to, auto whole, std::size_t low, std::size_t high) PAWL_INLINE_LAMBDA {
    constexpr bool all = decltype(whole)::value;
    Cx<T> x[R];
    unroll<R>([&](auto j) PAWL_INLINE_LAMBDA {
      const T* const row = from + static_cast<std::ptrdiff_t>(j) * in_row;
      if constexpr (all)
        x[j] = load_cx<T>(row);
      else
        x[j] = {load_reg_first<T>(row, low), load_reg_first<T>(row + low, high)};
    });
    Butterfly<Cx<T>, R>::run(x, {});
    unroll<R / 2 + 1>([&](auto k) PAWL_INLINE_LAMBDA {
      constexpr bool one = k == 0 || 2 * k == R;
      TwoColumns<T> y;
      if constexpr (one)
        y = split_one<T>(x[k]);
      else
        y = split_two<T>(x[k], x[R - k]);
      T* const row = to + static_cast<std::ptrdiff_t>(k) * out_row;
      const Cx<T> a = scaled_by<T>(y.first, one ? s : half), b = scaled_by<T>(y.second, one ? s : half);
      if constexpr (all) {
        store_pairs<T>(row, a, false);
        store_pairs<T>(row + 2 * W, b, false);
      } else {
        store_some_pairs<T>(row, a, low);
        store_some_pairs<T>(row + 2 * low, b, high);
      }
    });
  };
  if (columns < 2 * W) {
    const std::size_t low = columns < W ? columns : W;
    group(in, out, std::false_type{}, low, columns - low);
    return;
  }
  for (std::size_t c = 0; c < columns; c += 2 * W) {
    // The last ones step back: what they do twice they do from `in` twice.
    const std::size_t first = c + 2 * W <= columns ? c : columns - 2 * W;
    group(in + first, out + 2 * first, std::true_type{}, W, W);
  }
}

template <class T, std::size_t R>
static void real_across_inverse(const T* in, std::ptrdiff_t in_row, T* out, std::ptrdiff_t out_row, std::size_t columns,
                                T scale) noexcept {
  constexpr std::size_t W = lanes<T>;
  const Reg<T> s = broadcast<T>(scale);
  const auto group = [&](const T* from, T* to, auto whole, std::size_t low, std::size_t high) PAWL_INLINE_LAMBDA {
    constexpr bool all = decltype(whole)::value;
    Cx<T> x[R];
    unroll<R / 2 + 1>([&](auto k) PAWL_INLINE_LAMBDA {
      const T* const row = from + static_cast<std::ptrdiff_t>(k) * in_row;
      Cx<T> a, b;
      if constexpr (all) {
        a = load_pairs<T>(row, false);
        b = load_pairs<T>(row + 2 * W, false);
      } else {
        a = load_some_pairs<T>(row, low);
        b = load_some_pairs<T>(row + 2 * low, high);
      }
      if constexpr (k == 0 || 2 * k == R) {
        x[k] = join_one<T>(a, b);
      } else {
        const TwoColumns<T> z = join_two<T>(a, b);
        x[k] = z.first;
        x[R - k] = z.second;
      }
    });
    Butterfly<Cx<T>, R>::run(x, {});
    unroll<R>([&](auto j) PAWL_INLINE_LAMBDA {
      T* const row = to + static_cast<std::ptrdiff_t>(j) * out_row;
      const Cx<T> y = scaled_by<T>({x[j].im, x[j].re}, s);
      if constexpr (all) {
        store_cx<T>(row, y);
      } else {
        store_some<T>(row, y.re, low);
        store_some<T>(row + low, y.im, high);
      }
    });
  };
  if (columns < 2 * W) {
    const std::size_t low = columns < W ? columns : W;
    group(in, out, std::false_type{}, low, columns - low);
    return;
  }
  for (std::size_t c = 0; c < columns; c += 2 * W) {
    const std::size_t first = c + 2 * W <= columns ? c : columns - 2 * W;
    group(in + 2 * first, out + first, std::true_type{}, W, W);
  }
}

}  // namespace pawl::PAWL_ISA_NS
