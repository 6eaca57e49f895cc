// hand_over.hpp -- times one thread that allocates and another that frees, without the time that they wait.
//
// The obvious loop, a queue between two threads, varies by 50 to 130 % with what the scheduler does to the queue. Here
// both work in rounds: while one allocates a batch the other frees the batch of the round before; each times its own
// part by its own CPU clock, and the sum counts. What one thread's work costs the other (locks, cache lines that move)
// is in it, waiting and wake-ups are not.
#pragma once
#include <benchmark/benchmark.h>
#include <ctime>

#include <atomic>
#include <thread>
#include <vector>

#include "rows.hpp"

namespace pawl::bench {

inline double thread_cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// An iteration is a round of 4096 blocks: long (some 20 us) against reading the clock (0.5 us).
template <class Allocate, class Free>
void time_hand_over(benchmark::State& state, Allocate allocate, Free free) {
  constexpr std::size_t kBatch = 4096;
  std::vector<void*> made(kBatch), dying(kBatch);
  for (void*& p : dying) p = allocate();
  std::atomic<std::size_t> asked{0}, done{0};
  std::atomic<bool> stop{false};
  double freeing = 0;  // of the round that `done` ends
  std::thread consumer([&] {
    for (std::size_t round = 1;; ++round) {
      while (asked.load(std::memory_order_acquire) < round)
        if (stop) return;
      const double start = thread_cpu_seconds();
      for (void* p : dying) free(p);
      freeing = thread_cpu_seconds() - start;
      done.store(round, std::memory_order_release);
    }
  });
  const auto round = [&](std::size_t number) {
    asked.store(number, std::memory_order_release);
    const double start = thread_cpu_seconds();
    for (void*& p : made) p = allocate();
    const double allocating = thread_cpu_seconds() - start;
    while (done.load(std::memory_order_acquire) < number) {
    }
    std::swap(made, dying);
    return allocating + freeing;
  };
  std::size_t number = 0;
  for (int warm = 0; warm < 20; ++warm) round(++number);
  {
    const CountedLoop counted;
    for (auto _ : state) state.SetIterationTime(round(++number));
  }
  stop = true;
  consumer.join();
  for (void* p : dying) free(p);
  set_work(state, {.items = kBatch});
}

}  // namespace pawl::bench
