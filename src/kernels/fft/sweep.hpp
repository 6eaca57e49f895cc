// sweep.hpp -- an array and one of its axes -> all transforms along it, in panels, on several threads.
#pragma once
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

/// How many elements a thread has to have. Along one axis waking it costs less than this takes. Along several, threads
/// read what others have written, from the L2 of one core to another's: on a Zen 4 512 x 512, 64^3 and 400 x 700 on two
/// threads took 0.5 to 0.95 of the time of one, where FFTW's two take 0.5 to 1.0 of its one; on a Zen 5 (virtual
/// machine) 512 x 512 took 1.2 times as long, 1000 x 1000 0.8 times. Seven arrays of some 200000 elements took 0.50 to
/// 0.86 of the time of f64, real ones 0.57 to 0.74; of f32 2000 x 100 took 1.5 times as long, 450 x 450 1.06 times.
template <class T>
constexpr std::size_t elements_of_a_thread(std::size_t axes) noexcept {
  if (axes == 1) return std::size_t{1} << 15;
  return sizeof(T) == 8 ? std::size_t{3} << 15 : std::size_t{1} << 17;
}

}  // namespace pawl::fft
