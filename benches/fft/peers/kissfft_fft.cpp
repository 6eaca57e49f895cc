// kissfft_fft.cpp -- kissfft; Debian builds it for f32.
#include <kissfft/kiss_fft.h>

#include <memory>

#include "benches/fft/fft_rows.hpp"

namespace pawl::bench {
namespace {

Transform make_transform(std::size_t n, std::complex<float>* in, std::complex<float>* out) {
  const std::shared_ptr<kiss_fft_state> plan(kiss_fft_alloc(static_cast<int>(n), 0, nullptr, nullptr),
                                             [](kiss_fft_cfg p) { kiss_fft_free(p); });
  return [=] { kiss_fft(plan.get(), reinterpret_cast<const kiss_fft_cpx*>(in), reinterpret_cast<kiss_fft_cpx*>(out)); };
}

const Registration rows([](Rows& r) {
  static_assert(sizeof(kiss_fft_scalar) == sizeof(float));
  add_fft_rows<float>(r, {"kissfft", make_transform, true});
});

}  // namespace
}  // namespace pawl::bench
