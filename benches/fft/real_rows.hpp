// real_rows.hpp -- what every implementation of the transform of real numbers is run on.
//
// Name      fft_r2c/type/impl/n:<n>; fft_c2r/... back
// Counters  flops (2.5 n log2 n per call, whatever the algorithm does), bytes (in and out once), working_set_bytes,
//           p50 p95 p99
// Question  does real input cost half of complex input, for odd lengths too?
#pragma once
#include "fft_rows.hpp"

namespace pawl::bench {

/// n real numbers from or to n / 2 + 1 results; the inverse may destroy its input.
template <class T>
struct RealFftImplementation {
  std::string impl;
  Transform (*make_forward)(std::size_t n, T* in, std::complex<T>* out);
  Transform (*make_inverse)(std::size_t n, std::complex<T>* in, T* out);
  std::vector<int> thread_counts = {1};
  void (*set_threads)(int threads) = nullptr;  ///< for plans made afterwards
};

inline std::vector<std::size_t> real_lengths(bool quick) {
  if (quick) return {1024};
  return {32,   64,   256, 1024, 4096, 16384, 65536, 1048576, 1000, 10000, 100000,
          2187, 1009, 15,  45,   105,  225,   1001,  1125,    3027, 10007, 19683};
}

template <class T>
void add_real_fft_rows(Rows& rows, const RealFftImplementation<T>& f) {
  const std::string type = sizeof(T) == 4 ? "f32" : "f64";
  const auto add = [&](std::size_t n, int threads) {
    const auto named = [&](const char* operation) {
      RowName name = RowName(operation, type, f.impl).with("n", n);
      return threads == 1 ? name : name.with("threads", static_cast<std::size_t>(threads));
    };
    const auto unit = n > 10'000 ? benchmark::kMicrosecond : benchmark::kNanosecond;
    const std::size_t results = n / 2 + 1;
    const Work work{.flops = 2.5 * double(n) * std::log2(double(n)), .bytes = 2.0 * double(n) * sizeof(T)};
    rows.add(
        named("fft_r2c"),
        [=](benchmark::State& state) {
          if (f.set_threads) f.set_threads(threads);
          Buffers buffers;
          const auto in = buffers.make<T>(n), out = buffers.make<T>(2 * results);
          auto* const y = reinterpret_cast<std::complex<T>*>(out.data());
          const Transform run = f.make_forward(n, in.data(), y);
          const auto values = buffers.random<T>(n, 1);
          std::copy(values.begin(), values.end(), in.begin());
          run();
          const std::vector<std::complex<T>> x(values.begin(), values.end());
          std::vector<std::complex<T>> all(y, y + results);
          for (std::size_t k = results; k < n; ++k) all.push_back(std::conj(all[n - k]));
          if (!is_transform(n, x.data(), all.data())) return state.SkipWithError("wrong result");
          measure(state, run);
          set_work(state, work);
        },
        unit);
    if (!f.make_inverse || rows.quick()) return;
    rows.add(
        named("fft_c2r"),
        [=](benchmark::State& state) {
          if (f.set_threads) f.set_threads(threads);
          Buffers buffers;
          const auto in = buffers.make<T>(2 * results), out = buffers.make<T>(n);
          auto* const y = reinterpret_cast<std::complex<T>*>(in.data());
          const Transform run = f.make_inverse(n, y, out.data());
          // The results of (1, 2, 3, 0, 0, ...), which have to come back times n.
          for (std::size_t k = 0; k < results; ++k) {
            const double angle = 2 * std::numbers::pi * double(k) / double(n);
            y[k] = std::complex<T>(1.0 + 2.0 * std::polar(1.0, -angle) + 3.0 * std::polar(1.0, -2 * angle));
          }
          run();
          for (std::size_t j = 0; j < n; ++j)
            if (!(std::fabs(out[j] / double(n) - (j < 3 ? double(j + 1) : 0.0)) < 1e-5))
              return state.SkipWithError("wrong result");
          measure(state, run);
          set_work(state, work);
        },
        unit);
  };
  for (const int threads : f.thread_counts)
    for (const std::size_t n : real_lengths(rows.quick()))
      if (threads == 1 || n >= 100'000) add(n, threads);
}

}  // namespace pawl::bench
