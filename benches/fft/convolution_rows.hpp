// convolution_rows.hpp -- what every implementation of linear convolution by transforms is run on.
//
// Name      fft_convolve/type/impl/n:<n>/m:<m>
// Counters  items (results per second), bytes (in and out once), working_set_bytes, p50 p95 p99
// Question  what do blocks gain where one sequence is much longer than the other?
#pragma once
#include <span>
#include <utility>

#include "fft_rows.hpp"

namespace pawl::bench {

template <class T>
struct ConvolutionImplementation {
  std::string impl;
  Transform (*make)(std::span<const T> x, std::span<const T> y, std::span<T> out);
};

template <class T>
void add_convolution_rows(Rows& rows, const ConvolutionImplementation<T>& f) {
  if (rows.quick()) return;
  using Lengths = std::pair<std::size_t, std::size_t>;
  for (const auto& [n, m] : std::vector<Lengths>{{1000, 1000}, {100000, 100}, {100000, 100000}, {1000000, 1000}})
    rows.add(
        RowName("fft_convolve", sizeof(T) == 4 ? "f32" : "f64", f.impl).with("n", n).with("m", m),
        [=, n = n, m = m](benchmark::State& state) {
          Buffers buffers;
          const auto x = buffers.random<T>(n, 1), y = buffers.random<T>(m, 2);
          const auto out = buffers.make<T>(n + m - 1);
          const Transform run = f.make(x, y, out);
          run();
          for (std::size_t k : {std::size_t{0}, m - 1, n / 2, n + m - 2}) {
            long double want = 0;
            for (std::size_t i = k < m ? 0 : k - m + 1; i <= k && i < n; ++i)
              want += static_cast<long double>(x[i]) * static_cast<long double>(y[k - i]);
            // Errors are of the size of the largest results whatever this one is.
            const long double largest = std::sqrt(static_cast<long double>(std::min(n, m)));
            if (!(std::fabs(static_cast<long double>(out[k]) - want) <= (sizeof(T) == 4 ? 1e-5L : 1e-13L) * largest))
              return state.SkipWithError("wrong result");
          }
          measure(state, run);
          set_work(state, {.bytes = 2.0 * double(n + m) * sizeof(T), .items = double(n + m - 1)});
        },
        benchmark::kMicrosecond);
}

}  // namespace pawl::bench
