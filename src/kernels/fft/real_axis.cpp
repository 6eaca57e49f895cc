// real_axis.cpp -- see real_axis.hpp.
#include "kernels/fft/real_axis.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>

#include "isa/datapath.hpp"
#include "kernels/fft/cache.hpp"
#include "kernels/fft/dense_places.hpp"
#include "kernels/fft/factors.hpp"
#include "kernels/fft/lines.hpp"

namespace pawl::fft {

namespace {

// Fewer columns than this are faster as lines than in vectors with empty lanes, on a Zen 4: 2 x 60 numbers of f32 took
// 0.8 of the time of a vector of 8, 2 x 512 0.25, 4 x 512 0.65, but 4 x 81 1.5 times as long; 3 x 375 of f64 1.9 times.
template <class T>
std::size_t few_columns(std::size_t n) noexcept {
  const bool f32 = sizeof(T) == 4;
  if (n % 2 != 0) {
    if (n >= 1536) return f32 ? 8 : 6;
    return !f32 || n < 99 ? 3 : n < 150 ? 4 : 5;
  }
  if (n < 64) return 3;
  if (f32) return n < 768 ? 5 : n < 1536 ? 6 : 8;
  return n < 256 ? 3 : n < 1536 ? 4 : 6;
}

// Lengths that are a prime without a way of few sums.
constexpr bool has_large_sums(std::size_t n) noexcept { return n == 11 || n == 13; }

// RealAxis::Short::cost of vectors of 32 bytes where those of 16 bytes are 100, on a Zen 4.
template <class T>
std::size_t middle_of_split(std::size_t n) noexcept {
  constexpr std::size_t kOthers = 150, kLargeSums = 99;
  constexpr std::uint8_t kF32[] = {0, 0, 187, 190, 170}, kF64[] = {0, 0, 175, 190, 180, 160, 165, 150, 175};
  if (has_large_sums(n)) return kLargeSums;
  if constexpr (sizeof(T) == 4)
    return n < std::size(kF32) ? kF32[n] : kOthers;
  else
    return n < std::size(kF64) ? kF64[n] : kOthers;
}

}  // namespace

template <class T>
void RealAxis<T>::add_short(Isa isa) {
  const FftOps<T>& ops = fft_ops<T>(isa);
  const FftReals<T>& reals = *ops.reals;
  if (n_ >= std::size(reals.across) || !reals.across[n_]) return;
  // Time of all lanes of 16, 32 and 64 bytes, most of which goes into parts of 16 bytes: the fewer sums a number takes,
  // the more. On a Zen 4, which splits 64 bytes; elsewhere these cost what their instructions do.
  constexpr std::size_t kNarrow = 100, kMiddle = 135, kWide = 175;
  const bool split = detail::splits_512_bits;
  const std::size_t middle = split ? middle_of_split<T>(n_) : kMiddle;
  const std::size_t wide = split ? std::max<std::size_t>(330, middle * 11 / 5) : kWide;
  const std::size_t cost = isa == Isa::avx512 ? wide : isa == Isa::avx2 ? middle : kNarrow;
  short_[widths_++] = {
      reals.across[n_], reals.across_inverse[n_], reals.lines_of[n_], reals.lines_inverse[n_], ops.lanes, cost};
}

// The narrowest vectors that take all, or else the widest. Those of sse2 only where they are full, since it has no
// masks, and there is no large sum, since it has no FMA. But of the inverse, whose real numbers are stored in pieces,
// with vectors half as wide where some of these would be left over: on a Zen 4 9 to 15 columns of f32 took 0.7 to
// 0.95 of the time, 5 and 7 of f64 0.7 to 0.95, two of f32 in vectors of sse2 0.7 to 0.97.
template <class T>
const typename RealAxis<T>::Short& RealAxis<T>::for_columns(std::size_t count, bool inverse) const noexcept {
  const bool large_sums = has_large_sums(n_), f32 = sizeof(T) == 4;
  const std::size_t narrowest = widths_ - 1;
  if (inverse && detail::splits_512_bits) {
    if (f32 && count == 2 && !large_sums) return short_[narrowest];
    const bool pieces = count % 2 != 0 || (f32 && n_ < 9);
    if (widths_ == 3 && count > short_[1].lanes && count < short_[0].lanes && pieces) return short_[1];
  }
  for (std::size_t i = narrowest; i > 0; --i) {
    const std::size_t lanes = short_[i].lanes;
    if (i == narrowest ? count == lanes && !large_sums : count <= lanes) return short_[i];
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
    : n_(n),
      results_(n / 2 + 1),
      line_elements_(up_to_line<T>(n)),
      ops_(fft_ops<T>(isa)),
      line_(shared_real_line<T>(n, isa)) {
  // A CPU that runs one of these runs those behind it.
  add_short(isa);
  if (isa == Isa::avx512) add_short(Isa::avx2);
  if (isa == Isa::avx512 || isa == Isa::avx2) add_short(Isa::sse2);
  few_ = std::min(few_columns<T>(n), std::max<std::size_t>(2, ops_.lanes * 3 / 4 + 1));
  // So few contiguous lines are faster one by one: on a Zen 4 2 of 16 numbers took 0.7 to 0.8 of the time of lanes most
  // of which are empty, of 11 to 14 numbers of f32 0.8 to 1, 3 or 4 of any length and 2 of the others as long or
  // longer.
  few_lines_ = n == 16 || (sizeof(T) == 4 && n >= 11 && n <= 14) ? 2 : 1;
  if (n > 16 && is_smooth(n)) {
    columns_ = std::make_unique<const RealColumns<T>>(n, ops_);
    // Both blocks in a 32 KiB L1 where n allows; rows of at least 256 bytes of real numbers.
    constexpr std::size_t kPanelBytes = std::size_t{32} << 10, kRowBytes = 256;
    const std::size_t vector_bytes = ops_.lanes * sizeof(T);
    panel_ = ops_.lanes * std::clamp<std::size_t>(kPanelBytes / (2 * n * vector_bytes),
                                                  std::max<std::size_t>(1, kRowBytes / vector_bytes), 32);
  } else {
    // Lines and their results in half of a 1 MiB L2 where n allows.
    constexpr std::size_t kPanelBytes = std::size_t{512} << 10;
    panel_ = std::clamp<std::size_t>(kPanelBytes / (2 * n * sizeof(T)), 64 / sizeof(T), 64);
  }
  row_ = (panel_ + ops_.lanes - 1) / ops_.lanes * ops_.lanes;
}

// Of more columns than go as lines, those behind whole vectors that do.
template <class T>
std::size_t RealAxis<T>::rest_of(std::size_t count) const noexcept {
  const std::size_t rest = count % ops_.lanes;
  return count > rest && rest < few_ ? rest : 0;
}

template <class T>
std::size_t RealAxis<T>::workspace_elements() const noexcept {
  const std::size_t most = columns_ ? std::max<std::size_t>(few_, 1) : panel_;
  const std::size_t lines = most * (line_elements_ + up_to_line<T>(2 * results_)) + line_->workspace_elements();
  if (!columns_) return lines;
  return std::max(lines,
                  up_to_line<T>(n_ * row_) + up_to_line<T>(2 * results_ * row_) + columns_->workspace_elements(panel_));
}

// Contiguous lines, `next` numbers or pairs apart.
template <class T>
void RealAxis<T>::run_forward(const T* in, std::ptrdiff_t next, T* out, std::ptrdiff_t out_next, std::size_t count,
                              T* workspace, T scale) const noexcept {
  if (is_short_for_lines(count)) return for_lines(count).lines(in, next, out, 2 * out_next, count, scale);
  for (std::size_t c = 0; c < count; ++c, in += next, out += 2 * out_next) line_->forward(in, out, workspace, scale);
}
template <class T>
void RealAxis<T>::run_inverse(const T* in, std::ptrdiff_t next, T* out, std::ptrdiff_t out_next, std::size_t count,
                              T* workspace, T scale) const noexcept {
  if (is_short_for_lines(count)) return for_lines(count).lines_inverse(in, 2 * next, out, out_next, count, scale);
  for (std::size_t c = 0; c < count; ++c, in += 2 * next, out += out_next) line_->inverse(in, out, workspace, scale);
}

// Each as a line by itself: turned to lines and back where it is none.
template <class T>
void RealAxis<T>::lines_forward(const T* in, const Places& reals, T* out, const Places& results, std::size_t count,
                                T* workspace, T scale) const noexcept {
  const DensePlaces<T> dense(ops_);
  const Places lines{1, static_cast<std::ptrdiff_t>(line_elements_)};
  const Places result_lines{1, static_cast<std::ptrdiff_t>(up_to_line<T>(2 * results_) / 2)};
  T *const there = workspace + count * line_elements_, *const inner = there + count * up_to_line<T>(2 * results_);
  const Places &from = reals.stride == 1 ? reals : lines, &to = results.stride == 1 ? results : result_lines;
  if (reals.stride != 1) dense.gather(in, reals, n_, count, workspace, lines);
  run_forward(reals.stride == 1 ? in : workspace, from.next, results.stride == 1 ? out : there, to.next, count, inner,
              scale);
  if (results.stride != 1) dense.pairs(there, result_lines, results_, count, out, results);
}

template <class T>
void RealAxis<T>::lines_inverse(const T* in, const Places& results, T* out, const Places& reals, std::size_t count,
                                T* workspace, T scale) const noexcept {
  const DensePlaces<T> dense(ops_);
  const Places lines{1, static_cast<std::ptrdiff_t>(line_elements_)};
  const Places result_lines{1, static_cast<std::ptrdiff_t>(up_to_line<T>(2 * results_) / 2)};
  T *const there = workspace + count * line_elements_, *const inner = there + count * up_to_line<T>(2 * results_);
  const Places &from = results.stride == 1 ? results : result_lines, &to = reals.stride == 1 ? reals : lines;
  if (results.stride != 1) dense.pairs(in, results, results_, count, there, result_lines);
  run_inverse(results.stride == 1 ? in : there, from.next, reals.stride == 1 ? out : workspace, to.next, count, inner,
              scale);
  if (reals.stride != 1) dense.scatter(workspace, lines, n_, count, out, reals);
}

template <class T>
void RealAxis<T>::columns_forward(const T* in, const Places& reals, T* out, const Places& results, std::size_t count,
                                  T* workspace, T scale) const noexcept {
  const DensePlaces<T> dense(ops_);
  const Places rows{static_cast<std::ptrdiff_t>(row_), 1};
  T *const there = workspace + up_to_line<T>(n_ * row_), *const inner = there + up_to_line<T>(2 * results_ * row_);
  const bool from_user = reals.next == 1, to_user = results.next == 1;
  if (!from_user) dense.gather(in, reals, n_, count, workspace, rows);
  columns_->forward(from_user ? in : workspace, from_user ? reals.stride : rows.stride, to_user ? out : there,
                    2 * (to_user ? results.stride : rows.stride), count, inner, scale);
  if (!to_user) dense.pairs(there, rows, results_, count, out, results);
}

template <class T>
void RealAxis<T>::columns_inverse(const T* in, const Places& results, T* out, const Places& reals, std::size_t count,
                                  T* workspace, T scale) const noexcept {
  const DensePlaces<T> dense(ops_);
  const Places rows{static_cast<std::ptrdiff_t>(row_), 1};
  T *const there = workspace + up_to_line<T>(n_ * row_), *const inner = there + up_to_line<T>(2 * results_ * row_);
  const bool from_user = results.next == 1, to_user = reals.next == 1;
  if (!from_user) dense.pairs(in, results, results_, count, there, rows);
  columns_->inverse(from_user ? in : there, 2 * (from_user ? results.stride : rows.stride), to_user ? out : workspace,
                    to_user ? reals.stride : rows.stride, count, inner, scale);
  if (!to_user) dense.scatter(workspace, rows, n_, count, out, reals);
}

template <class T>
void RealAxis<T>::forward(const T* in, const Places& reals, T* out, const Places& results, std::size_t count,
                          T* workspace, T scale) const noexcept {
  if (reals.stride == 1 && results.stride == 1)
    return run_forward(in, reals.next, out, results.next, count, workspace, scale);
  if (widths_ > 0 && reals.next == 1 && results.next == 1)
    return for_columns(count, false).across(in, reals.stride, out, 2 * results.stride, count, scale);
  if (go_as_lines(count)) return lines_forward(in, reals, out, results, count, workspace, scale);
  const std::size_t rest = rest_of(count), first = count - rest;
  columns_forward(in, reals, out, results, first, workspace, scale);
  if (rest > 0)
    lines_forward(in + static_cast<std::ptrdiff_t>(first) * reals.next, reals,
                  out + 2 * static_cast<std::ptrdiff_t>(first) * results.next, results, rest, workspace, scale);
}

template <class T>
void RealAxis<T>::inverse(const T* in, const Places& results, T* out, const Places& reals, std::size_t count,
                          T* workspace, T scale) const noexcept {
  if (reals.stride == 1 && results.stride == 1)
    return run_inverse(in, results.next, out, reals.next, count, workspace, scale);
  if (widths_ > 0 && reals.next == 1 && results.next == 1)
    return for_columns(count, true).across_inverse(in, 2 * results.stride, out, reals.stride, count, scale);
  if (go_as_lines(count)) return lines_inverse(in, results, out, reals, count, workspace, scale);
  const std::size_t rest = rest_of(count), first = count - rest;
  columns_inverse(in, results, out, reals, first, workspace, scale);
  if (rest > 0)
    lines_inverse(in + 2 * static_cast<std::ptrdiff_t>(first) * results.next, results,
                  out + static_cast<std::ptrdiff_t>(first) * reals.next, reals, rest, workspace, scale);
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
