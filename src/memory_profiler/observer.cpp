// observer.cpp -- see observer.hpp.
#include "pawl/memory/observer.hpp"

#include <pthread.h>

#include <array>
#include <mutex>

#include "memory/spin_lock.hpp"
#include "memory_profiler/observers_changed.hpp"

namespace pawl::memory {

namespace detail {
constinit std::atomic<unsigned> observer_count{0};
}

namespace {

constinit std::array<std::atomic<const AllocationObserver*>, 4> g_observers{};
constinit std::atomic<void (*)() noexcept> g_listener{nullptr};  // of the first observer
constinit std::atomic<void (*)() noexcept> g_follower{nullptr};  // of all changes
constinit SpinLock g_lock;                                       // of changes

void call(const std::atomic<void (*)() noexcept>& one) noexcept {
  if (const auto function = one.load(std::memory_order_acquire)) function();
}

}  // namespace

bool add_observer(const AllocationObserver& observer) noexcept {
  {
    const std::lock_guard lock(g_lock);
    std::atomic<const AllocationObserver*>* place = nullptr;
    for (auto& one : g_observers) {
      if (one.load(std::memory_order_relaxed) == &observer) return false;
      if (place == nullptr && one.load(std::memory_order_relaxed) == nullptr) place = &one;
    }
    if (place == nullptr) return false;
    place->store(&observer, std::memory_order_release);
    detail::observer_count.fetch_add(1, std::memory_order_seq_cst);
  }
  call(g_listener);
  call(g_follower);
  return true;
}

void remove_observer(const AllocationObserver& observer) noexcept {
  {
    const std::lock_guard lock(g_lock);
    for (auto& one : g_observers)
      if (one.load(std::memory_order_relaxed) == &observer) {
        one.store(nullptr, std::memory_order_release);
        detail::observer_count.fetch_sub(1, std::memory_order_seq_cst);
      }
  }
  call(g_follower);
}

void tell_allocated(const void* p, std::size_t bytes) noexcept {
  if (p == nullptr) return;
  for (const auto& one : g_observers)
    if (const auto* observer = one.load(std::memory_order_acquire)) observer->allocated(p, bytes);
}

void tell_freed(const void* p, std::size_t bytes) noexcept {
  if (p == nullptr) return;
  for (const auto& one : g_observers)
    if (const auto* observer = one.load(std::memory_order_acquire)) observer->freed(p, bytes);
}

void on_observed(void (*listener)() noexcept) noexcept { g_listener.store(listener, std::memory_order_release); }
bool on_observers_changed(void (*follower)() noexcept) noexcept {
  static const bool forks =
      pthread_atfork([] { g_lock.lock(); }, [] { g_lock.unlock(); }, [] { g_lock.unlock(); }) == 0;
  g_follower.store(follower, std::memory_order_release);
  return forks;
}

}  // namespace pawl::memory
