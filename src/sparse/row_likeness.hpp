// row_likeness.hpp -- whether neighbouring rows of a matrix are alike: moved by one column, or with equal columns.
#pragma once
#include <algorithm>
#include <cstddef>

#include "kernels/sparse/sparse_table.hpp"
#include "pawl/sparse.hpp"

namespace pawl::sparse {

/// What is so for at least `share` of the rows, by a look at up to 64 places. `moved`: bands, and stencils on grids but
/// for the ends of their lines. `equal`: each has the columns of the row before or behind it, as in matrices of dense
/// blocks.
template <class T, class I>
RowLikeness row_likeness(const Csr<T, I>& a, double share = 0.75) {
  const std::size_t places = std::min<std::size_t>(64, a.rows() / 64);
  if (places < 4) return RowLikeness::none;
  const I *const start = a.row_start().data(), *const columns = a.columns().data();
  const auto like = [&](std::size_t row, I by) {  // the row behind `row` is that moved by `by`
    const auto first = static_cast<std::size_t>(start[row]), next = static_cast<std::size_t>(start[row + 1]);
    return next != first && static_cast<std::size_t>(start[row + 2]) - next == next - first &&
           std::equal(columns + first, columns + next, columns + next, [by](I x, I y) { return y == x + by; });
  };
  std::size_t moved = 0, equal = 0;
  for (std::size_t p = 0; p < places; ++p) {
    const std::size_t row = (a.rows() - 3) / places * p + p * 29 % 61;  // at no fixed place within the lines of a grid
    moved += like(row, 1);
    equal += like(row, 0) || like(row + 1, 0);
  }
  const double needed = share * static_cast<double>(places);
  if (static_cast<double>(moved) >= needed) return RowLikeness::moved;
  return static_cast<double>(equal) >= needed ? RowLikeness::equal : RowLikeness::none;
}

}  // namespace pawl::sparse
