// cache.hpp -- key -> the one object made for it, shared by all threads.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace pawl::fft {

/// Objects live as long as the cache. make() runs outside the lock: two threads that want the same new object at the
/// same time may both make one, and one of the two is dropped; neither waits for the other's minutes.
template <class Key, class Object>
class Cache {
 public:
  template <class Make>
  std::shared_ptr<const Object> get(const Key& key, Make&& make) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = objects_.find(key); found != objects_.end()) return found->second;
    }
    std::shared_ptr<const Object> made = make();
    const std::lock_guard lock(mutex_);
    return objects_.emplace(key, std::move(made)).first->second;
  }

 private:
  std::mutex mutex_;
  std::map<Key, std::shared_ptr<const Object>> objects_;
};

}  // namespace pawl::fft
