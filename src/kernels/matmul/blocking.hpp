// blocking.hpp -- shapes, register tile and cache sizes -> the block sizes of a matrix product.
#pragma once
#include <cstddef>

#include "pawl/isa.hpp"

namespace pawl {

/// C[m x n] += A[m x k] B[k x n] is done in blocks of mc rows, nc columns and kc depth.
struct Blocking {
  std::size_t mc, nc, kc;
};

/// Block sizes for elements of `element_bytes` and a register tile of tile_rows x tile_cols.
///
/// Derivation, after Goto and van de Geijn (2008) and Low et al., Analytical modeling is enough for high-performance
/// BLIS (2016), for cores whose L2 feeds the FMA units as well as L1 does, so that a tile's rows of A and its panel of
/// B may both pass by from there: the block of A, mc x kc, stays in L2 together with the panel of B, kc x tile_cols,
/// that passes along it and the one that comes next; the block of B, kc x nc, stays in L3. Deep blocks are worth more
/// than a panel in L1: C is read and written k / kc times. Each dimension is then cut evenly, so that no thin block is
/// left over. Caches of unknown size count as 512 KiB of L2 and 4 MiB of L3. Pure: the same arguments give the same
/// sizes. m, n, k >= 1; all results are >= 1.
Blocking choose_blocking(std::size_t m, std::size_t n, std::size_t k, std::size_t element_bytes, std::size_t tile_rows,
                         std::size_t tile_cols, const CacheSizes& caches) noexcept;

/// The largest mc and nc that choose_blocking gives for this depth and any m and n: what a workspace must hold.
Blocking largest_blocking(std::size_t k, std::size_t element_bytes, std::size_t tile_rows, std::size_t tile_cols,
                          const CacheSizes& caches) noexcept;

}  // namespace pawl
