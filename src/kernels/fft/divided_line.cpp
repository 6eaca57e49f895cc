// divided_line.cpp -- Way::divided: a line of rows x columns points, where only the rows have a butterfly, as one pass
// and a line for each row.
//
// So only the factor that needs a convolution has one, of its own length: 1203 = 3 401 points are three times two
// transforms of 400 and not two of 2560, and errors are those of 401.
#include "kernels/fft/aligned_array.hpp"
#include "kernels/fft/fft_turns.hpp"
#include "kernels/fft/line.hpp"
#include "kernels/fft/row_twiddles.hpp"
#include "kernels/fft/threads.hpp"
#include "pawl/parallel.hpp"

namespace pawl::fft {
namespace {

template <class T>
class DividedLine final : public Line<T> {
 public:
  DividedLine(std::size_t rows, std::size_t columns, const FftOps<T>& ops)
      : ops_(ops),
        rows_(rows),
        columns_(columns),
        row_((columns + ops.pairs->lanes - 1) / ops.pairs->lanes * 2 * ops.pairs->lanes),
        line_(make_line(columns, ops)),
        twiddles_(rows, columns, 1, ops.pairs->lanes) {}
  std::size_t workspace_elements() const noexcept override { return workspace_elements_on(1); }
  std::size_t workspace_elements_on(int threads) const noexcept override {
    return up_to_line<T>(rows_ * row_) + static_cast<std::size_t>(threads) * of_a_thread();
  }
  /// On an Emerald Rapids 40008 to 1.2 10^6 points were 1.0 to 1.8 times as fast on two, 82849 of f32 1.14.
  std::size_t least_on_threads() const noexcept override { return least_shared_line(std::size_t{1} << 16); }
  void run(const T* in, T* out, T* workspace, bool swapped, T scale) const noexcept override {
    run_on(1, in, out, workspace, swapped, scale);
  }
  void run_on(int threads, const T* in, T* out, T* workspace, bool swapped, T scale) const noexcept override {
    T* const inner = workspace + up_to_line<T>(rows_ * row_);
    ops_.pairs->rows[rows_](in, columns_, workspace, twiddles_.data(swapped), swapped);
    on_threads(
        threads,
        [&](int thread, int of) {
          T* const mine = inner + static_cast<std::size_t>(thread) * of_a_thread();
          const auto [first, end] = share(rows_, thread, of);
          for (std::size_t k = first; k < end; ++k)
            line_->run(workspace + k * row_, workspace + k * row_, mine, swapped, scale);
        },
        wake_for(rows_ * columns_));
    on_threads(
        threads,
        [&](int thread, int of) {
          const auto [first, end] = share(columns_, thread, of);
          ops_.turns->turn_pairs(workspace + 2 * first, static_cast<std::ptrdiff_t>(row_), rows_, end - first,
                                 out + 2 * first * rows_, static_cast<std::ptrdiff_t>(2 * rows_));
        },
        wake_for(rows_ * columns_));
  }

 private:
  std::size_t of_a_thread() const noexcept { return up_to_line<T>(line_->workspace_elements()); }

  const FftOps<T>& ops_;
  std::size_t rows_, columns_, row_;     // row_: elements of a row between the halves
  std::unique_ptr<const Line<T>> line_;  // columns_ points
  RowTwiddles<T> twiddles_;
};

}  // namespace

template <class T>
std::unique_ptr<const Line<T>> make_divided_line(std::size_t rows, std::size_t columns, const FftOps<T>& ops) {
  return std::make_unique<DividedLine<T>>(rows, columns, ops);
}
template std::unique_ptr<const Line<float>> make_divided_line(std::size_t, std::size_t, const FftOps<float>&);
template std::unique_ptr<const Line<double>> make_divided_line(std::size_t, std::size_t, const FftOps<double>&);

}  // namespace pawl::fft
