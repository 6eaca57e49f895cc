// math_exhaustive.cpp -- every float, or many f64, through every function and variant -> the largest error of each;
// fails above the documented bound. f32 of AVX-512 as on CPUs with data paths of 512 bits and of 256. Some minutes a
// function on two cores.
//
//   math_exhaustive [FUNCTION...]            every float
//   math_exhaustive f64 COUNT [FUNCTION...]  COUNT points of f64, the same ones each time
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "isa/data_path.hpp"
#include "kernels/math/math_functions.hpp"
#include "kernels/math/ulp_error.hpp"

namespace {

using namespace pawl;

constexpr std::size_t kBlock = std::size_t{1} << 16;

// Block number `block` of the points.
void fill(std::vector<float>& x, std::uint64_t block) {
  for (std::size_t i = 0; i < kBlock; ++i) x[i] = std::bit_cast<float>(static_cast<std::uint32_t>(block * kBlock + i));
}

// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Uniform within the ranges where functions do something, log-uniform over small numbers, and any bit pattern.
void fill(std::vector<double>& x, std::uint64_t block) {
  constexpr double kEnds[] = {1e-3, 1, 3, 10, 40, 750};
  for (std::size_t i = 0; i < kBlock; ++i) {
    const std::uint64_t bits = mixed((block * kBlock + i + 1) * 0x9e3779b97f4a7c15u), kind = i % 9;
    const double unit = static_cast<double>(bits >> 11) * 0x1p-53;
    if (kind < 6)
      x[i] = kEnds[kind] * (2 * unit - 1);
    else if (kind == 6)
      x[i] = 0.5 + 1.5 * unit;
    else if (kind == 7)
      x[i] = std::ldexp((bits & 1) != 0 ? 1 + unit : -1 - unit, -static_cast<int>((bits >> 1) % 60));
    else
      x[i] = std::bit_cast<double>(bits);
  }
}

// Whether these variants keep the bound on `blocks` blocks of points.
template <class T>
bool keep_the_bound(const testing::MathFunction<T>& f, std::uint64_t blocks, const std::vector<Isa>& isas,
                    const char* path) {
  struct Worst {
    double error = 0;
    T x = 0;
  };
  std::vector<Worst> worst(isas.size());
  std::mutex lock;
  std::atomic<std::uint64_t> next{0};
  const auto work = [&] {
    std::vector<T> x(kBlock), got(kBlock);
    std::vector<reference::Wide<T>> want(kBlock);
    for (std::uint64_t block; (block = next.fetch_add(1)) < blocks;) {
      fill(x, block);
      for (std::size_t i = 0; i < kBlock; ++i) want[i] = f.exact(x[i]);
      for (std::size_t v = 0; v < isas.size(); ++v) {
        (testing::math_ops<T>(isas[v]).*f.entry)(x.data(), got.data(), kBlock);
        Worst here;
        for (std::size_t i = 0; i < kBlock; ++i)
          if (const double error = testing::ulp_error(got[i], want[i]); !(error <= here.error)) here = {error, x[i]};
        const std::lock_guard hold(lock);
        if (!(here.error <= worst[v].error)) worst[v] = here;
      }
    }
  };
  std::vector<std::jthread> threads;
  for (unsigned t = 0; t < std::max(1u, std::thread::hardware_concurrency()); ++t) threads.emplace_back(work);
  threads.clear();
  bool good = true;
  for (std::size_t v = 0; v < isas.size(); ++v) {
    const bool holds = worst[v].error <= f.ulp;
    good &= holds;
    std::printf("%-10s f%zu %-7s%s %.3f ulp at %a (%.9g)%s\n", f.name, 8 * sizeof(T),
                std::string(name(isas[v])).c_str(), path, worst[v].error, static_cast<double>(worst[v].x),
                static_cast<double>(worst[v].x), holds ? "" : "  ABOVE THE BOUND");
    std::fflush(stdout);
  }
  return good;
}

template <class T>
bool run(char** names, int count, std::uint64_t blocks) {
  bool good = true;
  for (const auto& f : testing::math_functions<T>()) {
    bool wanted = count == 0;
    for (int i = 0; i < count; ++i) wanted |= std::strcmp(names[i], f.name) == 0;
    if (!wanted) continue;
    const auto runnable = runnable_isas();
    const std::vector<Isa> isas(runnable.begin(), runnable.end());
    good &= keep_the_bound<T>(f, blocks, isas, "");
    if (sizeof(T) == sizeof(float) && isas.back() == Isa::avx512) {
      const bool splits = !detail::splits_512_bits;
      const DataPath other(splits);
      good &= keep_the_bound<T>(f, blocks, {Isa::avx512}, splits ? " on 256 bits" : " on 512 bits");
    }
  }
  return good;
}

}  // namespace

int main(int count, char** arguments) {
  if (count >= 3 && std::strcmp(arguments[1], "f64") == 0) {
    const std::uint64_t points = std::strtoull(arguments[2], nullptr, 10);
    return run<double>(arguments + 3, count - 3, (points + kBlock - 1) / kBlock) ? 0 : 1;
  }
  return run<float>(arguments + 1, count - 1, (std::uint64_t{1} << 32) / kBlock) ? 0 : 1;
}
