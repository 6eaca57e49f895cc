// gate_workload.cpp -- loops of several kinds of noise, each also with 2, 3, 5 and 10 % more work.
//
// Name      gate/<kind>/pawl/slower:<percent>   kind: compute l1 l2 memory branchy allocating lookup
// Question  does the gate find a change of known size, and does it keep quiet where nothing changed?
//
// A row does `rounds` equal rounds of its kind of work; slower:5 does 5 % more rounds of the same work on the same
// data. So the slow-down is exact by construction, and everything else is the same code in the same process.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "buffers.hpp"
#include "rows.hpp"

namespace pawl::bench {
namespace {

constexpr std::size_t kRounds = 400;  // so that 2 % are 8 whole rounds

// One round on data that round r of `kRounds` starts at; returns something that depends on all of it.
using Round = double (*)(std::span<float> data, std::size_t r);

double compute(std::span<float> data, std::size_t r) {
  float a = data[r % data.size()], b = 0.5f;
  for (int i = 0; i < 200; ++i) {
    a = a * 0.999f + 0.001f;
    b = b * a + 0.25f;
  }
  return static_cast<double>(b);
}

double stream(std::span<float> data, std::size_t r) {
  const std::size_t share = data.size() / kRounds, begin = r % kRounds * share;
  float sum = 0;
  for (std::size_t i = begin; i < begin + share; ++i) {
    data[i] = data[i] * 0.5f + 0.25f;
    sum += data[i];
  }
  return static_cast<double>(sum);
}

double branchy(std::span<float> data, std::size_t r) {
  const std::size_t share = data.size() / kRounds, begin = r % kRounds * share;
  double sum = 0;
  for (std::size_t i = begin; i < begin + share; ++i) {
    if (data[i] > 0.1f) {
      sum += static_cast<double>(data[i]);
    } else if (data[i] < -0.3f) {
      sum -= 1;
      benchmark::DoNotOptimize(sum);
    } else {
      sum *= 0.5;
      benchmark::DoNotOptimize(sum);
    }
  }
  return sum;
}

double allocating(std::span<float> data, std::size_t r) {
  double sum = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    std::vector<float> copy(16 + (r * 37 + i * 101) % 2000, data[r % data.size()]);
    benchmark::DoNotOptimize(copy.data());
    sum += static_cast<double>(copy.back());
  }
  return sum;
}

double lookup(std::span<float> data, std::size_t r) {
  std::uint64_t at = r * 0x9e3779b97f4a7c15u;
  double sum = 0;
  for (int i = 0; i < 100; ++i) {
    at = at * 6364136223846793005u + 1442695040888963407u;  // Knuth's MMIX generator
    sum += static_cast<double>(data[(at >> 20) % data.size()]);
  }
  return sum;
}

void add_kind(Rows& rows, const char* kind, std::size_t elements, Round round) {
  for (std::size_t percent : {0u, 2u, 3u, 5u, 10u})
    rows.add(RowName("gate", kind, "pawl").with("slower", percent), [=](benchmark::State& state) {
      Buffers buffers;
      const auto data = buffers.random<float>(elements, 1);
      const std::size_t rounds = kRounds + kRounds * percent / 100;
      double sum = 0;
      const auto run = [&] {
        for (std::size_t r = 0; r < rounds; ++r) sum += round(data, r);
        benchmark::DoNotOptimize(sum);
      };
      run();
      if (!std::isfinite(sum)) return state.SkipWithError("wrong result: the work diverged");
      sum = 0;
      measure(state, run);
      set_work(state, {.bytes = static_cast<double>(elements * sizeof(float))});
    });
}

const Registration rows([](Rows& r) {
  constexpr std::size_t kKi = 1024 / sizeof(float);
  add_kind(r, "compute", 1024, compute);
  add_kind(r, "l1", 16 * kKi, stream);
  add_kind(r, "l2", 400 * kKi, stream);
  add_kind(r, "memory", 64 * 1024 * kKi, stream);
  add_kind(r, "branchy", 64 * kKi, branchy);
  add_kind(r, "allocating", 1024, allocating);
  add_kind(r, "lookup", 8 * 1024 * kKi, lookup);
});

}  // namespace
}  // namespace pawl::bench
