// fftw_fft.cpp -- FFTW with plans of FFTW_MEASURE (impl fftw) and FFTW_ESTIMATE (fftw_estimate), made once.
//
// FFTW remembers what it measured ("wisdom") and would give a measured plan to whoever asks for an estimated one later
// in the process, so it is told to forget before each plan. On several threads by its own (fftw3_threads).
#include "benches/fft/convolution_rows.hpp"
#include "benches/fft/fft_rows.hpp"
#include "benches/fft/nd_rows.hpp"
#include "benches/fft/peers/fftw_calls.hpp"
#include "benches/fft/real_axis_rows.hpp"
#include "benches/fft/real_nd_rows.hpp"
#include "benches/fft/real_rows.hpp"

namespace pawl::bench {
namespace {

template <class T>
void start_planning(int threads = 1) {
  using F = Fftw<T>;
  static const int started = F::init_threads();
  if (started != 0) F::plan_with_threads(threads);
  F::forget_wisdom();
}

// Of plans made by make_transform.
int transform_threads = 1;
void set_transform_threads(int threads) { transform_threads = threads; }

template <class T, unsigned flags>
Transform make_transform(std::size_t n, std::complex<T>* in, std::complex<T>* out) {
  using F = Fftw<T>;
  start_planning<T>(transform_threads);
  const auto plan =
      F::plan_1d(static_cast<int>(n), F::cast(in), F::cast(out), FFTW_FORWARD, flags | FFTW_PRESERVE_INPUT);
  return [plan, kept = F::keep(plan)] { F::execute(plan); };
}

template <class T, unsigned flags>
Transform make_real_forward(std::size_t n, T* in, std::complex<T>* out) {
  using F = Fftw<T>;
  start_planning<T>(transform_threads);
  const auto plan = F::plan_r2c(static_cast<int>(n), in, F::cast(out), flags | FFTW_PRESERVE_INPUT);
  return [plan, kept = F::keep(plan)] { F::execute(plan); };
}
template <class T, unsigned flags>
Transform make_real_inverse(std::size_t n, std::complex<T>* in, T* out) {
  using F = Fftw<T>;
  start_planning<T>(transform_threads);
  // Every call has the same input, as ours do.
  const auto plan = F::plan_c2r(static_cast<int>(n), F::cast(in), out, flags | FFTW_PRESERVE_INPUT);
  return [plan, kept = F::keep(plan)] { F::execute(plan); };
}

template <class T, unsigned flags>
Transform make_nd(const NdProblem& p, int threads, std::complex<T>* in, std::complex<T>* out) {
  using F = Fftw<T>;
  start_planning<T>(threads);
  const std::vector<int> n(p.extents.begin(), p.extents.end());
  const int distance = static_cast<int>(p.points());
  const auto plan =
      F::plan_many(static_cast<int>(n.size()), n.data(), static_cast<int>(p.batch), F::cast(in), nullptr, 1, distance,
                   F::cast(out), nullptr, 1, distance, FFTW_FORWARD, flags | FFTW_PRESERVE_INPUT);
  return [plan, kept = F::keep(plan)] { F::execute(plan); };
}

template <class T>
Transform make_real_nd(const NdProblem& p, T* in, std::complex<T>* out) {
  using F = Fftw<T>;
  start_planning<T>();
  const std::vector<int> n(p.extents.begin(), p.extents.end());
  const auto plan = F::plan_real_nd(static_cast<int>(n.size()), n.data(), in, F::cast(out), FFTW_MEASURE);
  return [plan, kept = F::keep(plan)] { F::execute(plan); };
}

template <class T>
Transform make_real_axis_forward(const RealAxisProblem& p, T* in, std::complex<T>* out) {
  using F = Fftw<T>;
  start_planning<T>();
  const int n = static_cast<int>(p.n), stride = static_cast<int>(p.columns), results = static_cast<int>(p.results());
  const auto plan =
      F::plan_many_r2c(1, &n, static_cast<int>(p.count()), in, nullptr, stride, p.columns > 1 ? 1 : n, F::cast(out),
                       nullptr, stride, p.columns > 1 ? 1 : results, FFTW_MEASURE | FFTW_PRESERVE_INPUT);
  return [plan, kept = F::keep(plan)] { F::execute(plan); };
}
template <class T>
Transform make_real_axis_inverse(const RealAxisProblem& p, std::complex<T>* in, T* out) {
  using F = Fftw<T>;
  start_planning<T>();
  const int n = static_cast<int>(p.n), stride = static_cast<int>(p.columns), results = static_cast<int>(p.results());
  const auto plan =
      F::plan_many_c2r(1, &n, static_cast<int>(p.count()), F::cast(in), nullptr, stride, p.columns > 1 ? 1 : results,
                       out, nullptr, stride, p.columns > 1 ? 1 : n, FFTW_MEASURE | FFTW_PRESERVE_INPUT);
  return [plan, kept = F::keep(plan)] { F::execute(plan); };
}

// As a user of FFTW writes it: both sequences filled up to one smooth length, two transforms, a product, one back.
template <class T>
Transform make_convolution(std::span<const T> x, std::span<const T> y, std::span<T> out) {
  using F = Fftw<T>;
  start_planning<T>();
  struct Memory {
    std::vector<T> a, b;
    std::vector<std::complex<T>> fa, fb;
    std::shared_ptr<void> kept[3];
  };
  std::size_t m = 1;
  std::size_t best = 4 * out.size();
  for (std::size_t odd : {1U, 3U, 5U, 9U, 15U}) {
    m = odd;
    while (m < out.size()) m *= 2;
    best = std::min(best, m);
  }
  m = best;
  const auto memory = std::make_shared<Memory>();
  memory->a.resize(m);
  memory->b.resize(m);
  memory->fa.resize(m / 2 + 1);
  memory->fb.resize(m / 2 + 1);
  const int n = static_cast<int>(m);
  const auto first = F::plan_r2c(n, memory->a.data(), F::cast(memory->fa.data()), FFTW_MEASURE);
  const auto second = F::plan_r2c(n, memory->b.data(), F::cast(memory->fb.data()), FFTW_MEASURE);
  const auto back = F::plan_c2r(n, F::cast(memory->fa.data()), memory->a.data(), FFTW_MEASURE);
  memory->kept[0] = F::keep(first);
  memory->kept[1] = F::keep(second);
  memory->kept[2] = F::keep(back);
  return [=] {
    Memory& v = *memory;
    std::fill(std::copy(x.begin(), x.end(), v.a.begin()), v.a.end(), T(0));
    std::fill(std::copy(y.begin(), y.end(), v.b.begin()), v.b.end(), T(0));
    F::execute(first);
    F::execute(second);
    const T scale = T(1) / static_cast<T>(m);
    for (std::size_t k = 0; k < v.fa.size(); ++k) {
      const T ar = v.fa[k].real() * scale, ai = v.fa[k].imag() * scale, br = v.fb[k].real(), bi = v.fb[k].imag();
      v.fa[k] = {ar * br - ai * bi, ar * bi + ai * br};
    }
    F::execute(back);
    std::copy_n(v.a.begin(), out.size(), out.begin());
  };
}

template <class T, unsigned flags>
void make_plan(std::size_t n) {
  using F = Fftw<T>;
  static std::vector<std::complex<T>> in(1 << 20), out(1 << 20);
  start_planning<T>();
  F::destroy(F::plan_1d(static_cast<int>(n), F::cast(in.data()), F::cast(out.data()), FFTW_FORWARD, flags));
}

template <class T>
void add_rows(Rows& rows) {
  add_fft_rows<T>(rows, {"fftw", make_transform<T, FFTW_MEASURE>, false, thread_counts(), set_transform_threads});
  if (!rows.quick())
    add_fft_rows<T>(rows, {"fftw_estimate", make_transform<T, FFTW_ESTIMATE>, false, {1}, set_transform_threads});
  add_real_fft_rows<T>(rows, {"fftw", make_real_forward<T, FFTW_MEASURE>, make_real_inverse<T, FFTW_MEASURE>,
                              thread_counts(), set_transform_threads});
  add_nd_fft_rows<T>(rows, {"fftw", make_nd<T, FFTW_MEASURE>, thread_counts()});
  add_real_nd_fft_rows<T>(rows, {"fftw", make_real_nd<T>});
  add_real_axis_rows<T>(rows, {"fftw", make_real_axis_forward<T>, make_real_axis_inverse<T>});
  add_convolution_rows<T>(rows, {"fftw", make_convolution<T>});
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
