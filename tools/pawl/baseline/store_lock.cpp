// store_lock.cpp -- flock on the directory itself: no file that would have to be ignored by git.
#include "baseline/store_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

namespace pawl::baseline {

// Asked for again and again and not waited for in the kernel: a signal that comes just before would not be seen there.
StoreLock::StoreLock(const std::filesystem::path& directory, const OnLockWait& on_wait)
    : fd_(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (fd_ < 0) return;
  constexpr auto kBetween = std::chrono::milliseconds(20);
  bool is_first = true;
  while (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return;
    try {
      if (on_wait) on_wait(is_first);
    } catch (...) {
      ::close(fd_);
      throw;
    }
    is_first = false;
    std::this_thread::sleep_for(kBetween);
  }
  held_ = true;
}

StoreLock::~StoreLock() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace pawl::baseline
