// column_sort.hpp -- triplets in any order to ascending columns: a stable radix sort, least significant digit first.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

#include "pawl/sparse/array.hpp"

namespace pawl::sparse {

template <class T, class I>
struct Triplet {
  I row, column;
  T value;
};

template <class T, class I>
class ColumnSorter {
 public:
  /// n triplets source(k) of columns below `cols`, sorted; they stay until the next call.
  template <class Source>
  const Triplet<T, I>* sort(std::size_t n, Source source, std::size_t cols) {
    if (triplets_.size() < n) {
      triplets_ = Array<Triplet<T, I>>(n);
      others_ = Array<Triplet<T, I>>(n);
    }
    const auto bits = static_cast<unsigned>(std::bit_width(cols - 1));
    const unsigned passes = cols <= kOneDigit ? 1 : (bits + kDigitBits - 1) / kDigitBits;
    const unsigned width = std::max(1u, (bits + passes - 1) / passes);
    const std::size_t mask = (std::size_t{1} << width) - 1;
    Triplet<T, I>*from = triplets_.data(), *to = others_.data();
    by_digit(n, source, 0, mask, from);
    for (unsigned pass = 1; pass < passes; ++pass) {
      by_digit(
          n, [from](std::size_t k) { return from[k]; }, pass * width, mask, to);
      std::swap(from, to);
    }
    return from;
  }

 private:
  static constexpr unsigned kDigitBits = 9;         // 512 streams of whole lines are what L1 can hold
  static constexpr std::size_t kOneDigit = 16'384;  // columns whose counters are as good as a digit's

  // One pass: stable, by `mask` bits from `shift` on.
  template <class Source>
  void by_digit(std::size_t n, Source source, unsigned shift, std::size_t mask, Triplet<T, I>* to) {
    if (digits_.size() < mask + 1) digits_ = Array<std::size_t>(mask + 1);
    std::size_t* const places = digits_.data();
    std::fill_n(places, mask + 1, std::size_t{0});
    for (std::size_t k = 0; k < n; ++k) ++places[static_cast<std::size_t>(source(k).column) >> shift & mask];
    std::size_t sum = 0;
    for (std::size_t d = 0; d <= mask; ++d) sum += std::exchange(places[d], sum);
    for (std::size_t k = 0; k < n; ++k) {
      const Triplet<T, I> t = source(k);
      to[places[static_cast<std::size_t>(t.column) >> shift & mask]++] = t;
    }
  }

  Array<Triplet<T, I>> triplets_, others_;
  Array<std::size_t> digits_;
};

}  // namespace pawl::sparse
