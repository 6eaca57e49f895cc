// side_by_side.cpp -- see side_by_side.hpp.
#include "kernels/fft/side_by_side.hpp"

#include "kernels/fft/isa_choice.hpp"
#include "kernels/fft/line.hpp"
#include "kernels/fft/lines.hpp"

namespace pawl::fft {

template <class T>
SideBySide<T>::SideBySide(std::size_t n, std::size_t columns, Isa isa) : columns_(columns) {
  if (fft_ops<T>(isa).pairs->lanes == 0) return;
  const Choice halves = choose_side_by_side(n, columns, *fft_ops<T>(isa_for_columns<T>(columns, 2, isa)).pairs);
  if (halves.rows == 0) return;
  rows_ = halves.rows;
  points_ = halves.columns;
  const FftPairs<T>& pairs = *fft_ops<T>(isa_for_columns<T>(points_ * columns, rows_, isa)).pairs;
  const std::size_t lanes = pairs.lanes, vectors = (points_ * columns + lanes - 1) / lanes;
  row_ = vectors * 2 * lanes;
  // An L1: on a Zen 4 128 x 5 points of f64 (18 KiB) took 0.77 of the time of lines one by one, 256 x 3 (30 KiB) 0.78,
  // but 625 x 2 of f32 1.2 times as long.
  constexpr std::size_t kMostBytes = std::size_t{32} << 10;
  if (RowTwiddles<T>::elements(rows_, points_, columns, lanes) * sizeof(T) > kMostBytes) return;
  first_ = pairs.rows[rows_];
  second_ = fft_ops<T>(isa_for_columns<T>(columns, points_, isa)).pairs->across[points_];
  twiddles_ = RowTwiddles<T>(rows_, points_, columns, lanes);
}

template <class T>
void SideBySide<T>::run(const T* in, T* out, T* workspace, bool swapped, T scale) const noexcept {
  first_(in, points_ * columns_, workspace, twiddles_.data(swapped), swapped);
  const auto row = static_cast<std::ptrdiff_t>(2 * columns_), out_row = static_cast<std::ptrdiff_t>(rows_) * row;
  for (std::size_t k = 0; k < rows_; ++k)
    second_(workspace + k * row_, row, out + k * 2 * columns_, out_row, columns_, swapped, scale);
}

template class SideBySide<float>;
template class SideBySide<double>;

}  // namespace pawl::fft
