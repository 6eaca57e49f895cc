// real_dense.cpp -- see real_dense.hpp.
#include "kernels/fft/real_dense.hpp"

#include <algorithm>

#include "kernels/fft/isa_choice.hpp"
#include "kernels/fft/lines.hpp"
#include "kernels/fft/real_rows.hpp"

namespace pawl::fft {

template <class T>
bool RealDense<T>::can(const Shape& reals) noexcept {
  // Half of an L1 of 32 KiB.
  constexpr std::size_t kMostBytes = std::size_t{16} << 10;
  return reals.rank() > 0 && reals.elements() * sizeof(T) <= kMostBytes;
}

template <class T>
RealDense<T>::RealDense(const Shape& reals, std::span<const std::size_t> others, Isa isa)
    : n_(reals[reals.rank() - 1]), rows_(reals.elements() / n_) {
  const bool even = n_ % 2 == 0;
  const std::size_t row = even ? n_ / 2 : n_ / 2 + 1;
  for (std::size_t axis : others) {
    std::size_t behind = row;
    for (std::size_t d = axis + 1; d + 1 < reals.rank(); ++d) behind *= reals[d];
    if (reals[axis] > 1) axes_.emplace_back(rows_ * row / behind / reals[axis], reals[axis], behind, isa);
  }
  between_ = up_to_line<T>(2 * rows_ * row);
  if (even) {
    if (row > 1) axes_.emplace_back(rows_, row, 1, isa);
    ops_ = &fft_ops<T>(isa_for_rows<T>(row, isa));
    table_ = real_rows_table<T>(row);
    mirror_.resize(rows_);
    for (std::size_t i = 0; i < rows_; ++i) {
      std::size_t rest = i, weight = 1, image = 0;
      for (std::size_t d = reals.rank() - 1; d-- > 0;) {
        const std::size_t index = rest % reals[d];
        const bool turned = index > 0 && std::find(others.begin(), others.end(), d) != others.end();
        image += weight * (turned ? reals[d] - index : index);
        weight *= reals[d];
        rest /= reals[d];
      }
      mirror_[i] = static_cast<std::uint32_t>(image);
    }
  } else {
    line_ = shared_real_line<T>(n_, isa);
    inner_ = line_->workspace_elements();
  }
  for (const DenseAxis<T>& axis : axes_) inner_ = std::max(inner_, axis.workspace_elements());
}

template <class T>
void RealDense<T>::forward(const T* in, T* out, T* workspace, T scale) const noexcept {
  T* const inner = workspace + between_;
  if (ops_) {
    const T* pairs = in;
    for (const DenseAxis<T>& axis : axes_) {
      axis.run(pairs, workspace, inner, false, T(1));
      pairs = workspace;
    }
    ops_->split_all(pairs, mirror_.data(), rows_, n_ / 2, table_.data(), out, scale);
    return;
  }
  for (std::size_t i = 0; i < rows_; ++i) line_->forward(in + i * n_, out + i * (n_ + 1), inner, scale);
  for (const DenseAxis<T>& axis : axes_) axis.run(out, out, inner, false, T(1));
}

template <class T>
void RealDense<T>::inverse(const T* in, T* out, T* workspace, T scale) const noexcept {
  T* const inner = workspace + between_;
  if (ops_) {
    ops_->join_all(in, mirror_.data(), rows_, n_ / 2, table_.data(), out, scale);
    for (std::size_t i = axes_.size(); i-- > 0;) axes_[i].run(out, out, inner, true, T(1));
    return;
  }
  for (std::size_t i = axes_.size(); i-- > 0;) {
    axes_[i].run(in, workspace, inner, true, T(1));
    in = workspace;
  }
  for (std::size_t i = 0; i < rows_; ++i) line_->inverse(in + i * (n_ + 1), out + i * n_, inner, scale);
}

template class RealDense<float>;
template class RealDense<double>;

}  // namespace pawl::fft
