// real_rader_line.cpp -- RealWay::rader: a real line of a prime length p as a real convolution of p - 1 points.
//
// With g a primitive root, h = (p - 1) / 2 and w = exp(-2 pi i / p), result g^-k is in[0] plus the sum over q of
// in[g^q] w^(g^(q - k)) (rader_line.cpp). As g^h = -1, the real part of w^(g^-q) repeats after h and the imaginary part
// does with its sign changed; so the convolution with their sum, which is real, holds the real part of a result as half
// the sum of its elements k and k + h, and the imaginary part as half their difference. The inverse is the same
// convolution of re + im.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/fft/chirp.hpp"
#include "kernels/fft/factors.hpp"
#include "kernels/fft/fft_making.hpp"
#include "kernels/fft/lines.hpp"
#include "kernels/fft/real_line.hpp"
#include "kernels/fft/roots.hpp"

namespace pawl::fft {
namespace {

// The length of the convolution: p - 1 itself, unless its transforms take longer than those of twice the length. On a
// Zen 4 the latter took, with a factor of p - 1 from 17 to 31 and no multiple of 16 (f32) or 8 (f64), 0.63 to 1.04 of
// the time for 37 primes to 1151 in f32, 0.86 in the geometric mean, and 0.74 to 1.1 for 16 to 461 in f64, 0.93; longer
// ones took 1.1 and 1.2 times as long, multiples of 16 and 8 1.3 times.
template <class T>
std::size_t transform_length(std::size_t p) {
  constexpr std::size_t kLargestPass = 31, kShortPass = 13, kShort = sizeof(T) == 4 ? 1200 : 512;
  constexpr std::size_t kFastMultiple = sizeof(T) == 4 ? 16 : 8;
  const std::size_t largest = largest_factor(p - 1);
  const bool itself =
      largest <= kShortPass || (largest <= kLargestPass && (p >= kShort || (p - 1) % kFastMultiple == 0));
  return itself ? p - 1 : 2 * convolution_length(p - 1);
}

template <class T>
class RealRaderLine final : public RealLine<T> {
 public:
  RealRaderLine(std::size_t p, Isa isa)
      : ops_(fft_ops<T>(isa)),
        p_(p),
        m_(transform_length<T>(p)),
        line_(shared_real_line<T>(m_, isa)),
        from_((p - 1) / 2),
        place_(p - 1),
        result_((p - 1) / 2),
        sum_((p - 1) / 2),
        kernel_(m_ + 2) {
    const std::size_t half = (p - 1) / 2, g = primitive_root(p);
    const std::vector<std::uint32_t> power = powers(g, p, p - 1);
    const Roots roots(p);
    const auto line = shared_real_line<double>(m_, isa);
    AlignedArray<double> sums(m_ + 2), workspace(line->workspace_elements());
    for (std::size_t q = 0; q < p - 1; ++q) {
      const auto root = roots(power[(p - 1 - q) % (p - 1)]);
      // A longer convolution has the numbers in front once more, for what comes around.
      sums[q] = root.real() + root.imag();
      if (m_ > p - 1 && q > 0) sums[m_ - (p - 1) + q] = sums[q];
    }
    const double scale = 1.0 / static_cast<double>(m_);
    // Nothing tells the absolute values of a longer one; but its mirror image has the conjugate transform and other
    // rounding errors, and of f64, where those count, the mean of both has 0.95 of the error in results (509 points).
    AlignedArray<double> mirrored(sizeof(T) == 8 && m_ > p - 1 ? m_ + 2 : 0);
    if (mirrored.size() > 0) {
      std::reverse_copy(sums.data() + 1, sums.data() + m_, mirrored.data() + 1);
      mirrored[0] = sums[0];
      line->forward(mirrored.data(), mirrored.data(), workspace.data(), scale);
    }
    line->forward(sums.data(), sums.data(), workspace.data(), scale);
    for (std::size_t i = 0; i < mirrored.size(); ++i)
      sums[i] = (sums[i] + (i % 2 == 0 ? mirrored[i] : -mirrored[i])) / 2;
    // Of even k these are Gauss sums, of odd k -i times Gauss sums. Result (p - 1) / 2 is real.
    if (sizeof(T) == 8 && m_ == p - 1)
      ops_.making->set_absolute(sums.data() + 2, half, static_cast<double>(p) * scale * scale);
    for (std::size_t i = 0; i < m_ + 2; ++i) kernel_[i] = static_cast<T>(sums[i]);
    for (std::size_t q = 0; q < half; ++q) {
      from_[q] = static_cast<std::uint32_t>(power[q]);
      result_[q] = static_cast<std::uint32_t>(2 * std::min<std::size_t>(power[q], p - power[q]));
      sum_[q] = static_cast<std::uint32_t>(power[q] > half ? q + half : q);
    }
    for (std::size_t q = 0; q < p - 1; ++q) place_[power[q] - 1] = static_cast<std::uint32_t>((p - 1 - q) % (p - 1));
  }

