// spin_lock.hpp -- a lock for sections of well under a microsecond.
//
// Not std::mutex: a thread that waits for its neighbour's 100 ns would sleep and wake for 50 us, and a lock held over
// fork() must be released by the child, whose thread id differs.
#pragma once
#include <sched.h>

#include <atomic>

namespace pawl::memory {

class SpinLock {
 public:
  void lock() noexcept {
    while (held_.exchange(true, std::memory_order_acquire)) {
      // 100 turns are about 1 us: longer, and the owner has lost its CPU.
      for (int turn = 0; turn < 100 && held_.load(std::memory_order_relaxed); ++turn) pause();
      if (held_.load(std::memory_order_relaxed)) sched_yield();
    }
  }
  void unlock() noexcept { held_.store(false, std::memory_order_release); }

 private:
  static void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }
  std::atomic<bool> held_{false};
};

}  // namespace pawl::memory
