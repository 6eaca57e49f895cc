// divided_line.cpp -- Way::divided: a line of rows x columns points, where only the rows have a butterfly, as one pass
// and a line for each row.
//
// So only the factor that needs a convolution has one, of its own length: 1203 = 3 401 points are three times two
// transforms of 400 and not two of 2560, and errors are those of 401.
#include "kernels/fft/aligned_array.hpp"
#include "kernels/fft/fft_turns.hpp"
#include "kernels/fft/line.hpp"
#include "kernels/fft/roots.hpp"

namespace pawl::fft {
namespace {

template <class T>
class DividedLine final : public Line<T> {
 public:
  DividedLine(std::size_t rows, std::size_t columns, const FftOps<T>& ops)
      : ops_(ops), rows_(rows), columns_(columns), line_(make_line(columns, ops)) {
    const std::size_t lanes = ops.pairs->lanes, vectors = (columns + lanes - 1) / lanes;
    row_ = vectors * 2 * lanes;
    one_way_ = vectors * (rows - 1) * 4 * lanes;
    twiddles_ = AlignedArray<T>(2 * one_way_);
    const Roots<T> roots(rows * columns);
    T *forward = twiddles_.data(), *inverse = forward + one_way_;
    for (std::size_t c = 0; c < columns; c += lanes)
      for (std::size_t k = 1; k < rows; ++k, forward += 4 * lanes, inverse += 4 * lanes)
        for (std::size_t lane = 0; lane < lanes && c + lane < columns; ++lane) {
          const auto root = roots(k * (c + lane));
          const T re = static_cast<T>(root.real()), im = static_cast<T>(root.imag());
          const std::size_t a = 2 * lane, b = 2 * lanes + a;
          forward[a] = forward[a + 1] = inverse[a] = inverse[a + 1] = re;
          forward[b] = inverse[b + 1] = -im;
          forward[b + 1] = inverse[b] = im;
        }
  }
  std::size_t workspace_elements() const noexcept override {
    return up_to_line<T>(rows_ * row_) + line_->workspace_elements();
  }
  void run(const T* in, T* out, T* workspace, bool swapped, T scale) const noexcept override {
    T* const inner = workspace + up_to_line<T>(rows_ * row_);
    ops_.pairs->rows[rows_](in, columns_, workspace, twiddles_.data() + (swapped ? one_way_ : 0), swapped);
    for (std::size_t k = 0; k < rows_; ++k)
      line_->run(workspace + k * row_, workspace + k * row_, inner, swapped, scale);
    ops_.turns->turn_pairs(workspace, static_cast<std::ptrdiff_t>(row_), rows_, columns_, out,
                           static_cast<std::ptrdiff_t>(2 * rows_));
  }

 private:
  const FftOps<T>& ops_;
  std::size_t rows_, columns_, row_, one_way_;
  std::unique_ptr<const Line<T>> line_;  // columns_ points
  AlignedArray<T> twiddles_;             // of FftPairs::Rows, both ways
};

}  // namespace

template <class T>
std::unique_ptr<const Line<T>> make_divided_line(std::size_t rows, std::size_t columns, const FftOps<T>& ops) {
  return std::make_unique<DividedLine<T>>(rows, columns, ops);
}
template std::unique_ptr<const Line<float>> make_divided_line(std::size_t, std::size_t, const FftOps<float>&);
template std::unique_ptr<const Line<double>> make_divided_line(std::size_t, std::size_t, const FftOps<double>&);

}  // namespace pawl::fft
