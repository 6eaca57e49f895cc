// real_divided_line.cpp -- RealWay::divided: a real line of r m numbers, r odd and short, as one pass and a line for
// each row that says something: a real one and (r - 1) / 2 complex ones of m points.
#include <algorithm>

#include "kernels/fft/lines.hpp"
#include "kernels/fft/real_line.hpp"
#include "kernels/fft/roots.hpp"

namespace pawl::fft {
namespace {

template <class T>
class RealDividedLine final : public RealLine<T> {
 public:
  RealDividedLine(std::size_t rows, std::size_t columns, Isa isa)
      : ops_(fft_ops<T>(isa)),
        r_(rows),
        m_(columns),
        row_(up_to_line<T>(2 * std::max(columns, ops_.lanes))),
        real_(shared_real_line<T>(columns, isa)),
        line_(row_line(rows, columns, isa)) {
    // Of rows so short that they have a function of their own all at once.
    if (m_ < std::size(ops_.pairs->lines_of)) lines_ = ops_.pairs->lines_of[m_];
    const std::size_t w = ops_.lanes, half = r_ / 2;
    const Roots roots(r_ * m_);
    twiddles_ = AlignedArray<T>((m_ + w - 1) / w * half * 2 * w);
    T* to = twiddles_.data();
    for (std::size_t p = 0; p < m_; p += w) {
      const std::size_t first = p + w <= m_ || m_ < w ? p : m_ - w;
      for (std::size_t s = 1; s <= half; ++s, to += 2 * w)
        for (std::size_t lane = 0; lane < std::min(w, m_); ++lane) {
          const auto root = roots(s * (first + lane));
          to[lane] = static_cast<T>(root.real());
          to[w + lane] = static_cast<T>(root.imag());
        }
    }
  }

  std::size_t workspace_elements() const noexcept override {
    return (r_ / 2 + 2) * row_ + std::max(real_->workspace_elements(), line_->workspace_elements());
  }

  void forward(const T* in, T* out, T* workspace, T scale) const noexcept override {
    T *const rows = workspace, *const first = rows + (r_ / 2 + 1) * row_, *const inner = first + row_;
    ops_.reals->divide[r_](in, m_, twiddles_.data(), rows, row_);
    real_->forward(rows, first, inner, scale);
    run_rows(rows + row_, inner, false, scale);
    for (std::size_t k = 0; k <= m_ / 2; ++k) copy(first + 2 * k, out + 2 * r_ * k, T(1));
    for_kept([&](std::size_t s, std::size_t k, std::size_t kept, bool conjugated) {
      copy(rows + s * row_ + 2 * k, out + 2 * kept, conjugated ? T(-1) : T(1));
    });
  }

  void inverse(const T* in, T* out, T* workspace, T scale) const noexcept override {
    T *const rows = workspace, *const first = rows + (r_ / 2 + 1) * row_, *const inner = first + row_;
    for (std::size_t k = 0; k <= m_ / 2; ++k) copy(in + 2 * r_ * k, first + 2 * k, T(1));
    for_kept([&](std::size_t s, std::size_t k, std::size_t kept, bool conjugated) {
      copy(in + 2 * kept, rows + s * row_ + 2 * k, conjugated ? T(-1) : T(1));
    });
    real_->inverse(first, rows, inner, T(1));
    run_rows(rows + row_, inner, true, T(1));
    ops_.reals->join[r_](rows, row_, m_, twiddles_.data(), out, scale);
  }

 private:
  // Of f64 by the defining sums where a convolution makes the error larger than FFTW's: 657 = 9 73 numbers 1.15 times
  // as large, 365 and 511 1.1, now 0.7 to 0.8. They take 1.03 to 1.24 times as long so, still a fourth of the time of
  // FFTW.
  static std::shared_ptr<const Line<T>> row_line(std::size_t rows, std::size_t m, Isa isa) {
    if (sizeof(T) == 8 && (m == 71 || m == 73 || (m == 97 && (rows == 5 || rows == 9))))
      return make_direct_line(m, fft_ops<T>(isa));
    // Convolutions of 138 and 148 points rather than of 288 and 320: the error of 417 = 3 139, 447, 695 and 973 numbers
    // was 1.01 to 1.09 times that of FFTW and is at most 0.99.
    if (sizeof(T) == 8 && (m == 139 || m == 149)) return make_rader_line(m, fft_ops<T>(isa));
    return shared_line<T>(m, isa);
  }
  static void copy(const T* from, T* to, T sign) noexcept {
    to[0] = from[0];
    to[1] = from[1] * sign;
  }
  // call(s, k, which result number k of row s is, whether as its conjugate) for all of rows 1 to r / 2.
  template <class Call>
  void for_kept(Call&& call) const noexcept {
    const std::size_t n = r_ * m_;
    for (std::size_t s = 1; s <= r_ / 2; ++s) {
      const std::size_t below = (n / 2 - s) / r_ + 1;
      for (std::size_t k = 0; k < below; ++k) call(s, k, r_ * k + s, false);
      for (std::size_t k = below; k < m_; ++k) call(s, k, n - r_ * k - s, true);
    }
  }
  void run_rows(T* rows, T* inner, bool inverse, T scale) const noexcept {
    const auto distance = static_cast<std::ptrdiff_t>(row_);
    if (lines_) return lines_(rows, distance, rows, distance, r_ / 2, inverse, scale);
    for (std::size_t s = 0; s < r_ / 2; ++s, rows += row_) line_->run(rows, rows, inner, inverse, scale);
  }

  const FftOps<T>& ops_;
  std::size_t r_, m_, row_;
  std::shared_ptr<const RealLine<T>> real_;
  std::shared_ptr<const Line<T>> line_;
  typename FftPairs<T>::Lines lines_ = nullptr;
  AlignedArray<T> twiddles_;
};

}  // namespace

template <class T>
std::unique_ptr<const RealLine<T>> make_real_divided_line(std::size_t rows, std::size_t columns, Isa isa) {
  return std::make_unique<RealDividedLine<T>>(rows, columns, isa);
}
template std::unique_ptr<const RealLine<float>> make_real_divided_line(std::size_t, std::size_t, Isa);
template std::unique_ptr<const RealLine<double>> make_real_divided_line(std::size_t, std::size_t, Isa);

}  // namespace pawl::fft
