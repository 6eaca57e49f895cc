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
Chirp<T>::Chirp(std::size_t n, std::size_t m, const FftOps<T>& ops, const Line<double>& line, bool block)
    : factors(2 * n, Unset{}), kernel(2 * m, Unset{}) {
  AlignedArray<double> wrapped(2 * (m + 1), Unset{}), workspace(line.workspace_elements(), Unset{});
  {
    const std::size_t circle = std::max<std::size_t>(1, 2 * n), count = n / 4 + 1;
    const Roots roots(circle);
    // Two at once, since each place takes five cycles from the one before.
    struct {
      std::size_t j, place;  // -j^2 modulo the circle
    } at[2] = {{0, 0}, {count, (circle - count * count % circle) % circle}};
    for (std::size_t i = 0; i < count; ++i)
      for (auto& a : at) {
        const auto root = roots(a.place);
        wrapped[2 * a.j] = root.real();
        wrapped[2 * a.j + 1] = root.imag();
        a.place -= 2 * a.j + 1;
        if (a.place >= circle) a.place += circle;  // it was below 0
        ++a.j;
      }
  }
  ops.wrap_chirp(wrapped.data(), n, m, factors.data());
  line.run(wrapped.data(), wrapped.data(), workspace.data(), false, 1.0 / static_cast<double>(m));
  wrapped[2 * m] = wrapped[0];
  wrapped[2 * m + 1] = wrapped[1];
  ops.round_chirp(wrapped.data(), m, kernel.data(), block);
}

template std::size_t chirp_length<float>(std::size_t) noexcept;
template std::size_t chirp_length<double>(std::size_t) noexcept;
template struct Chirp<float>;
template struct Chirp<double>;

}  // namespace pawl::fft
