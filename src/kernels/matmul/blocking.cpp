// blocking.cpp -- see blocking.hpp for the method.
#include "kernels/matmul/blocking.hpp"

#include <algorithm>

namespace pawl {
namespace {

// Beyond these nothing is gained, and the copies only grow.
constexpr std::size_t kDeepest = 512, kTallest = 256, kWidest = 1024;

std::size_t or_default(std::size_t bytes, std::size_t default_bytes) noexcept { return bytes ? bytes : default_bytes; }

// The size of the parts when n is cut into as few parts of at most `most` as possible, rounded up to whole grains.
std::size_t even_part(std::size_t n, std::size_t most, std::size_t grain) noexcept {
  const std::size_t parts = (n + most - 1) / most, part = (n + parts - 1) / parts;
  return std::min(n, (part + grain - 1) / grain * grain);
}

}  // namespace

Blocking largest_blocking(std::size_t k, std::size_t element_bytes, std::size_t tile_rows, std::size_t tile_cols,
                          const CacheSizes& caches) noexcept {
  const std::size_t l1 = or_default(caches.l1d_bytes, 32u << 10) / element_bytes;
  const std::size_t l2 = or_default(caches.l2_bytes, 512u << 10) / element_bytes;
  const std::size_t l3 = or_default(caches.l3_bytes, 4u << 20) / element_bytes;
  constexpr std::size_t kLine = 16;  // elements in a cache line, f32
  // Three fifths of L1 for the rows of A of a tile; B and C pass by beside them. On a Zen 5 (48 KiB) at 1024 cubed a
  // depth of 192 gave 250 GFLOP/s, 384 255, 512 257, 1024 260, all beside a peak of 275.
  const std::size_t kc_most = std::max(kLine, l1 * 3 / 5 / tile_rows / kLine * kLine);
  const std::size_t kc = even_part(k, std::min(kc_most, kDeepest), kLine);
  // 3/10 of L2 for A: a panel of B, its copy and the tiles of C need the rest. However shallow the product is, more
  // rows would only spread C over more pages than the TLB of L1 knows.
  const std::size_t mc = std::max(tile_rows, std::min(l2 * 3 / 10 / kc, kTallest) / tile_rows * tile_rows);
  // A quarter of L3: other cores have their own.
  const std::size_t nc = std::max(tile_cols, std::min(l3 / 4 / kc, kWidest) / tile_cols * tile_cols);
  return {mc, nc, kc};
}

Blocking choose_blocking(std::size_t m, std::size_t n, std::size_t k, std::size_t element_bytes, std::size_t tile_rows,
                         std::size_t tile_cols, const CacheSizes& caches) noexcept {
  const Blocking most = largest_blocking(k, element_bytes, tile_rows, tile_cols, caches);
  return {even_part(m, most.mc, tile_rows), even_part(n, most.nc, tile_cols), most.kc};
}

}  // namespace pawl
