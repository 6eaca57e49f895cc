// operations.cpp -- the sequences of operations that allocators are timed on.
#include <algorithm>
#include <cmath>

#include "allocator_rows.hpp"
#include "buffers.hpp"
#include "transformer_trace.hpp"

namespace pawl::bench {

RandomOperations::RandomOperations(std::size_t blocks) {
  // 2^18 operations and then the same again: 2 MiB that are read in order, which costs next to nothing.
  constexpr std::size_t kOperations = std::size_t{1} << 18;
  constexpr double kDoublings = 12;
  Buffers buffers;
  const auto sizes = buffers.random_f64(kOperations, 1, 0, 1), indices = buffers.random_f64(kOperations, 2, 0, 1);
  operations.reserve(kOperations);
  for (std::size_t i = 0; i < kOperations; ++i)
    operations.push_back({static_cast<std::uint32_t>(indices[i] * static_cast<double>(blocks)),
                          static_cast<std::uint32_t>(16 * std::exp2(kDoublings * sizes[i]))});
}

std::span<const std::int32_t> transformer_trace() { return kTransformerTrace; }

std::size_t trace_tensors() {
  return static_cast<std::size_t>(
      std::ranges::count_if(kTransformerTrace, [](std::int32_t event) { return event > 0; }));
}

std::size_t trace_peak_bytes(std::span<const std::int32_t> trace) {
  std::vector<std::int32_t> sizes;
  std::int64_t live = 0, peak = 0;
  for (const std::int32_t event : trace) {
    if (event > 0) sizes.push_back(event);
    live += event > 0 ? event : -sizes[static_cast<std::size_t>(-(event + 1))];
    peak = std::max(peak, live);
  }
  return static_cast<std::size_t>(peak);
}

}  // namespace pawl::bench
