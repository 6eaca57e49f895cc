// real_pass.kernel.hpp -- what lies around the passes over real columns of odd length r m: rows of real numbers <-> a
// block of m rows, in which each column of numbers is (r + 1) / 2 complex columns; its transform <-> rows of results.
//
// Decimation in frequency: from the real transforms y over the r elements p + m l of a column, times exp(-2 pi i p s /
// (r m)), the transforms along p of y[s], s <= r / 2, hold each result once: number k of that of s is result r k + s,
// or the conjugate of result r (m - k) - s where that is what is kept. y[0] is real, so that half of its transform is
// computed for nothing, 1 / (r + 1) of the whole.
#pragma once
#include "kernels/fft/fft_table.hpp"
#include "kernels/fft/real_butterfly.kernel.hpp"
#include "kernels/fft/some_columns.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

/// `vectors` of a block row for each s. twiddles: for each p from 1 on, (r - 1) / 2 pairs.
template <class T, std::size_t R>
static void real_first(const T* in, std::ptrdiff_t in_row, std::size_t m, std::size_t count, const T* twiddles,
                       T* block) noexcept {
  constexpr std::size_t W = lanes<T>, H = R / 2;
  const std::size_t part = (count + W - 1) / W * cx_size<T>;  // of a block row
  const auto rows = static_cast<std::ptrdiff_t>(m) * in_row;
  const auto row = [&](const T* from, T* to, const T* w, auto turned_too) PAWL_INLINE_LAMBDA {
    for (std::size_t c = 0; c < count; c += W) {
      Reg<T> x[R];
      Cx<T> y[H + 1];
      if (c + W <= count)
        unroll<R>([&](auto l)
                      PAWL_INLINE_LAMBDA { x[l] = load_once<T>(from + static_cast<std::ptrdiff_t>(l) * rows + c); });
      else
        unroll<R>([&](auto l) PAWL_INLINE_LAMBDA {
          x[l] = load_reg_first<T>(from + static_cast<std::ptrdiff_t>(l) * rows + c, count - c);
        });
      RealButterfly<T, R>::forward(x, y);
      store_cx<T>(to + 2 * c, y[0]);
      unroll<H>([&](auto i) PAWL_INLINE_LAMBDA {
        if constexpr (decltype(turned_too)::value)
          y[i + 1] = y[i + 1] * Cx<T>{broadcast<T>(w[2 * i]), broadcast<T>(w[2 * i + 1])};
        store_cx<T>(to + (i + 1) * part + 2 * c, y[i + 1]);
      });
    }
  };
  row(in, block, twiddles, std::false_type{});
  for (std::size_t p = 1; p < m; ++p, twiddles += 2 * H)
    row(in + static_cast<std::ptrdiff_t>(p) * in_row, block + p * (H + 1) * part, twiddles, std::true_type{});
}

/// Back, times scale, from a block whose parts have changed places.
template <class T, std::size_t R>
static void real_last(const T* block, std::size_t m, std::size_t count, const T* twiddles, T* out,
                      std::ptrdiff_t out_row, T scale) noexcept {
  constexpr std::size_t W = lanes<T>, H = R / 2;
  const std::size_t part = (count + W - 1) / W * cx_size<T>;
  const auto rows = static_cast<std::ptrdiff_t>(m) * out_row;
  const Reg<T> s = broadcast<T>(scale);
  const auto row = [&](const T* from, T* to, const T* w, auto turned_too) PAWL_INLINE_LAMBDA {
    for (std::size_t c = 0; c < count; c += W) {
      Reg<T> x[R];
      Cx<T> y[H + 1];
      y[0] = real_cx<T>(load_reg<T>(from + 2 * c + W));
      unroll<H>([&](auto i) PAWL_INLINE_LAMBDA {
        Cx<T> z = load_cx<T>(from + (i + 1) * part + 2 * c);  // i conj(y)
        if constexpr (decltype(turned_too)::value) z = z * Cx<T>{broadcast<T>(w[2 * i]), broadcast<T>(w[2 * i + 1])};
        y[i + 1] = {z.im, z.re};
      });
      RealButterfly<T, R>::inverse(y, x);
      if (c + W <= count)
        unroll<R>([&](auto l)
                      PAWL_INLINE_LAMBDA { store_reg<T>(to + static_cast<std::ptrdiff_t>(l) * rows + c, x[l] * s); });
      else
        unroll<R>([&](auto l) PAWL_INLINE_LAMBDA {
          store_some<T>(to + static_cast<std::ptrdiff_t>(l) * rows + c, x[l] * s, count - c);
        });
    }
  };
  row(block, out, twiddles, std::false_type{});
  for (std::size_t p = 1; p < m; ++p, twiddles += 2 * H)
    row(block + p * (H + 1) * part, out + static_cast<std::ptrdiff_t>(p) * out_row, twiddles, std::true_type{});
}

