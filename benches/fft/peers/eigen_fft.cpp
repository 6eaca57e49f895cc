// eigen_fft.cpp -- Eigen's unsupported FFT module with the backend that it brings, a derivative of kissfft.
#include <memory>
#include <unsupported/Eigen/FFT>

#include "benches/fft/fft_rows.hpp"

namespace pawl::bench {
namespace {

template <class T>
Transform make_transform(std::size_t n, std::complex<T>* in, std::complex<T>* out) {
  const auto fft = std::make_shared<Eigen::FFT<T>>();
  return [=] { fft->fwd(out, in, static_cast<Eigen::Index>(n)); };  // the first call makes the plan and keeps it
}

const Registration rows([](Rows& r) {
  add_fft_rows<float>(r, {"eigen", make_transform<float>, true});
  if (!r.quick()) add_fft_rows<double>(r, {"eigen", make_transform<double>, true});
});

}  // namespace
}  // namespace pawl::bench
