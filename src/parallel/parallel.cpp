// parallel.cpp -- the environment -> how many threads the kernels use.
#include "pawl/parallel.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "isa/process_cpus.hpp"
#include "parallel/pool.hpp"
#include "parallel/sharers.hpp"

namespace pawl {

constinit thread_local std::size_t detail::sharers = 1;

namespace {

int cpus_of_this_process() noexcept {
  const cpu_set_t set = detail::process_cpus();
  const int count = CPU_COUNT(&set);
  return count > 0 ? count : 1;
}

int parse_threads(const char* text) noexcept {
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  return end != text && *end == '\0' && value >= 1 && value <= detail::kMaxThreads ? static_cast<int>(value) : 0;
}

int initial_threads() noexcept {
  if (const char* text = std::getenv("PAWL_NUM_THREADS"); text && *text) {
    const int threads = parse_threads(text);
    if (threads == 0) {
      std::fprintf(stderr, "pawl: PAWL_NUM_THREADS=%s is not a whole number from 1 to %d\n", text, detail::kMaxThreads);
      std::exit(2);
    }
    return threads;
  }
  // OMP_NUM_THREADS may be a list for nested levels ("4,2"): its first number counts. A bad one is ignored.
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
  if (threads < 1 || threads > detail::kMaxThreads)
    throw std::invalid_argument("set_num_threads: " + std::to_string(threads) + " is not from 1 to " +
                                std::to_string(detail::kMaxThreads));
  g_threads.store(threads, std::memory_order_relaxed);
}

}  // namespace pawl
