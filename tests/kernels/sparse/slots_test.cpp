// slots_test.cpp -- rows in slots, and rows of keys, are sorted within the arrays they are given, however the last of
// them end.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "kernels/guarded_array.hpp"
#include "pawl/isa.hpp"
#include "sparse/active_ops.hpp"

namespace pawl {
namespace {

using testing::GuardedArray;

// Groups of 16 rows, each of rows of one length but for one of three entries less: values of one are fetched while the
// next one is sorted, some too many.
unsigned length_of(const std::vector<unsigned>& lengths, std::size_t row) {
  const unsigned length = lengths[row / kSlotRows];
  return row % kSlotRows == 3 && length >= 3 ? length - 3 : length;
}
template <class T, class I>
void sort_groups(const std::vector<unsigned>& lengths, std::size_t last_rows) {
  constexpr std::size_t kGroupKeys = std::size_t{kMostSlots} * kSlotRows;
  constexpr unsigned kPlaceBits = 12;
  const auto& ops = sparse::sparse_ops<T, I>();
  if (ops.sort_slots == nullptr) return;
  const std::size_t groups = lengths.size(), rows = kSlotRows * (groups - 1) + last_rows;
  std::vector<I> row_indices, columns;
  for (std::size_t r = 0; r < rows; ++r)
    for (unsigned k = 0; k < length_of(lengths, r); ++k) {
      row_indices.push_back(static_cast<I>(r));
      columns.push_back(static_cast<I>(100 - k));
    }
  const std::size_t n = columns.size();
  GuardedArray<T> values(n, 1), out_values(n, 3);
  GuardedArray<I> start(rows, 1), out_columns(n, 3);
  for (std::size_t k = 0; k < n; ++k) values[k] = static_cast<T>(k);
  std::vector<std::uint32_t> keys(1U << 14), next(groups * kSlotRows);
  for (std::size_t r = 0; r < next.size(); ++r)
    next[r] = static_cast<std::uint32_t>(r / kSlotRows * kGroupKeys + r % kSlotRows);
  const Slots slots{.keys = keys.data(),
                    .mask = static_cast<std::uint32_t>(keys.size() - 1),
                    .next = next.data(),
                    .group_keys = kGroupKeys,
                    .most = kMostSlots,
                    .place_bits = kPlaceBits};
  ASSERT_TRUE(ops.fill_slots({.rows = row_indices.data(),
                              .columns = columns.data(),
                              .n = n,
                              .last_row = static_cast<I>(rows - 1),
                              .last_column = 100,
                              .slots = slots}));
  ASSERT_EQ(ops.sort_slots({.slots = slots,
                            .rows = rows,
                            .values = values.data(),
                            .value_stride = sizeof(T),
                            .start = start.data(),
                            .base = 7,
                            .columns = out_columns.data(),
                            .out_values = out_values.data(),
                            .room = n}),
            n);
  for (std::size_t r = 0, at = 0; r < rows; ++r) {
    const unsigned length = length_of(lengths, r);
    ASSERT_EQ(start[r], static_cast<I>(at + 7));
    for (unsigned k = 0; k < length; ++k) {
      ASSERT_EQ(out_columns[at + k], static_cast<I>(101 - length + k));
      ASSERT_EQ(out_values[at + k], static_cast<T>(at + length - 1 - k));
    }
    at += length;
  }
  EXPECT_TRUE(out_columns.untouched() && out_values.untouched() && start.untouched());
}

// Calls sort for all types of values and indices, by every runnable variant.
template <class Sort>
void for_each_variant(Sort sort) {
  for (const Isa isa : runnable_isas()) {
    SCOPED_TRACE(name(isa));
    const ScopedIsa scope(isa);
    sort(float{}, std::int32_t{});
    sort(float{}, std::int64_t{});
    sort(double{}, std::int32_t{});
    sort(double{}, std::int64_t{});
  }
}

TEST(Slots, WriteWhatTheyAreGiven) {
  const std::vector<std::vector<unsigned>> all = {{5},    {5, 1},  {30, 1},        {12, 3, 0}, {40, 64}, {9, 33, 9},
                                                  {9, 9}, {2, 32}, {31, 31, 1, 1}, {7, 0, 0},  {64, 2},  {48, 49}};
  for (const auto& lengths : all)
    for (const std::size_t last_rows : {1U, 9U, 16U}) {
      SCOPED_TRACE(::testing::Message() << lengths.size() << " groups, the last of " << lengths.back() << ", "
                                        << last_rows << " rows in it");
      for_each_variant([&]<class T, class I>(T, I) { sort_groups<T, I>(lengths, last_rows); });
    }
}

// A row of ten places that come twice each, whose values are the last ones before memory that cannot be read: a lane
// that holds no entry must not be looked up.
template <class T, class I>
void add_up_before_a_gap() {
  const auto& ops = sparse::sparse_ops<T, I>();
  if (ops.sort_slots == nullptr) return;
  constexpr std::size_t kEntries = 20, kGap = std::size_t{1} << 16;
  auto* const memory =
      static_cast<unsigned char*>(mmap(nullptr, 2 * kGap, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(memory, MAP_FAILED);
  ASSERT_EQ(mprotect(memory + kGap, kGap, PROT_NONE), 0);
  T* const values = reinterpret_cast<T*>(memory + kGap) - kEntries;
  const std::vector<I> row_indices(kEntries, 0);
  std::vector<I> columns(kEntries), start(1), out_columns(kEntries);
  std::vector<T> out_values(kEntries);
  for (std::size_t k = 0; k < kEntries; ++k) {
    columns[k] = static_cast<I>(k / 2);
    values[k] = static_cast<T>(k);
  }
  std::vector<std::uint32_t> keys(1024), next(kSlotRows);
  for (std::size_t r = 0; r < next.size(); ++r) next[r] = static_cast<std::uint32_t>(r);
  const Slots slots{.keys = keys.data(),
                    .mask = static_cast<std::uint32_t>(keys.size() - 1),
                    .next = next.data(),
                    .group_keys = std::size_t{kMostSlots} * kSlotRows,
                    .most = kMostSlots,
                    .place_bits = 12};
  ASSERT_TRUE(ops.fill_slots({.rows = row_indices.data(),
                              .columns = columns.data(),
                              .n = kEntries,
                              .last_row = 0,
                              .last_column = 100,
                              .slots = slots}));
  ASSERT_EQ(ops.sort_slots({.slots = slots,
                            .rows = 1,
                            .values = values,
                            .value_stride = sizeof(T),
                            .start = start.data(),
                            .base = 0,
                            .columns = out_columns.data(),
                            .out_values = out_values.data(),
                            .room = kEntries}),
            kEntries / 2);
  for (std::size_t k = 0; k < kEntries / 2; ++k) {
    EXPECT_EQ(out_columns[k], static_cast<I>(k));
    EXPECT_EQ(out_values[k], static_cast<T>(4 * k + 1));
  }
  munmap(memory, 2 * kGap);
}

TEST(Slots, ReadNothingBehindTheValues) {
  for_each_variant([]<class T, class I>(T, I) { add_up_before_a_gap<T, I>(); });
}

// Rows of keys one behind the other, columns falling, the largest named `again` times more.
template <class T, class I>
void sort_rows_of_keys(const std::vector<std::uint32_t>& lengths, std::uint32_t again) {
  constexpr unsigned kPlaceBits = 14;
  const auto& ops = sparse::sparse_ops<T, I>();
  if (ops.sort_key_rows == nullptr) return;
  const std::size_t rows = lengths.size();
  std::vector<std::uint32_t> keys, starts = {0};
  std::vector<I> want_start, want_columns;
  std::vector<T> want_values;
  std::uint32_t place = 0;
  for (const std::uint32_t length : lengths) {
    want_start.push_back(static_cast<I>(want_columns.size() + 7));
    for (std::uint32_t k = 0; k < length; ++k) {
      const bool first = k == 0 || k > again;  // the largest column again + 1 times
      const std::uint32_t column = 2000 - (first ? k : 0);
      keys.push_back(column << kPlaceBits | place++);
    }
    std::vector<std::uint32_t> sorted(keys.end() - length, keys.end());
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t k = 0; k < sorted.size(); ++k) {
      const auto column = static_cast<I>(sorted[k] >> kPlaceBits);
      const auto value = static_cast<T>(sorted[k] & ((1U << kPlaceBits) - 1));
      if (k > 0 && sorted[k - 1] >> kPlaceBits == sorted[k] >> kPlaceBits) {
        want_values.back() += value;
      } else {
        want_columns.push_back(column);
        want_values.push_back(value);
      }
    }
    starts.push_back(place);
  }
  starts.push_back(place);
  const std::size_t n = keys.size();
  GuardedArray<T> values(n, 1), out_values(n, 3);
  GuardedArray<I> start(rows, 1), out_columns(n, 3);
  for (std::size_t k = 0; k < n; ++k) values[k] = static_cast<T>(k);
  GuardedArray<float> other(n + 32), lists(kKeyClasses * (rows + 16)), spare((n + 255) / 256 * 256);
  for (std::size_t k = 0; k < spare.size(); ++k) spare[k] = 0;  // what a key behind the last one must not be
  const auto words = [](GuardedArray<float>& of) { return reinterpret_cast<std::uint32_t*>(of.data()); };
  ASSERT_EQ(ops.sort_key_rows({.keys = keys.data(),
                               .other = words(other),
                               .starts = starts.data(),
                               .rows = rows,
                               .lists = words(lists),
                               .spare = words(spare),
                               .place_bits = kPlaceBits,
                               .values = values.data(),
                               .value_stride = sizeof(T),
                               .start = start.data(),
                               .base = 7,
                               .columns = out_columns.data(),
                               .out_values = out_values.data(),
                               .room = n}),
            want_columns.size());
  for (std::size_t r = 0; r < rows; ++r) ASSERT_EQ(start[r], want_start[r]);
  for (std::size_t k = 0; k < want_columns.size(); ++k) {
    ASSERT_EQ(out_columns[k], want_columns[k]);
    ASSERT_EQ(out_values[k], want_values[k]);
  }
  EXPECT_TRUE(out_columns.untouched() && out_values.untouched() && start.untouched());
  EXPECT_TRUE(other.untouched() && lists.untouched() && spare.untouched());
}

TEST(KeyRows, WriteWhatTheyAreGiven) {
  std::vector<std::vector<std::uint32_t>> all = {{1}, {0, 0, 3}, {300, 0, 64}, {17, 33, 65, 129, 257, 5, 1, 2}, {1000}};
  std::vector<std::uint32_t> many;
  for (std::uint32_t length = 0; length < 130; ++length) many.insert(many.end(), {length, length / 2});
  all.push_back(many);
  for (const auto& lengths : all)
    for (const std::uint32_t again : {0U, 1U, 40U}) {
      SCOPED_TRACE(::testing::Message() << lengths.size() << " rows, the last of " << lengths.back() << ", " << again);
      for_each_variant([&]<class T, class I>(T, I) { sort_rows_of_keys<T, I>(lengths, again); });
    }
}

}  // namespace
}  // namespace pawl
