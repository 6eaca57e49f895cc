// fftw_accuracy_test.cpp -- our error beside FFTW's, both against a transform in long double.
#include <fftw3.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "kernels/fft/random_numbers.hpp"
#include "pawl/fft.hpp"
#include "reference/fft_ref.hpp"

namespace pawl::fft {
namespace {

void run_fftw(std::size_t n, std::complex<float>* in, std::complex<float>* out) {
  auto* const plan = fftwf_plan_dft_1d(static_cast<int>(n), reinterpret_cast<fftwf_complex*>(in),
                                       reinterpret_cast<fftwf_complex*>(out), FFTW_FORWARD, FFTW_ESTIMATE);
  fftwf_execute(plan);
  fftwf_destroy_plan(plan);
}
void run_fftw(std::size_t n, std::complex<double>* in, std::complex<double>* out) {
  auto* const plan = fftw_plan_dft_1d(static_cast<int>(n), reinterpret_cast<fftw_complex*>(in),
                                      reinterpret_cast<fftw_complex*>(out), FFTW_FORWARD, FFTW_ESTIMATE);
  fftw_execute(plan);
  fftw_destroy_plan(plan);
}

struct Errors {
  long double ours = 0, fftw = 0;
};

// Sums over several inputs, since each is a random number that scatters by some 10 %.
template <class T>
Errors errors_of(std::size_t n, std::size_t inputs) {
  Errors sum;
  for (std::size_t seed = 1; seed <= inputs; ++seed) {
    auto x = random_numbers<T>(n, 1000 * n + seed);
    Numbers<T> out(n);
    const auto want = reference::fft(x.data(), n, -1);
    Plan<T>(n).forward(x, out);
    sum.ours += reference::relative_error(out.data(), want);
    run_fftw(n, x.data(), out.data());
    sum.fftw += reference::relative_error(out.data(), want);
  }
  return sum;
}

// Some lengths are judged one by one loosely, all of them by their geometric mean. PAWL_FFT_ERRORS=1 prints each.
template <class T>
void compare_errors(const char* type) {
  const bool print = std::getenv("PAWL_FFT_ERRORS") != nullptr;
  double logs = 0, worst = 0;
  std::size_t count = 0, worst_n = 0, greater = 0;
  for (std::size_t n = 2; n <= 2100; n += n < 300 ? 1 : 7) {
    const Errors e = errors_of<T>(n, 3);
    if (e.ours == 0 && e.fftw == 0) continue;
    const auto ratio = static_cast<double>(e.ours / e.fftw);
    if (print) std::printf("%s %zu ours %.3g fftw %.3g ratio %.3f\n", type, n, double(e.ours), double(e.fftw), ratio);
    logs += std::log(ratio);
    ++count;
    greater += ratio > 1;
    if (ratio > worst) {
      worst = ratio;
      worst_n = n;
    }
  }
  const double mean = std::exp(logs / static_cast<double>(count));
  std::printf("%s: error over FFTW's %.3f in the geometric mean of %zu lengths, worst %.3f at %zu, above 1 at %zu\n",
              type, mean, count, worst, worst_n, greater);
  EXPECT_LE(mean, 1.0);
  EXPECT_LE(worst, 1.4) << worst_n;
}

TEST(FftAccuracyBesideFftw, F32) { compare_errors<float>("f32"); }
TEST(FftAccuracyBesideFftw, F64) { compare_errors<double>("f64"); }

TEST(FftAccuracyBesideFftw, LongLengths) {
  for (std::size_t n : {4096U, 10000U, 65536U, 262144U}) {
    const Errors f32 = errors_of<float>(n, 1), f64 = errors_of<double>(n, 1);
    std::printf("%zu: error over FFTW's f32 %.3f, f64 %.3f\n", n, double(f32.ours / f32.fftw),
                double(f64.ours / f64.fftw));
    EXPECT_LE(f32.ours, 1.1L * f32.fftw) << n;
    EXPECT_LE(f64.ours, 1.1L * f64.fftw) << n;
  }
  const Errors longest = errors_of<double>(std::size_t{1} << 22, 1);
  EXPECT_LE(longest.ours, 1.1L * longest.fftw);
}

}  // namespace
}  // namespace pawl::fft
