// parallel_test.cpp -- every part is done once, also without its thread; nested calls stay on their thread, bad counts
// are refused.
#include "pawl/parallel.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace pawl {
namespace {

TEST(OnThreads, EveryThreadRunsTheBodyOnceAndWritesAreSeenAfter) {
  for (int threads : {1, 2, 3, 7}) {
    std::vector<int> calls(static_cast<std::size_t>(threads), 0);
    int given = 0;
    on_threads(threads, [&](int thread, int count) {
      calls[static_cast<std::size_t>(thread)]++;
      if (thread == 0) given = count;
    });
    ASSERT_GE(given, 1);
    ASSERT_LE(given, threads);
    for (int t = 0; t < given; ++t) EXPECT_EQ(calls[static_cast<std::size_t>(t)], 1) << threads << " threads";
  }
}

TEST(OnThreads, OneRegionAfterAnotherLosesNothing) {
  std::uint64_t sums[3] = {};  // not atomic: regions are in order, and so are what is before and after them
  constexpr std::uint64_t kRegions = 20000;
  for (std::uint64_t i = 0; i < kRegions; ++i) {
    std::atomic<int> parts{0};
    int given = 0;
    on_threads(3, [&](int thread, int count) {
      if (thread == 0) given = count;
      sums[thread] += i;
      parts += 1;
    });
    ASSERT_EQ(parts, given);
    if (i % 5000 == 0) usleep(1000);  // threads sleep meanwhile
  }
  EXPECT_EQ(sums[0], kRegions * (kRegions - 1) / 2);
}

// After fork() there are no threads but the caller, as where the system lets none of them run.
TEST(OnThreads, APartWhoseThreadDoesNotComeIsDoneByTheCaller) {
  on_threads(3, [](int, int) {});
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);  // ends a child that waits for ever
    int calls[3] = {}, given = 0;
    const auto caller = std::this_thread::get_id();
    on_threads(3, [&](int thread, int count) {
      if (std::this_thread::get_id() == caller) calls[thread]++;
      given = count;
    });
    bool right = given == 3;
    for (int c : calls) right = right && c == 1;
    _exit(right ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// How many of the three parts of a call that wakes in bursts are on the calling thread. Each takes as long as `us`.
int parts_of_the_caller(int us) {
  const auto caller = std::this_thread::get_id();
  std::atomic<int> own{0}, all{0};
  on_threads(
      3,
      [&](int, int count) {
        all += 1;
        EXPECT_EQ(count, 3);
        if (std::this_thread::get_id() == caller) own += 1;
        const auto start = std::chrono::steady_clock::now();
        while (std::chrono::steady_clock::now() - start < std::chrono::microseconds(us)) {
        }
      },
      Wake::in_bursts);
  EXPECT_EQ(all, 3);
  return own;
}

// 10 ms are 200 times what a thread spins for; one that has not come that far yet may still take a part. One that is
// woken comes within 300 us.
TEST(OnThreads, AShortCallLeavesThreadsAsleep) {
  on_threads(3, [](int, int) {});
  int alone = 0;
  for (int i = 0; i < 20 && alone < 5; ++i) {
    usleep(10000);
    if (parts_of_the_caller(300) == 3) ++alone;
  }
  EXPECT_EQ(alone, 5);
}

// What looks like a burst may be the regions of one call.
TEST(OnThreads, AFewShortCallsInARowLeaveThreadsAsleep) {
  on_threads(3, [](int, int) {});
  int alone = 0;
  for (int i = 0; i < 20 && alone < 5; ++i) {
    usleep(10000);
    int parts = 0;
    for (int region = 0; region < 4; ++region) parts += parts_of_the_caller(300);
    if (parts == 12) ++alone;
  }
  EXPECT_EQ(alone, 5);
}

TEST(OnThreads, ShortCallsInABurstWakeThreads) {
  usleep(10000);
  bool shared = false;
  for (int i = 0; i < 100000 && !shared; ++i) shared = parts_of_the_caller(5) < 3;
  EXPECT_TRUE(shared);
}

TEST(OnThreads, CallersAtTheSameTimeDoNotWaitForEachOther) {
  int inner = 0;
  on_threads(2, [&](int thread, int) {
    if (thread != 0) return;
    std::thread other([&] { on_threads(2, [&](int, int count) { inner += count; }); });
    other.join();
  });
  EXPECT_EQ(inner, 1);
}

TEST(OnThreads, ANestedCallRunsOnItsOwnThreadOnly) {
  std::mutex mutex;
  std::set<int> inner_counts;
  on_threads(2, [&](int, int) {
    on_threads(2, [&](int thread, int count) {
      const std::lock_guard lock(mutex);
      EXPECT_EQ(thread, 0);
      inner_counts.insert(count);
    });
  });
  EXPECT_EQ(inner_counts, std::set<int>{1});
}

TEST(OnThreads, WhatTheBodyThrowsReachesACallerThatAskedForOneThread) {
  EXPECT_THROW(on_threads(1, [](int, int) { throw std::runtime_error("body"); }), std::runtime_error);
}

TEST(Share, CoversEveryElementOnceAtMultiplesOfTheGrain) {
  for (std::size_t n : {0u, 1u, 5u, 16u, 100u, 1001u})
    for (int threads : {1, 2, 3, 8})
      for (std::size_t grain : {1u, 4u, 16u}) {
        std::size_t next = 0;
        for (int t = 0; t < threads; ++t) {
          const Range r = share(n, t, threads, grain);
          EXPECT_EQ(r.begin, next);
          EXPECT_LE(r.begin, r.end);
          if (r.end != n) {
            EXPECT_EQ(r.end % grain, 0u);
          }
          next = r.end;
        }
        EXPECT_EQ(next, n);
      }
}

TEST(NumThreads, CanBeSetAndRefusesNonsense) {
  const int before = num_threads();
  EXPECT_GE(before, 1);
  set_num_threads(3);
  EXPECT_EQ(num_threads(), 3);
  EXPECT_THROW(set_num_threads(0), std::invalid_argument);
  EXPECT_THROW(set_num_threads(-1), std::invalid_argument);
  EXPECT_THROW(set_num_threads(100000), std::invalid_argument);
  EXPECT_EQ(num_threads(), 3);
  set_num_threads(before);
}

TEST(NumThreadsDeathTest, TheVariableIsReadAndNonsenseEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  setenv("PAWL_NUM_THREADS", "5", 1);
  EXPECT_EXIT(std::exit(num_threads()), testing::ExitedWithCode(5), "");
  setenv("PAWL_NUM_THREADS", "two", 1);
  EXPECT_EXIT((void)num_threads(), testing::ExitedWithCode(2), "PAWL_NUM_THREADS=two");
  unsetenv("PAWL_NUM_THREADS");
}

// In a process of its own: 0 if `what` is true, 77 where there is but one CPU.
int on_a_pinned_thread(bool (*what)(int cpus)) {
  unsetenv("PAWL_NUM_THREADS");
  unsetenv("OMP_NUM_THREADS");
  cpu_set_t all;
  CPU_ZERO(&all);
  if (sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) < 2) return 77;
  int result = 1;
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    result = sched_setaffinity(0, sizeof one, &one) != 0 ? 77 : what(CPU_COUNT(&all)) ? 0 : 1;
  }).join();
  return result;
}
bool is_right_or_not_to_be_seen(int status) {
  return WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77);
}

TEST(NumThreadsDeathTest, AThreadOnOneCpuDoesNotDecideForTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::exit(on_a_pinned_thread([](int cpus) { return num_threads() == cpus; })), is_right_or_not_to_be_seen,
              "");
}

TEST(OnThreadsDeathTest, ThreadsStartedByAThreadOnOneCpuMayRunOnAll) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::exit(on_a_pinned_thread([](int cpus) {
                std::atomic<int> may_use{0};
                for (int tries = 0; tries < 1000 && may_use == 0; ++tries)
                  on_threads(2, [&, caller = std::this_thread::get_id()](int thread, int) {
                    if (thread == 0) usleep(10'000);  // the other one's time to come
                    if (std::this_thread::get_id() == caller) return;
                    cpu_set_t set;
                    CPU_ZERO(&set);
                    sched_getaffinity(0, sizeof set, &set);
                    may_use = CPU_COUNT(&set);
                  });
                return may_use == cpus;
              })),
              is_right_or_not_to_be_seen, "");
}

}  // namespace
}  // namespace pawl
