// cache.hpp -- key -> the one object made for it, shared by all threads.
#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace pawl::fft {

/// Of all caches: plan_cache_statistics().
struct CacheCounts {
  std::atomic<std::uint64_t> hits{0}, misses{0};
};
extern CacheCounts cache_counts;

/// Objects live as long as the cache, until clear(). make() runs outside the lock: two threads that want the same new
/// object at the same time may both make one, and one of the two is dropped; neither waits for the other's minutes.
template <class Key, class Object>
class Cache {
 public:
  template <class Make>
  std::shared_ptr<const Object> get(const Key& key, Make&& make) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = objects_.find(key); found != objects_.end()) {
        cache_counts.hits.fetch_add(1, std::memory_order_relaxed);
        return found->second;
      }
    }
    cache_counts.misses.fetch_add(1, std::memory_order_relaxed);
    std::shared_ptr<const Object> made = make();
    const std::lock_guard lock(mutex_);
    return objects_.emplace(key, std::move(made)).first->second;
  }

  /// Objects that are in use stay as long as they are.
  void clear() {
    const std::lock_guard lock(mutex_);
    objects_.clear();
  }

 private:
  std::mutex mutex_;
  std::map<Key, std::shared_ptr<const Object>> objects_;
};

}  // namespace pawl::fft
