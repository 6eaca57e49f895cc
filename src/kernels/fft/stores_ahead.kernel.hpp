// stores_ahead.kernel.hpp -- rows of an array, each step of a loop writing a vector of several -> the lines that they
// write next, asked for.
//
// Time without over time so on an Emerald Rapids, columns of arrays beyond L1, f32 and f64: 16 x 200 1.6 and 2.7, 12 x
// 500 2.2 and 2.8, 16 x 1000 2.8 and 2.9, 25 x 200 1.75 and 1.5, f64 9 x 200 3.7; longer ones, of which a pass writes
// few rows, 200 x 200 1.16 and 1.22, 1000 x 1000 1.28 and 1.22; 2-D 100 x 100 1.05 and 1.08.
#pragma once
#include <cstddef>

#include "isa/store_misses.hpp"
#include "kernels/vec.hpp"
#include "pawl/isa.hpp"

namespace pawl::PAWL_ISA_NS {

/// Whether rows that are `row` elements apart, `span` from the first to beyond the last, and as many that they are made
/// from are more than L1 holds, and their lines worth asking for. Rows 1 or 2 KiB apart push each other out of its sets
/// first (128 x 128 0.95, 256 x 256 f32 0.99).
template <class T>
PAWL_INLINE bool asks_for_stores(std::ptrdiff_t row, std::ptrdiff_t span) {
  constexpr std::size_t kLeastL1 = std::size_t{32} << 10;  // below it, nothing else is looked at
  const auto bytes = [](std::ptrdiff_t elements) PAWL_INLINE_LAMBDA {
    return static_cast<std::size_t>(elements < 0 ? -elements : elements) * sizeof(T);
  };
  if (2 * bytes(span) <= kLeastL1 || !detail::stores_wait_for_lines) return false;
  const bool few_sets = bytes(row) % 1024 == 0 && bytes(row) < 4096;
  return !few_sets && 2 * bytes(span) > assumed_cache_sizes().l1d_bytes;
}

/// Asks for what lies kSteps steps of kStep elements on, a step's width of it.
template <std::size_t kStep, std::size_t kSteps = 2, class T>
PAWL_INLINE void ask_for_store(T* p) {
  constexpr std::size_t kLine = 64 / sizeof(T), kLines = kStep < kLine ? 1 : kStep / kLine;
  unroll<kLines>([&](auto l) PAWL_INLINE_LAMBDA { __builtin_prefetch(p + kSteps * kStep + l * kLine, 1, 3); });
}

}  // namespace pawl::PAWL_ISA_NS
