// real_split_line.cpp -- RealWay::split: a real line of odd length as rows x columns, half of the work of a complex
// one.
//
// The four steps of split_line.cpp on real numbers: columns are transformed two at a time, and of their results only
// the rows that are not conjugates of others go on (real_split.kernel.hpp).
#include <algorithm>

#include "kernels/fft/columns.hpp"
#include "kernels/fft/real_line.hpp"
#include "kernels/fft/roots.hpp"

namespace pawl::fft {
namespace {

constexpr std::size_t up_to(std::size_t n, std::size_t multiple) { return (n + multiple - 1) / multiple * multiple; }

// Vectors of a panel whose two blocks take at most half of a 1 MiB L2.
template <class T>
std::size_t panel_vectors(std::size_t rows, std::size_t vectors, std::size_t lanes) {
  constexpr std::size_t kPanelBytes = std::size_t{512} << 10;
  return std::clamp<std::size_t>(kPanelBytes / (rows * 2 * lanes * sizeof(T) * 2), 1, vectors);
}

template <class T>
class RealSplitLine final : public RealLine<T> {
 public:
  RealSplitLine(std::size_t rows, std::size_t columns, const FftOps<T>& ops)
      : ops_(ops),
        first_(rows, ops),
        second_(columns, ops),
        half_(rows / 2 + 1),
        padded_half_(up_to(half_, ops.lanes)),
        padded_columns_(up_to(columns, ops.lanes)),
        first_vectors_(panel_vectors<T>(rows, up_to(columns, 2 * ops.lanes) / (2 * ops.lanes), ops.lanes)),
        second_vectors_(panel_vectors<T>(columns, padded_half_ / ops.lanes, ops.lanes)) {
    const std::size_t w = ops.lanes;
    middle_ = padded_columns_ * 2 * padded_half_;
    block_ = std::max(up_to(rows, w) * first_vectors_, padded_columns_ * second_vectors_) * 2 * w;
    const Roots roots(rows * columns);
    twiddles_ = AlignedArray<T>(padded_half_ * 2 * w);
    steps_ = AlignedArray<T>(padded_columns_ / w * 2 * padded_half_);
    for (std::size_t k = 0; k < half_; ++k) {
      for (std::size_t b = 0; b < std::min(w, columns); ++b) {
        const auto root = roots(k * b);
        twiddles_[k * 2 * w + b] = static_cast<T>(root.real());
        twiddles_[k * 2 * w + w + b] = static_cast<T>(root.imag());
      }
      for (std::size_t b = 0; b < columns; b += w) {
        const auto root = roots(k * b);
        steps_[2 * (b / w * padded_half_ + k)] = static_cast<T>(root.real());
        steps_[2 * (b / w * padded_half_ + k) + 1] = static_cast<T>(root.imag());
      }
    }
  }

  std::size_t workspace_elements() const noexcept override { return middle_ + 2 * block_; }

  void forward(const T* in, T* out, T* workspace, T scale) const noexcept override {
    const std::size_t w = ops_.lanes, rows = first_.size(), columns = second_.size();
    T *const middle = workspace, *const a = workspace + middle_, *const b = a + block_;
    for (std::size_t c = 0; c < columns; c += first_vectors_ * 2 * w) {
      const std::size_t count = std::min(columns - c, first_vectors_ * 2 * w), vectors = up_to(count, 2 * w) / (2 * w);
      const std::size_t row = vectors * 2 * w;
      ops_.load_reals(in + c, columns, rows, count, b, row);
      const T* const block = first_.run(b, row, vectors, a, b);
      for (std::size_t i = 0; i < count; i += w)
        ops_.turn_real(block + i / (2 * w) * 2 * w, row, rows, i % (2 * w) != 0, middle + (c + i) * 2 * padded_half_,
                       2 * padded_half_, twiddles_.data(),
                       c + i == 0 ? nullptr : steps_.data() + (c + i) / w * 2 * padded_half_);
    }
    for (std::size_t k = 0; k < half_; k += second_vectors_ * w) {
      const std::size_t count = std::min(half_ - k, second_vectors_ * w), vectors = up_to(count, w) / w;
      const T* const block = second_.run(middle + 2 * k, 2 * padded_half_, vectors, a, b);
      ops_.store_mirrored(block, vectors * 2 * w, rows, columns, k, count, out, scale / 2);
    }
    out[1] = 0;
  }

  void inverse(const T* in, T* out, T* workspace, T scale) const noexcept override {
    const std::size_t w = ops_.lanes, rows = first_.size(), columns = second_.size();
    T *const middle = workspace, *const a = workspace + middle_, *const b = a + block_;
    for (std::size_t k = 0; k < half_; k += second_vectors_ * w) {
      const std::size_t count = std::min(half_ - k, second_vectors_ * w), vectors = up_to(count, w) / w;
      const std::size_t row = vectors * 2 * w;
      ops_.load_mirrored(in, rows, columns, k, count, b, row);
      T* const block = second_.run(b, row, vectors, a, b) == a ? a : b;
      std::fill(block + columns * row, block + padded_columns_ * row, T(0));  // columns beside real ones in a vector
      for (std::size_t v = 0; v < vectors; ++v)
        ops_.turn_plain(block + v * 2 * w, row, columns, middle + (k + v * w) * 2 * padded_columns_,
                        2 * padded_columns_);
    }
    for (std::size_t c = 0; c < columns; c += first_vectors_ * 2 * w) {
      const std::size_t count = std::min(columns - c, first_vectors_ * 2 * w), vectors = up_to(count, 2 * w) / (2 * w);
      ops_.join_columns(middle + 2 * c, 2 * padded_columns_, rows, up_to(count, w) / w, b, vectors, twiddles_.data(),
                        steps_.data() + c / w * 2 * padded_half_, 2 * padded_half_);
      const T* const block = first_.run(b, vectors * 2 * w, vectors, a, b);
      ops_.store_reals(block, vectors * 2 * w, rows, count, out + c, columns, scale);
    }
  }

 private:
  const FftOps<T>& ops_;
  Columns<T> first_, second_;
  std::size_t half_, padded_half_, padded_columns_, first_vectors_, second_vectors_, middle_ = 0, block_ = 0;
  AlignedArray<T> twiddles_, steps_;
};

}  // namespace

template <class T>
std::unique_ptr<const RealLine<T>> make_real_split_line(std::size_t rows, std::size_t columns, const FftOps<T>& ops) {
  return std::make_unique<RealSplitLine<T>>(rows, columns, ops);
}
template std::unique_ptr<const RealLine<float>> make_real_split_line(std::size_t, std::size_t, const FftOps<float>&);
template std::unique_ptr<const RealLine<double>> make_real_split_line(std::size_t, std::size_t, const FftOps<double>&);

}  // namespace pawl::fft
