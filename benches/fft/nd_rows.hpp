// nd_rows.hpp -- what every implementation of 2-D and 3-D transforms and of batches is run on.
//
// Name      fft_2d/type/impl/n0:<n0>/n1:<n1>/threads:<t>; fft_3d/.../n2:<n2>/...; fft_batch/.../n:<n>/batch:<b>/... for
//           b contiguous lines of n points
// Counters  flops (5 n log2 n per transformed array or line), bytes (in and out once), working_set_bytes, p50 p95 p99
// Question  do the axes without contiguous elements run as fast as the others?
#pragma once
#include "fft_rows.hpp"

namespace pawl::bench {

/// `batch` row-major arrays of these extents, one after another, transformed along all their dimensions.
struct NdProblem {
  std::vector<std::size_t> extents;
  std::size_t batch = 1;
  std::size_t points() const {
    std::size_t n = 1;
    for (std::size_t extent : extents) n *= extent;
    return n;
  }
};

template <class T>
struct NdFftImplementation {
  std::string impl;
  Transform (*make)(const NdProblem& problem, int threads, std::complex<T>* in, std::complex<T>* out);
  std::vector<int> thread_counts;
};

inline std::vector<NdProblem> nd_problems(bool quick) {
  if (quick) return {{{64, 64}}, {{64}, 1000}};
  return {{{64, 64}},    {{256, 256}},   {{512, 512}},   {{1000, 1000}},    {{2048, 2048}},
          {{100, 2000}}, {{32, 32, 32}}, {{64, 64, 64}}, {{128, 128, 128}}, {{8}, 10000},
          {{16}, 5000},  {{64}, 1000},   {{100}, 1000},  {{256}, 1000}};
}

// Result (k0, k1, ...) of the array at x by the defining sum.
template <class T>
std::complex<long double> nd_element(const NdProblem& p, const std::complex<T>* x, std::size_t k_step) {
  const std::size_t n = p.points();
  std::complex<long double> sum = 0;
  for (std::size_t j = 0; j < n; ++j) {
    long double turns = 0;
    for (std::size_t rest = j, d = p.extents.size(); d-- > 0; rest /= p.extents[d]) {
      const std::size_t extent = p.extents[d], k = (k_step * (d + 1)) % extent;
      turns += static_cast<long double>(rest % extent * k % extent) / static_cast<long double>(extent);
    }
    const long double angle = -2 * std::numbers::pi_v<long double> * turns;
    sum += std::complex<long double>(x[j].real(), x[j].imag()) *
           std::complex<long double>(std::cos(angle), std::sin(angle));
  }
  return sum;
}

/// Whether two results of the first and the last array are right.
template <class T>
bool is_nd_transform(const NdProblem& p, const std::complex<T>* in, const std::complex<T>* out) {
  const std::size_t n = p.points();
  for (std::size_t b : {std::size_t{0}, p.batch - 1})
    for (std::size_t k_step : {1U, 3U}) {
      std::size_t place = 0;
      long double norm = 0;
      for (std::size_t d = 0; d < p.extents.size(); ++d) place = place * p.extents[d] + k_step * (d + 1) % p.extents[d];
      for (std::size_t j = 0; j < n; ++j) norm += std::norm(std::complex<double>(in[b * n + j]));
      const auto want = nd_element(p, in + b * n, k_step);
      const std::complex<long double> got(out[b * n + place].real(), out[b * n + place].imag());
      if (!(std::abs(got - want) <= (sizeof(T) == 4 ? 3e-5L : 3e-14L) * std::sqrt(norm))) return false;
    }
  return true;
}

template <class T>
void add_nd_fft_rows(Rows& rows, const NdFftImplementation<T>& f) {
  for (int threads : f.thread_counts)
    for (const NdProblem& p : nd_problems(rows.quick())) {
      const std::size_t rank = p.extents.size(), n = p.points(), all = n * p.batch;
      if (threads > 1 && (rows.quick() || all < 65536)) continue;
      RowName name(rank == 1 ? "fft_batch" : rank == 2 ? "fft_2d" : "fft_3d", sizeof(T) == 4 ? "f32" : "f64", f.impl);
      for (std::size_t d = 0; d < rank; ++d)
        name.with(rank == 1 ? std::string("n") : std::string("n").append(std::to_string(d)), p.extents[d]);
      if (rank == 1) name.with("batch", p.batch);
      name.with("threads", static_cast<std::size_t>(threads));
      rows.add(
          name,
          [=](benchmark::State& state) {
            Buffers buffers;
            const auto in = buffers.make<T>(2 * all), out = buffers.make<T>(2 * all);
            auto* const x = reinterpret_cast<std::complex<T>*>(in.data());
            auto* const y = reinterpret_cast<std::complex<T>*>(out.data());
            const Transform run = f.make(p, threads, x, y);
            const auto values = buffers.random<T>(2 * all, 1);
            std::copy(values.begin(), values.end(), in.begin());
            run();
            if (!is_nd_transform(p, x, y)) return state.SkipWithError("wrong result");
            measure(state, run);
            set_work(state,
                     {.flops = 5.0 * double(all) * std::log2(double(n)), .bytes = 4.0 * double(all) * sizeof(T)});
          },
          benchmark::kMicrosecond);
    }
}

}  // namespace pawl::bench
