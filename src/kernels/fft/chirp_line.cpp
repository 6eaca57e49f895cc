// chirp_line.cpp -- Way::chirp: any length as a convolution of a smooth one.
//
// j k = (j^2 + k^2 - (k - j)^2) / 2 turns the sum into chirp[k] * sum of (in[j] chirp[j]) conj(chirp[k - j]), a
// convolution that two transforms of m >= 2 n - 1 points do (Bluestein, "A linear filtering approach to the computation
// of discrete Fourier transform", 1970).
#include <array>
#include <bit>

#include "kernels/fft/aligned_array.hpp"
#include "kernels/fft/line.hpp"
#include "kernels/fft/roots.hpp"

namespace pawl::fft {
namespace {

// The smallest of 2^a {1, 3, 5, 9, 15, 25} from `least` on that is a multiple of 4096, or the smallest of any 2^a
// below.
std::size_t convolution_length(std::size_t least) {
  std::size_t best = std::bit_ceil(least);
  for (std::size_t odd : {3, 5, 9, 15, 25}) {
    std::size_t m = 256 * odd;  // as many lanes as `finish` wants, whatever the type
    while (m < least) m *= 2;
    if (m < best) best = m;
  }
  return best;
}

template <class T>
class ChirpLine final : public Line<T> {
 public:
  ChirpLine(std::size_t n, const FftOps<T>& ops)
      : ops_(ops), n_(n), m_(convolution_length(2 * n - 1)), line_(make_line(m_, ops)), chirp_(2 * n), kernel_(2 * m_) {
    const Roots roots(2 * n);
    AlignedArray<T> wrapped(2 * m_), workspace(line_->workspace_elements());
    for (std::size_t j = 0, square = 0; j < n; square = (square + 2 * j + 1) % (2 * n), ++j) {  // square = j^2 mod 2n
      const auto root = roots(square);
      const T re = static_cast<T>(root.real()), im = static_cast<T>(root.imag());
      chirp_[2 * j] = re;
      chirp_[2 * j + 1] = im;
      for (std::size_t place : {j, (m_ - j) % m_}) {
        wrapped[2 * place] = re;
        wrapped[2 * place + 1] = -im;
      }
    }
    line_->run(wrapped.data(), kernel_.data(), workspace.data(), false, T(1) / static_cast<T>(m_));
  }
  std::size_t workspace_elements() const noexcept override { return 2 * m_ + line_->workspace_elements(); }
  void run(const T* in, T* out, T* workspace, bool swapped, T scale) const noexcept override {
    T *const x = workspace, *const inner = workspace + 2 * m_;
    ops_.multiply(in, chirp_.data(), x, n_, swapped, false, T(1));
    for (std::size_t i = 2 * n_; i < 2 * m_; ++i) x[i] = 0;
    line_->run(x, x, inner, false, T(1));
    ops_.multiply(x, kernel_.data(), x, m_, false, false, T(1));
    line_->run(x, x, inner, true, T(1));
    ops_.multiply(x, chirp_.data(), out, n_, false, swapped, scale);
  }

 private:
  const FftOps<T>& ops_;
  std::size_t n_, m_;
  std::unique_ptr<const Line<T>> line_;
  AlignedArray<T> chirp_, kernel_;
};

}  // namespace

template <class T>
std::unique_ptr<const Line<T>> make_chirp_line(std::size_t n, const FftOps<T>& ops) {
  return std::make_unique<ChirpLine<T>>(n, ops);
}
template std::unique_ptr<const Line<float>> make_chirp_line(std::size_t, const FftOps<float>&);
template std::unique_ptr<const Line<double>> make_chirp_line(std::size_t, const FftOps<double>&);

}  // namespace pawl::fft
