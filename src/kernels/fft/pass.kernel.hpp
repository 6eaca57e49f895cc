// pass.kernel.hpp -- a block of columns -> the same after one pass of radix R of all their transforms.
//
// Stockham's form of decimation in frequency: each pass writes what the next one reads in order, so nothing is ever
// permuted (Van Loan, Computational Frameworks for the Fast Fourier Transform, 1992, section 1.7). All lanes of a
// vector do the same with the same twiddles, since a vector holds an element of W different columns.
#pragma once
#include "kernels/fft/butterfly.kernel.hpp"
#include "kernels/fft/fft_table.hpp"
#include "kernels/fft/interleave.kernel.hpp"
#include "kernels/fft/stores_ahead.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// Where a row is far from the next, in an array that comes from beyond the caches, the hardware fetches nothing ahead:
// rows of an array of at least so many bytes are asked for some rows before. 2^20 points of f64 took 1.25 times as long
// without; those of 4 MiB are no faster with it.
constexpr std::size_t kFarBytes = std::size_t{8} << 20;
constexpr std::size_t kRowsAhead = 4;

// A vector of each of R rows of `in`, `leg` elements apart -> one of each of R rows of `out`.
template <class T, std::size_t R, bool turned, class Load>
PAWL_INLINE void pass_vector(Load load, const T* in, std::size_t leg, T* out, std::size_t out_row, const T* twiddles) {
  Cx<T> x[R];
  unroll<R>([&](auto k) PAWL_INLINE_LAMBDA { x[k] = load(in + k * leg); });
  Butterfly<Cx<T>, R>::run(x, {});
  store_cx<T>(out, x[0]);
  unroll<R - 1>([&](auto j) PAWL_INLINE_LAMBDA {
    if constexpr (turned) x[j + 1] = x[j + 1] * Cx<T>{broadcast<T>(twiddles[2 * j]), broadcast<T>(twiddles[2 * j + 1])};
    store_cx<T>(out + (j + 1) * out_row, x[j + 1]);
  });
}

template <class T, std::size_t R, class Load>
PAWL_INLINE void pass_with(Load load, const T* in, std::size_t in_row, T* out, std::size_t out_row, std::size_t m,
                           std::size_t vectors, const T* twiddles) {
  constexpr std::size_t kVector = cx_size<T>;
  const std::size_t leg = m * in_row;
  for (std::size_t q = 0; q < vectors; ++q)  // p = 0: twiddles are 1
    pass_vector<T, R, false>(load, in + q * kVector, leg, out + q * kVector, out_row, twiddles);
  if (vectors == 1 && in_row == kVector && out_row == kVector) {
    // The first pass of a line. Distances that the compiler knows: a row takes some 70 cycles, and 16 pointers that go
    // on from row to row some 10 of them.
    for (std::size_t p = 1; p < m; ++p, twiddles += 2 * (R - 1)) {
      in += kVector;
      out += R * kVector;
      pass_vector<T, R, true>(load, in, leg, out, kVector, twiddles);
    }
    return;
  }
  const bool far = in_row > vectors * kVector && R * leg * sizeof(T) >= kFarBytes;
  for (std::size_t p = 1; p < m; ++p, twiddles += 2 * (R - 1)) {
    in += in_row;
    out += R * out_row;
    if (far)
      unroll<R>([&](auto k) PAWL_INLINE_LAMBDA {
        const T* const row = in + k * leg + kRowsAhead * in_row;
        for (std::size_t line = 0; line < vectors * kVector; line += 64 / sizeof(T))
          __builtin_prefetch(row + line, 0, 2);  // into L2: the rows of a power of two share few places of L1
      });
    for (std::size_t q = 0; q < vectors; ++q)
      pass_vector<T, R, true>(load, in + q * kVector, leg, out + q * kVector, out_row, twiddles);
  }
}

