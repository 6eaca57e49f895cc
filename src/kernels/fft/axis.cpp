// axis.cpp -- see axis.hpp.
#include "kernels/fft/axis.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "kernels/fft/aligned_array.hpp"
#include "kernels/fft/cache.hpp"
#include "kernels/fft/factors.hpp"
#include "kernels/fft/fft_turns.hpp"
#include "kernels/fft/isa_choice.hpp"
#include "kernels/fft/lines.hpp"

namespace pawl::fft {
namespace {

// The blocks of a panel together, so that they stay in a 48 KiB L1 where n allows.
constexpr std::size_t kPanelBytes = std::size_t{32} << 10;
// Rows of a panel are at least this long: whole runs of cache lines, which the prefetchers follow. Twice as long where
// both blocks are too large for L1 anyway, but then take no more than half of a 1 MiB L2: columns of 512 x 512
// took 1.13 times as long otherwise, those of 1000 x 1000 0.9 times.
constexpr std::size_t kRowBytes = 256;
constexpr std::size_t kBlocksBytes = std::size_t{512} << 10;

}  // namespace

template <class T>
Axis<T>::Axis(std::size_t n, Isa isa) : n_(n), ops_(fft_ops<T>(isa)), line_(shared_line<T>(n, isa)) {
  if (is_smooth(n)) columns_ = std::make_shared<const Columns<T>>(n, ops_);
  constexpr std::size_t kMany = 1024;  // lines
  if (n < std::size(ops_.pairs->lines_of)) lines_of_ = fft_ops<T>(isa_for_lines<T>(kMany, n, isa)).pairs->lines_of[n];
  if (n < std::size(ops_.pairs->across)) across_ = ops_.pairs->across[n];
  const std::size_t w = ops_.lanes, vector_bytes = 2 * w * sizeof(T);
  const std::size_t blocks = 2 * n * kRowBytes;
  const std::size_t row_bytes = blocks > kPanelBytes && 2 * blocks <= kBlocksBytes ? 2 * kRowBytes : kRowBytes;
  vectors_ = std::clamp<std::size_t>(kPanelBytes / (2 * n * vector_bytes),
                                     std::max<std::size_t>(1, row_bytes / vector_bytes), 16);
  block_ = n * vectors_ * 2 * w;
  workspace_ = block_ + std::max(block_, line_->workspace_elements());
  // One by one costs a transposition less, but only some ways fill their vectors with a short line.
  const Way way = choose_way(n, ops_).way;
  lines_first_ = way == Way::pairs || way == Way::halves || n >= (way == Way::finish ? 4 : 32) * w;
  // As many as half of the lanes: 5 lines of 191 points of f32 took 0.32 of the time of a block with 11 empty lanes.
  few_ = std::max<std::size_t>(2, w / 2 + 1);
  // Columns, turned on their way: 512 x 2 points of f64 took 0.28 of the time of a block with 6 empty lanes of 8,
  // 1920 x 7 of f32 0.53, 1920 x 13 of 16 lanes 0.95. Convolutions are always faster one by one (577 x 16: 0.45).
  few_columns_ = columns_ ? std::max<std::size_t>(2, 7 * w / 8) : std::numeric_limits<std::size_t>::max();
}

template <class T>
void Axis<T>::load(const T* in, Places places, std::size_t count, T* block, bool swapped) const noexcept {
  const std::size_t w = ops_.lanes, row = (count + w - 1) / w * 2 * w;
  if (places.next == 1) {
    ops_.load_rows(in, 2 * places.stride, n_, count, block, row, swapped);
  } else if (places.stride == 1) {
    for (std::size_t c = 0; c < count; c += w)
      ops_.load_lines(in + 2 * static_cast<std::ptrdiff_t>(c) * places.next, 2 * places.next, std::min(w, count - c),
                      n_, block + 2 * c, row, swapped);
  } else {  // no two elements are neighbours
    for (std::size_t j = 0; j < n_; ++j)
      for (std::size_t c = 0; c < row / 2; ++c) {
        T* const to = block + j * row + c / w * 2 * w + c % w;
        const T* const from = in + 2 * (static_cast<std::ptrdiff_t>(j) * places.stride +
                                        static_cast<std::ptrdiff_t>(std::min(c, count - 1)) * places.next);
        to[0] = from[swapped];
        to[w] = from[!swapped];
      }
  }
}

template <class T>
void Axis<T>::store(const T* block, T* out, Places places, std::size_t count, bool swapped, T scale) const noexcept {
  const std::size_t w = ops_.lanes, row = (count + w - 1) / w * 2 * w;
  if (places.next == 1) {
    ops_.store_rows(block, row, n_, count, out, 2 * places.stride, swapped, scale, false);
  } else if (places.stride == 1) {
    for (std::size_t c = 0; c < count; c += w)
      ops_.store_lines(block + 2 * c, row, n_, std::min(w, count - c),
                       out + 2 * static_cast<std::ptrdiff_t>(c) * places.next, 2 * places.next, swapped, scale);
  } else {
    for (std::size_t j = 0; j < n_; ++j)
      for (std::size_t c = 0; c < count; ++c) {
        const T* const from = block + j * row + c / w * 2 * w + c % w;
        T* const to =
            out + 2 * (static_cast<std::ptrdiff_t>(j) * places.stride + static_cast<std::ptrdiff_t>(c) * places.next);
        to[swapped] = from[0] * scale;
        to[!swapped] = from[w] * scale;
      }
  }
}

// As lines: those of columns are turned on their way in, those to columns on their way out. Where no two elements are
// neighbours they are gathered one by one.
template <class T>
void Axis<T>::run_turned(const T* in, const Places& in_places, T* out, const Places& out_places, std::size_t count,
                         T* workspace, bool swapped, T scale) const noexcept {
  const bool from_lines = in_places.stride == 1, to_lines = out_places.stride == 1;
  const auto n = static_cast<std::ptrdiff_t>(n_), lines_count = static_cast<std::ptrdiff_t>(count);
  T* const lines = to_lines ? out : workspace;
  const std::ptrdiff_t distance = to_lines ? 2 * out_places.next : 2 * n;
  T* const inner = to_lines ? workspace : workspace + up_to_line<T>(2 * n_ * count);
  const T* source = in;
  std::ptrdiff_t source_distance = 2 * in_places.next;
  if (!from_lines) {
    if (in_places.next == 1)
      ops_.turns->turn_pairs(in, 2 * in_places.stride, n_, count, lines, distance);
    else
      for (std::ptrdiff_t c = 0; c < lines_count; ++c)
        for (std::ptrdiff_t j = 0; j < n; ++j)
          std::copy_n(in + 2 * (c * in_places.next + j * in_places.stride), 2, lines + c * distance + 2 * j);
    source = lines;
    source_distance = distance;
  }
  for (std::ptrdiff_t c = 0; c < lines_count; ++c)
    line_->run(source + c * source_distance, lines + c * distance, inner, swapped, scale);
  if (to_lines) return;
  if (out_places.next == 1)
    ops_.turns->turn_pairs(lines, distance, count, n_, out, 2 * out_places.stride);
  else
    for (std::ptrdiff_t c = 0; c < lines_count; ++c)
      for (std::ptrdiff_t j = 0; j < n; ++j)
        std::copy_n(lines + c * distance + 2 * j, 2, out + 2 * (c * out_places.next + j * out_places.stride));
}

template <class T>
void Axis<T>::run(const T* in, const Places& in_places, T* out, const Places& out_places, std::size_t count,
                  T* workspace, bool swapped, T scale) const noexcept {
  const std::size_t w = ops_.lanes;
  if (in_places.stride == 1 && out_places.stride == 1 && lines_of_) {
    lines_of_(in, 2 * in_places.next, out, 2 * out_places.next, count, swapped, scale);
    return;
  }
  if (across_ && in_places.next == 1 && out_places.next == 1) {
    across_(in, 2 * in_places.stride, out, 2 * out_places.stride, count, swapped, scale);
    return;
  }
  if (in_places.stride == 1 && out_places.stride == 1 && (lines_first_ || count < few_)) {
    for (std::size_t c = 0; c < count; ++c)
      line_->run(in + 2 * static_cast<std::ptrdiff_t>(c) * in_places.next,
                 out + 2 * static_cast<std::ptrdiff_t>(c) * out_places.next, workspace, swapped, scale);
    return;
  }
  const bool from_columns = in_places.next == 1, to_columns = out_places.next == 1;
  if (across_ && from_columns && out_places.stride == 1) {
    T* const rows = workspace;
    const auto row = static_cast<std::ptrdiff_t>(2 * count);
    across_(in, 2 * in_places.stride, rows, row, count, swapped, scale);
    ops_.turns->turn_pairs(rows, row, n_, count, out, 2 * out_places.next);
    return;
  }
  if (across_ && in_places.stride == 1 && to_columns) {
    ops_.turns->turn_pairs(in, 2 * in_places.next, count, n_, out, 2 * out_places.stride);
    across_(out, 2 * out_places.stride, out, 2 * out_places.stride, count, swapped, scale);
    return;
  }
  if (count < few_columns_) {
    run_turned(in, in_places, out, out_places, count, workspace, swapped, scale);
    return;
  }
  if (const std::size_t rest = count % w;
      rest > 0 && count > w && columns_->writes_user() && out_places.next == 1 && in_places.next == 1) {
    const std::size_t whole = count - rest;
    const std::ptrdiff_t next = static_cast<std::ptrdiff_t>(2 * whole);
    run(in, in_places, out, out_places, whole, workspace, swapped, scale);
    run(in + next, in_places, out + next, out_places, rest, workspace, swapped, scale);
    return;
  }
  const std::size_t vectors = (count + w - 1) / w, row = vectors * 2 * w;
  T *const a = workspace, *const b = workspace + block_;
  // Whole vectors come from the user's rows in the first pass and go back in the last one.
  if (count % w == 0 && out_places.next == 1 && columns_->writes_user()) {
    const typename Columns<T>::UserRows rows{out, 2 * out_places.stride, swapped, scale};
    if (in_places.next == 1 && in_places.stride > 0 && columns_->reads_user()) {
      columns_->run_through(in, static_cast<std::size_t>(2 * in_places.stride), vectors, a, b, swapped, rows);
    } else {
      load(in, in_places, count, b, swapped);
      columns_->run_to_user(b, row, vectors, a, b, rows);
    }
    return;
  }
  load(in, in_places, count, b, swapped);
  store(columns_->run(b, row, vectors, a, b), out, out_places, count, swapped, scale);
}

template <class T>
std::shared_ptr<const Axis<T>> shared_axis(std::size_t n, Isa isa) {
  static auto& cache = *new Cache<std::pair<std::size_t, Isa>, Axis<T>>;  // never destroyed, as in lines.cpp
  return cache.get({n, isa}, [&] { return std::make_shared<const Axis<T>>(n, isa); });
}

template class Axis<float>;
template class Axis<double>;
template std::shared_ptr<const Axis<float>> shared_axis(std::size_t, Isa);
template std::shared_ptr<const Axis<double>> shared_axis(std::size_t, Isa);

}  // namespace pawl::fft
