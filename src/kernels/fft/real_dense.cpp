// real_dense.cpp -- see real_dense.hpp.
#include "kernels/fft/real_dense.hpp"

#include <algorithm>

#include "kernels/fft/factors.hpp"
#include "kernels/fft/isa_choice.hpp"
#include "kernels/fft/lines.hpp"
#include "kernels/fft/real_rows.hpp"
#include "tensor/with_extent.hpp"

namespace pawl::fft {
namespace {

// What lies between the axes and the results stay in L1: half of one of 32 KiB.
constexpr std::size_t kPairsBytes = std::size_t{16} << 10;
// Lines alone that RealAxis takes side by side.
constexpr std::size_t kLinesBelow = 17;

// Rows of arrays that do so too, and not as pairs. On a Zen 4 2 to 40 rows of 2 to 14 numbers, 77 arrays, took 0.81
// (f32) and 0.88 of the time, back 0.68 and 0.71, 6 rows of 6 0.5 to 0.73, arrays of three dimensions the same; those
// of 8 numbers of f32 took 1.1 times as long, back 0.86, and of 16 1.25 and 1.07 (f64: 1.03 and 0.94). The other axes
// have n / 2 + 1 columns for n / 2 then: 61, 73 and 129 x 2 took 1.2 to 1.6 times as long, 19 x 4 x 4 1.1 to 1.4.
template <class T>
bool goes_by_lines(const Shape& reals, std::size_t n, std::span<const std::size_t> others) noexcept {
  constexpr std::size_t kFew = 4, kCheapFactor = 7;
  const auto is_cheap = [&](std::size_t axis) { return largest_factor(reals[axis]) <= kCheapFactor; };
  return n <= 14 && !(sizeof(T) == 4 && n == 8) && (n > kFew || std::all_of(others.begin(), others.end(), is_cheap));
}

}  // namespace

template <class T>
bool RealDense<T>::can(const Shape& reals, std::span<const std::size_t> others) noexcept {
  return others.empty() || reals.elements() * sizeof(T) <= kPairsBytes;
}

template <class T>
RealDense<T>::RealDense(const Shape& reals, std::size_t halved, std::span<const std::size_t> others, Isa isa)
    : n_(reals[halved]), columns_(static_cast<std::size_t>(row_major(reals)[halved])) {
  outer_ = reals.elements() / n_ / columns_;
  const bool small = reals.elements() * sizeof(T) <= kPairsBytes;
  const bool short_lines = others.empty() ? outer_ > 1 && n_ < kLinesBelow : goes_by_lines<T>(reals, n_, others);
  const bool pairs = columns_ == 1 && n_ % 2 == 0 && small && !short_lines && reals.elements() > n_;
  const Shape kept = with_extent(reals, halved, pairs ? n_ / 2 : n_ / 2 + 1);
  const Strides strides = row_major(kept);
  for (std::size_t axis : others) {
    const auto behind = static_cast<std::size_t>(strides[axis]);
    if (reals[axis] > 1) axes_.emplace_back(kept.elements() / behind / reals[axis], reals[axis], behind, isa);
  }
  if (!axes_.empty() || pairs) between_ = up_to_line<T>(2 * kept.elements());
  if (pairs) {
    const std::size_t row = n_ / 2;
    if (row > 1) axes_.emplace_back(outer_, row, 1, isa);
    ops_ = &fft_ops<T>(isa_for_rows<T>(row, isa));
    table_ = real_rows_table<T>(row);
    mirror_.resize(outer_);
    for (std::size_t i = 0; i < outer_; ++i) {
      std::size_t rest = i, weight = 1, image = 0;
      for (std::size_t d = halved; d-- > 0;) {
        const std::size_t index = rest % reals[d];
        const bool turned = index > 0 && std::find(others.begin(), others.end(), d) != others.end();
        image += weight * (turned ? reals[d] - index : index);
        weight *= reals[d];
        rest /= reals[d];
      }
      mirror_[i] = static_cast<std::uint32_t>(image);
    }
  } else {
    halves_ = shared_real_axis<T>(n_, columns_ == 1 ? isa : isa_for_real_columns<T>(columns_, isa));
    inner_ = halves_->workspace_elements();
    if (columns_ > 1 && halves_->is_short_for_columns(columns_)) {
      short_ = halves_->for_columns(columns_, false);
      short_.across_inverse = halves_->for_columns(columns_, true).across_inverse;
    }
    if (columns_ == 1 && halves_->is_short_for_lines(outer_)) short_ = halves_->for_lines(outer_);
    if (columns_ == 1 && axes_.empty() && short_.lanes == 0) {
      line_ = shared_real_line<T>(n_, isa);
      inner_ = std::max(inner_, line_->workspace_elements());
    }
  }
  for (const DenseAxis<T>& axis : axes_) inner_ = std::max(inner_, axis.workspace_elements());
}

template <class T>
typename RealDense<T>::Whole RealDense<T>::whole() const noexcept {
  if (short_.lanes == 0 || !axes_.empty() || (columns_ > 1 && outer_ > 1)) return {};
  const std::size_t results = n_ / 2 + 1;
  if (columns_ == 1)
    return {short_.lines, short_.lines_inverse, static_cast<std::ptrdiff_t>(n_),
            static_cast<std::ptrdiff_t>(2 * results), outer_};
  return {short_.across, short_.across_inverse, static_cast<std::ptrdiff_t>(columns_),
          static_cast<std::ptrdiff_t>(2 * columns_), columns_};
}

template <class T>
void RealDense<T>::halved_forward(const T* in, T* out, T* workspace, T scale) const noexcept {
  const std::size_t results = n_ / 2 + 1;
  if (short_.lanes > 0) {
    const auto row = static_cast<std::ptrdiff_t>(columns_);
    if (columns_ == 1)
      return short_.lines(in, static_cast<std::ptrdiff_t>(n_), out, static_cast<std::ptrdiff_t>(2 * results), outer_,
                          scale);
    for (std::size_t i = 0; i < outer_; ++i, in += n_ * columns_, out += 2 * results * columns_)
      short_.across(in, row, out, 2 * row, columns_, scale);
    return;
  }
  if (columns_ == 1)
    return halves_->forward(in, {1, static_cast<std::ptrdiff_t>(n_)}, out, {1, static_cast<std::ptrdiff_t>(results)},
                            outer_, workspace, scale);
  const Places places{static_cast<std::ptrdiff_t>(columns_), 1};
  const std::size_t at_once = halves_->takes_all(places, places) ? columns_ : std::min(columns_, halves_->panel());
  for (std::size_t i = 0; i < outer_; ++i, in += n_ * columns_, out += 2 * results * columns_)
    for (std::size_t c = 0; c < columns_; c += at_once)
      halves_->forward(in + c, places, out + 2 * c, places, std::min(at_once, columns_ - c), workspace, scale);
}

template <class T>
void RealDense<T>::halved_inverse(const T* in, T* out, T* workspace, T scale) const noexcept {
  const std::size_t results = n_ / 2 + 1;
  if (short_.lanes > 0) {
    const auto row = static_cast<std::ptrdiff_t>(columns_);
    if (columns_ == 1)
      return short_.lines_inverse(in, static_cast<std::ptrdiff_t>(2 * results), out, static_cast<std::ptrdiff_t>(n_),
                                  outer_, scale);
    for (std::size_t i = 0; i < outer_; ++i, in += 2 * results * columns_, out += n_ * columns_)
      short_.across_inverse(in, 2 * row, out, row, columns_, scale);
    return;
  }
  if (columns_ == 1)
    return halves_->inverse(in, {1, static_cast<std::ptrdiff_t>(results)}, out, {1, static_cast<std::ptrdiff_t>(n_)},
                            outer_, workspace, scale);
  const Places places{static_cast<std::ptrdiff_t>(columns_), 1};
  const std::size_t at_once = halves_->takes_all(places, places) ? columns_ : std::min(columns_, halves_->panel());
  for (std::size_t i = 0; i < outer_; ++i, in += 2 * results * columns_, out += n_ * columns_)
    for (std::size_t c = 0; c < columns_; c += at_once)
      halves_->inverse(in + 2 * c, places, out + c, places, std::min(at_once, columns_ - c), workspace, scale);
}

template <class T>
void RealDense<T>::forward(const T* in, T* out, T* workspace, T scale) const noexcept {
  if (line_) {
    for (std::size_t i = 0; i < outer_; ++i, in += n_, out += 2 * (n_ / 2 + 1))
      line_->forward(in, out, workspace, scale);
    return;
  }
  T* const inner = workspace + between_;
  if (ops_) {
    const T* pairs = in;
    for (const DenseAxis<T>& axis : axes_) {
      axis.run(pairs, workspace, inner, false, T(1));
      pairs = workspace;
    }
    ops_->split_all(pairs, mirror_.data(), outer_, n_ / 2, table_.data(), out, scale);
    return;
  }
  halved_forward(in, out, inner, scale);
  for (const DenseAxis<T>& axis : axes_) axis.run(out, out, inner, false, T(1));
}

template <class T>
void RealDense<T>::inverse(const T* in, T* out, T* workspace, T scale) const noexcept {
  if (line_) {
    for (std::size_t i = 0; i < outer_; ++i, in += 2 * (n_ / 2 + 1), out += n_)
      line_->inverse(in, out, workspace, scale);
    return;
  }
  T* const inner = workspace + between_;
  if (ops_) {
    ops_->join_all(in, mirror_.data(), outer_, n_ / 2, table_.data(), out, scale);
    for (std::size_t i = axes_.size(); i-- > 0;) axes_[i].run(out, out, inner, true, T(1));
    return;
  }
  for (std::size_t i = axes_.size(); i-- > 0;) {
    axes_[i].run(in, workspace, inner, true, T(1));
    in = workspace;
  }
  halved_inverse(in, out, inner, scale);
}

template class RealDense<float>;
template class RealDense<double>;

}  // namespace pawl::fft
