// threads.hpp -- the size of an array -> how many threads its transforms are worth, and whether to wake them.
#pragma once
#include <algorithm>
#include <cstddef>

#include "isa/core_distance.hpp"
#include "pawl/parallel.hpp"

namespace pawl::fft {

enum class Elements { real, complex };

/// How many threads, at most `available`, an array of so many elements is worth that is transformed along `axes` axes.
/// Pure.
///
/// Along one axis a thread that is awake takes less to come than 2^13 elements (Emerald Rapids, time of one over that
/// of two, f32 and f64: 512 of 16 points 1.3 and 1.5, 1024 of 16 1.6 and 1.8, 16 of 1024 1.75 and 1.85, 2 of 8192 1.9
/// and 1.9, side by side 256 of 64 1.4 and 1.6). Along several, threads read what others have written, from the L2 of
/// one core to another's. Two threads: on a Zen 4 512 x 512, 64^3 and 400 x 700 took 0.5 to 0.95 of the time of one,
/// where FFTW's two take 0.5 to 1.0 of its one; on a Zen 5 (virtual machine) 512 x 512 took 1.2 times as long, 1000 x
/// 1000 0.8 times. Seven arrays of some 200000 elements took 0.50 to 0.86 of the time of f64, real ones 0.57 to 0.74;
/// of f32 2000 x 100 took 1.5 times as long, 450 x 450 1.06 times. Four threads and more gain where two do not yet
/// (Emerald Rapids, 16 CPUs, time of one thread over that of 2, 4, 8 and 16): complex f32 512 x 512 1.3, 2.4, 3.8, 3.9,
/// 64^3 1.9, 2.6, 4.8, 8.2, 256 x 256 1.1 to 1.4, 1.7, 1.8, 1.7, f64 256 x 256 1.3, 1.9, 2.7, 2.7; real f32 512 x
/// 512 1.2, 2.0, 2.0, 2.1, 256 x 256 at most 1.05; 128 x 128 loses on two.
///
/// `near`: cores_are_near. Two threads of an Emerald Rapids that are awake, time of one over theirs, f32 and f64:
/// complex 200 x 200 0.90 and 1.26, 32^3 1.38 and 1.66, 256 x 256 1.08 and 1.52, 300 x 500 1.6 and 1.9, 512 x 512 1.8
/// and 1.9; real 256 x 256 0.90 and 1.02, 300 x 500 1.14 and 1.27, 512 x 512 0.98 and 1.52, 64^3 1.30 and 1.46.
template <class T>
constexpr int worthwhile_threads(Elements kind, std::size_t elements, std::size_t axes, int available,
                                 bool near) noexcept {
  constexpr std::size_t kAlongOne = std::size_t{1} << 13;
  constexpr std::size_t kAlongSeveral = sizeof(T) == 8 ? std::size_t{3} << 15 : std::size_t{1} << 17;
  constexpr std::size_t kNearReal = std::size_t{1} << (sizeof(T) == 8 ? 16 : 17), kNearComplex = kNearReal / 4;
  constexpr std::size_t kFour = 4;
  const std::size_t several = !near ? kAlongSeveral : kind == Elements::real ? kNearReal : kNearComplex;
  std::size_t worth = elements / (axes == 1 ? kAlongOne : several);
  const std::size_t of_four = elements / (kind == Elements::real ? std::size_t{1} << 15 : std::size_t{1} << 14);
  if (axes > 1 && of_four >= kFour && available >= static_cast<int>(kFour)) worth = std::max(worth, of_four);
  return static_cast<int>(std::clamp<std::size_t>(worth, 1, static_cast<std::size_t>(available)));
}

/// Points from which a line is worth several threads, where cores are not near `elsewhere`. Time of one thread over
/// that of two on an Emerald Rapids, complex f32 and f64: 24576 1.4 and 1.7, 32768 1.5 and 1.8, 40000 1.14 and 1.7,
/// 44100 1.34 and 1.6, 65536 1.85 and 2.1, 10^5 1.8 and 1.9; real 65536 1.0 and 1.0, 10^5 1.2 and 1.35, 131072 1.8
/// and 1.9; 16384 complex ones took as long.
inline std::size_t least_shared_line(std::size_t elsewhere) noexcept {
  constexpr std::size_t kNear = std::size_t{3} << 13;
  return pawl::detail::cores_are_near ? std::min(kNear, elsewhere) : elsewhere;
}

/// An array of 2^17 elements takes some 50 us and more, a thread up to 40 us to wake.
inline Wake wake_for(std::size_t elements) noexcept {
  constexpr std::size_t kWorthWaking = std::size_t{1} << 17;
  return elements < kWorthWaking ? Wake::in_bursts : Wake::always;
}

}  // namespace pawl::fft
