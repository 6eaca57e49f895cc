// unpacked_choice.hpp -- the extents of a product with int8 weights that are not packed -> how these are multiplied.
#pragma once
#include <cstddef>
#include <cstdint>

#include "kernels/quant/int8_product.hpp"
#include "pawl/isa.hpp"

namespace pawl {

// Whether 64 columns of weights down to the depth come slowly: rows a multiple of 2 KiB apart fall on a few sets of L2,
// deep ones are more than it holds, and beyond L3 lines of other pages are not asked for in time.
inline bool lines_come_slowly(const Int8Product& x) noexcept {
  constexpr std::size_t kStripCols = 64, kAliasedBytes = 2048;
  const CacheSizes& caches = assumed_cache_sizes();
  return x.n % kAliasedBytes == 0 || x.k * kStripCols > caches.l2_bytes / 2 || x.k * x.n > caches.l3_bytes / 2;
}

// Whether weights are multiplied from where they lie, 64 columns at a time, and not packed: as long as interleaving
// them again for every 6 rows is hidden behind the products. (Zen 4, over packing: 1 and 6 rows 2.1 times as fast, 12 x
// 1024 x 1024 1.4, 32 x 3072 x 768 1.08, 96 x 768 x 768 1.04; columns that are cut or misaligned cost more: 128 x 1000
// x 500 0.9.)
inline bool multiplies_unpacked(const Int8Product& x) noexcept {
  constexpr std::size_t kStripCols = 64, kTileRows = 6, kManyCols = 256;
  if (lines_come_slowly(x)) return false;
  if (x.n % kStripCols == 0) return x.m <= 64;
  return x.m <= kTileRows || (x.m <= 32 && x.n >= kManyCols);
}

// Columns from which on one row is faster so than by 64 columns at a time.
inline constexpr std::size_t kLongRow = 1024;

// Whether they are, some whole rows at a time: where those lines come slowly, as long as sums travel less than packed
// weights would, and one row also where rows of weights are long. Rows of sums whole pages apart fall on the same sets
// of L1. (Zen 4, over packing: 1, 4 and 8 x 2048 x 2048 2.5, 1.7 and 1.4 times as fast, 4 x 3000 x 6000 2.3, 16 rows
// 1.4; over 64 columns at a time 1 x 5120 x 1280 1.2, but 4 rows 0.76.)
inline bool streams_weights(const Int8Product& x) noexcept {
  constexpr std::size_t kDeep = 64, kFewRows = 4, kFewCols = 256;
  if (x.m == 1 && x.n >= kLongRow && x.k >= kDeep) return true;
  const std::size_t most = x.n * sizeof(std::int32_t) % 4096 == 0 ? 8 : kStreamedRows;
  return lines_come_slowly(x) && x.m <= most && (x.m <= kFewRows || (x.n >= kFewCols && x.k >= kDeep));
}

}  // namespace pawl
