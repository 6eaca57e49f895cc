// checks.kernel.hpp -- whether arrays can be those of a CSR matrix: counts without a branch on an element.
#pragma once
#include <cstddef>

#include "kernels/vec.hpp"

namespace pawl::PAWL_ISA_NS {

// As many indices as the ISA's vectors hold. The compilers' own vectors: comparisons of integers are all that is
// needed, and -1 in each lane where one holds is what is counted.
template <class I>
struct IndexLanes {
  static constexpr std::size_t kBytes =
      lanes<float> * sizeof(float) < sizeof(I) ? sizeof(I) : lanes<float> * sizeof(float);
  static constexpr std::size_t kCount = kBytes / sizeof(I);
  typedef I Lanes __attribute__((vector_size(kBytes)));

  PAWL_INLINE static Lanes load(const I* p) noexcept {
    Lanes v;
    __builtin_memcpy(&v, p, kBytes);
    return v;
  }
  PAWL_INLINE static std::size_t sum(Lanes counts) noexcept {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < kCount; ++i) sum += static_cast<std::size_t>(counts[i]);
    return sum;
  }
};

// How many start[k + 1], k < n, are less than start[k].
template <class I>
static std::size_t count_falls(const I* start, std::size_t n) noexcept {
  using L = IndexLanes<I>;
  typename L::Lanes counts = {};
  std::size_t k = 0;
  for (; k + L::kCount <= n; k += L::kCount) counts -= (typename L::Lanes)(L::load(start + k) > L::load(start + k + 1));
  std::size_t falls = L::sum(counts);
  for (; k < n; ++k) falls += start[k + 1] < start[k] ? 1 : 0;
  return falls;
}

// How many columns[k], begin <= k < end, are not more than columns[k - 1], which begin > 0 has; -1 if one of them is
// not within 0 .. last.
template <class I>
static std::size_t count_column_falls(const I* columns, std::size_t begin, std::size_t end, I last) noexcept {
  using L = IndexLanes<I>;
  typename L::Lanes counts = {}, signs = {};
  std::size_t k = begin;
  for (; k + L::kCount <= end; k += L::kCount) {
    const auto here = L::load(columns + k);
    counts -= (typename L::Lanes)(here > L::load(columns + k - 1));
    signs |= here | (typename L::Lanes)(here > last);
  }
  std::size_t rises = L::sum(counts);
  bool within = true;
  for (std::size_t i = 0; i < L::kCount; ++i) within = within && signs[i] >= 0;
  for (; k < end; ++k) {
    within = within && columns[k] >= 0 && columns[k] <= last;
    rises += columns[k] > columns[k - 1] ? 1 : 0;
  }
  return within ? end - begin - rises : std::size_t(-1);
}

// How many of the rows [begin, end) have entries and a first column not more than the column of the entry before. All
// of them start behind the first entry and before the end of all.
template <class I>
static std::size_t count_row_falls(const I* start, const I* columns, std::size_t begin, std::size_t end) noexcept {
  std::size_t falls = 0;
  for (std::size_t r = begin; r < end; ++r) {
    const I* const first = columns + start[r];
    falls += static_cast<std::size_t>(start[r] < start[r + 1]) & static_cast<std::size_t>(first[0] <= first[-1]);
  }
  return falls;
}

}  // namespace pawl::PAWL_ISA_NS
