// pool.cpp -- on_threads: the only place where threads start.
//
// Why not OpenMP: g++'s runtime waits some 15 ms in a loop before it sleeps. Where another process wants a CPU too, its
// master and a worker that the system has put on the same CPU then wait for each other that long: on two CPUs beside a
// compiler, half of all regions took 15 ms, whatever was in them. Here nobody spins for longer than kSpin, and a part
// whose thread has not come when the caller is done with its own is done by the caller: a thread that is late costs
// what waking it does.
#include "parallel/pool.hpp"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>

#include "isa/process_cpus.hpp"
#include "pawl/parallel.hpp"

// Where a program uses OpenMP itself, its regions have the CPUs already.
extern "C" int omp_in_parallel() __attribute__((weak));

namespace pawl::detail {
namespace {

// Longer than what usually lies between two calls of a program that has nothing but calls, shorter than anyone notices.
constexpr std::chrono::microseconds kSpin{50};
using clock = std::chrono::steady_clock;

// Regions in a row, each less than kSpin after the one before, from which more are expected: above the four that one
// call has at most, which was kept waiting by waking for its second one (transform of 32768 points, f32, 500 us after
// the call before: 54 us by one thread, 82 so; Emerald Rapids).
constexpr int kBurst = 6;

void pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// A number that one thread waits on, in a loop at first and then in the kernel, and others change.
class Word {
 public:
  std::uint32_t value() const noexcept { return value_.load(std::memory_order_acquire); }
  bool exchange(std::uint32_t from, std::uint32_t to) noexcept { return value_.compare_exchange_strong(from, to); }
  void set(std::uint32_t value) noexcept { value_.store(value, std::memory_order_relaxed); }
  /// Returns what it was before.
  std::uint32_t add(std::uint32_t change) noexcept { return value_.fetch_add(change); }
  bool sleeps() const noexcept { return sleeps_.load(std::memory_order_relaxed); }
  void wake() noexcept {
    if (sleeps_.load()) syscall(SYS_futex, &value_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }

  /// Waits until the value is not `old`.
  std::uint32_t changed_from(std::uint32_t old, bool spin = true) noexcept {
    const auto start = clock::now();
    do {
      for (int i = 0; i < 16; ++i) {
        if (const std::uint32_t now = value(); now != old) return now;
        pause();
      }
    } while (spin && clock::now() - start < kSpin);
    // Either the kernel finds the new value or wake() finds sleeps_, as all three are in one order with each other.
    sleeps_.store(true);
    std::uint32_t now;
    while ((now = value_.load()) == old) syscall(SYS_futex, &value_, FUTEX_WAIT_PRIVATE, old, nullptr, nullptr, 0);
    sleeps_.store(false);
    return now;
  }

 private:
  std::atomic<std::uint32_t> value_{0};
  std::atomic<bool> sleeps_{false};
};
static_assert(sizeof(std::atomic<std::uint32_t>) == 4);  // what a futex is

// A part of a region, and the thread that is there for it. `state` counts up by one when the caller offers the part
// (it is then odd) and by one more when somebody, the thread or the caller, takes it.
struct alignas(64) Part {
  Word state;
  int number = 0;
  std::atomic<int> cpu{-1};  // where the thread was last
  pthread_t thread{};
  pid_t process = 0;  // of the thread: a child after fork() has a copy of this and no thread
};

// The region that is running; one at a time. Parts that are taken keep it alive: the caller waits for their end. What
// threads count down lies on a line of its own.
struct Region {  // NOLINT(clang-analyzer-optin.performance.Padding)
  void* object = nullptr;
  void (*call)(void*, int, int) = nullptr;
  int parts = 0;
  int cpu = -1;  // where the caller was
  alignas(64) Word unfinished;
};

constinit Part g_parts[kMaxThreads];  // number 0, the caller's, is not used
constinit Region g_region;
constinit std::mutex g_caller;  // held by the caller of a region
clock::time_point g_last_end;   // of a region; guarded by g_caller
int g_in_a_row = 0;             // regions that found a thread asleep; guarded by g_caller
int g_started = 1;              // parts below have a thread; guarded by g_caller
constinit thread_local bool t_inside = false;

bool take(Part& part) noexcept {
  const std::uint32_t state = part.state.value();
  return state % 2 != 0 && part.state.exchange(state, state + 1);
}

void* serve(void* argument) noexcept {
  Part& part = *static_cast<Part*>(argument);
  t_inside = true;
  bool spin = true;
  for (std::uint32_t seen = 0;; seen += seen % 2) {  // an offer that was seen has been taken since
    seen = part.state.changed_from(seen, spin);
    const bool taken = take(part);
    if (taken) g_region.call(g_region.object, part.number, g_region.parts);
    // On the caller's CPU, since others were busy, it is the caller that spinning would keep waiting.
    const int cpu = sched_getcpu();
    part.cpu.store(cpu, std::memory_order_relaxed);
    if (!taken) continue;
    spin = cpu != g_region.cpu;
    if (g_region.unfinished.add(-1U) == 1) g_region.unfinished.wake();
  }
  return nullptr;
}

// A thread starts with the CPUs of the one that starts it, which may be pinned to one of them. Where they are the
// process's anyway nothing is set, as what is set outlasts a container that gets more CPUs.
void give_all_cpus(pthread_t thread) noexcept {
  cpu_set_t own;
  CPU_ZERO(&own);
  const cpu_set_t all = process_cpus();
  if (sched_getaffinity(0, sizeof own, &own) != 0 || CPU_EQUAL(&own, &all)) return;
  pthread_setaffinity_np(thread, sizeof all, &all);  // if it fails, the thread runs where it is
}

// A thread that sleeps where its caller runs would be woken there, also where another CPU has nothing to do: a system
// that takes each CPU for a cache of its own looks no further.
void leave_cpu(const Part& part, int cpu) noexcept {
  if (part.process != getpid()) return;
  cpu_set_t others = process_cpus();
  CPU_CLR(cpu, &others);
  if (CPU_COUNT(&others) != 0) pthread_setaffinity_np(part.thread, sizeof others, &others);
}

// Whether part `number` has a thread now. Signals are the program's own threads' business.
bool start(int number) noexcept {
  sigset_t all, before;
  sigfillset(&all);
  if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return false;
  Part& part = g_parts[number];
  part.number = number;
  part.process = getpid();
  const bool started = pthread_create(&part.thread, nullptr, serve, &part) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!started) return false;
  give_all_cpus(part.thread);
  pthread_detach(part.thread);
  return true;
}

// Whether one of the threads that `threads` parts want is not there or not awake.
bool some_sleep(int threads) noexcept {
  if (threads > g_started) return true;
  for (int t = 1; t < threads; ++t)
    if (g_parts[t].state.sleeps()) return true;
  return false;
}

bool is_burst() noexcept {
  g_in_a_row = clock::now() - g_last_end < kSpin ? g_in_a_row + 1 : 0;
  return g_in_a_row >= kBurst;
}

}  // namespace

// An exception ends the program here.
void run_on_threads(int threads, Wake wake, void* object, void (*call)(void*, int, int)) noexcept {
  std::unique_lock lock(g_caller, std::defer_lock);
  if (t_inside || (omp_in_parallel && omp_in_parallel()) || !lock.try_lock()) {
    call(object, 0, 1);
    return;
  }
  threads = std::min(threads, kMaxThreads);
  const bool wakes = wake == Wake::always || (some_sleep(threads) && is_burst());
  if (wakes) {
    while (g_started < threads && start(g_started)) ++g_started;
    threads = std::min(threads, g_started);
  }
  const int offered = std::min(threads, g_started);
  g_region.object = object;
  g_region.call = call;
  g_region.parts = threads;
  g_region.cpu = sched_getcpu();
  g_region.unfinished.set(static_cast<std::uint32_t>(offered - 1));
  for (int t = 1; t < offered; ++t) {
    g_parts[t].state.add(1);
    if (wakes) {
      if (g_parts[t].state.sleeps() && g_parts[t].cpu.load(std::memory_order_relaxed) == g_region.cpu)
        leave_cpu(g_parts[t], g_region.cpu);
      g_parts[t].state.wake();
    }
  }
  t_inside = true;
  call(object, 0, threads);
  for (int t = 1; t < offered; ++t)
    if (take(g_parts[t])) {
      call(object, t, threads);
      g_region.unfinished.add(-1U);
    }
  for (int t = offered; t < threads; ++t) call(object, t, threads);
  t_inside = false;
  for (std::uint32_t left = static_cast<std::uint32_t>(offered - 1); left != 0;)
    left = g_region.unfinished.changed_from(left);
  g_last_end = clock::now();
}

}  // namespace pawl::detail
