// active.hpp -- the active variant as one inlined load: what every public function starts with.
#pragma once
#include <atomic>
#include <cstdint>

#include "pawl/isa.hpp"

namespace pawl::detail {

inline constexpr std::uint8_t kUnsetIsa = 0xff;

// Not a function-local static: its guard would cost a second load in every dispatch.
extern constinit std::atomic<std::uint8_t> g_active_isa;

/// Finds and sets the active variant at the first call; what active_isa() promises about PAWL_ISA happens here.
[[gnu::cold]] std::uint8_t set_active_isa() noexcept;

/// active_isa() without a call.
inline Isa active_isa_inline() noexcept {
  const std::uint8_t isa = g_active_isa.load(std::memory_order_relaxed);
  return static_cast<Isa>(isa != kUnsetIsa ? isa : set_active_isa());
}

}  // namespace pawl::detail
