// tag_stack.hpp -- the names of what a thread is doing, outermost first.
#pragma once
#include <array>
#include <cstddef>

namespace pawl::memory {

struct TagStack {
  static constexpr std::size_t kDeepest = 16;
  std::array<const char*, kDeepest> names{};
  std::size_t depth = 0;  // may be larger than kDeepest
};

/// This thread's.
const TagStack& tag_stack() noexcept;

}  // namespace pawl::memory
