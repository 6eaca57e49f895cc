// copy_view.cpp -- a strided copy as a nest of runs that are copied whole, or of matrices that are transposed.
#include "kernels/layout/copy_view.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "isa/streaming.hpp"
#include "kernels/layout/active.hpp"
#include "parallel/parts.hpp"

namespace pawl::detail {
namespace {

// Dimensions of a copy, innermost first, without those of extent 1; neighbours that step as one are one. An array for
// each property: structures that are copied whole are read by vectors just after their parts were stored, which waits
// for the stores (a copy of 2 x 1 elements took 18 ns; Zen 5).
struct Nest {
  std::array<std::size_t, kMaxRank> extent;       // the first `rank` of each are set
  std::array<std::ptrdiff_t, kMaxRank> from, to;  // strides of the source and of the result
  std::size_t rank = 0;

  void add(std::size_t n, std::ptrdiff_t by_from, std::ptrdiff_t by_to) {
    extent[rank] = n;
    from[rank] = by_from;
    to[rank] = by_to;
    ++rank;
  }
  /// The others than these.
  template <class... Dimensions>
  Nest without(Dimensions... gone) const {
    Nest rest;
    for (std::size_t d = 0; d < rank; ++d)
      if (((d != gone) && ...)) rest.add(extent[d], from[d], to[d]);
    return rest;
  }
};

Nest nest_of(const Shape& shape, const Strides& from, const Strides& to) {
  Nest nest;
  std::size_t extent = 1;  // of the dimension that may still grow
  std::ptrdiff_t from_step = 1, to_step = 1;
  for (std::size_t d = shape.rank(); d-- > 0;) {
    const std::size_t next = shape[d];
    if (next == 1) continue;
    const auto whole = static_cast<std::ptrdiff_t>(extent);
    if (extent != 1 && from[d] == from_step * whole && to[d] == to_step * whole) {
      extent *= next;
      continue;
    }
    if (extent != 1) nest.add(extent, from_step, to_step);
    extent = next;
    from_step = from[d];
    to_step = to[d];
  }
  if (extent != 1) nest.add(extent, from_step, to_step);
  return nest;
}

// leaf(source, out) for every combination of indices of the dimensions from d - 1 down to `inner`.
template <class T, class Leaf>
void for_each(const Nest& nest, std::size_t d, std::size_t inner, const T* from, T* to, const Leaf& leaf) {
  if (d <= inner) return leaf(from, to);
  for (std::size_t i = 0; i < nest.extent[d - 1]; ++i, from += nest.from[d - 1], to += nest.to[d - 1])
    for_each(nest, d - 1, inner, from, to, leaf);
}
template <class T, class Leaf>
void for_each(const Nest& nest, const T* from, T* to, const Leaf& leaf) {
  for_each(nest, nest.rank, 0, from, to, leaf);
}

// Pairs of f32 that stay together while their neighbours change (a transposition of complex numbers) are moved as one
// f64 each: 50 x 40 of them take 0.30 us so, 2.9 by rows of two (Zen 4). Returns whether they were.
bool transpose_pairs(const Nest& nest, const float* from, float* to) noexcept {
  const auto even = [](std::ptrdiff_t step) { return step % 2 == 0; };
  std::size_t pair = nest.rank, along = nest.rank, across = nest.rank;
  for (std::size_t d = 0; d < nest.rank; ++d) {
    if (nest.extent[d] == 2 && nest.from[d] == 1 && nest.to[d] == 1) {
      pair = d;
      continue;
    }
    if (!even(nest.from[d]) || !even(nest.to[d])) return false;
    if (nest.to[d] == 2) along = d;
    if (nest.from[d] == 2) across = d;
  }
  const bool aligned = reinterpret_cast<std::uintptr_t>(from) % sizeof(double) == 0 &&
                       reinterpret_cast<std::uintptr_t>(to) % sizeof(double) == 0;
  if (pair == nest.rank || along == nest.rank || across == nest.rank || along == across || !aligned) return false;
  const auto transpose = layout_ops<double>().transpose;
  for_each(nest.without(pair, along, across), from, to, [&](const float* x, float* out) {
    transpose(reinterpret_cast<const double*>(x), nest.from[along] / 2, nest.extent[along], nest.extent[across],
              reinterpret_cast<double*>(out), nest.to[across] / 2);
  });
  return true;
}

// n neighbours. A call of memcpy costs more than a few elements do, and goes past the caches for more than the L3 of a
// server only.
template <class T>
void copy_run(const T* x, T* out, std::size_t n) noexcept {
  constexpr std::size_t kChunk = 16 / sizeof(T), kLarge = std::size_t{1} << 20;
  if (n >= kLarge && worth_streaming_bytes(2 * n * sizeof(T) * sharers)) [[unlikely]]
    return layout_ops<T>().copy_rows(x, 0, 1, n, out, 0);
  if (n >= 16) {
    std::memcpy(out, x, n * sizeof(T));
    return;
  }
  std::size_t i = 0;
  for (; i + kChunk <= n; i += kChunk) std::memcpy(out + i, x + i, 16);
  for (; i < n; ++i) out[i] = x[i];
}

template <class T>
void copy_alone(const View<const T>& source, T* to, const Strides& strides) noexcept {
  const Nest nest = nest_of(source.shape(), source.strides(), strides);
  const T* from = source.data();
  if (nest.rank == 1 && nest.from[0] == 1 && nest.to[0] == 1) return copy_run(from, to, nest.extent[0]);
  if (nest.rank == 0) {
    *to = *from;
    return;
  }
  if constexpr (sizeof(T) == sizeof(float))
    if (nest.rank >= 3 && transpose_pairs(nest, from, to)) return;
  // The dimension along which the target (the source) has neighbours; the innermost one, if there is none.
  std::size_t along = nest.rank, across = nest.rank;
  for (std::size_t d = nest.rank; d-- > 0;) {
    if (nest.to[d] == 1) along = d;
    if (nest.from[d] == 1) across = d;
  }
  if (along == nest.rank) along = 0;
  const std::size_t n = nest.extent[along];
  const std::ptrdiff_t from_step = nest.from[along], to_step = nest.to[along];
  if (across < nest.rank && across != along && to_step == 1) {
    const auto transpose = layout_ops<T>().transpose;
    return for_each(nest.without(along, across), from, to,
                    [=, columns = nest.extent[across], out_stride = nest.to[across]](const T* x, T* out) {
                      transpose(x, from_step, n, columns, out, out_stride);
                    });
  }
  // What is left are rows, and what is around them.
  const Nest rest = nest.without(along);
  const bool has_rows = rest.rank > 0;
  const std::size_t rows = has_rows ? rest.extent[0] : 1;
  const std::ptrdiff_t from_row = has_rows ? rest.from[0] : 0, to_row = has_rows ? rest.to[0] : 0;
  // Rows up to 2 KiB are copied by one call of ours.
  constexpr std::size_t kShortRow = 2048 / sizeof(T);
  // Longer ones too where the result goes past the caches, which memcpy does for single rows of some MiB only.
  const auto streams = [=] { return rows * n * sizeof(T) * sharers > kept_in_l3(); };
  if (from_step == 1 && to_step == 1 && n >= 2 && has_rows && (n <= kShortRow || streams())) {
    const auto copy_rows = layout_ops<T>().copy_rows;
    return for_each(rest, rest.rank, 1, from, to,
                    [=](const T* x, T* out) { copy_rows(x, from_row, rows, n, out, to_row); });
  }
  if (from_step == 1 && to_step == 1) return for_each(rest, from, to, [=](const T* x, T* out) { copy_run(x, out, n); });
  if (to_step == 1) {
    const auto copy_stepped = layout_ops<T>().copy_stepped;
    return for_each(rest, rest.rank, 1, from, to,
                    [=](const T* x, T* out) { copy_stepped(x, from_row, from_step, rows, n, out, to_row); });
  }
  for_each(rest, from, to, [=](const T* x, T* out) {
    for (std::size_t i = 0; i < n; ++i, x += from_step, out += to_step) *out = *x;
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
