// scratch_array.hpp -- an array kept from block to block -> room for the next one, where its neighbours allow it.
#pragma once
#include <cstddef>
#include <cstdint>

#include "pawl/sparse/array.hpp"

namespace pawl::sparse {

/// Elements, not set, for n; what was there is lost if there were fewer.
template <class E>
void make_room(Array<E>& array, std::size_t n) {
  if (array.size() < n) array = Array<E>(n);
}

inline constexpr std::size_t kPage = 4096;

/// The first place from `memory` on, less than a page away, that lies half a page from `other` within its page.
///
/// A load whose address has the last 12 bits of a store just before waits for it, which made the sort of rows three
/// times slower where input and result lay so. Half a page between them is as far as they can be.
template <class E>
E* half_a_page_from(E* memory, const void* other) {
  const std::size_t distance =
      reinterpret_cast<std::uintptr_t>(other) + kPage / 2 - reinterpret_cast<std::uintptr_t>(memory);
  return memory + distance % kPage / sizeof(E);
}

}  // namespace pawl::sparse
