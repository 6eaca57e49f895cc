// row_runs.hpp -- triplets of one row that follow each other, as those that the elements of a mesh give do.
//
// Counted or moved one by one, each of them waits for the counter that the one before has just written. ns per triplet
// to count, and to move to their rows, one by one and by runs (Zen 5): squares of 4 points 0.36 and 0.28, 0.92 and
// 0.64; cubes with 3 unknowns a point, whose runs have 24, 0.95 and 0.27, 1.4 and 0.55.
#pragma once
#include <cstddef>

namespace pawl::sparse {

/// Whether most triplets have the row of the one before them, by a look at some.
template <class I>
bool rows_come_in_runs(const I* rows, std::size_t n) {
  constexpr std::size_t kPlaces = 4, kPairs = 16;
  if (n < 16 * kPlaces * kPairs) return false;
  unsigned equal = 0;
  for (std::size_t p = 0; p < kPlaces; ++p) {
    const I* const window = rows + (n - kPairs - 1) / kPlaces * p;
    for (std::size_t k = 0; k < kPairs; ++k) equal += window[k] == window[k + 1];
  }
  return 5 * equal >= 3 * kPlaces * kPairs;  // runs of 2.5 and more
}

/// For each triplet of [from, to), whose row is row_of(k), by runs: place = begin(row, k), then add(k, place++) for
/// each of the run's triplets, then end(row, place). One loop, which no compiler makes vectors of: most runs are
/// shorter.
template <class RowOf, class Begin, class Add, class End>
void for_each_in_runs(std::size_t from, std::size_t to, RowOf row_of, Begin begin, Add add, End end) {
  while (from < to) {
    const auto row = row_of(from);
    auto place = begin(row, from);
    do add(from++, place++);
    while (from < to && row_of(from) == row);
    end(row, place);
  }
}

}  // namespace pawl::sparse
