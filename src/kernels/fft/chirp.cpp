// chirp.cpp -- see chirp.hpp.
#include "kernels/fft/chirp.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>

#include "kernels/fft/fft_making.hpp"
#include "kernels/fft/roots.hpp"
#include "kernels/tables.hpp"

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
  const std::size_t least = 2 * n;
  const auto first = [=](const auto& lengths) {
    const auto* const found = std::lower_bound(std::begin(lengths), std::end(lengths), least);
    return found == std::end(lengths) ? convolution_length(least) : *found;
  };
  return sizeof(T) == 4 ? first(kLengthsF32) : first(kLengthsF64);
}

template <class T>
Chirp<T>::Chirp(std::size_t n, std::size_t m, const FftOps<T>& ops, const Line<double>& line, bool block)
    : factors(2 * n, Unset{}), kernel(2 * m, Unset{}) {
  const FftMaking<T>& making = *ops.making;
  const FftRoots& roots = fft_table(active_isa()).roots;
  AlignedArray<double> workspace(line.workspace_elements(), Unset{});
  const double scale = 1.0 / static_cast<double>(m);
  if constexpr (sizeof(T) == 8) {
    AlignedArray<double> wrapped(2 * (m + 1), Unset{});
    roots.chirp(root_corners(), n, n / 2 + 1, wrapped.data());
    making.wrap_chirp(wrapped.data(), n, m, factors.data());
    line.run(wrapped.data(), wrapped.data(), workspace.data(), false, scale);
    wrapped[2 * m] = wrapped[0];
    wrapped[2 * m + 1] = wrapped[1];
    making.round_chirp(wrapped.data(), m, kernel.data(), block);
  } else {
    constexpr std::size_t kRoom = 16;  // pairs
    AlignedArray<double> chirp(2 * (1 + n + kRoom), Unset{}), folded(m + 2, Unset{});
    constexpr std::size_t kMostRough = std::size_t{1} << 19;
    (n < kMostRough ? making.rough_chirp : roots.chirp)(root_corners(), n, n / 2 + 1, chirp.data() + 2);
    making.fold_chirp(chirp.data() + 2, n, m, folded.data(), factors.data());
    line.run(folded.data(), folded.data(), workspace.data(), false, scale);
    making.spectrum_of_folded(root_corners(), folded.data(), m);
    making.round_even(folded.data(), m, kernel.data(), block);
  }
}

template std::size_t chirp_length<float>(std::size_t) noexcept;
template std::size_t chirp_length<double>(std::size_t) noexcept;
template struct Chirp<float>;
template struct Chirp<double>;

}  // namespace pawl::fft
