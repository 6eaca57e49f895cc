// read_rate.cpp -- sums of integers, which wait for nothing but memory.
#include "read_rate.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

#include "pawl/parallel.hpp"
#include "pawl/sparse/array.hpp"

namespace pawl::bench {

double read_rate(std::size_t bytes, int threads) {
  static std::map<std::pair<std::size_t, int>, double> known;
  const auto [at, is_new] = known.try_emplace({bytes, threads}, 0.0);
  if (!is_new) return at->second;
  const std::size_t n = std::max<std::size_t>(1, bytes / sizeof(std::uint64_t));
  sparse::Array<std::uint64_t> memory(n);  // on huge pages, as the matrices are
  std::fill_n(memory.data(), n, std::uint64_t{1});
  double best = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < 8; ++pass) {
    const auto start = std::chrono::steady_clock::now();
    on_threads(threads, [&](int t, int parts) {
      const auto [begin, end] = share(n, t, parts);
      std::uint64_t sum = 0;
      constexpr std::size_t kLine = 8, kAhead = 512;  // elements; asked for early, memory answers faster
      const std::uint64_t* const data = memory.data();
      std::size_t i = begin;
      for (; i + kLine + kAhead <= end; i += kLine) {
        if (pass % 2 == 0) __builtin_prefetch(data + i + kAhead);
        for (std::size_t k = 0; k < kLine; ++k) sum += data[i + k];
      }
      for (; i < end; ++i) sum += data[i];
      benchmark::DoNotOptimize(sum);
    });
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return at->second = static_cast<double>(n * sizeof(std::uint64_t)) / best;
}

}  // namespace pawl::bench
