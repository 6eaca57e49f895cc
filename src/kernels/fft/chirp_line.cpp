// chirp_line.cpp -- Way::chirp: a line of any length as a convolution of a smooth one.
#include "kernels/fft/block_of_pairs.hpp"
#include "kernels/fft/chirp.hpp"
#include "kernels/fft/lines.hpp"

namespace pawl::fft {
namespace {

template <class T>
class ChirpLine final : public Line<T> {
 public:
  ChirpLine(std::size_t n, const FftOps<T>& ops)
      : ops_(ops),
        n_(n),
        m_(chirp_length<T>(n)),
        line_(make_convolution_line(m_, ops)),
        chirp_(n, m_, ops, *exact_line(*line_, kernel_points<T>(m_)), line_->product_lanes() > 0) {
    if (line_->product_lanes() > 0) factors_ = block_of_pairs(chirp_.factors, ops);
  }
  std::size_t workspace_elements() const noexcept override {
    return up_to_line<T>(2 * m_) + line_->workspace_elements();
  }
  void run(const T* in, T* out, T* workspace, bool swapped, T scale) const noexcept override {
    T *const x = workspace, *const inner = workspace + up_to_line<T>(2 * m_);
    if (factors_.size() > 0) {
      line_->run_products(in, n_, factors_.data(), swapped, x, inner);
      line_->run_back(x, chirp_.kernel.data(), chirp_.factors.data(), n_, swapped, out, inner, scale);
      return;
    }
    ops_.multiply(in, chirp_.factors.data(), x, n_, swapped, false, T(1));
    for (std::size_t i = 2 * n_; i < 2 * m_; ++i) x[i] = 0;
    line_->run(x, x, inner, false, T(1));
    ops_.multiply(x, chirp_.kernel.data(), x, m_, false, false, T(1));
    line_->run(x, x, inner, true, T(1));
    ops_.multiply(x, chirp_.factors.data(), out, n_, false, swapped, scale);
  }

 private:
  const FftOps<T>& ops_;
  std::size_t n_, m_;
  std::unique_ptr<const Line<T>> line_;
  Chirp<T> chirp_;           // its kernel is a block where factors_ are
  AlignedArray<T> factors_;  // as a block, if the products are part of the transforms
};

}  // namespace

template <class T>
std::unique_ptr<const Line<T>> make_chirp_line(std::size_t n, const FftOps<T>& ops) {
  return std::make_unique<ChirpLine<T>>(n, ops);
}
template std::unique_ptr<const Line<float>> make_chirp_line(std::size_t, const FftOps<float>&);
template std::unique_ptr<const Line<double>> make_chirp_line(std::size_t, const FftOps<double>&);

}  // namespace pawl::fft
