// pool.hpp -- a body and a number of threads -> the body run once for each, by threads that are kept.
#pragma once
#include "pawl/parallel.hpp"  // run_on_threads, which is what pool.cpp defines

namespace pawl::detail {

/// Far above any machine this is for; catches typing errors.
inline constexpr int kMaxThreads = 1024;

}  // namespace pawl::detail