  std::size_t workspace_elements() const noexcept override {
    return up_to_line<T>(m_ + 2) + line_->workspace_elements();
  }
  void forward(const T* in, T* out, T* workspace, T scale) const noexcept override {
    const std::size_t half = from_.size();
    T* const x = workspace;
    const T first = in[0];
    for (std::size_t q = 0; q < half; ++q) {
      x[q] = in[from_[q]];
      x[q + half] = in[p_ - from_[q]];  // g^(q + h)
    }
    const T sum = convolve(x, first, workspace, scale);
    out[0] = (first + sum) * scale;
    out[1] = 0;
    for (std::size_t j = 1; j <= half; ++j) {
      const std::size_t k = place_[j - 1], opposite = k < half ? k + half : k - half;
      out[2 * j] = (x[k] + x[opposite]) / 2;
      out[2 * j + 1] = (x[k] - x[opposite]) / 2;
    }
  }
  void inverse(const T* in, T* out, T* workspace, T scale) const noexcept override {
    const std::size_t half = from_.size();
    T* const x = workspace;
    const T first = in[0];
    for (std::size_t q = 0; q < half; ++q) {
      const T* const result = in + std::size_t{result_[q]};
      const T re = result[0], im = result[1];
      x[sum_[q]] = re + im;
      x[2 * q + half - sum_[q]] = re - im;
    }
    const T sum = convolve(x, first, workspace, scale);
    out[0] = (first + sum) * scale;
    for (std::size_t j = 1; j < p_; ++j) out[j] = x[place_[j - 1]];
  }

 private:
  // p - 1 numbers -> scale * (`first` + their convolution); returns their sum.
  T convolve(T* x, T first, T* workspace, T scale) const noexcept {
    T* const inner = workspace + up_to_line<T>(m_ + 2);
    for (std::size_t i = p_ - 1; i < m_; ++i) x[i] = 0;
    line_->forward(x, x, inner, T(1));
    const T sum = x[0];
    ops_.multiply(x, kernel_.data(), x, m_ / 2 + 1, false, false, T(1));
    x[0] += first;  // becomes a part of every result
    line_->inverse(x, x, inner, scale);
    return sum;
  }

  const FftOps<T>& ops_;
  std::size_t p_, m_;
  std::shared_ptr<const RealLine<T>> line_;
  std::vector<std::uint32_t> from_, place_;  // g^q, q < h, and the k with g^-k = j + 1
  // Where result g^q or its conjugate is, and where re + im of the former goes: nothing would foretell a branch.
  std::vector<std::uint32_t> result_, sum_;
  AlignedArray<T> kernel_;  // the transform of re + im of exp(-2 pi i g^-q / p), over m
};

}  // namespace

template <class T>
std::unique_ptr<const RealLine<T>> make_real_rader_line(std::size_t p, Isa isa) {
  return std::make_unique<RealRaderLine<T>>(p, isa);
}
template std::unique_ptr<const RealLine<float>> make_real_rader_line(std::size_t, Isa);
template std::unique_ptr<const RealLine<double>> make_real_rader_line(std::size_t, Isa);

}  // namespace pawl::fft
