// side_by_side.cpp -- see side_by_side.hpp.
#include "kernels/fft/side_by_side.hpp"

#include "kernels/fft/isa_choice.hpp"
#include "kernels/fft/line.hpp"
#include "kernels/fft/lines.hpp"

namespace pawl::fft {
namespace {

// Whether passes over blocks of columns, which fill whole vectors, are faster, since the twiddles here are more than
// the columns themselves: on a Zen 4 32 x 32 points of f64 took 1.17 times as long here, 128 x 8 1.16, 64 x 32 of
// f32 1.17, 16 x 32 or 26 x 16 as long, 64 x 24 of f32, which leave half a vector, 0.76.
template <class T>
bool goes_in_blocks(std::size_t n, std::size_t columns, const FftOps<T>& ops) {
  constexpr std::size_t kLeastBytes = std::size_t{8} << 10;
  return columns % ops.lanes == 0 && n * columns * 2 * sizeof(T) >= kLeastBytes;
}

}  // namespace

template <class T>
SideBySide<T>::SideBySide(std::size_t n, std::size_t columns, Isa isa) : columns_(columns) {
  if (fft_ops<T>(isa).pairs->lanes == 0 || goes_in_blocks(n, columns, fft_ops<T>(isa))) return;
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
  // Two columns took 0.55 to 0.9 of the time of blocks one by one.
  const FftPairs<T>& of_halves = *fft_ops<T>(isa_for_halves<T>(columns, isa)).pairs;
  if (2 * columns == of_halves.lanes) second_of_halves_ = of_halves.across_halves[points_];
  twiddles_ = RowTwiddles<T>(rows_, points_, columns, lanes);
}

template <class T>
void SideBySide<T>::run(const T* in, T* out, T* workspace, bool swapped, T scale) const noexcept {
  first_(in, points_ * columns_, workspace, twiddles_.data(swapped), swapped);
  const auto row = static_cast<std::ptrdiff_t>(2 * columns_), out_row = static_cast<std::ptrdiff_t>(rows_) * row;
  if (second_of_halves_)
    return second_of_halves_(workspace, row, static_cast<std::ptrdiff_t>(row_), out, out_row, rows_, swapped, scale);
  for (std::size_t k = 0; k < rows_; ++k)
    second_(workspace + k * row_, row, out + k * 2 * columns_, out_row, columns_, swapped, scale);
}

template class SideBySide<float>;
template class SideBySide<double>;

}  // namespace pawl::fft
