// pool.hpp -- a body and a number of threads -> the body run once for each, by threads that are kept.
#pragma once

namespace pawl::detail {

/// Far above any machine this is for; catches typing errors.
inline constexpr int kMaxThreads = 1024;

/// What is behind pawl::on_threads; see include/pawl/parallel.hpp.
void run_on_threads(int threads, void* object, void (*call)(void*, int thread, int threads)) noexcept;

}  // namespace pawl::detail
