// real_in_place.kernel.hpp -- the transform of n / 2 pairs <-> that of the n real numbers in them, where it lies.
//
// As real.kernel.hpp, on vectors of pairs as memory has them and with a table of the factors up to n / 4 only: a line
// that has just been transformed in `out` goes through the cache once, beside half of its size of factors.
#pragma once
#include "kernels/fft/fft_table.hpp"
#include "kernels/fft/real_rows.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// table: -i exp(-2 pi i k / (2 h)), k = 0 .. h / 2. Results k and h - k for k of [begin, end), as fft_table.hpp says.
#if defined(PAWL_ISA_IS_scalar)
template <class T, bool forward>
PAWL_INLINE void untangle_line(const T* in, const T* table, T* out, std::size_t h, T scale, std::size_t begin,
                               std::size_t end) {
  for (std::size_t k = begin; k < end; ++k) {
    const T *const x = in + 2 * k, *const y = in + 2 * (h - k);
    const Both<T> r =
        untangle<T, forward>(Cx<T>{x[0], x[1]}, Cx<T>{y[0], y[1]}, Cx<T>{-table[2 * k + 1], table[2 * k]});
    T *const low = out + 2 * k, *const high = out + 2 * (h - k);
    low[0] = r.low.re * scale;
    low[1] = r.low.im * scale;
    high[0] = r.high.re * scale;
    high[1] = r.high.im * scale;
  }
}
#else
template <class T, bool forward>
PAWL_INLINE void untangle_line(const T* in, const T* table, T* out, std::size_t h, T scale, std::size_t begin,
                               std::size_t end) {
  constexpr std::size_t P = pair_lanes<T>;
  const Reg<T> conjugate = direction<T>(false).sign, s = broadcast<T>(scale), s_conjugate = s * conjugate;
  struct Two {
    Px<T> low, high;
  };
  const auto untangled = [&](std::size_t k) PAWL_INLINE_LAMBDA {
    const Px<T> y = reversed_px<T>({load_once<T>(in + 2 * (h + 1 - P - k))});
    const Reg<T> x = load_once<T>(in + 2 * k) * s;
    const Reg<T> e = mul_add<T>(y.v, s_conjugate, x), d = sub_mul<T>(x, y.v, s_conjugate);
    const Reg<T> o = times_pairs<T, !forward>({d}, table + 2 * k).v;
    return Two{{e + o}, reversed_px<T>({(e - o) * conjugate})};
  };
  // The stores of each end together: in turns they took 1.6 times as long where `out` is not in L1 (Emerald Rapids,
  // f64, 2048 and 16384 pairs).
  const auto some = [&](auto vectors, std::size_t k) PAWL_INLINE_LAMBDA {
    Two x[vectors];
    unroll<vectors>([&](auto i) PAWL_INLINE_LAMBDA { x[i] = untangled(k + i * P); });
    unroll<vectors>([&](auto i) PAWL_INLINE_LAMBDA { store_reg<T>(out + 2 * (k + i * P), x[i].low.v); });
    unroll<vectors>([&](auto i) PAWL_INLINE_LAMBDA { store_reg<T>(out + 2 * (h + 1 - P - k - i * P), x[i].high.v); });
  };
  constexpr std::size_t kSome = 4;
  static_assert(kUntangledGrain % (kSome * P) == 0);
  if (end <= h / 2) {
    for (std::size_t k = begin; k < end; k += kSome * P) some(std::integral_constant<std::size_t, kSome>{}, k);
    return;
  }
  // Those in the middle overlap others and each other: made while all is there, stored last.
  const std::size_t middle = h / 2 + 1 - P;
  const Two last = untangled(middle);
  std::size_t k = begin;
  for (; 2 * k + 2 * kSome * P <= h + 1; k += kSome * P) some(std::integral_constant<std::size_t, kSome>{}, k);
  for (; 2 * k + 2 * P <= h + 1; k += P) some(std::integral_constant<std::size_t, 1>{}, k);
  store_reg<T>(out + 2 * middle, last.low.v);
  store_reg<T>(out + 2 * (h + 1 - P - middle), last.high.v);
}
#endif

template <class T>
static void split_line(T* line, const T* table, std::size_t h, T scale, std::size_t begin, std::size_t end) noexcept {
  untangle_line<T, true>(line, table, line, h, scale / 2, begin, end);
  if (begin != 1) return;
  const T re = line[0], im = line[1];
  line[0] = (re + im) * scale;
  line[2 * h] = (re - im) * scale;
  line[1] = line[2 * h + 1] = T(0);
}
template <class T>
static void join_line(const T* in, const T* table, T* out, std::size_t h, T scale, std::size_t begin,
                      std::size_t end) noexcept {
  untangle_line<T, false>(in, table, out, h, scale, begin, end);
  if (begin != 1) return;
  out[0] = (in[0] + in[2 * h]) * scale;
  out[1] = (in[0] - in[2 * h]) * scale;
}

}  // namespace pawl::PAWL_ISA_NS
