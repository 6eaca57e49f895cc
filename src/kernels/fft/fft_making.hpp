// fft_making.hpp -- the entries of the category `fft` that the tables of plans are made with.
#pragma once
#include <cstddef>

namespace pawl {

/// A root of unity as the sum of two doubles each, of which the second is what the first rounds away.
struct ExactRoot {
  double re, im, re_rest, im_rest;
};
/// Roots are made from the nearest of so many corners of the circle.
inline constexpr std::size_t kRootCorners = 32;

/// Roots of unity, exp(-2 pi i k / n), in f64. All variants make the same numbers. corners: kRootCorners of them.
struct FftRoots {
  /// Roots 0, step, 2 step and on, `count` of them; n < 2^46.
  void (*exact)(const ExactRoot* corners, std::size_t n, std::size_t step, std::size_t count, ExactRoot* out) noexcept;
  /// Of roots 0 to padded - 1, up to a 32nd of the circle, all (cos - 1), then all imaginary parts; padded a multiple
  /// of the lanes of f64.
  void (*small)(std::size_t n, std::size_t padded, double* out) noexcept;
  /// Pairs count j + k, j < size, k < count, from every count-th root and the first `padded` >= count small ones. To
  /// `padded` pairs from the last j on are written.
  void (*products)(const ExactRoot* high, std::size_t size, const double* low, std::size_t padded, std::size_t count,
                   double* out) noexcept;
  /// exp(pi i j^2 / n) for j < count <= n, pairs, count up to whole vectors.
  void (*chirp)(const ExactRoot* corners, std::size_t n, std::size_t count, double* out) noexcept;
  std::size_t lanes;
};

template <class T>
struct FftMaking {
  /// For k < rows and b < W = lanes of T exp(-2 pi i k b / (W rows)): of each k W real parts, then W imaginary ones.
  void (*row_twiddles)(const ExactRoot* corners, std::size_t rows, T* out) noexcept;

  /// Of a chirp (chirp.hpp), in f64: the first n / 2 + 1 pairs of exp(pi i j^2 / n) -> all n, wrapped around over m + 1
  /// pairs, of which the last is the first once more, and their conjugates as factors.
  void (*wrap_chirp)(double* wrapped, std::size_t n, std::size_t m, T* factors) noexcept;
  /// Its transform, of m pairs and the first once more -> T, of f64 the mean of elements k and m - k, which are the
  /// same number; as pairs or, m a multiple of lanes, as a block. m >= 8.
  void (*round_chirp)(const double* spectrum, std::size_t m, T* out, bool block) noexcept;

  /// The same, times 1 / m, by a transform of half as many points, whose error is some sqrt(m / 24) times as large;
  /// only of f32 (folded_chirp.kernel.hpp). fold_chirp: the first n / 2 + 1 pairs, with room for one before them and 16
  /// behind n, -> m / 2 pairs to transform, times 1 / m, and one more; n < m / 2, m a multiple of 32.
  /// spectrum_of_folded: these -> elements 0 to m / 2. round_even: those -> all of them, as by round_chirp.
  /// rough_chirp: FftRoots::chirp to some 2^-30, count up to 2^19.
  void (*rough_chirp)(const ExactRoot* corners, std::size_t n, std::size_t count, double* out) noexcept;
  void (*fold_chirp)(double* chirp, std::size_t n, std::size_t m, double* folded, T* factors) noexcept;
  void (*spectrum_of_folded)(const ExactRoot* corners, double* folded, std::size_t m) noexcept;
  void (*round_even)(const double* spectrum, std::size_t m, T* out, bool block) noexcept;

  /// As round_chirp, only of f64, of the Gauss sums of an odd prime m + 1 > 16, times a scale, so that all but element
  /// 0 have that squared absolute value, and each the mean of those that are conjugates of each other but for the sign.
  void (*round_gauss_sums)(double* spectrum, std::size_t m, double squared, T* out, bool block) noexcept;
  /// Only of f32: the same from elements 0 to m / 2 of the transform of the sums of both parts (gauss_sums.kernel.hpp),
  /// with room for lanes of f64 pairs behind.
  void (*round_real_gauss_sums)(double* spectrum, std::size_t m, T* out, bool block) noexcept;
  /// `count` pairs that have that squared absolute value but for rounding -> the same with it.
  void (*set_absolute)(double* pairs, std::size_t count, double squared) noexcept;
};

}  // namespace pawl
