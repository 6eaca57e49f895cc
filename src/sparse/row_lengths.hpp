// row_lengths.hpp -- what the lengths of rows say about how their entries are sorted.
#pragma once
#include <cstddef>
#include <optional>

namespace pawl::sparse {

/// The length of the row that the mean entry is in beside long rows, if these are few and the others not very short;
/// row r begins at begins[r], n is the end of all.
///
/// Few are added up by themselves, and the others sorted as if they were not there: one full row of 1000 among rows of
/// 8, 2.4 ns per entry instead of 4.3 by keys, ten rows of 500 2.6 instead of 3.8 (Zen 5); an arrow, whose other rows
/// have two entries, 4.8 instead of 3.8.
template <class I>
std::optional<double> mean_beside_few_long(const I* begins, std::size_t n, std::size_t rows) {
  constexpr std::size_t kLongRow = 32, kFewLong = 64, kShort = 4;
  if (n < kShort * rows) return std::nullopt;
  auto long_rows = static_cast<std::size_t>(n - static_cast<std::size_t>(begins[rows - 1]) > kLongRow);
  for (std::size_t r = 1; r < rows; ++r) long_rows += begins[r] - begins[r - 1] > static_cast<I>(kLongRow);
  if (long_rows * kFewLong > rows) return std::nullopt;
  std::size_t others = 0, squares = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t end = r + 1 < rows ? static_cast<std::size_t>(begins[r + 1]) : n;
    const std::size_t length = end - static_cast<std::size_t>(begins[r]);
    others += length > kLongRow ? 0 : length;
    squares += length > kLongRow ? 0 : length * length;
  }
  if (others < kShort * rows) return std::nullopt;
  return static_cast<double>(squares) / static_cast<double>(others);
}

}  // namespace pawl::sparse