template <class T, std::size_t R>
static void pass(const T* in, std::size_t in_row, T* out, std::size_t out_row, std::size_t m, std::size_t vectors,
                 const T* twiddles) noexcept {
  pass_with<T, R>([](const T* p) PAWL_INLINE_LAMBDA { return load_cx<T>(p); }, in, in_row, out, out_row, m, vectors,
                  twiddles);
}

template <class T, std::size_t R>
static void first_pass(const T* user, std::size_t user_row, T* out, std::size_t out_row, std::size_t m,
                       std::size_t vectors, const T* twiddles, bool swapped) noexcept {
  // One function for each direction: a choice for each vector is a branch between two copies of all shuffles.
  const auto pass_of = [&](auto exchange) PAWL_INLINE_LAMBDA {
    pass_with<T, R>([](const T* p) PAWL_INLINE_LAMBDA { return load_pairs<T>(p, decltype(exchange)::value); }, user,
                    user_row, out, out_row, m, vectors, twiddles);
  };
  if (swapped)
    pass_of(std::true_type{});
  else
    pass_of(std::false_type{});
}

template <class T, std::size_t R>
static void product_pass(const T* user, const typename FftOps<T>::Products& products, std::size_t user_row, T* out,
                         std::size_t out_row, std::size_t m, std::size_t vectors, const T* twiddles) noexcept {
  constexpr std::size_t W = lanes<T>;
  const T* const factors = products.factors;
  const std::size_t live = products.live;
  const auto pass_of = [&](auto exchange, auto all) PAWL_INLINE_LAMBDA {
    const Reg<T> sign = broadcast<T>(products.conjugated ? T(-1) : T(1));
    const auto product = [&](const T* p) PAWL_INLINE_LAMBDA {
      const auto first = static_cast<std::size_t>(p - user) / 2;
      if constexpr (!decltype(all)::value)
        if (first >= live) return Cx<T>{broadcast<T>(T(0)), broadcast<T>(T(0))};
      Cx<T> w = load_cx<T>(factors + 2 * first);
      if constexpr (!decltype(all)::value) {
        w.im = w.im * sign;
        if (first + W > live)
          return exchanged<T>(load_pairs_first<T>(p, live - first, false) * w, decltype(exchange)::value);
      }
      return exchanged<T>(load_pairs<T>(p, false) * w, decltype(exchange)::value);
    };
    pass_with<T, R>(product, user, user_row, out, out_row, m, vectors, twiddles);
  };
  // Three functions, for the spectrum of a convolution and for what goes in, there and back.
  if (products.exchanged && !products.conjugated && live >= R * m * user_row / 2)
    pass_of(std::true_type{}, std::true_type{});
  else if (products.exchanged)
    pass_of(std::true_type{}, std::false_type{});
  else
    pass_of(std::false_type{}, std::false_type{});
}

// The results go to memory as pairs from the registers of the butterfly.
template <class T, std::size_t R>
static void last_pass(const T* in, std::size_t in_leg, std::size_t rows, std::size_t vectors, T* user,
                      std::ptrdiff_t user_row, std::ptrdiff_t user_leg, bool swapped, T scale) noexcept {
  constexpr std::size_t kVector = cx_size<T>;
  const Reg<T> s = broadcast<T>(scale);
  const bool asks = asks_for_stores<T>(user_row, static_cast<std::ptrdiff_t>(R) * user_leg);
  const auto pass_of = [&](auto exchange) PAWL_INLINE_LAMBDA {
    for (std::size_t i = 0; i < rows; ++i, user += user_row)
      for (std::size_t q = 0; q < vectors; ++q, in += kVector) {
        Cx<T> x[R];
        if (asks)
          unroll<R>([&](auto j) PAWL_INLINE_LAMBDA {
            ask_for_store<kVector, 1>(user + static_cast<std::ptrdiff_t>(j) * user_leg + q * kVector);
          });
        unroll<R>([&](auto k) PAWL_INLINE_LAMBDA { x[k] = load_cx<T>(in + k * in_leg); });
        Butterfly<Cx<T>, R>::run(x, {});
        unroll<R>([&](auto j) PAWL_INLINE_LAMBDA {
          store_pairs<T>(user + static_cast<std::ptrdiff_t>(j) * user_leg + q * kVector,
                         Cx<T>{x[j].re * s, x[j].im * s}, decltype(exchange)::value);
        });
      }
  };
  if (swapped)
    pass_of(std::true_type{});
  else
    pass_of(std::false_type{});
}

