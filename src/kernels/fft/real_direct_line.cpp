// real_direct_line.cpp -- RealWay::single, matrix and direct: short real transforms, most by the sums that define them.
#include "isa/datapath.hpp"
#include "kernels/fft/lines.hpp"
#include "kernels/fft/real_line.hpp"
#include "kernels/fft/real_rows.hpp"
#include "kernels/fft/roots.hpp"

namespace pawl::fft {
namespace {

// Of real_folded_inverse.
template <class T>
AlignedArray<T> folded_table(std::size_t n) {
  AlignedArray<T> table(n / 2 * 2 * kFoldedResults);
  const Roots roots(n);
  for (std::size_t k = 1; k <= n / 2; ++k)
    for (std::size_t j = 1; j <= kFoldedResults; ++j) {
      const auto root = roots(j * k % n);
      T* const place = table.data() + (k - 1) * 2 * kFoldedResults + j - 1;
      place[0] = static_cast<T>(2 * root.real());
      place[kFoldedResults] = static_cast<T>(2 * root.imag());
    }
  return table;
}

// Of two halves of a vector one would be idle where it holds one number, and where eight results of f32 are done at
// once.
template <class T>
const FftPairs<T>& pairs_of_one_number(Isa isa, bool folded) {
  const bool narrow = isa == Isa::avx512 && (detail::splits_512_bits || (folded && sizeof(T) == 4));
  return *fft_ops<T>(narrow ? Isa::avx2 : isa).pairs;
}

// n is odd.
template <class T>
class RealMatrixLine final : public RealLine<T> {
 public:
  RealMatrixLine(std::size_t n, Isa isa) : ops_(fft_ops<T>(isa)), n_(n), results_(2 * (n / 2 + 1)) {
    const FftOps<T>& ops = ops_;
    if (is_folded(n)) folded_inverse_ = pairs_of_one_number<T>(isa, true).real_single_inverse[n];
    if (folded_inverse_) folded_ = folded_table<T>(n);
    const std::size_t w = ops.lanes, row = (results_ + w - 1) / w * w, inverse_row = (n + w - 1) / w * w;
    const Roots roots(n);
    forward_ = AlignedArray<T>((n - 1) * row);
    inverse_ = AlignedArray<T>((n - 1) * inverse_row);
    for (std::size_t j = 1; j < n; ++j)
      for (std::size_t k = 0; k <= n / 2; ++k) {
        const auto root = roots(j * k % n);
        const T re = static_cast<T>(root.real()), im = static_cast<T>(root.imag());
        forward_[(j - 1) * row + 2 * k] = re;
        forward_[(j - 1) * row + 2 * k + 1] = k == 0 ? T(0) : im;
        if (k == 0) continue;
        // Twice, since the conjugate of result k is another one.
        inverse_[(2 * k - 2) * inverse_row + j] = 2 * re;
        inverse_[(2 * k - 1) * inverse_row + j] = 2 * im;
      }
    for (std::size_t k = 1; k <= n / 2; ++k) inverse_[(2 * k - 2) * inverse_row] = 2;
  }
  std::size_t workspace_elements() const noexcept override { return 0; }
  void forward(const T* in, T* out, T*, T scale) const noexcept override {
    ops_.real_matrix(in, n_, forward_.data(), out, results_, true, scale);
  }
  void inverse(const T* in, T* out, T*, T scale) const noexcept override {
    if (folded_inverse_)
      folded_inverse_(in, folded_.data(), out, scale);
    else
      ops_.real_matrix(in, n_, inverse_.data(), out, n_, false, scale);
  }

 private:
  const FftOps<T>& ops_;
  std::size_t n_, results_;  // results_: their parts
  AlignedArray<T> forward_, inverse_, folded_;
  typename FftPairs<T>::RealSingle folded_inverse_ = nullptr;
};

template <class T>
class RealDirectLine final : public RealLine<T> {
 public:
  RealDirectLine(std::size_t n, const FftOps<T>& ops) : ops_(ops), n_(n) {
    const std::size_t w = ops.lanes, row = (n + 1 + w - 1) / w * w;
    table_ = AlignedArray<T>(n / 2 * row);
    const Roots roots(n);
    for (std::size_t j = 1; j <= n / 2; ++j)
      for (std::size_t k = 0; 2 * k < row; ++k) {
        const auto root = roots(j * k % n);
        table_[(j - 1) * row + 2 * k] = static_cast<T>(root.real());
        table_[(j - 1) * row + 2 * k + 1] = k == 0 ? T(0) : static_cast<T>(root.imag());
      }
  }
  std::size_t workspace_elements() const noexcept override { return 0; }
  void forward(const T* in, T* out, T*, T scale) const noexcept override {
    ops_.real_direct(in, n_, table_.data(), out, true, scale);
  }
  void inverse(const T* in, T* out, T*, T scale) const noexcept override {
    ops_.real_direct(in, n_, table_.data(), out, false, scale);
  }

 private:
  const FftOps<T>& ops_;
  std::size_t n_;
  AlignedArray<T> table_;
};

template <class T>
class RealSingleLine final : public RealLine<T> {
 public:
  RealSingleLine(std::size_t n, const FftPairs<T>& pairs)
      : forward_(pairs.real_single[n]), inverse_(pairs.real_single_inverse[n]) {
    table_ = n % 2 == 0 ? real_rows_table<T>(n / 2) : is_folded(n) ? folded_table<T>(n) : AlignedArray<T>{};
  }
  std::size_t workspace_elements() const noexcept override { return 0; }
  void forward(const T* in, T* out, T*, T scale) const noexcept override { forward_(in, table_.data(), out, scale); }
  void inverse(const T* in, T* out, T*, T scale) const noexcept override { inverse_(in, table_.data(), out, scale); }
  typename RealLine<T>::AtOnce at_once() const noexcept override { return {forward_, inverse_, table_.data()}; }

 private:
  typename FftPairs<T>::RealSingle forward_, inverse_;
  AlignedArray<T> table_;
};

}  // namespace

template <class T>
std::unique_ptr<const RealLine<T>> make_real_single_line(std::size_t n, Isa isa) {
  return std::make_unique<RealSingleLine<T>>(n, pairs_of_one_number<T>(isa, is_folded(n)));
}
template <class T>
std::unique_ptr<const RealLine<T>> make_real_matrix_line(std::size_t n, Isa isa) {
  return std::make_unique<RealMatrixLine<T>>(n, isa);
}
template <class T>
std::unique_ptr<const RealLine<T>> make_real_direct_line(std::size_t n, const FftOps<T>& ops) {
  return std::make_unique<RealDirectLine<T>>(n, ops);
}
template std::unique_ptr<const RealLine<float>> make_real_single_line(std::size_t, Isa);
template std::unique_ptr<const RealLine<double>> make_real_single_line(std::size_t, Isa);
template std::unique_ptr<const RealLine<float>> make_real_matrix_line(std::size_t, Isa);
template std::unique_ptr<const RealLine<double>> make_real_matrix_line(std::size_t, Isa);
template std::unique_ptr<const RealLine<float>> make_real_direct_line(std::size_t, const FftOps<float>&);
template std::unique_ptr<const RealLine<double>> make_real_direct_line(std::size_t, const FftOps<double>&);

}  // namespace pawl::fft
