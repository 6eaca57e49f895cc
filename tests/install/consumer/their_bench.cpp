// their_bench.cpp -- a benchmark of another project, written as Google Benchmark's manual says, on our main.
#include <benchmark/benchmark.h>

static void BM_theirs(benchmark::State& state) {
  int x = 0;
  for (auto _ : state) benchmark::DoNotOptimize(++x);
}
BENCHMARK(BM_theirs);
