// rader_line.cpp -- Way::rader: a line of a prime length p as a cyclic convolution of p - 1 points.
//
// With g a primitive root, result g^-k is in[0] plus the sum over q of in[g^q] exp(-2 pi i g^(q - k) / p), a cyclic
// convolution (Rader, "Discrete Fourier transforms when the number of data samples is prime", 1968). Its two transforms
// have less than half as many points as those of Way::chirp, but elements go in and out one by one.
#include <cstdint>
#include <cstring>
#include <vector>

#include "kernels/fft/aligned_array.hpp"
#include "kernels/fft/factors.hpp"
#include "kernels/fft/fft_making.hpp"
#include "kernels/fft/lines.hpp"
#include "kernels/fft/real_line.hpp"
#include "kernels/fft/roots.hpp"

namespace pawl::fft {
namespace {

template <class T>
void copy_pair(const T* from, T* to) noexcept {
  std::memcpy(to, from, 2 * sizeof(T));
}

template <class T>
class RaderLine final : public Line<T> {
 public:
  RaderLine(std::size_t p, const FftOps<T>& ops) : RaderLine(p, ops, ops_of_line(p - 1, ops)) {}
  std::size_t workspace_elements() const noexcept override {
    return up_to_line<T>(2 * (p_ - 1)) + line_->workspace_elements();
  }
  void run(const T* in, T* out, T* workspace, bool swapped, T scale) const noexcept override {
    const std::size_t m = p_ - 1, re = swapped ? 1 : 0, im = 1 - re;
    T *const x = workspace, *const inner = workspace + up_to_line<T>(2 * m);
    // A pair is one access of memory; that swapped ones are two is the price of a branch less.
    if (swapped)
      for (std::size_t q = 0; q < m; ++q) {
        x[2 * q] = in[2 * std::size_t{from_[q]} + 1];
        x[2 * q + 1] = in[2 * std::size_t{from_[q]}];
      }
    else
      for (std::size_t q = 0; q < m; ++q) copy_pair(in + 2 * std::size_t{from_[q]}, x + 2 * q);
    const T first_re = in[re], first_im = in[im];
    line_->run(x, x, inner, false, T(1));
    const T sum_re = x[0], sum_im = x[1];
    // Times element 0 of the spectrum, -1 / m, it becomes a part of every result.
    x[0] -= static_cast<T>(m) * first_re;
    x[1] -= static_cast<T>(m) * first_im;
    if (in_pass_) {
      line_->run_back(x, spectrum_.data(), nullptr, 0, false, x, inner, scale);
    } else {
      ops_.multiply(x, spectrum_.data(), x, m, false, false, T(1));
      line_->run(x, x, inner, true, scale);
    }
    out[re] = (first_re + sum_re) * scale;
    out[im] = (first_im + sum_im) * scale;
    if (swapped)
      for (std::size_t k = 0; k < m; ++k) {
        out[2 * k + 3] = x[2 * std::size_t{place_[k]}];
        out[2 * k + 2] = x[2 * std::size_t{place_[k]} + 1];
      }
    else
      for (std::size_t k = 0; k < m; ++k) copy_pair(x + 2 * std::size_t{place_[k]}, out + 2 * k + 2);
  }

 private:
  RaderLine(std::size_t p, const FftOps<T>& ops, const FftOps<T>& inner)
      : ops_(ops), p_(p), line_(make_line(p - 1, inner)), from_(p - 1), place_(p - 1), spectrum_(2 * (p - 1), Unset{}) {
    const std::size_t m = p - 1, half = m / 2;
    const std::vector<std::uint32_t> power = powers(primitive_root(p), p, half);
    for (std::size_t q = 0; q < half; ++q) {
      from_[q] = power[q];
      from_[q + half] = static_cast<std::uint32_t>(p - power[q]);  // g^half is -1
      place_[power[q] - 1] = static_cast<std::uint32_t>(q == 0 ? 0 : m - q);
      place_[p - power[q] - 1] = static_cast<std::uint32_t>(half - q);
    }
    in_pass_ = line_->product_lanes() > 0;
    make_spectrum(Roots(p), power, inner);
    spectrum_[0] = static_cast<T>(-1.0 / static_cast<double>(m));  // the roots but 1 add up to -1
    spectrum_[in_pass_ ? inner.lanes : 1] = 0;
  }

  // Element q of what is transformed is root g^-q, and g^-(q + half) its conjugate.
  void make_spectrum(const Roots& roots, const std::vector<std::uint32_t>& power, const FftOps<T>& inner) {
    const std::size_t m = p_ - 1, half = m / 2;
    const double scale = 1.0 / static_cast<double>(m);
    const FftMaking<T>& making = *(in_pass_ ? inner : ops_).making;  // pairs are the same from all
    if constexpr (sizeof(T) == 8) {
      AlignedArray<double> kernel(2 * (m + 1), Unset{}), workspace(line_->workspace_elements(), Unset{});
      const auto set = [&](std::size_t q, double re, double im) {
        kernel[2 * q] = re;
        kernel[2 * q + 1] = im;
      };
      for (std::size_t q = 0; q < half; ++q) {
        const auto root = roots(power[q == 0 ? 0 : half - q]);
        set(q, root.real(), q == 0 ? root.imag() : -root.imag());
        set(q + half, root.real(), q == 0 ? -root.imag() : root.imag());
      }
      line_->run(kernel.data(), kernel.data(), workspace.data(), false, scale);
      set(m, kernel[0], kernel[1]);
      making.round_gauss_sums(kernel.data(), m, static_cast<double>(p_) * scale * scale, spectrum_.data(), in_pass_);
    } else {
      constexpr std::size_t kRoom = 16;                             // pairs
      const auto line = shared_real_line<double>(m, active_isa());  // any ISA will do
      AlignedArray<double> sums(m + 2 * kRoom, Unset{}), workspace(line->workspace_elements(), Unset{});
      for (std::size_t q = 0; q < half; ++q) {
        const auto root = roots(power[q == 0 ? 0 : half - q]);
        const double im = q == 0 ? root.imag() : -root.imag();
        sums[q] = root.real() + im;
        sums[q + half] = root.real() - im;
      }
      line->forward(sums.data(), sums.data(), workspace.data(), scale);
      making.round_real_gauss_sums(sums.data(), m, spectrum_.data(), in_pass_);
    }
  }

  const FftOps<T>& ops_;
  std::size_t p_;
  std::unique_ptr<const Line<T>> line_;
  // g^q, and the k with g^-k = j + 1. Both ways in are loads from anywhere, many of which are under way at a time;
  // stores to anywhere wait for each other.
  std::vector<std::uint32_t> from_, place_;
  AlignedArray<T> spectrum_;  // the transform of exp(-2 pi i g^-q / p), over p - 1
  bool in_pass_ = false;      // spectrum_ is a block, for products in the first pass
};

}  // namespace

template <class T>
std::unique_ptr<const Line<T>> make_rader_line(std::size_t p, const FftOps<T>& ops) {
  return std::make_unique<RaderLine<T>>(p, ops);
}
template std::unique_ptr<const Line<float>> make_rader_line(std::size_t, const FftOps<float>&);
template std::unique_ptr<const Line<double>> make_rader_line(std::size_t, const FftOps<double>&);

}  // namespace pawl::fft
