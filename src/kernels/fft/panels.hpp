// panels.hpp -- an array and one of its axes -> the transforms along it in panels of neighbours, shared among threads.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>

#include "kernels/fft/axis.hpp"
#include "kernels/fft/threads.hpp"
#include "pawl/parallel.hpp"
#include "pawl/view.hpp"

namespace pawl::fft {

/// The dimension whose neighbours go side by side into vectors: one of stride 1 in both arrays, else in one of them; if
/// there is none, the longest; `axis` if it is the only one.
std::size_t panel_dimension(const Shape& shape, std::size_t axis, const std::ptrdiff_t* in,
                            const std::ptrdiff_t* out) noexcept;

/// How many of `side` lines go into a panel, at most `most`, so that the panels of `others` times as many divide evenly
/// among `threads`. Pure.
constexpr std::size_t even_panel(std::size_t side, std::size_t others, std::size_t most, std::size_t threads) noexcept {
  const std::size_t panels = (side + most - 1) / most, rounds = (others * panels + threads - 1) / threads;
  const std::size_t wanted = std::max<std::size_t>(rounds * threads / others, 1);
  return (side + wanted - 1) / wanted;
}

/// call(in offset, in places, out offset, out places, transforms, thread) for each panel: offsets in elements.
/// Transform says how many it takes: takes_all() of the places in the order that `forward` has (the inverse exchanges
/// them), one_by_one(), which asks whether it makes no difference how many go at once, and panel(). Of shape[axis] only
/// shape / shape[axis] counts, so that it may differ in both arrays.
template <class TakesAll, class OneByOne, class Call>
void for_panels(const Shape& shape, std::size_t axis, const std::ptrdiff_t* in, const std::ptrdiff_t* out,
                std::size_t most, TakesAll&& takes_all, OneByOne&& one_by_one, int threads, Call&& call) {
  const std::size_t rank = shape.rank();
  const std::size_t d = rank == 2 && shape[1 - axis] > 1 ? 1 - axis : panel_dimension(shape, axis, in, out);
  // Neighbours go on into dimensions that follow each other in both arrays, so that few vectors are not full.
  std::size_t side = d == axis ? 1 : shape[d];
  std::array<bool, kMaxRank> inside{};
  inside[axis] = inside[d] = true;
  for (std::size_t i = d; d != axis && i-- > 0;) {
    const auto length = static_cast<std::ptrdiff_t>(side);
    if (i == axis || in[i] != length * in[d] || out[i] != length * out[d]) break;
    inside[i] = true;
    side *= shape[i];
  }
  const Places in_places{in[axis], d == axis ? 0 : in[d]};
  const Places out_places{out[axis], d == axis ? 0 : out[d]};
  // Threads share panels.
  const bool all = threads == 1 && takes_all(in_places, out_places);
  std::size_t panel = all ? side : std::min(most, side);
  // One thread counts up its way through the dimensions that are left: the divisions below took half of the time of
  // small arrays.
  if (threads == 1) {
    std::ptrdiff_t in_offset = 0, out_offset = 0;
    const auto all_panels = [&] {
      for (std::size_t begin = 0; begin < side; begin += panel) {
        const auto start = static_cast<std::ptrdiff_t>(begin);
        call(in_offset + start * in_places.next, in_places, out_offset + start * out_places.next, out_places,
             std::min(panel, side - begin), 0);
      }
    };
    if (rank == 2 && d != axis) return all_panels();
    std::array<std::size_t, kMaxRank> index{};
    for (std::size_t i;;) {
      all_panels();
      for (i = rank; i-- > 0;) {
        if (inside[i]) continue;
        in_offset += in[i];
        out_offset += out[i];
        if (++index[i] < shape[i]) break;
        const auto length = static_cast<std::ptrdiff_t>(shape[i]);
        in_offset -= length * in[i];
        out_offset -= length * out[i];
        index[i] = 0;
      }
      if (i > rank) return;  // below 0: all have been counted
    }
  }
  const std::size_t others = shape.elements() / shape[axis] / side;
  if (one_by_one(in_places, out_places)) panel = even_panel(side, others, panel, static_cast<std::size_t>(threads));
  const std::size_t panels = (side + panel - 1) / panel, units = others * panels;
  on_threads(
      static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(threads), units)),
      [&](int thread, int count) {
        const Range mine = share(units, thread, count);
        for (std::size_t unit = mine.begin; unit < mine.end; ++unit) {
          const std::size_t begin = unit % panels * panel;
          std::size_t rest = unit / panels;
          const auto start = static_cast<std::ptrdiff_t>(begin);
          std::ptrdiff_t in_offset = start * in_places.next, out_offset = start * out_places.next;
          for (std::size_t i = rank; i-- > 0;) {
            if (inside[i]) continue;
            const auto index = static_cast<std::ptrdiff_t>(rest % shape[i]);
            rest /= shape[i];
            in_offset += index * in[i];
            out_offset += index * out[i];
          }
          call(in_offset, in_places, out_offset, out_places, std::min(panel, side - begin), thread);
        }
      },
      wake_for(shape.elements()));
}

}  // namespace pawl::fft
