// patterns.hpp -- the sparse matrices that tests run on: names, sizes and triplets in random order.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "parallel/scoped_threads.hpp"
#include "pawl/sparse.hpp"
#include "reference/sparse_ref.hpp"

namespace pawl::testing {

/// Triplets that own their memory.
template <class T, class I>
struct Pattern {
  std::string name;
  std::size_t rows = 0, cols = 0;
  std::vector<I> row_indices, columns;
  std::vector<T> values;

  sparse::Coo<T, I> coo() const { return {rows, cols, row_indices, columns, values}; }
  /// The reference's matrix, made when it is first asked for: tests ask many times.
  const reference::SparseMap<T>& map() const {
    if (!map_)
      map_ = std::make_shared<reference::SparseMap<T>>(reference::from_triplets<T>(row_indices, columns, values));
    return *map_;
  }

  mutable std::shared_ptr<const reference::SparseMap<T>> map_ = nullptr;
};

namespace detail {
template <class T, class I>
class PatternMaker {
 public:
  PatternMaker(const char* name, std::size_t rows, std::size_t cols) : random_(rows * 1000 + cols) {
    p_.name = name;
    p_.rows = rows;
    p_.cols = cols;
  }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() >> 11) % n; }
  void entry(std::size_t row, std::size_t column, T value) {
    p_.row_indices.push_back(static_cast<I>(row));
    p_.columns.push_back(static_cast<I>(column));
    p_.values.push_back(value);
  }
  // Multiples of 1/64 with few bits, so that sums of duplicates are exact in any order.
  void entry(std::size_t row, std::size_t column) {
    entry(row, column, static_cast<T>(static_cast<double>(1 + below(200)) / 64 - 1.5));
  }
  Pattern<T, I> shuffled() {
    for (std::size_t i = p_.values.size(); i > 1; --i) {
      const std::size_t k = below(i);
      std::swap(p_.row_indices[i - 1], p_.row_indices[k]);
      std::swap(p_.columns[i - 1], p_.columns[k]);
      std::swap(p_.values[i - 1], p_.values[k]);
    }
    return p_;
  }
  Pattern<T, I> as_it_is() { return p_; }

 private:
  std::mt19937_64 random_;
  Pattern<T, I> p_;
};
}  // namespace detail

/// Columns up to the last of 2^27 - 1, and others around 2^27, beside which the place in a row does not fit into 32
/// bits. Few operations can afford as many columns.
template <class T, class I>
std::vector<Pattern<T, I>> columns_about_2_27() {
  std::vector<Pattern<T, I>> all;
  constexpr std::size_t kLimit = std::size_t{1} << 27;
  for (const std::size_t cols : {kLimit - 1, std::size_t{1} << 30})
    for (const std::size_t per_row : {10U, 24U}) {
      detail::PatternMaker<T, I> m("columns about 2^27", 40, cols);
      const std::size_t first = cols < kLimit ? cols - 400 : kLimit - 200;
      for (std::size_t k = 0; k < 40 * per_row; ++k) m.entry(m.below(40), first + m.below(400));
      for (std::size_t r = 0; r < 40; r += 3) m.entry(r, first + 399);
      all.push_back(m.shuffled());
    }
  return all;
}

