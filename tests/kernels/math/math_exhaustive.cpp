// math_exhaustive.cpp -- every float through every function and variant -> the largest error of each; fails above the
// documented bound. Some minutes on two cores.
//
//   math_exhaustive [FUNCTION...]
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "kernels/math/math_functions.hpp"
#include "kernels/math/ulp_error.hpp"

int main(int count, char** arguments) {
  using namespace pawl;
  constexpr std::uint32_t kBlock = 1u << 16, kBlocks = 1u << 16;
  const auto isas = runnable_isas();
  bool good = true;
  for (const auto& f : testing::math_functions<float>()) {
    bool wanted = count < 2;
    for (int i = 1; i < count; ++i) wanted |= std::strcmp(arguments[i], f.name) == 0;
    if (!wanted) continue;
    struct Worst {
      double error = 0;
      float x = 0;
    };
    std::vector<Worst> worst(isas.size());
    std::mutex lock;
    std::atomic<std::uint32_t> next{0};
    const auto work = [&] {
      std::vector<float> x(kBlock), got(kBlock);
      std::vector<double> want(kBlock);
      for (std::uint32_t block; (block = next.fetch_add(1)) < kBlocks;) {
        for (std::uint32_t i = 0; i < kBlock; ++i) {
          x[i] = std::bit_cast<float>(block * kBlock + i);
          want[i] = f.exact(x[i]);
        }
        for (std::size_t v = 0; v < isas.size(); ++v) {
          (math_table(isas[v]).f32.*f.entry)(x.data(), got.data(), kBlock);
          Worst here;
          for (std::uint32_t i = 0; i < kBlock; ++i)
            if (const double error = testing::ulp_error(got[i], want[i]); !(error <= here.error)) here = {error, x[i]};
          const std::lock_guard hold(lock);
          if (!(here.error <= worst[v].error)) worst[v] = here;
        }
      }
    };
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < std::max(1u, std::thread::hardware_concurrency()); ++t) threads.emplace_back(work);
    threads.clear();
    for (std::size_t v = 0; v < isas.size(); ++v) {
      const bool holds = worst[v].error <= f.ulp;
      good &= holds;
      std::printf("%-10s %-7s %.3f ulp at %a (%.9g)%s\n", f.name, std::string(name(isas[v])).c_str(), worst[v].error,
                  static_cast<double>(worst[v].x), static_cast<double>(worst[v].x), holds ? "" : "  ABOVE THE BOUND");
    }
  }
  return good ? 0 : 1;
}
