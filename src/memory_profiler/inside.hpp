// inside.hpp -- a scope in which what this thread allocates is the profiler's own, not the program's.
#pragma once

namespace pawl::memory {

namespace detail {
// Initial-exec: malloc may ask for it, and the other models may call malloc.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local bool inside_profiler;
}  // namespace detail

class Inside {
 public:
  Inside() noexcept : before_(detail::inside_profiler) { detail::inside_profiler = true; }
  ~Inside() { detail::inside_profiler = before_; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  bool before_;
};

}  // namespace pawl::memory
