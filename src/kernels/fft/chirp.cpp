// chirp.cpp -- see chirp.hpp.
#include "kernels/fft/chirp.hpp"

#include <bit>

#include "kernels/fft/roots.hpp"

namespace pawl::fft {

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
Chirp<T>::Chirp(std::size_t n, std::size_t m, const Line<double>& line) : factors(2 * n), kernel(2 * m) {
  const Roots<double> roots(2 * n);
  AlignedArray<double> wrapped(2 * m), transformed(2 * m), workspace(line.workspace_elements());
  for (std::size_t j = 0, square = 0; j < n; square = (square + 2 * j + 1) % (2 * n), ++j) {  // square = j^2 mod 2 n
    const auto root = roots(square);
    const double re = root.real(), im = root.imag();
    factors[2 * j] = static_cast<T>(re);
    factors[2 * j + 1] = static_cast<T>(im);
    for (std::size_t place : {j, (m - j) % m}) {
      wrapped[2 * place] = re;
      wrapped[2 * place + 1] = -im;
    }
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

template struct Chirp<float>;
template struct Chirp<double>;

}  // namespace pawl::fft
