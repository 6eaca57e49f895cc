// core_use.cpp -- times independent exclusive-ors against a chain of them: how much of the core is left for us.
#include <algorithm>
#include <chrono>
#include <cstdint>

#include "pawl/machine.hpp"

namespace pawl {
namespace {

// Exclusive-or with a register has a latency of one cycle everywhere, and no CPU removes it before it is executed, as
// some do with additions of constants.
constexpr int kOperations = 32;  // a turn of either loop

// Keeps a value in a register: the compiler may neither join operations nor drop them.
inline void keep(std::uint64_t& x) noexcept { asm volatile("" : "+r"(x)); }

void run_chain(int turns) noexcept {
  std::uint64_t x = 1, k = 3;
  keep(k);
  for (int i = 0; i < turns; ++i) {
#pragma GCC unroll 32
    for (int j = 0; j < kOperations; ++j) {
      x ^= k;
      keep(x);
    }
  }
}

// Eight chains: more than the integer units of today's cores, few enough for their registers.
void run_independent(int turns) noexcept {
  std::uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, k = 9;
  keep(k);
  const auto step = [k](auto&... chains) { ((chains ^= k, keep(chains)), ...); };
  for (int i = 0; i < turns; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < kOperations / 8; ++j) step(a, b, c, d, e, f, g, h);
  }
}

}  // namespace

double operations_per_cycle() noexcept {
  using Clock = std::chrono::steady_clock;
  // 4 us at 4 GHz each, 200 times what reading the clock takes; the fastest of three, since an interrupt may hit one.
  constexpr int kChainTurns = 500, kTurns = 2000, kTrials = 3;
  auto chain = Clock::duration::max(), independent = Clock::duration::max();
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto start = Clock::now();
    run_chain(kChainTurns);
    const auto middle = Clock::now();
    run_independent(kTurns);
    chain = std::min(chain, middle - start);
    independent = std::min(independent, Clock::now() - middle);
  }
  return static_cast<double>(kTurns) / kChainTurns * static_cast<double>(chain.count()) /
         static_cast<double>(std::max<Clock::rep>(1, independent.count()));
}

}  // namespace pawl
