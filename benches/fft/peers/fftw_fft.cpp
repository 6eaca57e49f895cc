// fftw_fft.cpp -- FFTW with plans of FFTW_MEASURE (impl fftw) and FFTW_ESTIMATE (fftw_estimate), made once.
//
// FFTW remembers what it measured ("wisdom") and would give a measured plan to whoever asks for an estimated one later
// in the process, so it is told to forget before each plan.
#include "benches/fft/fft_rows.hpp"
#include "benches/fft/peers/fftw_calls.hpp"

namespace pawl::bench {
namespace {

template <class T, unsigned flags>
Transform make_transform(std::size_t n, std::complex<T>* in, std::complex<T>* out) {
  using F = Fftw<T>;
  F::forget_wisdom();
  const auto plan =
      F::plan_1d(static_cast<int>(n), F::cast(in), F::cast(out), FFTW_FORWARD, flags | FFTW_PRESERVE_INPUT);
  return [plan, kept = F::keep(plan)] { F::execute(plan); };
}

template <class T, unsigned flags>
void make_plan(std::size_t n) {
  using F = Fftw<T>;
  static std::vector<std::complex<T>> in(1 << 20), out(1 << 20);
  F::forget_wisdom();
  F::destroy(F::plan_1d(static_cast<int>(n), F::cast(in.data()), F::cast(out.data()), FFTW_FORWARD, flags));
}

template <class T>
void add_rows(Rows& rows) {
  add_fft_rows<T>(rows, {"fftw", make_transform<T, FFTW_MEASURE>});
  add_fft_rows<T>(rows, {"fftw_estimate", make_transform<T, FFTW_ESTIMATE>});
  add_fft_plan_rows<T>(rows, "fftw", make_plan<T, FFTW_MEASURE>, {64, 1000, 1024, 4096});
  add_fft_plan_rows<T>(rows, "fftw_estimate", make_plan<T, FFTW_ESTIMATE>,
                       {64, 1000, 1009, 1024, 4096, 65536, 1048576});
}

const Registration rows([](Rows& r) {
  add_rows<float>(r);
  if (!r.quick()) add_rows<double>(r);
});

}  // namespace
}  // namespace pawl::bench
