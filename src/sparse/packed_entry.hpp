// packed_entry.hpp -- an entry of a matrix with its row and column in one integer, as it waits in its block.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

namespace pawl::sparse {

/// 12 bytes of an f64 where 16 to 24 would be without packing: what is partitioned is written once and read twice.
template <class T, class Key>
struct [[gnu::packed]] PackedEntry {
  T value;
  Key key;
};

/// The bits of indices below n.
inline unsigned bits_for(std::size_t n) { return static_cast<unsigned>(std::bit_width(n - 1)); }

/// Whether indices below `n` and `bits` other bits fit into a key.
template <class Key>
bool fits_key(std::size_t n, unsigned bits) {
  return bits_for(n) + bits <= 8 * sizeof(Key);
}

/// Asks for the line behind the one that is written at `entry`. A partition writes hundreds of streams, more than the
/// hardware's prefetcher follows: where blocks lie beyond L2, each store to a new line would wait for it.
template <class Entry>
void fetch_ahead(const Entry* entry) {
  constexpr std::size_t kAhead = 128;  // bytes: two lines
  // As a number: beyond the end of the entries a pointer must not be computed.
  const auto address = reinterpret_cast<std::uintptr_t>(entry) + kAhead;
  __builtin_prefetch(reinterpret_cast<const void*>(address), 1);
}

}  // namespace pawl::sparse
