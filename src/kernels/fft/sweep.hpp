// sweep.hpp -- an array and one of its axes -> all transforms along it, in panels, on several threads.
#pragma once
#include <algorithm>
#include <cstddef>

#include "kernels/fft/axis.hpp"
#include "pawl/view.hpp"

namespace pawl::fft {

/// An array of pairs: element (i0, i1, ...) is data[2 (i0 * strides[0] + ...)].
template <class T>
struct Pairs {
  T* data;
  const std::ptrdiff_t* strides;  // not a copy: by vectors it would wait for strides that were just stored
};

/// Transforms along `axis` of an array of this shape, from `in` to `out` (the same array with the same strides, or
/// apart). workspace: thread_elements of T for each thread.
template <class T>
void sweep(const Axis<T>& transform, const Shape& shape, std::size_t axis, Pairs<const T> in, Pairs<T> out,
           T* workspace, std::size_t thread_elements, int threads, bool swapped, T scale) noexcept;

enum class Elements { real, complex };

/// How many threads, at most `available`, an array of so many elements is worth that is transformed along `axes` axes.
/// Pure.
///
/// Along one axis waking a thread costs less than 2^15 elements take. Along several, threads read what others have
/// written, from the L2 of one core to another's. Two threads: on a Zen 4 512 x 512, 64^3 and 400 x 700 took 0.5 to
/// 0.95 of the time of one, where FFTW's two take 0.5 to 1.0 of its one; on a Zen 5 (virtual machine) 512 x 512
/// took 1.2 times as long, 1000 x 1000 0.8 times. Seven arrays of some 200000 elements took 0.50 to 0.86 of the time of
/// f64, real ones 0.57 to 0.74; of f32 2000 x 100 took 1.5 times as long, 450 x 450 1.06 times. Four threads and more
/// gain where two do not yet (Emerald Rapids, 16 CPUs, time of one thread over that of 2, 4, 8 and 16): complex f32 512
/// x 512 1.3, 2.4, 3.8, 3.9, 64^3 1.9, 2.6, 4.8, 8.2, 256 x 256 1.1 to 1.4, 1.7, 1.8, 1.7, f64 256 x
/// 256 1.3, 1.9, 2.7, 2.7; real f32 512 x 512 1.2, 2.0, 2.0, 2.1, 256 x 256 at most 1.05; 128 x 128 loses on two.
template <class T>
constexpr int worthwhile_threads(Elements kind, std::size_t elements, std::size_t axes, int available) noexcept {
  constexpr std::size_t kAlongOne = std::size_t{1} << 15;
  constexpr std::size_t kAlongSeveral = sizeof(T) == 8 ? std::size_t{3} << 15 : std::size_t{1} << 17;
  constexpr std::size_t kFour = 4;
  std::size_t worth = elements / (axes == 1 ? kAlongOne : kAlongSeveral);
  const std::size_t of_four = elements / (kind == Elements::real ? std::size_t{1} << 15 : std::size_t{1} << 14);
  if (axes > 1 && of_four >= kFour && available >= static_cast<int>(kFour)) worth = std::max(worth, of_four);
  return static_cast<int>(std::clamp<std::size_t>(worth, 1, static_cast<std::size_t>(available)));
}

}  // namespace pawl::fft
