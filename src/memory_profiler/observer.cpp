// observer.cpp -- see observer.hpp.
#include "pawl/memory/observer.hpp"

#include <array>
#include <mutex>

#include "memory/spin_lock.hpp"

namespace pawl::memory {

namespace detail {
constinit std::atomic<unsigned> observer_count{0};
}

namespace {

constinit std::array<std::atomic<const AllocationObserver*>, 4> g_observers{};
constinit std::atomic<void (*)() noexcept> g_listener{nullptr};
constinit SpinLock g_lock;  // of changes

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
  if (const auto listener = g_listener.load(std::memory_order_acquire)) listener();
  return true;
}

void remove_observer(const AllocationObserver& observer) noexcept {
  const std::lock_guard lock(g_lock);
  for (auto& one : g_observers)
    if (one.load(std::memory_order_relaxed) == &observer) {
      one.store(nullptr, std::memory_order_release);
      detail::observer_count.fetch_sub(1, std::memory_order_seq_cst);
    }
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

}  // namespace pawl::memory
