// row_shares.hpp -- the rows of a matrix divided among threads by their entries.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>

#include "pawl/parallel.hpp"
#include "pawl/sparse.hpp"

namespace pawl::sparse {

/// The first row of a part, so that parts have as many entries each.
template <class T, class I>
std::size_t first_row_of(const Csr<T, I>& a, std::size_t part, std::size_t parts) {
  if (part == 0) return 0;
  if (part >= parts) return a.rows();  // from here on there are at least two
  const auto start = a.row_start();
  const auto target = static_cast<I>(a.nonzeros() / parts * part);
  return static_cast<std::size_t>(std::lower_bound(start.begin(), start.end() - 1, target) - start.begin());
}

/// Calls body(part) for each part, by so many threads.
template <class Body>
void for_each_part(std::size_t parts, Body body) {
  std::atomic<std::size_t> next{0};
  on_threads(static_cast<int>(parts), [&](int, int) {
    for (std::size_t p; (p = next.fetch_add(1)) < parts;) body(p);
  });
}

}  // namespace pawl::sparse
