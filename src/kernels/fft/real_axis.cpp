// real_axis.cpp -- see real_axis.hpp.
#include "kernels/fft/real_axis.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "isa/datapath.hpp"
#include "kernels/fft/cache.hpp"
#include "kernels/fft/factors.hpp"
#include "kernels/fft/fft_turns.hpp"
#include "kernels/fft/lines.hpp"

namespace pawl::fft {

template <class T>
void RealAxis<T>::add_short(Isa isa) {
  const FftOps<T>& ops = fft_ops<T>(isa);
  const FftReals<T>& reals = *ops.reals;
  if (n_ >= std::size(reals.across) || !reals.across[n_]) return;
  // Time of all lanes of 16, 32 and 64 bytes, most of which goes into parts of 16 bytes: the more numbers, the less. On
  // a Zen 4, which splits 64 bytes; elsewhere these cost what their instructions do.
  constexpr std::size_t kNarrow = 100, kMiddle = 135, kWide = 175, kSplit = 275, kSplitOfMany = 230, kSplitOfMost = 190;
  const std::size_t split = sizeof(T) == 4 || n_ < 10 ? kSplit : n_ < 14 ? kSplitOfMany : kSplitOfMost;
  const std::size_t wide = detail::splits_512_bits ? split : kWide;
  const std::size_t cost = isa == Isa::avx512 ? wide : isa == Isa::avx2 ? kMiddle : kNarrow;
  short_[widths_++] = {
      reals.across[n_], reals.across_inverse[n_], reals.lines_of[n_], reals.lines_inverse[n_], 2 * ops.lanes, cost};
}

// The narrowest vectors that take all, or else the widest. Those of sse2 only where they are full: it has no masks.
template <class T>
const typename RealAxis<T>::Short& RealAxis<T>::for_columns(std::size_t count) const noexcept {
  for (std::size_t i = widths_ - 1; i > 0; --i) {
    const std::size_t lanes = short_[i].lanes;
    if (i == widths_ - 1 ? count == lanes : count <= lanes) return short_[i];
  }
  return short_[0];
}
// All lanes are done whether there are lines for them or not: 20 lines of 4 numbers of f64 took 71 ns by 16, 40 by 4.
template <class T>
const typename RealAxis<T>::Short& RealAxis<T>::for_lines(std::size_t count) const noexcept {
  const Short* best = &short_[0];
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (std::size_t i = 0; i < widths_; ++i) {
    const std::size_t cost = (count + short_[i].lanes - 1) / short_[i].lanes * short_[i].cost;
    if (cost >= least) continue;
    least = cost;
    best = &short_[i];
  }
  return *best;
}

template <class T>
RealAxis<T>::RealAxis(std::size_t n, Isa isa)
    : n_(n), results_(n / 2 + 1), ops_(fft_ops<T>(isa)), line_(shared_real_line<T>(n, isa)) {
  // A CPU that runs one of these runs those behind it.
  add_short(isa);
  if (isa == Isa::avx512) add_short(Isa::avx2);
  if (isa == Isa::avx512 || isa == Isa::avx2) add_short(Isa::sse2);
  least_columns_ = std::max<std::size_t>(2, ops_.lanes / 2);
  // Three quarters of the lanes: 512 x 5 points of f64 took 0.40 of the time of a block with 11 empty lanes of 16,
  // 512 x 20 of f32, 12 empty of 32, 0.8.
  few_ = std::max<std::size_t>(3, 2 * ops_.lanes * 3 / 4 + 1);
  // So few contiguous lines are faster one by one, which costs some 5 ns each, than with most lanes empty: 2 of 12
  // numbers took 0.6 of the time, 4 of 8 0.9, but 4 of 9 1.1 times as long.
  few_lines_ = n < 6 ? 1 : n < 8 ? 2 : n % 2 == 0 ? 4 : 3;
  if (n > 1) pair_line_ = shared_line<T>(n, isa);
  if (n < 2 || !is_smooth(n)) return;
  columns_ = std::make_unique<const Columns<T>>(n, ops_);
  // Both blocks in a 48 KiB L1 where n allows; rows of at least 256 bytes of real numbers.
  constexpr std::size_t kPanelBytes = std::size_t{32} << 10, kRowBytes = 256;
  const std::size_t vector_bytes = 2 * ops_.lanes * sizeof(T);
  vectors_ = std::clamp<std::size_t>(kPanelBytes / (2 * n * vector_bytes),
                                     std::max<std::size_t>(1, kRowBytes / vector_bytes), 16);
  block_ = 2 * results_ * vectors_ * 2 * ops_.lanes;  // results are rows of twice as many vectors
}

// Of more columns than go as lines, those behind whole vectors that do.
template <class T>
std::size_t RealAxis<T>::rest_of(std::size_t count) const noexcept {
  const std::size_t rest = count % (2 * ops_.lanes);
  return count > rest && rest < few_ ? rest : 0;
}

template <class T>
std::size_t RealAxis<T>::workspace_elements() const noexcept {
  const std::size_t one = up_to_line<T>(n_) + up_to_line<T>(2 * results_) + line_->workspace_elements();
  const std::size_t twos = pair_line_ ? up_to_line<T>(few_ * n_) + pair_line_->workspace_elements() : 0;
  return std::max({2 * block_, one, twos});
}

// One transform whose elements are not contiguous.
template <class T>
void RealAxis<T>::one_forward(const T* in, std::ptrdiff_t stride, T* out, std::ptrdiff_t out_stride, T* workspace,
                              T scale) const noexcept {
  T *const reals = workspace, *const results = reals + up_to_line<T>(n_);
  T* const inner = results + up_to_line<T>(2 * results_);
  if (stride != 1) {
    for (std::size_t j = 0; j < n_; ++j) reals[j] = in[static_cast<std::ptrdiff_t>(j) * stride];
    in = reals;
  }
  line_->forward(in, out_stride == 1 ? out : results, inner, scale);
  if (out_stride == 1) return;
  for (std::size_t k = 0; k < results_; ++k) {
    T* const to = out + 2 * static_cast<std::ptrdiff_t>(k) * out_stride;
    to[0] = results[2 * k];
    to[1] = results[2 * k + 1];
  }
}

template <class T>
void RealAxis<T>::one_inverse(const T* in, std::ptrdiff_t stride, T* out, std::ptrdiff_t out_stride, T* workspace,
                              T scale) const noexcept {
  T *const reals = workspace, *const results = reals + up_to_line<T>(n_);
  T* const inner = results + up_to_line<T>(2 * results_);
  if (stride != 1) {
    for (std::size_t k = 0; k < results_; ++k) {
      const T* const from = in + 2 * static_cast<std::ptrdiff_t>(k) * stride;
      results[2 * k] = from[0];
      results[2 * k + 1] = from[1];
    }
    in = results;
  }
  line_->inverse(in, out_stride == 1 ? out : reals, inner, scale);
  if (out_stride == 1) return;
  for (std::size_t j = 0; j < n_; ++j) out[static_cast<std::ptrdiff_t>(j) * out_stride] = reals[j];
}

// Few columns by twos: two of them side by side are a line of pairs, of whose transform the results are told apart. All
// of in and out next to each other.
template <class T>
void RealAxis<T>::paired_forward(const T* in, std::ptrdiff_t stride, T* out, std::ptrdiff_t out_stride,
                                 std::size_t count, T* workspace, T scale) const noexcept {
  const std::size_t twos = count / 2, line = 2 * n_;
  T *const lines = workspace, *const inner = lines + up_to_line<T>(twos * line);
  const T* source = in;
  if (twos > 1 || stride != 2) {
    ops_.turns->turn_pairs(in, stride, n_, twos, lines, static_cast<std::ptrdiff_t>(line));
    source = lines;
  }
  for (std::size_t i = 0; i < twos; ++i) {
    pair_line_->run(source + i * line, lines + i * line, inner, false, T(1));
    ops_.turns->split_paired(lines + i * line, n_, out + 4 * i, 2 * out_stride, scale);
  }
  if (count % 2 != 0) one_forward(in + count - 1, stride, out + 2 * (count - 1), out_stride, workspace, scale);
}

template <class T>
void RealAxis<T>::paired_inverse(const T* in, std::ptrdiff_t stride, T* out, std::ptrdiff_t out_stride,
                                 std::size_t count, T* workspace, T scale) const noexcept {
  const std::size_t twos = count / 2, line = 2 * n_;
  T *const lines = workspace, *const inner = lines + up_to_line<T>(twos * line);
  const bool dense = twos == 1 && out_stride == 2;
  for (std::size_t i = 0; i < twos; ++i) {
    ops_.turns->join_paired(in + 4 * i, 2 * stride, n_, lines + i * line);
    pair_line_->run(lines + i * line, dense ? out : lines + i * line, inner, true, scale);
  }
  if (!dense) ops_.turns->turn_pairs(lines, static_cast<std::ptrdiff_t>(line), twos, n_, out, out_stride);
  if (count % 2 != 0) one_inverse(in + 2 * (count - 1), stride, out + count - 1, out_stride, workspace, scale);
}

template <class T>
void RealAxis<T>::load(const T* in, const Places& places, std::size_t count, T* block) const noexcept {
  const std::size_t w = ops_.lanes, row = (count + 2 * w - 1) / (2 * w) * 2 * w;
  if (places.next == 1 && places.stride > 0) {
    ops_.load_reals(in, static_cast<std::size_t>(places.stride), n_, count, block, row);
  } else if (places.stride == 1) {
    for (std::size_t c = 0; c < count; c += 2 * w)
      ops_.reals->load_lines(in + static_cast<std::ptrdiff_t>(c) * places.next, places.next, std::min(2 * w, count - c),
                             n_, block + c, row);
  } else {  // no two elements are neighbours
    for (std::size_t j = 0; j < n_; ++j)
      for (std::size_t c = 0; c < row; ++c)
        block[j * row + c] = in[static_cast<std::ptrdiff_t>(j) * places.stride +
                                static_cast<std::ptrdiff_t>(std::min(c, count - 1)) * places.next];
  }
}

// From a block whose parts have changed places.
template <class T>
void RealAxis<T>::store(const T* block, T* out, const Places& places, std::size_t count, T scale) const noexcept {
  const std::size_t w = ops_.lanes, row = (count + 2 * w - 1) / (2 * w) * 2 * w;
  if (places.next == 1 && places.stride > 0) {
    ops_.store_reals(block, row, n_, count, out, static_cast<std::size_t>(places.stride), scale);
  } else if (places.stride == 1) {
    for (std::size_t c = 0; c < count; c += 2 * w)
      ops_.reals->store_lines(block + c, row, n_, std::min(2 * w, count - c),
                              out + static_cast<std::ptrdiff_t>(c) * places.next, places.next, scale);
  } else {
    for (std::size_t j = 0; j < n_; ++j)
      for (std::size_t c = 0; c < count; ++c)
        out[static_cast<std::ptrdiff_t>(j) * places.stride + static_cast<std::ptrdiff_t>(c) * places.next] =
            block[j * row + (c / w % 2 == 0 ? c + w : c - w)] * scale;
  }
}

template <class T>
void RealAxis<T>::load_results(const T* in, const Places& places, std::size_t count, T* block) const noexcept {
  const std::size_t w = ops_.lanes, row = (count + 2 * w - 1) / (2 * w) * 4 * w;
  if (places.next == 1) {
    ops_.load_rows(in, 2 * places.stride, results_, count, block, row, false);
    if (const std::size_t filled = (count + w - 1) / w * 2 * w; filled < row)
      for (std::size_t k = 0; k < results_; ++k) std::fill_n(block + k * row + filled, row - filled, T(0));
    return;
  }
  if (places.stride == 1) {
    for (std::size_t c = 0; c < row / 2; c += w) {
      const std::size_t first = std::min(c, count - 1);
      ops_.load_lines(in + 2 * static_cast<std::ptrdiff_t>(first) * places.next, 2 * places.next,
                      std::min(w, count - first), results_, block + 2 * c, row, false);
    }
    return;
  }
  for (std::size_t k = 0; k < results_; ++k)
    for (std::size_t c = 0; c < row / 2; ++c) {
      T* const to = block + k * row + c / w * 2 * w + c % w;
      const T* const from = in + 2 * (static_cast<std::ptrdiff_t>(k) * places.stride +
                                      static_cast<std::ptrdiff_t>(std::min(c, count - 1)) * places.next);
      to[0] = from[0];
      to[w] = from[1];
    }
}

template <class T>
void RealAxis<T>::store_results(const T* block, T* out, const Places& places, std::size_t count) const noexcept {
  const std::size_t w = ops_.lanes, row = (count + 2 * w - 1) / (2 * w) * 4 * w;
  if (places.next == 1) {
    ops_.store_rows(block, row, results_, count, out, 2 * places.stride, false, T(1), false);
    return;
  }
  if (places.stride == 1) {
    for (std::size_t c = 0; c < count; c += w)
      ops_.store_lines(block + 2 * c, row, results_, std::min(w, count - c),
                       out + 2 * static_cast<std::ptrdiff_t>(c) * places.next, 2 * places.next, false, T(1));
    return;
  }
  for (std::size_t k = 0; k < results_; ++k)
    for (std::size_t c = 0; c < count; ++c) {
      const T* const from = block + k * row + c / w * 2 * w + c % w;
      T* const to =
          out + 2 * (static_cast<std::ptrdiff_t>(k) * places.stride + static_cast<std::ptrdiff_t>(c) * places.next);
      to[0] = from[0];
      to[1] = from[w];
    }
}

template <class T>
void RealAxis<T>::forward(const T* in, const Places& reals, T* out, const Places& results, std::size_t count,
                          T* workspace, T scale) const noexcept {
  if (reals.stride == 1 && results.stride == 1) {
    if (is_short_for_lines(count)) return for_lines(count).lines(in, reals.next, out, 2 * results.next, count, scale);
    for (std::size_t c = 0; c < count; ++c, in += reals.next, out += 2 * results.next)
      line_->forward(in, out, workspace, scale);
    return;
  }
  if (widths_ > 0 && reals.next == 1 && results.next == 1)
    return for_columns(count).across(in, reals.stride, out, 2 * results.stride, count, scale);
  if (pair_line_ && count > 1 && reals.next == 1 && results.next == 1) {
    if (count < few_) return paired_forward(in, reals.stride, out, results.stride, count, workspace, scale);
    if (const std::size_t rest = rest_of(count); rest > 0) {
      forward(in, reals, out, results, count - rest, workspace, scale);
      return forward(in + count - rest, reals, out + 2 * (count - rest), results, rest, workspace, scale);
    }
  }
  if (!columns_ || count < least_columns_) {
    for (std::size_t c = 0; c < count; ++c, in += reals.next, out += 2 * results.next)
      one_forward(in, reals.stride, out, results.stride, workspace, scale);
    return;
  }
  const std::size_t w = ops_.lanes, vectors = (count + 2 * w - 1) / (2 * w), row = vectors * 2 * w;
  T *const a = workspace, *const b = workspace + block_;
  load(in, reals, count, b);
  const T* const transformed = columns_->run(b, row, vectors, a, b);
  T* const split = transformed == a ? b : a;
  ops_.reals->split_columns(transformed, row, n_, vectors, split, 2 * row, scale);
  store_results(split, out, results, count);
}

template <class T>
void RealAxis<T>::inverse(const T* in, const Places& results, T* out, const Places& reals, std::size_t count,
                          T* workspace, T scale) const noexcept {
  if (reals.stride == 1 && results.stride == 1) {
    if (is_short_for_lines(count))
      return for_lines(count).lines_inverse(in, 2 * results.next, out, reals.next, count, scale);
    for (std::size_t c = 0; c < count; ++c, in += 2 * results.next, out += reals.next)
      line_->inverse(in, out, workspace, scale);
    return;
  }
  if (widths_ > 0 && !one_pair_back(count) && reals.next == 1 && results.next == 1)
    return for_columns(count).across_inverse(in, 2 * results.stride, out, reals.stride, count, scale);
  if (pair_line_ && count > 1 && reals.next == 1 && results.next == 1) {
    if (count < few_) return paired_inverse(in, results.stride, out, reals.stride, count, workspace, scale);
    if (const std::size_t rest = rest_of(count); rest > 0) {
      inverse(in, results, out, reals, count - rest, workspace, scale);
      return inverse(in + 2 * (count - rest), results, out + count - rest, reals, rest, workspace, scale);
    }
  }
  if (!columns_ || count < least_columns_) {
    for (std::size_t c = 0; c < count; ++c, in += 2 * results.next, out += reals.next)
      one_inverse(in, results.stride, out, reals.stride, workspace, scale);
    return;
  }
  const std::size_t w = ops_.lanes, vectors = (count + 2 * w - 1) / (2 * w), row = vectors * 2 * w;
  T *const a = workspace, *const b = workspace + block_;
  load_results(in, results, count, a);
  ops_.reals->join_halves(a, 2 * row, n_, vectors, b, row);
  store(columns_->run(b, row, vectors, a, b), out, reals, count, scale);
}

template <class T>
std::shared_ptr<const RealAxis<T>> shared_real_axis(std::size_t n, Isa isa) {
  static auto& cache = *new Cache<std::pair<std::size_t, Isa>, RealAxis<T>>;  // never destroyed, as in lines.cpp
  return cache.get({n, isa}, [&] { return std::make_shared<const RealAxis<T>>(n, isa); });
}

template class RealAxis<float>;
template class RealAxis<double>;
template std::shared_ptr<const RealAxis<float>> shared_real_axis(std::size_t, Isa);
template std::shared_ptr<const RealAxis<double>> shared_real_axis(std::size_t, Isa);

}  // namespace pawl::fft
