// triplet_order.hpp -- the order that triplets come in -> whether they may be sorted at once, by blocks or in slots.
#pragma once
#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>

#include "pawl/sparse.hpp"
#include "slot_sort.hpp"
#include "triplet_checks.hpp"

namespace pawl::sparse {

inline constexpr std::size_t kLook = 256;            ///< triplets that tell in which order they are
inline constexpr std::size_t kFewLong = 64;          ///< of so many one may be beyond the slots of its row
inline constexpr std::size_t kPackedEntries = 4096;  ///< about twice the entries of a block where they are packed

/// Whether triplets that follow each other are in few rows, or rows near by, as those of meshes and of matrices by
/// columns often are: what they are written to is in the caches then without any blocks.
template <class T, class I>
bool is_local(const Coo<T, I>& a) {
  constexpr std::size_t kPlaces = 16, kWindow = 256, kNear = 64, kMostGroups = 32;
  const std::size_t n = a.values.size();
  std::size_t groups = 0;
  for (std::size_t p = 0; p < kPlaces; ++p) {
    const I* const rows = a.row_indices.data() + (n - kWindow) / kPlaces * p;
    std::bitset<1024> near;
    for (std::size_t k = 0; k < kWindow; ++k) near.set(static_cast<std::size_t>(rows[k]) / kNear % near.size());
    groups += near.count();
  }
  return groups <= kPlaces * kMostGroups;
}

/// Whether the row that the mean triplet is in is so long that rows would outgrow their slots: as many of some triplets
/// meet another of their row. Where there are too few to tell, it costs little to see. Rows of meshes, which come in
/// runs, are alike in length; of random ones with 40 on average some have more than 64.
template <class T, class I>
bool rows_are_long(const Coo<T, I>& a, bool by_runs) {
  constexpr std::size_t kFew = 4096, kMany = 16'384, kTable = 4096;
  const std::size_t most = by_runs ? 56 : 32;
  const std::size_t n = a.values.size();
  if (n < kFew) return false;
  const std::size_t sample = n < kMany ? kFew / 16 : kMany / 16, step = n / sample;
  std::array<std::uint16_t, kTable> met{};
  std::size_t pairs = 0;
  for (std::size_t k = 0; k < sample; ++k) {
    constexpr std::uint32_t kGolden = 0x9e3779b1;  // spreads rows over the table
    pairs += met[(static_cast<std::uint32_t>(a.row_indices[k * step]) * kGolden) >> 20]++;
  }
  // Of n^2 / 2 pairs of triplets, each finds length / n partners in its row, and 1 / kTable by chance.
  const std::size_t all = sample * sample / 2, by_chance = all / kTable;
  return pairs > by_chance && (pairs - by_chance) * n > most * all;
}

/// Whether the first triplets are by ascending rows, and whether they are CSR already: the others then mostly are too.
template <class T, class I>
bool begins_by_rows(const Coo<T, I>& a) {
  return ascends(a.row_indices.data(), std::min(a.values.size(), kLook));
}
template <class T, class I>
bool begins_as_csr(const Coo<T, I>& a) {
  const std::size_t n = std::min(a.values.size(), kLook);
  return begins_by_rows(a) &&
         columns_ascend(Coo<T, I>{a.rows, a.cols, a.row_indices.first(n), a.columns.first(n), a.values.first(n)});
}

/// Whether rows in order have more than `most` entries beyond those that there are slots for.
template <class T, class I>
bool in_order_and_long(const Coo<T, I>& a, std::size_t most) {
  if (!begins_by_rows(a)) return false;
  constexpr std::size_t kChunk = 1024;  // counted in I, or the loop is not vectorised
  const I* const rows = a.row_indices.data();
  const std::size_t n = a.values.size();
  std::size_t beyond = 0;
  for (std::size_t k = kMostSlots; k < n && beyond <= most;) {
    I count = 0;
    for (const std::size_t end = std::min(k + kChunk, n); k < end; ++k)
      count = static_cast<I>(count + static_cast<I>(rows[k] == rows[k - kMostSlots]));
    beyond += static_cast<std::size_t>(count);
  }
  return beyond > most;
}

/// Rows in order whose columns are in none, of which only parts fit into slots: blocks of rows, which lie there
/// already. ns per entry at once and so (Zen 5, f64): 1 to 20 in each of 30,000 rows 6.0 and 4.0, of 100,000 6.0
/// and 4.4, 25 in each 7.2 and 3.5, 11.6 and 4.1.
template <class T, class I>
bool has_slots_by_blocks_alone(const Coo<T, I>& a) {
  const std::size_t n = a.values.size(), rows = std::max(kPackedEntries * a.rows / n, std::size_t{1});
  return n > kPackedEntries && !SlotSorter<T, I>::takes(n, a.rows, a.cols) &&
         SlotSorter<T, I>::takes(kPackedEntries, rows, a.cols) && begins_by_rows(a) && !begins_as_csr(a) &&
         !in_order_and_long(a, n / kFewLong);
}

}  // namespace pawl::sparse