namespace detail {
template <class T, class I>
std::vector<Pattern<T, I>> make_patterns() {
  using Make = detail::PatternMaker<T, I>;
  std::vector<Pattern<T, I>> all;
  for (const auto& [rows, cols] : {std::pair<std::size_t, std::size_t>{0, 0}, {0, 5}, {5, 0}, {4, 3}})
    all.push_back(Make("no entries", rows, cols).as_it_is());
  {
    Make m("one entry", 1, 1);
    m.entry(0, 0);
    all.push_back(m.as_it_is());
  }
  for (std::size_t n : {7U, 8U, 9U, 16U, 17U, 33U, 64U, 65U, 100U, 1000U}) {
    Make m("one full row, one full column, empty ones", n, n);
    for (std::size_t i = 0; i < n; ++i) {
      m.entry(n / 2, i);
      if (i % 3 != 0 && i != n / 2) m.entry(i, n / 3);
    }
    all.push_back(m.shuffled());
  }
  for (std::size_t per_row : {1U, 3U, 8U, 20U, 70U}) {
    Make m("uniform with duplicates", 97, 61);
    for (std::size_t k = 0; k < 97 * per_row; ++k) m.entry(m.below(97), m.below(61));
    all.push_back(m.shuffled());
  }
  for (std::size_t last : {40U, 30U, 17U, 3U}) {  // the last row decides how far stores may reach
    constexpr std::size_t kRows = 60, kCols = 101;
    Make m("rows of 0 to 40 entries without duplicates", kRows, kCols);
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t k = 0; k < (r + 1 == kRows ? last : r * 7 % 41); ++k) m.entry(r, (k * 37 + r) % kCols);
    all.push_back(m.shuffled());
  }
  for (const std::size_t most : {1U, 2U, 5U}) {  // and no entry at all in more rows than are multiplied at a time
    constexpr std::size_t kRows = 1500, kCols = 800;
    Make m("rows of few entries, some of many, many empty", kRows, kCols);
    for (std::size_t r = 0; r < kRows; ++r) {
      if (r >= 300 && r < 700) continue;
      for (std::size_t k = 0; k < (r % 250 == 20 ? 45 : most == 5 ? r % 5 : most); ++k)
        m.entry(r, (k * 37 + r * 11) % kCols);
    }
    all.push_back(m.shuffled());
  }
  {
    Make m("rows in order, columns falling, each twice", 50, 90);
    for (std::size_t r = 0; r < 50; r += 2)
      for (std::size_t c = 90; c-- > r;) {
        m.entry(r, c);
        m.entry(r, c);
      }
    all.push_back(m.as_it_is());
  }
  {
    Make m("explicit zeros, NaN and infinity", 20, 20);
    for (std::size_t k = 0; k < 120; ++k) m.entry(k * 7 % 20, k * 3 % 20);
    m.entry(3, 4, T(0));
    m.entry(5, 6, T(-0.0));
    m.entry(7, 8, std::numeric_limits<T>::quiet_NaN());
    m.entry(9, 10, std::numeric_limits<T>::infinity());
    all.push_back(m.shuffled());
  }
  {
    Make m("all at one place", 3, 3);
    for (std::size_t k = 0; k < 500; ++k) m.entry(1, 2);
    all.push_back(m.as_it_is());
  }
  {
    Make m("large, uniform", 30'000, 20'000);
    for (std::size_t k = 0; k < 90'000; ++k) m.entry(m.below(30'000), m.below(20'000));
    all.push_back(m.shuffled());
  }
  {
    Make m("large, few heavy rows", 5'000, 70'000);
    for (std::size_t k = 0; k < 90'000; ++k) m.entry(m.below(m.below(m.below(5'000) + 1) + 1), m.below(70'000));
    all.push_back(m.shuffled());
  }
  {
    Make m("wide band", 12'000, 12'010);
    for (std::size_t r = 0; r < 12'000; ++r)
      for (std::size_t d : {0U, 1U, 2U, 5U, 8U, 10U}) m.entry(r, r + d);
    all.push_back(m.shuffled());
  }
  // Lines of a grid: runs of rows that are the row before moved by one column, of every length modulo 8.
  for (const std::size_t line : {23U, 48U, 61U}) {
    Make m("grid, 5 points", line * 12, line * 12);
    for (std::size_t r = 0; r < line * 12; ++r) {
      if (r >= line) m.entry(r, r - line);
      if (r % line != 0) m.entry(r, r - 1);
      m.entry(r, r);
      if (r % line != line - 1) m.entry(r, r + 1);
      if (r + line < line * 12) m.entry(r, r + line);
    }
    all.push_back(m.shuffled());
  }
  {
    constexpr std::size_t kSide = 40, kOther = 3;
    Make m("grid in space, 27 points, not square", kSide * kOther * kOther, kSide * kOther * kOther + 3);
    const auto near = [](std::size_t x, std::size_t d, std::size_t n) { return x + d >= 1 && x + d <= n; };
    for (std::size_t z = 0; z < kOther; ++z)
      for (std::size_t y = 0; y < kOther; ++y)
        for (std::size_t x = 0; x < kSide; ++x)
          for (std::size_t d = 0; d < 27; ++d)
            if (near(x, d % 3, kSide) && near(y, d / 3 % 3, kOther) && near(z, d / 9, kOther))
              m.entry((z * kOther + y) * kSide + x,
                      ((z + d / 9 - 1) * kOther + y + d / 3 % 3 - 1) * kSide + x + d % 3 - 1);
    all.push_back(m.shuffled());
  }
  for (const std::size_t width : {1U, 3U, 4U, 11U, 60U}) {
    Make m("band with holes and empty rows", 400, 390);
    for (std::size_t r = 0; r < 400; ++r) {
      if (r % 211 == 100) continue;
      for (std::size_t d = 0; d < width; ++d)
        if (r + d < 390 && (r * 7 + d) % 457 != 0) m.entry(r, r + d);
    }
    if (width == 4) {
      m.entry(300, 350, std::numeric_limits<T>::infinity());
      m.entry(250, 253, std::numeric_limits<T>::quiet_NaN());
    }
    all.push_back(m.shuffled());
  }
  for (const std::size_t equal : {2U, 3U, 4U, 7U}) {
    Make m("rows with equal columns", 300, 500);
    for (std::size_t r = 0; r < 300; ++r)
      for (std::size_t k = 0; k < 6 + r / equal % 3; ++k) m.entry(r, (r / equal * 7919 + k * 83) % 500);
    all.push_back(m.shuffled());
  }
  for (const std::size_t rows : {std::size_t{300}, std::size_t{12'000}}) {
    Make m("in order already", rows, 40'000);
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = r % 7; c < 40'000; c += 9'001) m.entry(r, c);
    all.push_back(m.as_it_is());
  }
  return all;
}
}  // namespace detail

/// Every kind of trouble at small sizes, and some matrices that are large enough for threads and several blocks.
template <class T, class I>
const std::vector<Pattern<T, I>>& patterns() {
  static const std::vector<Pattern<T, I>> all = detail::make_patterns<T, I>();
  return all;
}

/// The entries of a CSR matrix; no promise of the class is taken for granted that would hide a wrong result.
template <class T, class I>
reference::SparseMap<T> map_of(const sparse::Csr<T, I>& a) {
  reference::SparseMap<T> m;
  for (std::size_t r = 0; r < a.rows(); ++r)
    for (auto k = static_cast<std::size_t>(a.row_start()[r]); k < static_cast<std::size_t>(a.row_start()[r + 1]); ++k)
      m.emplace(std::pair(r, static_cast<std::size_t>(a.columns()[k])), a.values()[k]);
  return m;
}

/// Same places and values; NaN equals NaN.
template <class T>
bool same_entries(const reference::SparseMap<T>& a, const reference::SparseMap<T>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](const auto& p, const auto& q) {
           return p.first == q.first && (p.second == q.second || (p.second != p.second && q.second != q.second));
         });
}

