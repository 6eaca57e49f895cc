// store_lock.hpp -- one machine's directory of a store -> held by one process at a time.
#pragma once
#include <filesystem>
#include <functional>

namespace pawl::baseline {

/// Is called while another process holds the directory: once at first, with true, and then several times a second. May
/// throw, to wait no longer.
using OnLockWait = std::function<void(bool is_first)>;

/// Waits until no other process holds the directory, which must exist, and holds it until the end of its life: from
/// reading the old baseline to replacing it, or of two saves one would be lost. The kernel lets go when a process dies.
/// Where the file system has no locks (some network ones), nothing is held.
class StoreLock {
 public:
  explicit StoreLock(const std::filesystem::path& directory, const OnLockWait& on_wait = {});
  ~StoreLock();
  StoreLock(const StoreLock&) = delete;
  StoreLock& operator=(const StoreLock&) = delete;

  bool held() const { return held_; }

 private:
  int fd_ = -1;
  bool held_ = false;
};

}  // namespace pawl::baseline
