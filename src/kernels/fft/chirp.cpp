// chirp.cpp -- see chirp.hpp.
#include "kernels/fft/chirp.hpp"

#include <bit>

#include "kernels/fft/roots.hpp"

namespace pawl::fft {

// The smallest of 2^a {1, 3, 5, 9, 15, 25}; with an odd factor only from 256 times that on, where as many lanes divide
// it as Way::finish wants, whatever the type.
std::size_t convolution_length(std::size_t least) noexcept {
  std::size_t best = std::bit_ceil(least);
  for (std::size_t odd : {3U, 5U, 9U, 15U, 25U}) {
    std::size_t m = 256 * odd;
    while (m < least) m *= 2;
    if (m < best) best = m;
  }
  return best;
}

template <class T>
Chirp<T>::Chirp(std::size_t n, std::size_t m, const Line<T>& line) : factors(2 * n), kernel(2 * m) {
  const Roots roots(2 * n);
  AlignedArray<T> wrapped(2 * m), workspace(line.workspace_elements());
  for (std::size_t j = 0, square = 0; j < n; square = (square + 2 * j + 1) % (2 * n), ++j) {  // square = j^2 mod 2 n
    const auto root = roots(square);
    const T re = static_cast<T>(root.real()), im = static_cast<T>(root.imag());
    factors[2 * j] = re;
    factors[2 * j + 1] = im;
    for (std::size_t place : {j, (m - j) % m}) {
      wrapped[2 * place] = re;
      wrapped[2 * place + 1] = -im;
    }
  }
  line.run(wrapped.data(), kernel.data(), workspace.data(), false, T(1) / static_cast<T>(m));
}

template struct Chirp<float>;
template struct Chirp<double>;

}  // namespace pawl::fft
