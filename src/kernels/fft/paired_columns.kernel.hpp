// paired_columns.kernel.hpp -- the transform of a line of pairs <-> those of the two real columns that its parts are.
//
// Two real columns side by side in memory are a line of pairs as they lie there, a + i b. With Z its transform, results
// k of both are A = (Z[k] + conj(Z[n - k])) / 2 and B = (Z[k] - conj(Z[n - k])) / 2 i; vectors are taken from both ends
// of Z, those of the upper one in reverse.
#pragma once
#include "kernels/fft/parts.kernel.hpp"
#include "kernels/fft/real_rows.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

#if !defined(PAWL_ISA_IS_scalar)
// pair_lanes rows of two pairs each <-> the first ones and the second ones.
template <class T>
PAWL_INLINE void load_two_columns(const T* p, std::ptrdiff_t row, Px<T>& a, Px<T>& b) {
  if constexpr (sizeof(T) == 8) {
    const auto at = [&](std::size_t i) PAWL_INLINE_LAMBDA { return p + static_cast<std::ptrdiff_t>(i) * row; };
    a.v = load_parts<T, 2>(at);
    b.v = load_parts<T, 2>([&](std::size_t i) PAWL_INLINE_LAMBDA { return at(i) + 2; });
  } else {
    Reg<double> v[2];
    unroll<2>([&](auto odd) PAWL_INLINE_LAMBDA {
      const auto at = [&](std::size_t i)
                          PAWL_INLINE_LAMBDA { return p + static_cast<std::ptrdiff_t>(2 * i + odd) * row; };
      v[odd] = (Reg<double>)load_parts<T, 4>(at);
    });
    transpose_in_128<double>(v);
    a.v = (Reg<T>)v[0];
    b.v = (Reg<T>)v[1];
  }
}
template <class T>
PAWL_INLINE void store_two_columns(T* p, std::ptrdiff_t row, Px<T> a, Px<T> b) {
  if constexpr (sizeof(T) == 8) {
    const auto at = [&](std::size_t i) PAWL_INLINE_LAMBDA { return p + static_cast<std::ptrdiff_t>(i) * row; };
    store_parts<T, 2>(a.v, at);
    store_parts<T, 2>(b.v, [&](std::size_t i) PAWL_INLINE_LAMBDA { return at(i) + 2; });
  } else {
    Reg<double> v[2] = {(Reg<double>)a.v, (Reg<double>)b.v};
    transpose_in_128<double>(v);
    unroll<2>([&](auto odd) PAWL_INLINE_LAMBDA {
      const auto at = [&](std::size_t i)
                          PAWL_INLINE_LAMBDA { return p + static_cast<std::ptrdiff_t>(2 * i + odd) * row; };
      store_parts<T, 4>((Reg<T>)v[odd], at);
    });
  }
}
#endif

template <class T>
static void split_paired(const T* z, std::size_t n, T* out, std::ptrdiff_t row, T scale) noexcept {
  const T half = scale / 2;
  out[0] = z[0] * scale;
  out[2] = z[1] * scale;
  out[1] = out[3] = T(0);
  const std::size_t last = n / 2;
  std::size_t k = 1;
#if !defined(PAWL_ISA_IS_scalar)
  constexpr std::size_t P = pair_lanes<T>;
  if (last >= P) {
    const Reg<T> sign = direction<T>(false).sign, s = broadcast<T>(half), s_sign = s * sign;
    for (std::size_t step = 1; step <= last; step += P) {
      // The last vector steps back: what it does twice it does from z twice.
      k = step + P <= last + 1 ? step : last + 1 - P;
      const Px<T> x{load_once<T>(z + 2 * k)}, m = reversed_px<T>({load_reg<T>(z + 2 * (n - k - P + 1))});
      const Px<T> a{mul_add<T>(m.v, sign, x.v)}, b = parts_exchanged(Px<T>{sub_mul<T>(x.v, m.v, sign)});
      store_two_columns<T>(out + static_cast<std::ptrdiff_t>(k) * row, row, Px<T>{a.v * s}, Px<T>{b.v * s_sign});
    }
    return;
  }
#endif
  for (; k <= last; ++k) {
    const T *const x = z + 2 * k, *const m = z + 2 * (n - k);
    T* const to = out + static_cast<std::ptrdiff_t>(k) * row;
    to[0] = (x[0] + m[0]) * half;
    to[1] = (x[1] - m[1]) * half;
    to[2] = (x[1] + m[1]) * half;
    to[3] = (m[0] - x[0]) * half;
  }
}

template <class T>
static void join_paired(const T* in, std::ptrdiff_t row, std::size_t n, T* z) noexcept {
  const auto at = [&](std::size_t k) { return in + static_cast<std::ptrdiff_t>(k) * row; };
  const std::size_t last = (n - 1) / 2;
  std::size_t k = 1;
#if !defined(PAWL_ISA_IS_scalar)
  constexpr std::size_t P = pair_lanes<T>;
  if (last >= P) {
    const Direction<Px<T>> d = direction<T>(false);
    for (std::size_t step = 1; step <= last; step += P) {
      k = step + P <= last + 1 ? step : last + 1 - P;
      Px<T> a, b;
      load_two_columns<T>(at(k), row, a, b);
      const Px<T> m = minus_i(a, b, d);
      store_reg<T>(z + 2 * k, plus_i(a, b, d).v);
      store_reg<T>(z + 2 * (n - k - P + 1), reversed_px<T>({m.v * d.sign}).v);
    }
    k = last + 1;
  }
#endif
  for (; k <= last; ++k) {
    const T* const p = at(k);
    T *const x = z + 2 * k, *const m = z + 2 * (n - k);
    x[0] = p[0] - p[3];
    x[1] = p[1] + p[2];
    m[0] = p[0] + p[3];
    m[1] = p[2] - p[1];
  }
  for (const std::size_t own : {std::size_t{0}, n / 2}) {  // their own mirror images
    if (own > 0 && n % 2 != 0) continue;
    z[2 * own] = at(own)[0];
    z[2 * own + 1] = at(own)[2];
  }
}

}  // namespace pawl::PAWL_ISA_NS
