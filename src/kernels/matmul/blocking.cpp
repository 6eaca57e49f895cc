// blocking.cpp -- see blocking.hpp for the method.
#include "kernels/matmul/blocking.hpp"

#include <algorithm>

namespace pawl {
namespace {

// Beyond these nothing is gained, and the copies only grow.
constexpr std::size_t kDeepest = 1024, kTallest = 256, kWidest = 2048;

std::size_t or_default(std::size_t bytes, std::size_t default_bytes) noexcept { return bytes ? bytes : default_bytes; }

// The size of the parts when n is cut into as few parts of at most `most` as possible, rounded up to whole grains.
std::size_t even_part(std::size_t n, std::size_t most, std::size_t grain) noexcept {
  const std::size_t parts = (n + most - 1) / most, part = (n + parts - 1) / parts;
  return std::min(n, (part + grain - 1) / grain * grain);
}

}  // namespace

Blocking largest_blocking(std::size_t k, std::size_t element_bytes, std::size_t tile_rows, std::size_t tile_cols,
                          const CacheSizes& caches) noexcept {
  const std::size_t l2 = or_default(caches.l2_bytes, 512u << 10) / element_bytes;
  const std::size_t l3 = or_default(caches.l3_bytes, 4u << 20) / element_bytes;
  constexpr std::size_t kLine = 16;  // elements in a cache line, f32
  // An eighth of L2 for a panel of B. On a Zen 5 (1 MiB: a depth of 1024 for f32 and f64) 1024 cubed ran at 95 to 97 %
  // of the peak and 2048 cubed at 95 %, with half the depth at 92 to 94 %.
  const std::size_t kc = even_part(k, std::clamp(l2 / 8 / tile_cols / kLine * kLine, kLine, kDeepest), kLine);
  // A third of L2 for A: two panels of B, their copies and the tiles of C need the rest. However shallow the product
  // is, more rows would only spread C over more pages than the TLB of L1 knows.
  const std::size_t mc = std::max(tile_rows, std::min(l2 / 3 / kc, kTallest) / tile_rows * tile_rows);
  // A quarter of L3: other cores have their own.
  const std::size_t nc = std::max(tile_cols, std::min(l3 / 4 / kc, kWidest) / tile_cols * tile_cols);
  // Half as many again where that leaves a single block: B is then read once.
  return {mc * 3 / 2, nc, kc};
}

Blocking choose_blocking(std::size_t m, std::size_t n, std::size_t k, std::size_t element_bytes, std::size_t tile_rows,
                         std::size_t tile_cols, const CacheSizes& caches) noexcept {
  const Blocking most = largest_blocking(k, element_bytes, tile_rows, tile_cols, caches);
  const std::size_t mc = m <= most.mc ? m : even_part(m, (most.mc * 2 + 2) / 3, tile_rows);
  return {mc, even_part(n, most.nc, tile_cols), most.kc};
}

}  // namespace pawl
