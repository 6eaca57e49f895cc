// matrices.hpp -- seeded sparse matrices of the kinds that occur: random, banded, power law, Laplacians, dense blocks.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pawl::bench {

/// CSR with ascending columns, made by plain code of the bench: none of the library's.
template <class T>
struct SparseMatrix {
  std::string kind;
  std::size_t rows = 0, cols = 0;
  std::vector<std::int32_t> row_start, columns;
  std::vector<T> values;

  std::size_t nonzeros() const { return columns.size(); }
};

template <class T>
struct Triplets {
  std::vector<std::int32_t> rows, columns;
  std::vector<T> values;
};

/// Kinds:
///   random     10 entries per row, columns uniform (rows with a repeated column have fewer)
///   varied     1 to 20 entries per row, columns uniform
///   band       all 11 diagonals around the main one
///   rmat       R-MAT with a, b, c, d = 0.57, 0.19, 0.19, 0.05 (those of Graph500), 8 edges per row, duplicates merged
///   laplace2d  5-point stencil on a square grid; rows is the largest square within what was asked for
///   laplace3d  7-point stencil on a cube
///   blocks     4 x 4 dense blocks, 4 of them per block row at random places
/// Values are uniform in [-1, 1) except the Laplacians', which are 4 or 6 and -1.
/// The last matrix is kept, since many rows in a sequence use it.
template <class T>
std::shared_ptr<const SparseMatrix<T>> sparse_matrix(const std::string& kind, std::size_t rows);

/// Its entries in random order.
template <class T>
Triplets<T> shuffled_triplets(const SparseMatrix<T>& a);

}  // namespace pawl::bench
