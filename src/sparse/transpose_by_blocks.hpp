// transpose_by_blocks.hpp -- how large scattered matrices are transposed, for transpose() and its test.
#pragma once
#include <cstddef>

#include "pawl/sparse.hpp"

namespace pawl::sparse {

/// The transposed matrix of one with entries. Partitioned into blocks of columns first, as in coo.cpp: each block's
/// part of the result then stays in L2 while it is written. `parts` of the rows are the work of as many threads.
template <class T, class I>
Csr<T, I> transpose_by_blocks(const Csr<T, I>& a, std::size_t parts);

}  // namespace pawl::sparse
