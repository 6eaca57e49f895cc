// transformer_trace.hpp -- the tensors of a transformer's forward passes, as recorded or of other sizes.
#pragma once
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

namespace pawl::bench {

/// tools/transformer_trace.py: bytes to allocate under the next id, or -(id + 1) to free.
inline constexpr std::int32_t kTransformerTrace[] = {
#include "transformer_trace.inc"
};

/// The trace with the tensors of each of its three sequence lengths, between which nothing lives, some times as large.
inline std::vector<std::int32_t> rescaled_trace(std::span<const double, 3> factors) {
  std::vector<std::int32_t> trace(std::begin(kTransformerTrace), std::end(kTransformerTrace)), sizes;
  std::int64_t live = 0;
  std::size_t length = 0;
  for (std::int32_t& event : trace)
    if (event > 0) {
      sizes.push_back(event);
      live += event;
      event = std::max(static_cast<std::int32_t>(event * factors[length]), 1);
    } else {
      live -= sizes[static_cast<std::size_t>(-(event + 1))];
      if (live == 0) ++length;
    }
  return trace;
}

}  // namespace pawl::bench
