// tables_test.cpp -- what plans are made of, by every variant: roots of unity, powers modulo a prime, the kernels of
// convolutions.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "kernels/fft/chirp.hpp"
#include "kernels/fft/factors.hpp"
#include "kernels/fft/fft_making.hpp"
#include "kernels/fft/lines.hpp"
#include "kernels/fft/roots.hpp"
#include "pawl/isa.hpp"

namespace pawl::fft {
namespace {

using Wide = std::complex<long double>;

// exp(-2 pi i k / n)
Wide exact_root(std::size_t k, std::size_t n) {
  const long double angle =
      -2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n);
  return std::polar(1.0L, angle);
}

double distance(std::complex<double> x, Wide want) {
  return static_cast<double>(std::abs(Wide(x.real(), x.imag()) - want));
}

// Both sides of the length up to which all roots are kept, of whole and of broken vectors.
TEST(FftRoots, AreExactToTheLastDigit) {
  constexpr double kUlp = 0x1p-53;
  for (std::size_t n :
       {1U, 2U, 3U, 7U, 8U, 31U, 64U, 65U, 100U, 255U, 1024U, 1155U, 4093U, 16383U, 16384U, 16385U, 65536U, 1000003U}) {
    const Roots roots(n);
    const std::size_t step = n < 20000 ? 1 : 997;
    for (std::size_t k = 0; k < n; k += step)
      ASSERT_LE(distance(roots(k), exact_root(k, n)), 1.1 * kUlp) << k << " of " << n;
    if (n % 8 == 0) {
      EXPECT_EQ(roots(n / 4), (std::complex<double>(0, -1)));
      EXPECT_EQ(roots(n / 8), (std::complex<double>(std::sqrt(0.5), -std::sqrt(0.5))));
    }
    std::vector<float> powers(2 * 5);
    roots.powers((n - 1) / 4, 5, powers.data());
    for (std::size_t b = 0; b < 5; ++b) {
      const auto root = roots((n - 1) / 4 * b);
      EXPECT_EQ(powers[b], static_cast<float>(root.real())) << n;
      EXPECT_EQ(powers[5 + b], static_cast<float>(root.imag())) << n;
    }
  }
}

TEST(FftRoots, AreTheSameInEveryVariant) {
  for (std::size_t n : {5U, 100U, 1009U, 4096U}) {
    std::vector<std::complex<double>> first;
    for (Isa isa : runnable_isas()) {
      const ScopedIsa scope(isa);
      const Roots roots(n);
      for (std::size_t k = 0; k < n; ++k)
        if (isa == runnable_isas().front())
          first.push_back(roots(k));
        else
          ASSERT_EQ(roots(k), first[k]) << name(isa) << " " << k << " of " << n;
    }
  }
}

template <class T>
void expect_row_twiddles(Isa isa) {
  constexpr double kUlp = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;
  const FftOps<T>& ops = fft_ops<T>(isa);
  for (std::size_t rows : {1U, 2U, 3U, 17U, 64U, 65U, 125U, 512U, 1000U}) {
    const std::size_t w = ops.lanes, n = rows * w;
    std::vector<T> table(2 * n + 1, T(7));
    ops.making->row_twiddles(root_corners(), rows, table.data());
    for (std::size_t k = 0; k < rows; ++k)
      for (std::size_t b = 0; b < w; ++b) {
        const T* const at = table.data() + k * 2 * w + b;
        ASSERT_LE(distance({static_cast<double>(at[0]), static_cast<double>(at[w])}, exact_root(k * b, n)), 1.1 * kUlp)
            << name(isa) << " " << k << " " << b << " of " << n;
      }
    ASSERT_EQ(table[2 * n], T(7)) << name(isa) << " " << n;
  }
}

TEST(FftRoots, AreTheTwiddlesOfRows) {
  for (Isa isa : runnable_isas()) {
    expect_row_twiddles<float>(isa);
    expect_row_twiddles<double>(isa);
    if (HasFatalFailure()) return;
  }
}

TEST(FftPowers, AreThoseOfRepeatedProducts) {
  for (std::size_t p : {3U, 17U, 1009U, 65537U, 67108859U, 67108879U, 4294967291U}) {
    const std::size_t g = p == 3 ? 2 : 3, count = p == 3 ? 2 : 1000;
    const auto result = powers(g, p, count);
    std::size_t want = 1;
    for (std::size_t q = 0; q < count; ++q, want = want * g % p) ASSERT_EQ(result[q], want) << q << " of " << p;
  }
}

// Rests of 1 and p - 1, next to which a rounded quotient would be the wrong whole number first: powers of elements of
// small order, for primes at the end of what the quotients are good for.
TEST(FftPowers, AreReducedNextToMultiples) {
  for (std::size_t p : {67108777U, 67108721U, 67108669U, 40961U}) {
    const std::size_t root = primitive_root(p);
    for (std::size_t order = 16; order <= 3000; ++order) {
      if ((p - 1) % order != 0) continue;
      std::size_t g = 1;
      for (std::size_t base = root, e = (p - 1) / order; e > 0; e /= 2, base = base * base % p)
        if (e % 2 != 0) g = g * base % p;
      const auto result = powers(g, p, order + 20);
      std::size_t want = 1;
      for (std::size_t q = 0; q < result.size(); ++q, want = want * g % p)
        ASSERT_EQ(result[q], want) << g << "^" << q << " of " << p;
      ASSERT_EQ(result[order], 1U) << g << " of " << p;
      ASSERT_TRUE(order % 2 != 0 || result[order / 2] == p - 1) << g << " of " << p;
    }
  }
}

template <class T>
void expect_chirp(std::size_t n, Isa isa) {
  SCOPED_TRACE(std::string(name(isa)) + " " + std::to_string(n));
  const FftOps<T>& ops = fft_ops<T>(isa);
  const std::size_t m = chirp_length<T>(n);
  const auto line = shared_line<double>(kernel_points<T>(m), isa);
  const Chirp<T> pairs(n, m, ops, *line, false);
  constexpr double kEps = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;
  const auto is_near = [](const T* x, Wide want, double bound) {
    return distance({static_cast<double>(x[0]), static_cast<double>(x[1])}, want) <= bound;
  };
  std::vector<Wide> wrapped(m);
  for (std::size_t j = 0; j < n; ++j) {
    const Wide factor = exact_root(j * j % (2 * n), 2 * n);
    ASSERT_TRUE(is_near(pairs.factors.data() + 2 * j, factor, 1.1 * kEps)) << "factor " << j;
    wrapped[j] = wrapped[(m - j) % m] = std::conj(factor) / static_cast<long double>(m);
  }
  // Results here and there by the defining sum; those are of up to 1 / sqrt(m) and as exact as a transform of f64.
  for (std::size_t k : {std::size_t{0}, std::size_t{1}, std::size_t{2}, n / 3, m / 2, m - n / 3, m - 2, m - 1}) {
    Wide sum = 0;
    for (std::size_t j = 0; j < m; ++j) sum += wrapped[j] * exact_root(j * k % m, m);
    ASSERT_TRUE(is_near(pairs.kernel.data() + 2 * k, sum, 8 * kEps / std::sqrt(static_cast<double>(m)))) << k;
  }
  if (m % ops.lanes != 0) return;
  const Chirp<T> block(n, m, ops, *line, true);
  for (std::size_t k = 0; k < m; ++k)
    for (std::size_t part = 0; part < 2; ++part)
      ASSERT_EQ(block.kernel[k / ops.lanes * 2 * ops.lanes + part * ops.lanes + k % ops.lanes],
                pairs.kernel[2 * k + part])
          << k;
  for (std::size_t i = 0; sizeof(T) == 8 && i < 2 * m; ++i)
    ASSERT_EQ(pairs.kernel[i], pairs.kernel[(2 * m - (i - i % 2)) % (2 * m) + i % 2]) << "not even at " << i;
}

TEST(FftChirp, IsTheTransformOfTheWrappedChirp) {
  for (Isa isa : runnable_isas())
    for (std::size_t n : {131U, 132U, 133U, 134U, 139U, 178U, 509U, 1283U}) {
      expect_chirp<float>(n, isa);
      expect_chirp<double>(n, isa);
      if (HasFatalFailure()) return;
    }
}

// Numbers (a, b) of absolute value r, scaled off by some ulps, and their mirror images.
TEST(FftGaussSums, GetTheirAbsoluteValueBack) {
  for (Isa isa : runnable_isas())
    for (std::size_t m : {70U, 72U, 96U, 130U}) {
      const double squared = static_cast<double>(m + 1) / static_cast<double>(m * m);
      std::vector<Wide> want(m + 1);
      std::vector<double> spectrum(2 * (m + 1)), out(2 * m), block(2 * m);
      for (std::size_t k = 1; k < m; ++k) {
        Wide z = std::sqrt(static_cast<long double>(squared)) * exact_root(k * k, 3 * m);
        if (2 * k == m) z = std::sqrt(static_cast<long double>(squared)) * (k % 2 == 0 ? Wide(1, 0) : Wide(0, 1));
        if (2 * k > m) z = (k % 2 == 0 ? 1.0L : -1.0L) * std::conj(want[m - k]);
        want[k] = z;
        const long double off = 1 + 0x1p-52L * static_cast<long double>(k % 5);
        spectrum[2 * k] = static_cast<double>(z.real() * off);
        spectrum[2 * k + 1] = static_cast<double>(z.imag() * off);
      }
      const FftOps<double>& ops = fft_ops<double>(isa);
      auto joined = spectrum;
      ops.making->round_gauss_sums(joined.data(), m, squared, out.data(), false);
      for (std::size_t k = 1; k < m; ++k) {
        const std::complex<double> z(out[2 * k], out[2 * k + 1]);
        ASSERT_LE(distance(z, want[k]), 0x1p-52 * static_cast<double>(std::abs(want[k]))) << name(isa) << k << " " << m;
        const std::complex<double> mirror(out[2 * (m - k)], out[2 * (m - k) + 1]);
        ASSERT_EQ(mirror, (k % 2 == 0 ? 1.0 : -1.0) * std::conj(z)) << name(isa) << k << " " << m;
      }
      if (m % ops.lanes == 0) {
        joined = spectrum;
        ops.making->round_gauss_sums(joined.data(), m, squared, block.data(), true);
        for (std::size_t i = ops.lanes; i < m; ++i)
          ASSERT_EQ(block[i / ops.lanes * 2 * ops.lanes + ops.lanes + i % ops.lanes], out[2 * i + 1]) << name(isa) << i;
      }
      ops.making->set_absolute(spectrum.data() + 2, m - 1, squared);
      for (std::size_t k = 1; k < m; ++k)
        ASSERT_LE(distance({spectrum[2 * k], spectrum[2 * k + 1]}, want[k]),
                  0x1p-52 * static_cast<double>(std::abs(want[k])))
            << name(isa) << k << " " << m;
    }
}

// Elements k and m - k of the transform of a + i b, from element k of that of a + b, where the transform of a is 0 at
// odd k and that of b at even k.
TEST(FftGaussSums, ComeFromTheTransformOfRealNumbers) {
  for (Isa isa : runnable_isas())
    for (std::size_t m : {70U, 96U, 130U, 192U, 1008U}) {
      constexpr std::size_t kRoom = 16;
      std::vector<double> sums(m + 2 * kRoom);
      std::vector<Wide> want(m);
      for (std::size_t k = 0; k <= m / 2; ++k) {
        const bool real = k == 0 || 2 * k == m;
        sums[2 * k] = std::sin(static_cast<double>(k * k + 1));
        sums[2 * k + 1] = real ? 0 : std::cos(static_cast<double>(3 * k));
        want[k] = Wide(sums[2 * k], sums[2 * k + 1]) * (k % 2 == 0 ? Wide(1, 0) : Wide(0, 1));
        if (!real) want[m - k] = std::conj(want[k]) * (k % 2 == 0 ? 1.0L : -1.0L);
      }
      const FftOps<float>& ops = fft_ops<float>(isa);
      std::vector<float> pairs(2 * m), block(2 * m);
      ops.making->round_real_gauss_sums(sums.data(), m, pairs.data(), false);
      for (std::size_t k = 0; k < m; ++k) {
        ASSERT_EQ(pairs[2 * k], static_cast<float>(want[k].real())) << name(isa) << " " << k << " of " << m;
        ASSERT_EQ(pairs[2 * k + 1], static_cast<float>(want[k].imag())) << name(isa) << " " << k << " of " << m;
      }
      if (m % ops.lanes != 0) continue;
      ops.making->round_real_gauss_sums(sums.data(), m, block.data(), true);
      for (std::size_t k = 0; k < m; ++k)
        for (std::size_t part = 0; part < 2; ++part)
          ASSERT_EQ(block[k / ops.lanes * 2 * ops.lanes + part * ops.lanes + k % ops.lanes], pairs[2 * k + part])
              << name(isa) << " " << k << " of " << m;
    }
}

// What is left of an absolute value that is off by some ulps is the rounding of the last subtraction alone, if the
// squares and their sum are as exact as in two doubles.
TEST(FftGaussSums, AreCorrectedByTheExactExcess) {
  for (Isa isa : runnable_isas())
    for (std::size_t m : {72U, 400U, 1000U}) {
      const double squared = static_cast<double>(m + 1) / static_cast<double>(m * m);
      std::vector<double> numbers(2 * m);
      for (std::size_t k = 0; k < m; ++k) {
        const Wide z = std::sqrt(static_cast<long double>(squared)) * exact_root(k, m) *
                       (1 + 0x1p-53L * static_cast<long double>(k % 11));
        numbers[2 * k] = static_cast<double>(z.real());
        numbers[2 * k + 1] = static_cast<double>(z.imag());
      }
      auto corrected = numbers;
      fft_ops<double>(isa).making->set_absolute(corrected.data(), m, squared);
      for (std::size_t k = 0; k < m; ++k) {
        const Wide z(numbers[2 * k], numbers[2 * k + 1]);
        const Wide want = z * (1 - (std::norm(z) - static_cast<long double>(squared)) / (2 * squared));
        const auto is_rounded = [](double got, long double exact) {
          const long double ulp = std::nextafter(std::abs(got), 1.0) - std::abs(got);
          return std::abs(static_cast<long double>(got) - exact) <= 0.505L * ulp;
        };
        ASSERT_TRUE(is_rounded(corrected[2 * k], want.real())) << name(isa) << " " << k << " of " << m;
        ASSERT_TRUE(is_rounded(corrected[2 * k + 1], want.imag())) << name(isa) << " " << k << " of " << m;
      }
    }
}

}  // namespace
}  // namespace pawl::fft
