// real_axis_rows.hpp -- what every implementation of many real transforms of one length is run on.
//
// Name      fft_real_axis/type/impl/lines:<lines>/n:<n>/columns:<columns>; fft_real_axis_back/... back
// Counters  flops (2.5 n log2 n per transform), bytes (in and out once), working_set_bytes, p50 p95 p99
// Question  do transforms too short to fill a vector run side by side, as lines and as columns?
#pragma once
#include "fft_rows.hpp"

namespace pawl::bench {

/// Along the middle one of these extents, row-major; lines or columns is 1.
struct RealAxisProblem {
  std::size_t lines, n, columns;
  std::size_t count() const { return lines * columns; }
  std::size_t results() const { return n / 2 + 1; }
};

template <class T>
struct RealAxisImplementation {
  std::string impl;
  Transform (*make_forward)(const RealAxisProblem& problem, T* in, std::complex<T>* out);
  Transform (*make_inverse)(const RealAxisProblem& problem, std::complex<T>* in, T* out);
};

/// Whether those of the last transform that are there, forward of x, are right.
template <class T>
bool is_real_axis(const RealAxisProblem& p, const T* x, const std::complex<T>* y) {
  const std::size_t line = p.lines - 1, column = p.columns - 1;
  std::vector<std::complex<T>> one, all;
  for (std::size_t j = 0; j < p.n; ++j) one.emplace_back(x[(line * p.n + j) * p.columns + column]);
  for (std::size_t k = 0; k < p.n; ++k) {
    const auto z = y[(line * p.results() + std::min(k, p.n - k)) * p.columns + column];
    all.push_back(2 * k > p.n ? std::conj(z) : z);
  }
  return is_transform(p.n, one.data(), all.data());
}

template <class T>
void add_real_axis_rows(Rows& rows, const RealAxisImplementation<T>& f) {
  if (rows.quick()) return;
  for (const RealAxisProblem& p :
       std::vector<RealAxisProblem>{{5000, 6, 1}, {1000, 15, 1}, {1, 12, 4096}, {1, 400, 44}})
    for (bool back : {false, true}) {
      RowName name(back ? "fft_real_axis_back" : "fft_real_axis", sizeof(T) == 4 ? "f32" : "f64", f.impl);
      name.with("lines", p.lines).with("n", p.n).with("columns", p.columns);
      rows.add(
          name,
          [=](benchmark::State& state) {
            Buffers buffers;
            const std::size_t reals = p.n * p.count(), pairs = p.results() * p.count();
            const auto x = buffers.make<T>(reals), z = buffers.make<T>(2 * pairs);
            auto* const y = reinterpret_cast<std::complex<T>*>(z.data());
            const Transform forward = f.make_forward(p, x.data(), y);
            const Transform run = back ? f.make_inverse(p, y, x.data()) : forward;
            const auto values = buffers.random<T>(reals, 1);
            std::copy(values.begin(), values.end(), x.begin());
            forward();
            if (!is_real_axis(p, values.data(), y)) return state.SkipWithError("wrong result");
            run();
            if (const std::size_t i = reals - 1;
                back && !(std::fabs(x[i] / static_cast<T>(p.n) - values[i]) < (sizeof(T) == 4 ? T(1e-5) : T(1e-13))))
              return state.SkipWithError("wrong result");
            measure(state, run);
            set_work(state, {.flops = 2.5 * double(reals) * std::log2(double(p.n)),
                             .bytes = double(reals + 2 * pairs) * sizeof(T)});
          },
          benchmark::kMicrosecond);
    }
}

}  // namespace pawl::bench
