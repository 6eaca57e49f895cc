// single_line.cpp -- Way::single and Way::finish: a line as one block of columns.
#include <algorithm>

#include "kernels/fft/columns.hpp"
#include "kernels/fft/fft_making.hpp"
#include "kernels/fft/line.hpp"
#include "kernels/fft/roots.hpp"

namespace pawl::fft {
namespace {

template <class T>
class SingleLine final : public Line<T> {
 public:
  SingleLine(std::size_t n, const FftOps<T>& ops) : ops_(ops), columns_(n, ops), block_(n * 2 * ops.lanes) {}
  std::size_t workspace_elements() const noexcept override { return 2 * block_; }
  void run(const T* in, T* out, T* workspace, bool swapped, T scale) const noexcept override {
    T *const a = workspace, *const b = workspace + block_;
    const std::size_t n = columns_.size(), row = 2 * ops_.lanes;
    ops_.load_rows(in, 2, n, 1, b, row, swapped);
    ops_.store_rows(columns_.run(b, row, 1, a, b), row, n, 1, out, 2, swapped, scale, false);
  }

 private:
  const FftOps<T>& ops_;
  Columns<T> columns_;
  std::size_t block_;
};

// Element j of the line is in row j / W, lane j % W.
template <class T>
class FinishLine final : public Line<T> {
 public:
  FinishLine(std::size_t n, const FftOps<T>& ops) : ops_(ops), columns_(n / ops.lanes, ops) {
    const std::size_t w = ops.lanes, rows = n / w, padded_rows = (rows + w - 1) / w * w;
    block_ = padded_rows * 2 * w;
    twiddles_ = AlignedArray<T>(block_, Unset{});
    ops.making->row_twiddles(root_corners(), rows, twiddles_.data());
    std::fill(twiddles_.data() + 2 * n, twiddles_.data() + block_, T(0));
  }
  std::size_t workspace_elements() const noexcept override { return 2 * block_; }
  void run(const T* in, T* out, T* workspace, bool swapped, T scale) const noexcept override {
    T *const a = workspace, *const b = workspace + block_;
    const std::size_t w = ops_.lanes, rows = columns_.size();
    const T* transformed;
    if (columns_.reads_user()) {
      transformed = columns_.run_user(in, 2 * w, 1, a, b, swapped);
    } else {
      ops_.load_rows(in, static_cast<std::ptrdiff_t>(2 * w), rows, w, b, 2 * w, swapped);
      transformed = columns_.run(b, 2 * w, 1, a, b);
    }
    ops_.finish(transformed, rows, out, twiddles_.data(), swapped, scale);
  }
  std::size_t product_lanes() const noexcept override { return columns_.reads_products() ? ops_.lanes : 0; }
  void run_products(const T* in, std::size_t live, const T* block, bool swapped, T* out,
                    T* workspace) const noexcept override {
    // The parts of x exchanged are i conj(x), and i conj(x) w is i conj(x conj(w)).
    ops_.finish(products(in, {block, live, swapped, swapped}, workspace), columns_.size(), out, twiddles_.data(), false,
                T(1));
  }
  void run_back(const T* in, const T* block, const T* factors, std::size_t live, bool swapped, T* out, T* workspace,
                T scale) const noexcept override {
    const std::size_t rows = columns_.size();
    const T* const transformed = products(in, {block, rows * ops_.lanes, true, false}, workspace);
    if (factors)
      ops_.finish_products(transformed, rows, out, twiddles_.data(), factors, live, swapped, scale);
    else
      ops_.finish(transformed, rows, out, twiddles_.data(), true, scale);
  }

 private:
  const T* products(const T* in, const typename FftOps<T>::Products& of, T* workspace) const noexcept {
    return columns_.run_products(in, of, 2 * ops_.lanes, 1, workspace, workspace + block_);
  }

  const FftOps<T>& ops_;
  Columns<T> columns_;
  std::size_t block_;
  AlignedArray<T> twiddles_;
};

}  // namespace

template <class T>
std::unique_ptr<const Line<T>> make_single_line(std::size_t n, const FftOps<T>& ops) {
  return std::make_unique<SingleLine<T>>(n, ops);
}
template <class T>
std::unique_ptr<const Line<T>> make_finish_line(std::size_t n, const FftOps<T>& ops) {
  return std::make_unique<FinishLine<T>>(n, ops);
}
template std::unique_ptr<const Line<float>> make_single_line(std::size_t, const FftOps<float>&);
template std::unique_ptr<const Line<double>> make_single_line(std::size_t, const FftOps<double>&);
template std::unique_ptr<const Line<float>> make_finish_line(std::size_t, const FftOps<float>&);
template std::unique_ptr<const Line<double>> make_finish_line(std::size_t, const FftOps<double>&);

}  // namespace pawl::fft