/// Whether a CSR matrix, read row by row as it is, has the entries of the map in their order.
template <class T, class I>
bool same_entries(const sparse::Csr<T, I>& a, const reference::SparseMap<T>& want) {
  if (a.nonzeros() != want.size()) return false;
  auto expected = want.begin();
  for (std::size_t r = 0; r < a.rows(); ++r)
    for (auto k = static_cast<std::size_t>(a.row_start()[r]); k < static_cast<std::size_t>(a.row_start()[r + 1]);
         ++k, ++expected) {
      if (expected == want.end()) return false;
      const T got = a.values()[k], value = expected->second;
      if (expected->first != std::pair(r, static_cast<std::size_t>(a.columns()[k])) ||
          !(got == value || (got != got && value != value)))
        return false;
    }
  return expected == want.end();
}

/// Whether the arrays keep the class's promises: they pass the checks of the public constructor.
template <class T, class I>
bool keeps_promises(const sparse::Csr<T, I>& a) {
  const sparse::Csr<T, I> checked(a.rows(), a.cols(), a.row_start(), a.columns(), a.values());
  return checked.nonzeros() == a.nonzeros();
}

/// The triplets as a matrix, made without to_csr.
template <class T, class I>
sparse::Csr<T, I> csr_of(const reference::SparseMap<T>& map, std::size_t rows, std::size_t cols) {
  std::vector<I> start(rows + 1), columns;
  std::vector<T> values;
  for (const auto& [place, value] : map) {
    ++start[place.first + 1];
    columns.push_back(static_cast<I>(place.second));
    values.push_back(value);
  }
  for (std::size_t r = 0; r < rows; ++r) start[r + 1] = static_cast<I>(start[r + 1] + start[r]);
  return sparse::Csr<T, I>(rows, cols, start, columns, values);
}
template <class T, class I>
sparse::Csr<T, I> csr_of(const Pattern<T, I>& p) {
  return csr_of<T, I>(p.map(), p.rows, p.cols);
}

/// The four pairs of value and index type, for typed tests.
template <class T_, class I_>
struct SparseTypes {
  using T = T_;
  using I = I_;
};

}  // namespace pawl::testing
