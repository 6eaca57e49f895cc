// sweep.cpp -- see sweep.hpp.
#include "kernels/fft/sweep.hpp"

#include <algorithm>
#include <array>

#include "pawl/parallel.hpp"

namespace pawl::fft {
namespace {

// The dimension whose neighbours go side by side into vectors: one of stride 1 in both arrays, else in one of them; if
// there is none, the longest.
std::size_t panel_dimension(const Shape& shape, std::size_t axis, const Strides& in, const Strides& out) {
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

}  // namespace

template <class T>
void sweep(const Axis<T>& transform, const Shape& shape, std::size_t axis, Pairs<const T> in, Pairs<T> out,
           T* workspace, std::size_t thread_elements, int threads, bool swapped, T scale) noexcept {
  const std::size_t rank = shape.rank(), d = panel_dimension(shape, axis, in.strides, out.strides);
  // Neighbours go on into dimensions that follow each other in both arrays, so that few vectors are not full.
  std::size_t side = d == axis ? 1 : shape[d];
  std::array<bool, kMaxRank> inside{};
  inside[axis] = inside[d] = true;
  for (std::size_t i = d; d != axis && i-- > 0;) {
    const auto length = static_cast<std::ptrdiff_t>(side);
    if (i == axis || in.strides[i] != length * in.strides[d] || out.strides[i] != length * out.strides[d]) break;
    inside[i] = true;
    side *= shape[i];
  }
  const Places in_places{in.strides[axis], d == axis ? 0 : in.strides[d]};
  const Places out_places{out.strides[axis], d == axis ? 0 : out.strides[d]};
  // Threads share panels.
  const bool all = threads == 1 && transform.takes_all(in_places, out_places);
  const std::size_t panel = all ? side : std::min(transform.panel(), side), panels = (side + panel - 1) / panel;
  const std::size_t units = shape.elements() / shape[axis] / side * panels;
  on_threads(static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(threads), units)),
             [&](int thread, int count) {
               const Range mine = share(units, thread, count);
               T* const own = workspace + static_cast<std::size_t>(thread) * thread_elements;
               for (std::size_t unit = mine.begin; unit < mine.end; ++unit) {
                 const std::size_t begin = unit % panels * panel;
                 std::size_t rest = unit / panels;
                 const auto start = static_cast<std::ptrdiff_t>(begin);
                 std::ptrdiff_t in_offset = start * in_places.next, out_offset = start * out_places.next;
                 for (std::size_t i = rank; i-- > 0;) {
                   if (inside[i]) continue;
                   const auto index = static_cast<std::ptrdiff_t>(rest % shape[i]);
                   rest /= shape[i];
                   in_offset += index * in.strides[i];
                   out_offset += index * out.strides[i];
                 }
                 transform.run(in.data + 2 * in_offset, in_places, out.data + 2 * out_offset, out_places,
                               std::min(panel, side - begin), own, swapped, scale);
               }
             });
}

template void sweep(const Axis<float>&, const Shape&, std::size_t, Pairs<const float>, Pairs<float>, float*,
                    std::size_t, int, bool, float) noexcept;
template void sweep(const Axis<double>&, const Shape&, std::size_t, Pairs<const double>, Pairs<double>, double*,
                    std::size_t, int, bool, double) noexcept;

}  // namespace pawl::fft