// Results k and r - k share their sums, as in the butterflies of odd primes; several k at once share the loads.
template <class T>
static void prime_pass(std::size_t r, const T* circle, const T* in, std::size_t in_row, T* out, std::size_t out_row,
                       std::size_t m, std::size_t vectors, const T* twiddles) noexcept {
  constexpr std::size_t kVector = cx_size<T>, kMost = kLargestPrimePass / 2;
#if defined(PAWL_ISA_IS_avx512) || defined(PAWL_ISA_IS_neon)
  constexpr std::size_t kAtOnce = 4;  // 16 sums in 32 registers
#else
  constexpr std::size_t kAtOnce = 2;
#endif
  const std::size_t half = (r - 1) / 2, leg = m * in_row;
  for (std::size_t p = 0; p < m; ++p, in += in_row, out += r * out_row) {
    const T* const turn = twiddles + (p == 0 ? 0 : (p - 1) * 2 * (r - 1));
    for (std::size_t q = 0; q < vectors; ++q) {
      const T* const from = in + q * kVector;
      T* const to = out + q * kVector;
      const auto result = [&](std::size_t j, Cx<T> x) PAWL_INLINE_LAMBDA {
        if (p > 0) x = x * Cx<T>{broadcast<T>(turn[2 * (j - 1)]), broadcast<T>(turn[2 * (j - 1) + 1])};
        store_cx<T>(to + j * out_row, x);
      };
      Cx<T> sum[kMost], difference[kMost];
      const Cx<T> first = load_cx<T>(from);
      Cx<T> all = first;
      for (std::size_t j = 0; j < half; ++j) {
        const Cx<T> a = load_cx<T>(from + (j + 1) * leg), b = load_cx<T>(from + (r - 1 - j) * leg);
        sum[j] = a + b;
        difference[j] = a - b;
        all = all + sum[j];
      }
      store_cx<T>(to, all);
      const auto some = [&]<std::size_t count>(std::size_t k,
                                               std::integral_constant<std::size_t, count>) PAWL_INLINE_LAMBDA {
        Cx<T> even[count], odd[count];
        const T* const row = circle + 2 * half * (k - 1);
        unroll<count>([&](auto i) PAWL_INLINE_LAMBDA {
          even[i] = first;
          odd[i] = {broadcast<T>(T(0)), broadcast<T>(T(0))};
        });
        for (std::size_t j = 0; j < half; ++j) {
          const Cx<T> s = sum[j], d = difference[j];
          unroll<count>([&](auto i) PAWL_INLINE_LAMBDA {
            const Reg<T> c = broadcast<T>(row[2 * (half * i + j)]), sine = broadcast<T>(row[2 * (half * i + j) + 1]);
            even[i] = {mul_add<T>(s.re, c, even[i].re), mul_add<T>(s.im, c, even[i].im)};
            odd[i] = {mul_add<T>(d.re, sine, odd[i].re), mul_add<T>(d.im, sine, odd[i].im)};
          });
        }
        unroll<count>([&](auto i) PAWL_INLINE_LAMBDA {
          result(k + i, minus_i(even[i], odd[i], {}));
          result(r - k - i, plus_i(even[i], odd[i], {}));
        });
      };
      std::size_t k = 1;
      for (; k + kAtOnce <= half + 1; k += kAtOnce) some(k, std::integral_constant<std::size_t, kAtOnce>{});
      for (; k <= half; ++k) some(k, std::integral_constant<std::size_t, 1>{});
    }
  }
}

}  // namespace pawl::PAWL_ISA_NS
