// direct_line.cpp -- Way::direct: a short line by the sums that define it.
#include "kernels/fft/columns.hpp"
#include "kernels/fft/line.hpp"
#include "kernels/fft/roots.hpp"

namespace pawl::fft {
namespace {

template <class T>
class DirectLine final : public Line<T> {
 public:
  // For each vector of results k from 1 to n / 2: n / 2 rows of cosines and sines of 2 pi j k / n, j = 1 .., and one of
  // (-1)^k.
  DirectLine(std::size_t n, const FftOps<T>& ops) : ops_(ops), n_(n) {
    const std::size_t w = ops.lanes, half = (n - 1) / 2, vectors = (n / 2 + w - 1) / w;
    table_ = AlignedArray<T>(vectors * (half + 1) * 2 * w);
    const Roots roots(n);
    T* row = table_.data();
    for (std::size_t k = 1; k <= n / 2; k += w) {
      for (std::size_t j = 1; j <= half; ++j, row += 2 * w)
        for (std::size_t lane = 0; lane < w; ++lane) {
          const auto root = roots(j * (k + lane) % n);
          row[lane] = static_cast<T>(root.real());
          row[w + lane] = static_cast<T>(-root.imag());
        }
      for (std::size_t lane = 0; lane < w; ++lane) row[lane] = (k + lane) % 2 == 0 ? T(1) : T(-1);
      row += 2 * w;
    }
  }
  std::size_t workspace_elements() const noexcept override { return 0; }
  void run(const T* in, T* out, T*, bool swapped, T scale) const noexcept override {
    ops_.direct(in, n_, table_.data(), out, swapped, scale);
  }

 private:
  const FftOps<T>& ops_;
  std::size_t n_;
  AlignedArray<T> table_;
};

}  // namespace

template <class T>
std::unique_ptr<const Line<T>> make_direct_line(std::size_t n, const FftOps<T>& ops) {
  return std::make_unique<DirectLine<T>>(n, ops);
}
template std::unique_ptr<const Line<float>> make_direct_line(std::size_t, const FftOps<float>&);
template std::unique_ptr<const Line<double>> make_direct_line(std::size_t, const FftOps<double>&);

}  // namespace pawl::fft
