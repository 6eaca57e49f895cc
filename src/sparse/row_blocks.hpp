// row_blocks.hpp -- the rows of a result divided into blocks, into which its entries are partitioned first.
#pragma once
#include <bit>
#include <cstddef>
#include <utility>
#include <vector>

namespace pawl::sparse {

/// Where blocks are: block b has the rows from b << shift on, the entries [first[b], first[b + 1]) of the result and as
/// many triplets from triplets[b] on.
struct RowBlocks {
  unsigned shift = 0;
  std::size_t count = 0;
  std::vector<std::size_t> first, triplets;

  static constexpr std::size_t kEntries = 4096;  ///< about twice the entries of a block
  static constexpr std::size_t kMost = 1024;     ///< streams written at once; more would not fit L1 and TLB

  /// For n entries in `rows` rows: blocks of 2^shift rows, some half of `entries` to `entries` entries on average and
  /// not too many.
  RowBlocks(std::size_t rows, std::size_t n, std::size_t entries = kEntries) {
    // 16 bytes each and as much again to sort them: L2 holds blocks ten times as long too, where rows differ much. The
    // partition itself is faster too. Triplets to CSR, ns per entry with 4096 and 16,384 (Zen 4, 10^5 rows): rows of 16
    // 6.1 and 7.7, 2D stencil 6.2 and 7.8 (partition 1.7 and 3.4), power law 12.2 and 14.8, random 6.4 and 6.6.
    while (shift < 63 && (((rows - 1) >> shift) + 1 > kMost || ((n / rows + 1) << shift) <= entries / 2)) ++shift;
    count = ((rows - 1) >> shift) + 1;
  }
  /// Of at most `most` > 0 rows each.
  static RowBlocks at_most(std::size_t most, std::size_t rows) {
    RowBlocks blocks;
    blocks.shift = static_cast<unsigned>(std::bit_width(most) - 1);
    blocks.count = ((rows - 1) >> blocks.shift) + 1;
    return blocks;
  }

  /// Sets `first` and `triplets`. part.counts[b], the entries that a part of the input has for block b, becomes the
  /// place where it writes them. Returns the room that all triplets need.
  template <class Parts>
  std::size_t lay_out(Parts& parts, std::size_t triplet_bytes) {
    first.assign(count + 1, 0);
    triplets.assign(count, 0);
    std::size_t place = 0;
    for (std::size_t b = 0; b < count; ++b) {
      place = triplets[b] = other_set(place, b, triplet_bytes);
      for (auto& part : parts) place += std::exchange(part.counts[b], place);
      first[b + 1] = first[b] + (place - triplets[b]);
    }
    return place;
  }

 private:
  RowBlocks() = default;

  // Where the triplets of block b may begin, from `at` on. Rows of one length make blocks of one length, often a
  // multiple of a page, so that all of them would be written through the same set of the L1 cache: twice the time.
  // Hence a line of another set for each.
  static std::size_t other_set(std::size_t at, std::size_t b, std::size_t triplet_bytes) {
    constexpr std::size_t kLine = 64, kSets = 64;
    const std::size_t line = (at * triplet_bytes + kLine - 1) / kLine, skip = (b - line) % kSets;
    return ((line + skip) * kLine + triplet_bytes - 1) / triplet_bytes;
  }
};

}  // namespace pawl::sparse
