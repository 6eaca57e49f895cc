// sweep.cpp -- see sweep.hpp.
#include "kernels/fft/sweep.hpp"

#include "kernels/fft/panels.hpp"

namespace pawl::fft {

std::size_t panel_dimension(const Shape& shape, std::size_t axis, const std::ptrdiff_t* in,
                            const std::ptrdiff_t* out) noexcept {
  std::size_t best = axis, best_score = 0;
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    if (d == axis || shape[d] == 1) continue;
    const std::size_t unit = static_cast<std::size_t>(in[d] == 1) + static_cast<std::size_t>(out[d] == 1);
    const std::size_t score = unit * (std::size_t{1} << 50) + shape[d];
    if (score > best_score) {
      best = d;
      best_score = score;
    }
  }
  return best;
}

template <class T>
void sweep(const Axis<T>& transform, const Shape& shape, std::size_t axis, Pairs<const T> in, Pairs<T> out,
           T* workspace, std::size_t thread_elements, int threads, bool swapped, T scale) noexcept {
  for_panels(
      shape, axis, in.strides, out.strides, transform.panel(),
      [&](const Places& from, const Places& to) { return transform.takes_all(from, to); },
      [&](const Places& from, const Places& to) { return transform.takes_one_by_one(from, to); }, threads,
      [&](std::ptrdiff_t in_offset, const Places& in_places, std::ptrdiff_t out_offset, const Places& out_places,
          std::size_t count, int thread) {
        transform.run(in.data + 2 * in_offset, in_places, out.data + 2 * out_offset, out_places, count,
                      workspace + static_cast<std::size_t>(thread) * thread_elements, swapped, scale);
      });
}

template void sweep(const Axis<float>&, const Shape&, std::size_t, Pairs<const float>, Pairs<float>, float*,
                    std::size_t, int, bool, float) noexcept;
template void sweep(const Axis<double>&, const Shape&, std::size_t, Pairs<const double>, Pairs<double>, double*,
                    std::size_t, int, bool, double) noexcept;

}  // namespace pawl::fft
