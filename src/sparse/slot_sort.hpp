// slot_sort.hpp -- triplets in any order to CSR where rows are short: each row has slots for its entries, so that
// nothing is counted first, and what waits there is a column and the place of the value in one integer.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

#include "block_sort.hpp"
#include "packed_entry.hpp"
#include "pawl/sparse/array.hpp"
#include "sparse/active_ops.hpp"

namespace pawl::sparse {

template <class T, class I>
class SlotSorter {
 public:
  /// Whether n triplets of a block of `rows` rows may be sorted here: row lengths will show.
  static bool takes(std::size_t n, std::size_t rows, std::size_t cols) {
    return sparse_ops<T, I>().sort_slots != nullptr && n > 0 && n <= kMost && rows <= kMost && n <= rows * kMostMean &&
           bits_for(n) + bits_for(cols) <= 32;
  }

  /// Empty slots for n triplets of `rows` rows, most of them in runs of one row or not.
  void begin(std::size_t n, std::size_t rows, bool by_runs) {
    rows_ = rows;
    place_bits_ = bits_for(n);
    slots_ = n <= rows * kFewMean                                  ? kMostSlots / 4
             : n <= rows * (by_runs ? kSomeMeanOfRuns : kSomeMean) ? kMostSlots / 2
                                                                   : kMostSlots;
    // Some more than there are: the same slots of all groups would be in half of the L2's sets, or in those of L1
    // beside each other, where the lines of 16 groups of 16 entries a row are as many as its ways.
    group_keys_ = (slots_ + (slots_ == kMostSlots ? 17 : 1)) * kGroup;
    const std::size_t groups = (rows + kGroup - 1) / kGroup;
    if (next_.size() < groups * kGroup) next_ = Array<std::uint32_t>(groups * kGroup);
    room_ = std::bit_ceil(groups * group_keys_);
    if (keys_.size() < room_) keys_ = Array<std::uint32_t>(room_);
    for (std::size_t g = 0; g < groups; ++g)
      for (std::size_t lane = 0; lane < kGroup; ++lane)
        next_[g * kGroup + lane] = static_cast<std::uint32_t>(g * group_keys_ + lane);
  }

  /// The triplets of a block that begins with row 0; false if one is out of range.
  bool fill(const I* rows, const I* columns, std::size_t n, std::size_t cols) {
    return sparse_ops<T, I>().fill_slots({.rows = rows,
                                          .columns = columns,
                                          .n = n,
                                          .last_row = static_cast<I>(rows_ - 1),
                                          .last_column = static_cast<I>(cols - 1),
                                          .slots = slots()});
  }

  /// The same for entries of a block, as packed_place() puts their places.
  template <class Entry>
  void fill(const Entry* entries, std::size_t n, unsigned column_bits, bool by_runs) {
    sparse_ops<T, I>().fill_slots_from_entries({.entries = entries,
                                                .n = n,
                                                .value_bytes = sizeof(T),
                                                .column_bits = column_bits,
                                                .by_runs = by_runs,
                                                .slots = slots()});
  }

  /// The result: start[r] becomes base + the entries before row r. Returns how many entries are left, or kTooLong where
  /// a row had not slots enough, after which the output is of no account.
  std::size_t take(const void* values, std::size_t value_stride, const BlockResult<T, I>& result, std::size_t room) {
    const SlotRows<T, I> work{.slots = slots(),
                              .rows = rows_,
                              .values = values,
                              .value_stride = value_stride,
                              .start = result.start,
                              .base = result.base,
                              .columns = result.columns,
                              .out_values = result.values,
                              .room = room};
    return sparse_ops<T, I>().sort_slots(work);
  }

  /// How many triplets each row has, whether they fit or not.
  void lengths(I* counts) const {
    for (std::size_t r = 0; r < rows_; ++r)
      counts[r] = static_cast<I>((next_[r] - (r / kGroup * group_keys_ + r % kGroup)) / kGroup);
  }

 private:
  static constexpr std::size_t kGroup = kSlotRows, kMost = std::size_t{1} << 20;
  // Rows of meshes, which come in runs, are alike in length; random ones have more than twice their mean length at
  // times.
  static constexpr std::size_t kMostMean = 64, kSomeMeanOfRuns = 20, kSomeMean = 13, kFewMean = 3;

  Slots slots() {
    return {.keys = keys_.data(),
            .mask = static_cast<std::uint32_t>(room_ - 1),
            .next = next_.data(),
            .group_keys = group_keys_,
            .most = slots_,
            .place_bits = place_bits_};
  }

  std::size_t rows_ = 0, slots_ = 0, group_keys_ = 0, room_ = 0;
  unsigned place_bits_ = 0;
  Array<std::uint32_t> next_, keys_;
};

}  // namespace pawl::sparse
