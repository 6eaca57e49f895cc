// plan_cache.hpp -- how often plans found the tables of their lengths made already.
#pragma once
#include <cstdint>

namespace pawl::fft {

/// Of all plans of the process so far. A plan looks up the tables of each length that it needs, by length and ISA:
/// those that were there are hits, those that it had to make are misses. They are kept for the life of the process.
struct PlanCacheStatistics {
  std::uint64_t hits = 0, misses = 0;

  /// Share of hits; 1 before the first plan.
  double hit_rate() const noexcept {
    return hits + misses == 0 ? 1 : static_cast<double>(hits) / static_cast<double>(hits + misses);
  }
};

/// Any thread may ask; plans that are being made meanwhile count or don't yet.
PlanCacheStatistics plan_cache_statistics() noexcept;

}  // namespace pawl::fft
