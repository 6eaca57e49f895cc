// parallel.cpp -- on_threads over OpenMP: the only place where threads start.
#include "pawl/parallel.hpp"

#include <omp.h>
#include <sched.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

// g++'s OpenMP runtime is not built for ThreadSanitizer, which then sees no order between a region and what is around
// it. These two calls tell it; without the sanitizer they are nothing.
#if defined(__SANITIZE_THREAD__)
#define PAWL_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PAWL_TSAN 1
#endif
#endif
#ifdef PAWL_TSAN
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif

namespace pawl {
namespace {

void order_after(void* address [[maybe_unused]]) {
#ifdef PAWL_TSAN
  __tsan_acquire(address);
#endif
}

void order_before(void* address [[maybe_unused]]) {
#ifdef PAWL_TSAN
  __tsan_release(address);
#endif
}

constexpr int kMaxThreads = 1024;  // far above any machine this is for; catches typing errors

int cpus_of_this_process() noexcept {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  const int count = CPU_COUNT(&set);
  return count > 0 ? count : 1;
}

int parse_threads(const char* text) noexcept {
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  return end != text && *end == '\0' && value >= 1 && value <= kMaxThreads ? static_cast<int>(value) : 0;
}

int initial_threads() noexcept {
  if (const char* text = std::getenv("PAWL_NUM_THREADS"); text && *text) {
    const int threads = parse_threads(text);
    if (threads == 0) {
      std::fprintf(stderr, "pawl: PAWL_NUM_THREADS=%s is not a whole number from 1 to %d\n", text, kMaxThreads);
      std::exit(2);
    }
    return threads;
  }
  // OMP_NUM_THREADS may be a list for nested levels ("4,2"): its first number counts. A bad one is OpenMP's to report.
  if (const char* text = std::getenv("OMP_NUM_THREADS"); text && *text) {
    const std::string levels(text);
    if (const int threads = parse_threads(levels.substr(0, levels.find(',')).c_str())) return threads;
  }
  return cpus_of_this_process();
}

constinit std::atomic<int> g_threads{0};

}  // namespace

int num_threads() noexcept {
  int threads = g_threads.load(std::memory_order_relaxed);
  if (threads == 0) {
    threads = initial_threads();
    g_threads.store(threads, std::memory_order_relaxed);
  }
  return threads;
}

void set_num_threads(int threads) {
  if (threads < 1 || threads > kMaxThreads)
    throw std::invalid_argument("set_num_threads: " + std::to_string(threads) + " is not from 1 to " +
                                std::to_string(kMaxThreads));
  g_threads.store(threads, std::memory_order_relaxed);
}

namespace {

struct Region {
  void* object;
  void (*call)(void*, int, int);
};

// On its own, so that what the runtime itself orders (the shared `region` pointer) stays out of ThreadSanitizer's
// sight.
__attribute__((no_sanitize("thread"))) void start_region(int threads, Region* region) {
#pragma omp parallel num_threads(threads) default(none) firstprivate(region)
  {
    const int thread = omp_get_thread_num(), count = omp_get_num_threads();
    order_after(region);
    region->call(region->object, thread, count);
    order_before(region);
  }
}

}  // namespace

void detail::run_on_threads(int threads, void* object, void (*call)(void*, int, int)) {
  if (omp_in_parallel()) {
    call(object, 0, 1);
    return;
  }
  Region region{object, call};
  order_before(&region);
  start_region(threads, &region);
  order_after(&region);
}

}  // namespace pawl
