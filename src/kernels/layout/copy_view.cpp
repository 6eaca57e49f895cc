// copy_view.cpp -- a strided copy as a nest of runs that are copied whole, or of matrices that are transposed.
#include "kernels/layout/copy_view.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "kernels/layout/active.hpp"
#include "parallel/parts.hpp"
#include "pawl/isa.hpp"

namespace pawl::detail {
namespace {

struct Dimension {
  std::size_t extent;
  std::ptrdiff_t from, to;  // strides of the source and of the result
};

// Dimensions of the copy, outermost first, without those of extent 1; neighbours that step as one are one.
struct Nest {
  std::array<Dimension, kMaxRank> dimensions;  // those from rank on are nobody's
  std::size_t rank = 0;

  void remove(std::size_t d) {
    std::copy(dimensions.begin() + static_cast<std::ptrdiff_t>(d) + 1,
              dimensions.begin() + static_cast<std::ptrdiff_t>(rank),
              dimensions.begin() + static_cast<std::ptrdiff_t>(d));
    --rank;
  }
};

Nest nest_of(const Shape& shape, const Strides& from, const Strides& to) {
  Nest nest;
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    if (shape[d] == 1) continue;
    const auto extent = static_cast<std::ptrdiff_t>(shape[d]);
    if (nest.rank > 0) {
      Dimension& outer = nest.dimensions[nest.rank - 1];
      if (outer.from == from[d] * extent && outer.to == to[d] * extent) {
        outer = {outer.extent * shape[d], from[d], to[d]};
        continue;
      }
    }
    nest.dimensions[nest.rank++] = {shape[d], from[d], to[d]};
  }
  return nest;
}

// leaf(source, out) for every combination of indices of the dimensions from `d` on.
template <class T, class Leaf>
void for_each(const Nest& nest, std::size_t d, const T* from, T* to, const Leaf& leaf) {
  if (d == nest.rank) return leaf(from, to);
  const Dimension& dimension = nest.dimensions[d];
  for (std::size_t i = 0; i < dimension.extent; ++i, from += dimension.from, to += dimension.to)
    for_each(nest, d + 1, from, to, leaf);
}

// Pairs of f32 that stay together while their neighbours change (a transposition of complex numbers) are moved as one
// f64 each: 50 x 40 of them take 0.30 us so, 2.9 by rows of two (Zen 4). Returns whether they were.
bool transpose_pairs(Nest nest, const float* from, float* to) noexcept {
  const auto even = [](std::ptrdiff_t step) { return step % 2 == 0; };
  std::size_t pair = nest.rank, along = nest.rank, across = nest.rank;
  for (std::size_t d = 0; d < nest.rank; ++d) {
    const Dimension& dimension = nest.dimensions[d];
    if (dimension.extent == 2 && dimension.from == 1 && dimension.to == 1) {
      pair = d;
      continue;
    }
    if (!even(dimension.from) || !even(dimension.to)) return false;
    if (dimension.to == 2) along = d;
    if (dimension.from == 2) across = d;
  }
  const bool aligned = reinterpret_cast<std::uintptr_t>(from) % sizeof(double) == 0 &&
                       reinterpret_cast<std::uintptr_t>(to) % sizeof(double) == 0;
  if (pair == nest.rank || along == nest.rank || across == nest.rank || along == across || !aligned) return false;
  const Dimension rows = nest.dimensions[along], columns = nest.dimensions[across];
  std::array<std::size_t, 3> gone{pair, along, across};
  std::sort(gone.begin(), gone.end(), std::greater<>());
  for (const std::size_t d : gone) nest.remove(d);
  const auto transpose = layout_ops<double>().transpose;
  for_each(nest, 0, from, to, [&](const float* x, float* out) {
    transpose(reinterpret_cast<const double*>(x), rows.from / 2, rows.extent, columns.extent,
              reinterpret_cast<double*>(out), columns.to / 2);
  });
  return true;
}

template <class T>
void copy_alone(const View<const T>& source, T* to, const Strides& strides) noexcept {
  Nest nest = nest_of(source.shape(), source.strides(), strides);
  const T* from = source.data();
  if constexpr (sizeof(T) == sizeof(float))
    if (nest.rank >= 3 && transpose_pairs(nest, from, to)) return;
  // The dimension along which the target (the source) has neighbours; the last one, if there is none.
  std::size_t along = nest.rank, across = nest.rank;
  for (std::size_t d = 0; d < nest.rank; ++d) {
    if (nest.dimensions[d].to == 1) along = d;
    if (nest.dimensions[d].from == 1) across = d;
  }
  if (nest.rank == 0) {
    *to = *from;
    return;
  }
  if (along == nest.rank) along = nest.rank - 1;
  const auto [n, from_step, to_step] = nest.dimensions[along];
  if (across < nest.rank && across != along && to_step == 1) {
    const Dimension columns = nest.dimensions[across];
    nest.remove(std::max(along, across));
    nest.remove(std::min(along, across));
    const auto transpose = layout_ops<T>().transpose;
    return for_each(nest, 0, from, to, [&, rows = n, stride = from_step](const T* x, T* out) {
      transpose(x, stride, rows, columns.extent, out, columns.to);
    });
  }
  nest.remove(along);
  // A call of memcpy costs more than a few elements do: rows up to 2 KiB are copied by one call of ours.
  constexpr std::size_t kShortRow = 2048 / sizeof(T);
  // Longer ones too where the result goes past the caches, which memcpy does for single rows of some MiB only.
  const auto streams = [&, count = n] {
    return nest.dimensions[nest.rank - 1].extent * count * sizeof(T) * sharers > assumed_cache_sizes().l3_bytes;
  };
  if (from_step == 1 && to_step == 1 && n >= 2 && nest.rank > 0 && (n <= kShortRow || streams())) {
    const Dimension rows = nest.dimensions[nest.rank - 1];
    --nest.rank;
    const auto copy_rows = layout_ops<T>().copy_rows;
    return for_each(nest, 0, from, to,
                    [&, count = n](const T* x, T* out) { copy_rows(x, rows.from, rows.extent, count, out, rows.to); });
  }
  if (from_step == 1 && to_step == 1 && n >= 16)
    return for_each(nest, 0, from, to, [bytes = n * sizeof(T)](const T* x, T* out) { std::memcpy(out, x, bytes); });
  if (from_step == 1 && to_step == 1)
    return for_each(nest, 0, from, to, [count = n](const T* x, T* out) {
      constexpr std::size_t kChunk = 16 / sizeof(T);
      std::size_t i = 0;
      for (; i + kChunk <= count; i += kChunk) std::memcpy(out + i, x + i, 16);
      for (; i < count; ++i) out[i] = x[i];
    });
  if (to_step == 1) {
    const Dimension rows = nest.rank > 0 ? nest.dimensions[--nest.rank] : Dimension{1, 0, 0};
    const auto copy_stepped = layout_ops<T>().copy_stepped;
    return for_each(nest, 0, from, to, [&, count = n, step = from_step](const T* x, T* out) {
      copy_stepped(x, rows.from, step, rows.extent, count, out, rows.to);
    });
  }
  for_each(nest, 0, from, to, [count = n, x_step = from_step, out_step = to_step](const T* x, T* out) {
    for (std::size_t i = 0; i < count; ++i, x += x_step, out += out_step) *out = *x;
  });
}

// The dimension whose parts threads take: that of the target's longest steps, if there is an index for each of them.
std::size_t dimension_to_share(const Shape& shape, const Strides& target) noexcept {
  const auto threads = static_cast<std::size_t>(num_threads());
  std::size_t best = 0;
  for (std::size_t d = 1; d < shape.rank(); ++d) {
    const bool enough = shape[d] >= threads, had_enough = shape[best] >= threads;
    if (enough == had_enough ? std::abs(target[d]) > std::abs(target[best]) : enough) best = d;
  }
  return best;
}

}  // namespace

template <class T>
void copy_view(const View<const T>& source, T* to, const Strides& strides) noexcept {
  if (source.elements() == 0) return;
  const std::size_t bytes = 2 * source.elements() * sizeof(T);
  if (bytes < kWorthThreadsBytes || num_threads() == 1 || source.rank() == 0) [[likely]]
    return copy_alone(source, to, strides);
  const std::size_t d = dimension_to_share(source.shape(), strides);
  for_parts(source.shape()[d], bytes, source.rank() == 1 ? kPartGrain : 1, [&](std::size_t begin, std::size_t end) {
    copy_alone(source.slice(d, begin, end), to + static_cast<std::ptrdiff_t>(begin) * strides[d], strides);
  });
}

template <class T>
void copy_view(const View<const T>& source, const View<T>& target) noexcept {
  copy_view(source, target.data(), target.strides());
}

template void copy_view(const View<const float>&, float*, const Strides&) noexcept;
template void copy_view(const View<const double>&, double*, const Strides&) noexcept;
template void copy_view(const View<const float>&, const View<float>&) noexcept;
template void copy_view(const View<const double>&, const View<double>&) noexcept;

}  // namespace pawl::detail
