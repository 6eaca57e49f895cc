// diagonal_slot.hpp -- where one vector of a plan's values belongs.
#pragma once
#include <cstdint>

namespace pawl {

/// Values on one diagonal of a slice of rows: those of the lanes in `mask`, times x[base + lane].
template <class I>
struct DiagonalSlot {
  I base;
  std::uint16_t mask;
};

}  // namespace pawl
