// real_nd_rows.hpp -- what every implementation of 2-D and 3-D transforms of real numbers is run on.
//
// Name      fft_real_2d/type/impl/n0:<n0>/n1:<n1>; fft_real_3d/.../n2:<n2>
// Counters  flops (2.5 n log2 n per array), bytes (in and out once), working_set_bytes, p50 p95 p99
// Question  does real input cost half of complex input in several dimensions too?
#pragma once
#include "nd_rows.hpp"

namespace pawl::bench {

/// A row-major real array of these extents; results along the last axis are n / 2 + 1. May overwrite both.
template <class T>
struct RealNdFftImplementation {
  std::string impl;
  Transform (*make)(const NdProblem& problem, T* in, std::complex<T>* out);
};

template <class T>
void add_real_nd_fft_rows(Rows& rows, const RealNdFftImplementation<T>& f) {
  if (rows.quick()) return;
  for (const NdProblem& p :
       std::vector<NdProblem>{{{32, 32}}, {{64, 64}}, {{256, 256}}, {{512, 512}}, {{1000, 1000}}, {{64, 64, 64}}}) {
    const std::size_t rank = p.extents.size(), n = p.points(), last = p.extents.back(), half = last / 2 + 1;
    RowName name(rank == 2 ? "fft_real_2d" : "fft_real_3d", sizeof(T) == 4 ? "f32" : "f64", f.impl);
    for (std::size_t d = 0; d < rank; ++d) name.with(std::string("n").append(std::to_string(d)), p.extents[d]);
    rows.add(
        name,
        [=](benchmark::State& state) {
          Buffers buffers;
          const auto in = buffers.make<T>(n), out = buffers.make<T>(2 * (n / last * half));
          auto* const y = reinterpret_cast<std::complex<T>*>(out.data());
          const Transform run = f.make(p, in.data(), y);
          const auto values = buffers.random<T>(n, 1);
          std::copy(values.begin(), values.end(), in.begin());
          run();
          const std::vector<std::complex<T>> x(values.begin(), values.end());
          long double norm = 0;
          for (const auto& z : x) norm += std::norm(std::complex<double>(z));
          for (std::size_t k_step : {1U, 3U}) {
            std::size_t place = 0;
            for (std::size_t d = 0; d < rank; ++d)
              place = place * (d + 1 == rank ? half : p.extents[d]) + k_step * (d + 1) % p.extents[d];
            const auto want = nd_element(p, x.data(), k_step);
            const std::complex<long double> got(y[place].real(), y[place].imag());
            if (!(std::abs(got - want) <= (sizeof(T) == 4 ? 3e-5L : 3e-14L) * std::sqrt(norm)))
              return state.SkipWithError("wrong result");
          }
          measure(state, run);
          set_work(state, {.flops = 2.5 * double(n) * std::log2(double(n)), .bytes = 2.0 * double(n) * sizeof(T)});
        },
        benchmark::kMicrosecond);
  }
}

}  // namespace pawl::bench
