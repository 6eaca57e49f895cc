// dense_axis.cpp -- see dense_axis.hpp.
#include "kernels/fft/dense_axis.hpp"

#include <algorithm>
#include <iterator>

#include "kernels/fft/isa_choice.hpp"
#include "kernels/fft/lines.hpp"

namespace pawl::fft {

template <class T>
DenseAxis<T>::DenseAxis(std::size_t outer, std::size_t n, std::size_t inner, Isa isa)
    : outer_(outer), n_(n), inner_(inner) {
  const auto pairs = [](Isa variant) -> const FftPairs<T>& { return *fft_ops<T>(variant).pairs; };
  if (outer == 1 && inner == 1) {
    line_ = shared_line<T>(n, isa);
  } else if (n < std::size(pairs(isa).lines_of)) {
    if (inner == 1)
      whole_.call = pairs(isa_for_lines<T>(outer, n, isa)).lines_of[n];
    else
      across_ = pairs(isa_for_columns<T>(inner, n, isa, outer == 1)).across[n];
    if (outer == 1) whole_.call = across_;
  }
  whole_.distance = static_cast<std::ptrdiff_t>(2 * (inner == 1 ? n : inner));
  whole_.count = inner == 1 ? outer : inner;
  if (inner > 1 && !across_) halves_ = SideBySide<T>(n, inner, isa);
  axis_ = shared_axis<T>(n, inner == 1 ? isa : isa_for_blocks<T>(inner, isa));
  at_once_ = std::min(inner == 1 ? outer : inner, axis_->panel());
}

template <class T>
void DenseAxis<T>::run_parts(const T* in, T* out, T* workspace, bool swapped, T scale) const noexcept {
  const auto line = static_cast<std::ptrdiff_t>(n_), row = static_cast<std::ptrdiff_t>(inner_);
  if (line_) {
    line_->run(in, out, workspace, swapped, scale);
    return;
  }
  const std::size_t block = 2 * n_ * inner_;
  if (across_) {
    for (std::size_t i = 0; i < outer_; ++i, in += block, out += block)
      across_(in, 2 * row, out, 2 * row, inner_, swapped, scale);
    return;
  }
  if (halves_.can()) {
    for (std::size_t i = 0; i < outer_; ++i, in += block, out += block) halves_.run(in, out, workspace, swapped, scale);
    return;
  }
  if (inner_ == 1) {
    const Places places{1, line};
    for (std::size_t i = 0; i < outer_; i += at_once_)
      axis_->run(in + 2 * i * n_, places, out + 2 * i * n_, places, std::min(at_once_, outer_ - i), workspace, swapped,
                 scale);
    return;
  }
  const Places places{row, 1};
  for (std::size_t i = 0; i < outer_; ++i, in += block, out += block)
    for (std::size_t c = 0; c < inner_; c += at_once_)
      axis_->run(in + 2 * c, places, out + 2 * c, places, std::min(at_once_, inner_ - c), workspace, swapped, scale);
}

template class DenseAxis<float>;
template class DenseAxis<double>;

}  // namespace pawl::fft
