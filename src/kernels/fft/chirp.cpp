// chirp.cpp -- see chirp.hpp.
#include "kernels/fft/chirp.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>

#include "kernels/fft/roots.hpp"

namespace pawl::fft {
namespace {

// Of all smooth multiples of 8 (f64) and 16 (f32) from 256 to 5184 those that took less time than all longer ones, on a
// Zen 4 with avx512. Without some that took 0.95 of the time of the next or more, but whose errors made ours larger
// than those of FFTW: of f32 2816, 3072, 3456 and 4096 (1387, 1526, 1649 and 1940 points: 1.01 to 1.02), of f64 2560
// and 3456 (1268 points: 1.10).
constexpr std::uint16_t kLengthsF32[] = {256,  288,  320,  384,  448,  512,  640,  768,  896,  1024,
                                         1152, 1280, 1536, 1792, 1920, 2048, 2304, 2560, 2688, 2880,
                                         3200, 3520, 3840, 4480, 4608, 4928, 5120, 5184};
constexpr std::uint16_t kLengthsF64[] = {256,  288,  320,  336,  352,  384,  400,  448,  512,  576,  640,  768,  800,
                                         896,  960,  1024, 1152, 1280, 1344, 1408, 1536, 1600, 1728, 1760, 1920, 2048,
                                         2240, 2304, 2464, 2688, 2880, 3200, 3520, 3584, 3840, 4032, 4480, 4928, 5184};

}  // namespace

// The smallest of 2^a times one of these, as often as Way::finish wants twos whatever the type.
std::size_t convolution_length(std::size_t least) noexcept {
  std::size_t best = std::bit_ceil(least);
  for (std::size_t odd : {3U, 5U, 7U, 9U, 15U, 21U, 25U, 45U, 63U, 75U, 105U, 135U, 175U, 225U, 315U, 525U}) {
    std::size_t m = 64 * odd;
    while (m < least) m *= 2;
    if (m < best) best = m;
  }
  return best;
}

template <class T>
std::size_t chirp_length(std::size_t n) noexcept {
  const std::size_t least = 2 * n - 1;
  const auto first = [=](const auto& lengths) {
    const auto* const found = std::lower_bound(std::begin(lengths), std::end(lengths), least);
    return found == std::end(lengths) ? convolution_length(least) : *found;
  };
  return sizeof(T) == 4 ? first(kLengthsF32) : first(kLengthsF64);
}

template <class T>
Chirp<T>::Chirp(std::size_t n, std::size_t m, const Line<double>& line) : factors(2 * n), kernel(2 * m) {
  const Roots<double> roots(2 * n);
  AlignedArray<double> wrapped(2 * m), transformed(2 * m), workspace(line.workspace_elements());
  for (std::size_t j = 0, square = 0; j < n; ++j) {  // square = j^2 mod 2 n
    const auto root = roots(square);
    const double re = root.real(), im = root.imag();
    factors[2 * j] = static_cast<T>(re);
    factors[2 * j + 1] = static_cast<T>(im);
    for (std::size_t place : {j, (m - j) % m}) {
      wrapped[2 * place] = re;
      wrapped[2 * place + 1] = -im;
    }
    square += 2 * j + 1;
    if (square >= 2 * n) square -= 2 * n;
  }
  line.run(wrapped.data(), transformed.data(), workspace.data(), false, 1.0 / static_cast<double>(m));
  // Elements k and m - k are the same number, with errors of their own: the mean is nearer to it. Of f64, where these
  // errors are as large as those of what is transformed later.
  if (sizeof(T) == 8)
    for (std::size_t k = 1; 2 * k < m; ++k)
      for (std::size_t part = 0; part < 2; ++part) {
        double &a = transformed[2 * k + part], &b = transformed[2 * (m - k) + part];
        a = b = (a + b) / 2;
      }
  for (std::size_t i = 0; i < 2 * m; ++i) kernel[i] = static_cast<T>(transformed[i]);
}

template std::size_t chirp_length<float>(std::size_t) noexcept;
template std::size_t chirp_length<double>(std::size_t) noexcept;
template struct Chirp<float>;
template struct Chirp<double>;

}  // namespace pawl::fft
