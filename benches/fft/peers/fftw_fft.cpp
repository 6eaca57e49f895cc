// fftw_fft.cpp -- FFTW with plans of FFTW_MEASURE (impl fftw) and FFTW_ESTIMATE (fftw_estimate), made once.
//
// FFTW remembers what it measured ("wisdom") and would give a measured plan to whoever asks for an estimated one later
// in the process, so it is told to forget before each plan.
#include "benches/fft/fft_rows.hpp"
#include "benches/fft/nd_rows.hpp"
#include "benches/fft/peers/fftw_calls.hpp"
#include "benches/fft/real_rows.hpp"

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
Transform make_real_forward(std::size_t n, T* in, std::complex<T>* out) {
  using F = Fftw<T>;
  F::forget_wisdom();
  const auto plan = F::plan_r2c(static_cast<int>(n), in, F::cast(out), flags | FFTW_PRESERVE_INPUT);
  return [plan, kept = F::keep(plan)] { F::execute(plan); };
}
template <class T, unsigned flags>
Transform make_real_inverse(std::size_t n, std::complex<T>* in, T* out) {
  using F = Fftw<T>;
  F::forget_wisdom();
  // Every call has the same input, as ours do.
  const auto plan = F::plan_c2r(static_cast<int>(n), F::cast(in), out, flags | FFTW_PRESERVE_INPUT);
  return [plan, kept = F::keep(plan)] { F::execute(plan); };
}

template <class T, unsigned flags>
Transform make_nd(const NdProblem& p, int, std::complex<T>* in, std::complex<T>* out) {
  using F = Fftw<T>;
  F::forget_wisdom();
  const std::vector<int> n(p.extents.begin(), p.extents.end());
  const int distance = static_cast<int>(p.points());
  const auto plan =
      F::plan_many(static_cast<int>(n.size()), n.data(), static_cast<int>(p.batch), F::cast(in), nullptr, 1, distance,
                   F::cast(out), nullptr, 1, distance, FFTW_FORWARD, flags | FFTW_PRESERVE_INPUT);
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
  add_real_fft_rows<T>(rows, {"fftw", make_real_forward<T, FFTW_MEASURE>, make_real_inverse<T, FFTW_MEASURE>});
  add_nd_fft_rows<T>(rows, {"fftw", make_nd<T, FFTW_MEASURE>, {1}});
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
