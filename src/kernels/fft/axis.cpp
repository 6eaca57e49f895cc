// axis.cpp -- see axis.hpp.
#include "kernels/fft/axis.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "kernels/fft/cache.hpp"
#include "kernels/fft/factors.hpp"
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
Axis<T>::Axis(std::size_t n, Isa isa)
    : n_(n), rows_(is_smooth(n) ? n : convolution_length(2 * n - 1)), ops_(fft_ops<T>(isa)) {
  line_ = shared_line<T>(n, isa);
  columns_ = std::make_shared<const Columns<T>>(rows_, ops_);
  if (rows_ != n) chirp_ = std::make_shared<const Chirp<T>>(n, rows_, *exact_line(*shared_line<T>(rows_, isa), rows_));
  constexpr std::size_t kMany = 1024;  // lines
  if (n < std::size(ops_.pairs->lines_of)) lines_of_ = fft_ops<T>(isa_for_lines<T>(kMany, n, isa)).pairs->lines_of[n];
  if (n < std::size(ops_.pairs->across)) across_ = ops_.pairs->across[n];
  const std::size_t w = ops_.lanes, vector_bytes = 2 * w * sizeof(T);
  const std::size_t blocks = 2 * rows_ * kRowBytes;
  const std::size_t row_bytes = blocks > kPanelBytes && 2 * blocks <= kBlocksBytes ? 2 * kRowBytes : kRowBytes;
  vectors_ = std::clamp<std::size_t>(kPanelBytes / (2 * rows_ * vector_bytes),
                                     std::max<std::size_t>(1, row_bytes / vector_bytes), 16);
  block_ = rows_ * vectors_ * 2 * w;
  workspace_ = std::max((chirp_ ? 3 : 2) * block_, line_->workspace_elements());
  // One by one costs a transposition less, but only some ways fill their vectors with a short line.
  const Way way = choose_way(n, ops_).way;
  lines_first_ = way == Way::pairs || n >= (way == Way::finish ? 4 : 32) * w;
  // As many as half of the lanes: 5 lines of 191 points of f32 took 0.32 of the time of a block with 11 empty lanes.
  few_ = std::max<std::size_t>(2, w / 2 + 1);
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
  if (const std::size_t rest = count % w;
      rest > 0 && count > w && !chirp_ && columns_->writes_user() && out_places.next == 1 && in_places.next == 1) {
    const std::size_t whole = count - rest;
    const std::ptrdiff_t next = static_cast<std::ptrdiff_t>(2 * whole);
    run(in, in_places, out, out_places, whole, workspace, swapped, scale);
    run(in + next, in_places, out + next, out_places, rest, workspace, swapped, scale);
    return;
  }
  const std::size_t vectors = (count + w - 1) / w, row = vectors * 2 * w;
  T *const a = workspace, *const b = workspace + block_;
  // Whole vectors come from the user's rows in the first pass and go back in the last one.
  if (!chirp_ && count % w == 0 && out_places.next == 1 && columns_->writes_user()) {
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
  if (!chirp_) {
    store(columns_->run(b, row, vectors, a, b), out, out_places, count, swapped, scale);
    return;
  }
  T* const c = workspace + 2 * block_;
  ops_.multiply_rows(b, n_, vectors, chirp_->factors.data(), b, false, false);
  std::fill(b + n_ * row, b + rows_ * row, T(0));
  const T* result = columns_->run(b, row, vectors, a, b);
  ops_.multiply_rows(result, rows_, vectors, chirp_->kernel.data(), c, false, true);  // now the inverse, by exchange
  result = columns_->run(c, row, vectors, a, b);
  ops_.multiply_rows(result, n_, vectors, chirp_->factors.data(), c, true, false);
  store(c, out, out_places, count, swapped, scale);
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
