// plan_cache.cpp -- see pawl/fft/plan_cache.hpp.
#include "pawl/fft/plan_cache.hpp"

#include "kernels/fft/cache.hpp"

namespace pawl::fft {

constinit CacheCounts cache_counts;

PlanCacheStatistics plan_cache_statistics() noexcept {
  return {cache_counts.hits.load(std::memory_order_relaxed), cache_counts.misses.load(std::memory_order_relaxed)};
}

}  // namespace pawl::fft