/// call(first, constant) for all of 1 .. count, several at once.
template <std::size_t most, class Call>
PAWL_INLINE void in_groups(std::size_t count, Call call) {
  std::size_t k = 1;
  for (; k + most <= count + 1; k += most) call(k, std::integral_constant<std::size_t, most>{});
  for (; k <= count; ++k) call(k, std::integral_constant<std::size_t, 1>{});
}
#if defined(PAWL_ISA_IS_avx512) || defined(PAWL_ISA_IS_neon)
inline constexpr std::size_t kRealsAtOnce = 8;  // 16 sums in 32 registers
#else
inline constexpr std::size_t kRealsAtOnce = 4;
#endif

/// real_first of any odd r <= kLargestPrimePass by its defining sums; circle as in FftOps::prime_pass.
template <class T>
static void real_first_prime(std::size_t r, const T* circle, const T* in, std::ptrdiff_t in_row, std::size_t m,
                             std::size_t count, const T* twiddles, T* block) noexcept {
  constexpr std::size_t W = lanes<T>, kMost = kLargestPrimePass / 2;
  const std::size_t half = r / 2, part = (count + W - 1) / W * cx_size<T>;
  const auto rows = static_cast<std::ptrdiff_t>(m) * in_row;
  for (std::size_t p = 0; p < m; ++p, in += in_row, block += (half + 1) * part) {
    const T* const turn = twiddles + (p == 0 ? 0 : (p - 1) * 2 * half);
    for (std::size_t c = 0; c < count; c += W) {
      const auto load = [&](std::size_t l) PAWL_INLINE_LAMBDA {
        const T* const from = in + static_cast<std::ptrdiff_t>(l) * rows + c;
        return c + W <= count ? load_reg<T>(from) : load_reg_first<T>(from, count - c);
      };
      Reg<T> sum[kMost], difference[kMost];
      const Reg<T> first = load(0);
      Reg<T> all = first;
      for (std::size_t j = 0; j < half; ++j) {
        const Reg<T> a = load(j + 1), b = load(r - 1 - j);
        sum[j] = a + b;
        difference[j] = b - a;
        all = all + sum[j];
      }
      store_cx<T>(block + 2 * c, real_cx<T>(all));
      in_groups<kRealsAtOnce>(half, [&](std::size_t k, auto some) PAWL_INLINE_LAMBDA {
        constexpr std::size_t n = decltype(some)::value;
        Reg<T> even[n], odd[n];
        const T* const row = circle + 2 * half * (k - 1);
        unroll<n>([&](auto i) PAWL_INLINE_LAMBDA {
          even[i] = first;
          odd[i] = broadcast<T>(T(0));
        });
        for (std::size_t j = 0; j < half; ++j)
          unroll<n>([&](auto i) PAWL_INLINE_LAMBDA {
            even[i] = mul_add<T>(sum[j], broadcast<T>(row[2 * (half * i + j)]), even[i]);
            odd[i] = mul_add<T>(difference[j], broadcast<T>(row[2 * (half * i + j) + 1]), odd[i]);
          });
        unroll<n>([&](auto i) PAWL_INLINE_LAMBDA {
          Cx<T> y{even[i], odd[i]};
          const T* const w = turn + 2 * (k + i - 1);
          if (p > 0) y = y * Cx<T>{broadcast<T>(w[0]), broadcast<T>(w[1])};
          store_cx<T>(block + (k + i) * part + 2 * c, y);
        });
      });
    }
  }
}

