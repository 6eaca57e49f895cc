// scattered_stores.hpp -- elements in order -> stores at random places, whose lines are asked for before their turn.
#pragma once
#include <cstddef>

#include "isa/store_misses.hpp"

namespace pawl::sparse {

/// Calls put(k) for k < n in order, which stores at a place of its own. Where stores wait for their lines, ask(j) comes
/// kStoresAhead elements before put(j): it is to ask for the line where element j would go now.
template <class Ask, class Put>
void put_asking(std::size_t n, Ask ask, Put put) {
  using pawl::detail::kStoresAhead;
  std::size_t k = 0;
  if (pawl::detail::stores_wait_for_lines)
    for (; k + kStoresAhead < n; ++k) {
      ask(k + kStoresAhead);
      put(k);
    }
  for (; k < n; ++k) put(k);
}

}  // namespace pawl::sparse
