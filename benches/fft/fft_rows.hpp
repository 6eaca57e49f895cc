// fft_rows.hpp -- what every implementation of the Fourier transform is run on: lengths, data, and the check of
// results.
//
// Name      fft_c2c/type/impl/n:<n>/threads:<t>; fft_plan/type/impl/n:<n> for making a plan
// Counters  flops (5 n log2 n per call, whatever the algorithm does), bytes (in and out once), working_set_bytes,
//           p50 p95 p99; l2_error up to 2048 points: relative, of the 2-norm
// Question  how far beyond FFTW's best plan do we get, from tiny to beyond the cache, and for awkward lengths?
#pragma once
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "buffers.hpp"
#include "pawl/isa.hpp"
#include "reference/fft_ref.hpp"
#include "rows.hpp"
#include "thread_counts.hpp"

namespace pawl::bench {

/// A forward complex transform of n points from in to out, ready to be called many times: plan and workspace are made
/// by the function that returns it, which may overwrite both arrays.
using Transform = std::function<void()>;
template <class T>
struct FftImplementation {
  std::string impl;
  Transform (*make)(std::size_t n, std::complex<T>* in, std::complex<T>* out);
  bool quadratic_primes = false;  ///< takes p^2 operations for a prime p: no lengths with a large one
  std::vector<int> thread_counts = {1};
  void (*set_threads)(int threads) = nullptr;  ///< for plans made afterwards
};

/// Powers of two, smooth numbers, awkward ones (a large prime factor, or 7^5) and primes. Quick: one or two of each; of
/// the single ISAs and of the slow peers one.
inline std::vector<std::size_t> fft_lengths(bool quick, const std::string& impl) {
  if (quick && (parse_isa(impl) || impl == "eigen" || impl == "kissfft")) return {1024};
  if (quick) return {64, 1024, 4096, 1000, 1009};
  return {16,      32,      64,     128,     256, 512,  1024,  2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144,
          1048576, 4194304, 12,     24,      48,  60,   96,    100,  200,  240,  360,   384,   1000,  1920,   5000,
          10000,   44100,   100000, 1000000, 243, 2187, 16807, 255,  1140, 2018, 17,    101,   1009,  10007,  65537};
}

/// The relative error of out in the 2-norm up to 2048 points. Beyond that, where the sums would take longer than the
/// measurement, that of the worst of four results, over what results are in the mean.
template <class T>
long double transform_error(std::size_t n, const std::complex<T>* in, const std::complex<T>* out) {
  if (n <= 2048) return reference::relative_error(out, reference::fft(in, n, -1));
  long double norm = 0, worst = 0;
  for (std::size_t j = 0; j < n; ++j) norm += static_cast<long double>(std::norm(std::complex<double>(in[j])));
  for (std::size_t k : {std::size_t{0}, std::size_t{1}, n / 3, n - 1}) {
    const auto want = reference::dft_element(in, n, k, -1);
    const std::complex<long double> got(out[k].real(), out[k].imag());
    const long double error = std::abs(got - want) / std::sqrt(norm);
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

/// Whether that is below 1e-6 (f32) or 1e-14 (f64) times sqrt(log2 n), eight times as much for single results.
template <class T>
bool is_transform(std::size_t n, const std::complex<T>* in, const std::complex<T>* out) {
  const long double tolerance =
      (sizeof(T) == 4 ? 1e-6L : 1e-14L) * std::sqrt(std::log2(static_cast<long double>(n) + 1));
  return transform_error(n, in, out) <= (n <= 2048 ? 1 : 8) * tolerance;
}

template <class T>
void add_fft_rows(Rows& rows, const FftImplementation<T>& f) {
  for (int threads : f.thread_counts)
    for (std::size_t n : fft_lengths(rows.quick(), f.impl)) {
      if (f.quadratic_primes && (n == 10007 || n == 65537)) continue;
      if (threads > 1 && n < (std::size_t{1} << 17)) continue;
      rows.add(
          RowName("fft_c2c", sizeof(T) == 4 ? "f32" : "f64", f.impl)
              .with("n", n)
              .with("threads", static_cast<std::size_t>(threads)),
          [=](benchmark::State& state) {
            if (f.set_threads) f.set_threads(threads);
            Buffers buffers;
            const auto in = buffers.make<T>(2 * n), out = buffers.make<T>(2 * n);
            auto* const x = reinterpret_cast<std::complex<T>*>(in.data());
            auto* const y = reinterpret_cast<std::complex<T>*>(out.data());
            const Transform run = f.make(n, x, y);
            const auto values = buffers.random<T>(2 * n, 1);
            std::copy(values.begin(), values.end(), in.begin());
            run();
            if (!is_transform(n, x, y)) return state.SkipWithError("wrong result");
            if (n <= 2048) state.counters["l2_error"] = static_cast<double>(transform_error(n, x, y));
            measure(state, run);
            set_work(state, {.flops = 5.0 * double(n) * std::log2(double(n)), .bytes = 4.0 * double(n) * sizeof(T)});
          },
          n > 10'000 ? benchmark::kMicrosecond : benchmark::kNanosecond);
    }
}

/// Making a plan for n points as a program does that meets this length for the first time. `make` makes and drops one.
template <class T>
void add_fft_plan_rows(Rows& rows, const std::string& impl, void (*make)(std::size_t n),
                       const std::vector<std::size_t>& lengths) {
  if (rows.quick()) return;
  for (std::size_t n : lengths)
    rows.add(
        RowName("fft_plan", sizeof(T) == 4 ? "f32" : "f64", impl).with("n", n),
        [=](benchmark::State& state) {
          measure(state, [=] { make(n); });
          set_work(state, {.items = 1});
        },
        benchmark::kMicrosecond);
}

}  // namespace pawl::bench
