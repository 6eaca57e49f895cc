// sharers.hpp -- how many threads work on the pass of which this thread has a part, so that a kernel knows the whole.
#pragma once
#include <cstddef>

namespace pawl::detail {

/// 1 outside of for_parts() (parts.hpp). Whether results should go past the caches depends on what all threads move
/// together, while a kernel is called with the length of its part.
extern constinit thread_local std::size_t sharers;

/// While one lives, this thread's part is one of `count`.
class SharersScope {
 public:
  explicit SharersScope(std::size_t count) noexcept : before_(sharers) { sharers = count; }
  ~SharersScope() { sharers = before_; }
  SharersScope(const SharersScope&) = delete;
  SharersScope& operator=(const SharersScope&) = delete;

 private:
  std::size_t before_;
};

}  // namespace pawl::detail
