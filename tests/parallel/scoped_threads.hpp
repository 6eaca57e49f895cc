// scoped_threads.hpp -- a number of threads for the kernels, as long as an object lives.
#pragma once
#include "pawl/parallel.hpp"

namespace pawl::testing {

/// Sets the number of threads until it dies.
class ScopedThreads {
 public:
  explicit ScopedThreads(int threads) : before_(num_threads()) { set_num_threads(threads); }
  ~ScopedThreads() { set_num_threads(before_); }
  ScopedThreads(const ScopedThreads&) = delete;
  ScopedThreads& operator=(const ScopedThreads&) = delete;

 private:
  int before_;
};

}  // namespace pawl::testing
