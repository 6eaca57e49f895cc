// result_copy.hpp -- what a peer hands out of its own format, kept as CSR with 32-bit indices until it was checked.
#pragma once
#include <vector>

#include "benches/sparse/sparse_rows.hpp"

namespace pawl::bench {

template <class T>
struct ResultCopy {
  std::vector<std::int32_t> row_start, columns;
  std::vector<T> values;

  CsrArrays<T> arrays() const { return {row_start, columns, values}; }
};

}  // namespace pawl::bench
