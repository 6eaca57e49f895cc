// short_line.cpp -- Way::in_registers: a line that one function transforms from load to store.
#include "kernels/fft/aligned_array.hpp"
#include "kernels/fft/line.hpp"
#include "kernels/fft/roots.hpp"

namespace pawl::fft {
namespace {

template <class T>
class ShortLine final : public Line<T> {
 public:
  ShortLine(std::size_t n, const FftOps<T>& ops) : function_(ops.short_line[n / ops.lanes]) {
    const std::size_t w = ops.lanes, rows = n / w;
    twiddles_ = AlignedArray<T>((rows + 2) * 2 * w);
    const Roots roots(n);
    const auto set = [&](std::size_t vector, std::size_t lane, std::complex<double> root) {
      twiddles_[vector * 2 * w + lane] = static_cast<T>(root.real());
      twiddles_[vector * 2 * w + w + lane] = static_cast<T>(root.imag());
    };
    for (std::size_t k = 0; k < rows; ++k)
      for (std::size_t b = 0; b < w; ++b) set(k, b, roots(k * b));
    for (std::size_t lane = 0; lane < w; ++lane) {  // of the halves of the lanes
      const bool upper = lane >= w / 2;
      set(rows, lane, upper ? -1 : 1);
      set(rows + 1, lane, upper ? roots((lane - w / 2) * rows) : 1);
    }
  }
  std::size_t workspace_elements() const noexcept override { return 0; }
  void run(const T* in, T* out, T*, bool swapped, T scale) const noexcept override {
    function_(in, out, twiddles_.data(), swapped, scale);
  }

 private:
  typename FftOps<T>::ShortLine function_;
  AlignedArray<T> twiddles_;
};

}  // namespace

template <class T>
std::unique_ptr<const Line<T>> make_short_line(std::size_t n, const FftOps<T>& ops) {
  return std::make_unique<ShortLine<T>>(n, ops);
}
template std::unique_ptr<const Line<float>> make_short_line(std::size_t, const FftOps<float>&);
template std::unique_ptr<const Line<double>> make_short_line(std::size_t, const FftOps<double>&);

}  // namespace pawl::fft