/// real_last of it.
template <class T>
static void real_last_prime(std::size_t r, const T* circle, const T* block, std::size_t m, std::size_t count,
                            const T* twiddles, T* out, std::ptrdiff_t out_row, T scale) noexcept {
  constexpr std::size_t W = lanes<T>, kMost = kLargestPrimePass / 2;
  const std::size_t half = r / 2, part = (count + W - 1) / W * cx_size<T>;
  const auto rows = static_cast<std::ptrdiff_t>(m) * out_row;
  const Reg<T> s = broadcast<T>(scale), two = broadcast<T>(scale * 2);
  for (std::size_t p = 0; p < m; ++p, out += out_row, block += (half + 1) * part) {
    const T* const turn = twiddles + (p == 0 ? 0 : (p - 1) * 2 * half);
    for (std::size_t c = 0; c < count; c += W) {
      const auto store = [&](std::size_t l, Reg<T> x) PAWL_INLINE_LAMBDA {
        T* const to = out + static_cast<std::ptrdiff_t>(l) * rows + c;
        if (c + W <= count)
          store_reg<T>(to, x);
        else
          store_some<T>(to, x, count - c);
      };
      Reg<T> re[kMost], im[kMost];  // times 2 scale
      const Reg<T> first = load_reg<T>(block + 2 * c + W) * s;
      Reg<T> all = first;
      for (std::size_t k = 0; k < half; ++k) {
        Cx<T> z = load_cx<T>(block + (k + 1) * part + 2 * c);  // i conj(y)
        if (p > 0) z = z * Cx<T>{broadcast<T>(turn[2 * k]), broadcast<T>(turn[2 * k + 1])};
        re[k] = z.im * two;
        im[k] = z.re * two;
        all = all + re[k];
      }
      store(0, all);
      in_groups<kRealsAtOnce>(half, [&](std::size_t j, auto some) PAWL_INLINE_LAMBDA {
        constexpr std::size_t n = decltype(some)::value;
        Reg<T> even[n], odd[n];
        const T* const row = circle + 2 * half * (j - 1);
        unroll<n>([&](auto i) PAWL_INLINE_LAMBDA {
          even[i] = first;
          odd[i] = broadcast<T>(T(0));
        });
        for (std::size_t k = 0; k < half; ++k)
          unroll<n>([&](auto i) PAWL_INLINE_LAMBDA {
            even[i] = mul_add<T>(re[k], broadcast<T>(row[2 * (half * i + k)]), even[i]);
            odd[i] = mul_add<T>(im[k], broadcast<T>(row[2 * (half * i + k) + 1]), odd[i]);
          });
        unroll<n>([&](auto i) PAWL_INLINE_LAMBDA {
          store(j + i, even[i] - odd[i]);
          store(r - j - i, even[i] + odd[i]);
        });
      });
    }
  }
}

// The block row and the part of it that hold result i of r m, and whether as its conjugate.
struct KeptAt {
  std::size_t k, s;
  bool conjugated;
};
PAWL_INLINE KeptAt kept_at(std::size_t i, std::size_t r, std::size_t m) {
  const std::size_t k = i / r, s = i % r;
  return 2 * s < r ? KeptAt{k, s, false} : KeptAt{m - 1 - k, r - s, true};
}

/// The transform of a block of m rows -> results 0 to r m / 2 of `count` pairs, times scale.
template <class T>
static void keep_half(const T* block, std::size_t r, std::size_t m, std::size_t count, T* out, std::ptrdiff_t out_row,
                      T scale) noexcept {
  constexpr std::size_t W = lanes<T>;
  const std::size_t part = (count + W - 1) / W * cx_size<T>, block_row = (r / 2 + 1) * part;
  const Reg<T> s = broadcast<T>(scale), zero = broadcast<T>(T(0));
  for (std::size_t i = 0; i <= r * m / 2; ++i, out += out_row) {
    const KeptAt at = kept_at(i, r, m);
    const T* const from = block + at.k * block_row + at.s * part;
    const Reg<T> s_im = at.conjugated ? zero - s : s;
    for (std::size_t c = 0; c < count; c += W) {
      Cx<T> x = load_cx<T>(from + 2 * c);
      x = {x.re * s, i == 0 ? zero : x.im * s_im};
      if (c + W <= count)
        store_pairs<T>(out + 2 * c, x, false);
      else
        store_some_pairs<T>(out + 2 * c, x, count - c);
    }
  }
}

/// Rows 0 to r m / 2 of `count` pairs -> a block of m rows whose forward transform is that of real_last().
template <class T>
static void fill_half(const T* in, std::ptrdiff_t in_row, std::size_t r, std::size_t m, std::size_t count,
                      T* block) noexcept {
  constexpr std::size_t W = lanes<T>;
  const std::size_t part = (count + W - 1) / W * cx_size<T>, block_row = (r / 2 + 1) * part;
  const Reg<T> zero = broadcast<T>(T(0));
  for (std::size_t i = 0; i <= r * m / 2; ++i, in += in_row) {
    const KeptAt at = kept_at(i, r, m);
    T* const to = block + at.k * block_row + at.s * part;
    T* const mirror = block + (m - at.k) * block_row;  // of s = 0, which is its own conjugate from the other end
    for (std::size_t c = 0; c < count; c += W) {
      const Cx<T> x = c + W <= count ? load_pairs<T>(in + 2 * c, false) : load_some_pairs<T>(in + 2 * c, count - c);
      if (i == 0) {
        store_cx<T>(to + 2 * c, {zero, x.re});
        continue;
      }
      store_cx<T>(to + 2 * c, {at.conjugated ? zero - x.im : x.im, x.re});
      if (at.s == 0) store_cx<T>(mirror + 2 * c, {zero - x.im, x.re});
    }
  }
}

}  // namespace pawl::PAWL_ISA_NS
