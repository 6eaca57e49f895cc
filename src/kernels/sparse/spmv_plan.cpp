// spmv_plan.cpp -- a sparse matrix inspected once: slices of diagonals or full blocks where it has them, slices of rows
// of like length where these differ, else CSR.
#include "pawl/sparse/spmv_plan.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "isa/branch_memory.hpp"
#include "isa/datapath.hpp"
#include "kernels/sparse/row_parts.hpp"
#include "pawl/isa.hpp"
#include "pawl/parallel.hpp"
#include "sparse/active_ops.hpp"
#include "sparse/refuse.hpp"
#include "sparse/row_likeness.hpp"

namespace pawl::sparse {
namespace {

// A slot costs the traffic of a whole vector of values. CSR reads 1.5 (f64) or 2 times (f32) the values' bytes and a
// gather, so slots pay until a third of their lanes is empty.
constexpr double kMostFill = 1.5;
constexpr std::size_t kSampledSlices = 64;
constexpr std::size_t kBlock = 4;  // 4 x 4 f64 are two vectors of AVX-512

// Calls slot(base, mask) for each diagonal that the rows [row, row + count) have entries on, from the left one on, and
// slot's entry(lane, k) for each entry.
template <class T, class I, class Slot>
void for_each_slot(const Csr<T, I>& a, std::size_t row, std::size_t count, Slot slot) {
  constexpr std::size_t R = kSliceRows<T>;
  constexpr auto kNone = std::numeric_limits<std::ptrdiff_t>::max();
  const I *start = a.row_start().data(), *columns = a.columns().data();
  std::size_t next[R], last[R];
  std::ptrdiff_t diagonal[R];
  const auto at = [&](std::size_t i) {
    return next[i] < last[i] ? static_cast<std::ptrdiff_t>(columns[next[i]]) - static_cast<std::ptrdiff_t>(i) : kNone;
  };
  for (std::size_t i = 0; i < R; ++i) {
    next[i] = i < count ? static_cast<std::size_t>(start[row + i]) : 0;
    last[i] = i < count ? static_cast<std::size_t>(start[row + i + 1]) : 0;
    diagonal[i] = at(i);
  }
  for (;;) {
    std::ptrdiff_t base = diagonal[0];
    for (std::size_t i = 1; i < R; ++i) base = std::min(base, diagonal[i]);
    if (base == kNone) return;
    unsigned mask = 0;
    for (std::size_t i = 0; i < R; ++i) mask |= static_cast<unsigned>(diagonal[i] == base) << i;
    slot(base, mask, next);
    for (std::size_t i = 0; i < R; ++i)
      if ((mask >> i & 1u) != 0) {
        ++next[i];
        diagonal[i] = at(i);
      }
  }
}

// Slots per entry times their lanes, from slices all over the matrix: 1 if no lane is empty. Less than all slices once
// it is clear that they have no diagonals in common, since walking 64 takes as long as 30 products of 1000 rows.
template <class T, class I>
double sampled_fill(const Csr<T, I>& a) {
  constexpr std::size_t R = kSliceRows<T>;
  const std::size_t slices = (a.rows() + R - 1) / R, step = std::max<std::size_t>(1, slices / kSampledSlices);
  constexpr std::size_t kClearSlices = 8, kClearFill = 4;
  std::size_t slots = 0, entries = 0, walked = 0;
  for (std::size_t s = 0; s < slices; s += step) {
    if (walked++ == kClearSlices && slots * R > kClearFill * entries) break;
    const std::size_t row = s * R, count = std::min(R, a.rows() - row);
    const auto in_slice = static_cast<std::size_t>(a.row_start()[row + count] - a.row_start()[row]);
    entries += in_slice;
    // A slice with a very long row need not be walked to know that it has no diagonals in common.
    if (in_slice > 4096)
      slots += in_slice;
    else
      for_each_slot(a, row, count, [&](std::ptrdiff_t, unsigned, const std::size_t*) { ++slots; });
  }
  return entries == 0 ? 0 : static_cast<double>(slots * R) / static_cast<double>(entries);
}

// Whether rows row .. row + 3 consist of full blocks of 4 columns at multiples of 4.
template <class T, class I>
bool full_blocks(const Csr<T, I>& a, std::size_t row) {
  const I *start = a.row_start().data() + row, *columns = a.columns().data();
  const auto first = static_cast<std::size_t>(start[0]), n = static_cast<std::size_t>(start[1]) - first;
  for (std::size_t i = 1; i < kBlock; ++i) {
    const auto begin = static_cast<std::size_t>(start[i]);
    if (static_cast<std::size_t>(start[i + 1]) - begin != n ||
        !std::equal(columns + first, columns + first + n, columns + begin))
      return false;
  }
  if (n % kBlock != 0) return false;
  for (std::size_t k = first; k < first + n; k += kBlock)  // columns ascend, so the last one tells of all four
    if (columns[k] % static_cast<I>(kBlock) != 0 || columns[k + kBlock - 1] != columns[k] + static_cast<I>(kBlock) - 1)
      return false;
  return true;
}

// Whether that holds for the block rows of a sample.
template <class T, class I>
bool sampled_full_blocks(const Csr<T, I>& a) {
  const std::size_t block_rows = a.rows() / kBlock, step = std::max<std::size_t>(1, block_rows / kSampledSlices);
  if (block_rows * kBlock != a.rows()) return false;
  for (std::size_t r = 0; r < block_rows; r += step)
    if (!full_blocks(a, r * kBlock)) return false;
  return true;
}

// Whether slices of rows sorted by length within kWindow are faster than CSR by enough to pay for making them. Measured
// on Zen 5, f64, ns per entry by CSR and by slices: rows of 1 to 20 random columns, 10^5 rows 1.22 and 0.51, 10^6 rows
// 1.24 and 0.75; rows of 3, 10^6 rows 1.56 and 0.94; but rows of 10, 10^5 rows 0.47 and 0.49.
constexpr std::size_t kWindow = 256;

// What windows of rows all over the matrix tell of all, which has at least one window.
struct SampledRows {
  double fill;     // lanes of slices for each entry
  double changes;  // of length, for each row
};

template <class T, class I>
SampledRows sampled_rows(const Csr<T, I>& a) {
  constexpr std::size_t kMostWindows = 32;
  const I* const start = a.row_start().data();
  const std::size_t all = a.rows() / kWindow, windows = std::min(all, kMostWindows);
  std::size_t changes = 0, lanes = 0, entries = 0;
  std::array<std::size_t, kWindow> lengths;
  for (std::size_t w = 0; w < windows; ++w) {
    const std::size_t row = all / windows * w * kWindow;
    for (std::size_t i = 0; i < kWindow; ++i) {
      lengths[i] = static_cast<std::size_t>(start[row + i + 1]) - static_cast<std::size_t>(start[row + i]);
      entries += lengths[i];
      changes += i > 0 && lengths[i] != lengths[i - 1];
    }
    std::sort(lengths.begin(), lengths.end());
    for (std::size_t i = kSliceRows<T> - 1; i < kWindow; i += kSliceRows<T>) lanes += lengths[i] * kSliceRows<T>;
  }
  return {static_cast<double>(lanes) / static_cast<double>(std::max<std::size_t>(entries, 1)),
          static_cast<double>(changes) / static_cast<double>(windows * kWindow)};
}

// CPUs of Intel with AVX-512, whose variant alone reads slices by whole vectors (AVX2: 0.6 to 1.25). Time of CSR over
// that of slices, and after how many products they have paid back, on an Emerald Rapids, 3000, 10^4 and 10^5 rows of
// f64: 7 or 8 entries 1.73 (5), 1.46 (6) and 1.43 (7), 1 to 20 1.44 (8), 1.32 (9) and 1.26 (13), 2 to 4 in a band 1.25
// (19), 1.66 (7) and 2.25 (4), one row in ten longer 1.21 (24), 1.17 (22) and 1.22 (14); f32 1.91 (5), 1.74 (5)
// and 1.48 (5), 1.47 (10), 1.41 (9) and 1.24 (11), 1.52 (11), 2.05 (5) and 2.52 (4), 1.66 (9), 1.55 (9) and 1.38 (9).
// Rows of one length, 1000 and 10^4: 3 of f64 1.28 (23) and 1.11 (45), 8 1.12 (36) and 0.89, of f32 1.72 (12) and 1.64
// (11), 1.34 (15) and 1.26 (18). 20 to 60 entries, 3000 and 10^4 rows: f64 0.94 and 1.08 (37), f32 1.0 and 1.68 (5).
template <class T, class I>
bool slices_pay_where_branches_are_forgotten(const Csr<T, I>& a, double changes) {
  constexpr std::size_t kLearntRows = 2000, kLargeEntries = 400'000;
  constexpr double kOftenDiffer = 1.0 / 12, kLongRows = 20, kShortRows = sizeof(T) == 8 ? 4 : 10;
  const double entries_each = static_cast<double>(a.nonzeros()) / static_cast<double>(a.rows());
  if (changes > kOftenDiffer && a.rows() > kLearntRows && (entries_each <= kLongRows || a.nonzeros() >= kLargeEntries))
    return true;
  return entries_each <= kShortRows && a.nonzeros() * (sizeof(T) + sizeof(I)) <= assumed_cache_sizes().l2_bytes;
}

template <class T, class I>
bool slices_pay(const Csr<T, I>& a) {
  constexpr std::size_t kFewEntries = 500'000;  // below, branch predictors and caches serve CSR well enough
  constexpr std::size_t kFewRows = 32 * kWindow;
  constexpr double kShortRows = 5, kMostEmpty = 1.25;
  const bool forgets = pawl::detail::forgets_branches && active_isa() == Isa::avx512;
  if (forgets ? a.rows() < kWindow : sizeof(T) < 8 || a.nonzeros() < kFewEntries || a.rows() < kFewRows) return false;
  const auto [fill, changes] = sampled_rows(a);
  if (fill > kMostEmpty) return false;
  if (forgets && slices_pay_where_branches_are_forgotten(a, changes)) return true;
  if (sizeof(T) < 8 || a.nonzeros() < kFewEntries) return false;
  const bool short_rows = static_cast<double>(a.nonzeros()) < kShortRows * static_cast<double>(a.rows());
  const bool beyond_caches = a.nonzeros() * (sizeof(T) + sizeof(I)) > assumed_cache_sizes().l3_bytes;
  // Not from memory on a Zen 4: 10^6 rows of 1 to 20 gained 1.02 there, which would take 132 products to pay back.
  const bool differ = changes > 0.5 && !(beyond_caches && pawl::detail::splits_512_bits);
  return differ || (short_rows && beyond_caches);
}

}  // namespace

template <class T, class I>
SpmvPlan<T, I>::SpmvPlan(const Csr<T, I>& a) : matrix_(&a) {
  constexpr std::size_t R = kSliceRows<T>;
  if (a.nonzeros() == 0) return;
  if (sampled_full_blocks(a)) {
    std::size_t row = 0;
    while (row < a.rows() && full_blocks(a, row)) row += kBlock;
    if (row == a.rows()) {
      blocks_.emplace(a, kBlock);
      format_ = SpmvFormat::blocks;
    }
    return;
  }
  if (sampled_fill(a) > kMostFill) {
    if (slices_pay(a)) {
      sliced_.emplace(a, kWindow);
      format_ = SpmvFormat::slices;
    }
    return;
  }
  // Beyond L3 spmv reads f64 of such a matrix at memory's speed: a third less to read is not worth what it takes to
  // make (5-point stencil, 10^6 rows: 1.82 ms by spmv, 2.08 by diagonals; band of 11: 4.1 and 3.3, paid back after 23).
  const bool beyond_caches = a.nonzeros() * (sizeof(T) + sizeof(I)) > assumed_cache_sizes().l3_bytes;
  if (sizeof(T) == 8 && beyond_caches && row_likeness(a) == RowLikeness::moved) return;
  const std::size_t slices = (a.rows() + R - 1) / R;
  // A little more than the sample promises; a matrix that is different elsewhere stays CSR.
  const std::size_t most = static_cast<std::size_t>(static_cast<double>(a.nonzeros()) * kMostFill) / R + 64;
  Array<std::size_t> start(slices + 1);
  Array<DiagonalSlot<I>> slots(most);
  Array<T> values(most * R);
  std::size_t used = 0;
  bool fits_all = true;
  const auto& ops = sparse_ops<T, I>();
  constexpr auto kAllLanes = static_cast<std::uint16_t>((1u << R) - 1);
  for (std::size_t s = 0; s < slices && fits_all; ++s) {
    start[s] = used;
    const std::size_t row = s * R, count = std::min(R, a.rows() - row);
    const T* from = a.values().data();
    if (count == R && ops.end_of_run(a.row_start().data(), a.columns().data(), row, row + R) == row + R) {
      const auto first = static_cast<std::size_t>(a.row_start()[row]);
      const auto n = static_cast<std::size_t>(a.row_start()[row + 1]) - first;
      if (used + n > most) {
        fits_all = false;
        break;
      }
      for (std::size_t k = 0; k < n; ++k) slots[used + k] = {a.columns()[first + k], kAllLanes};
      ops.slice_values(from + first, n, values.data() + used * R);
      used += n;
      continue;
    }
    for_each_slot(a, row, count, [&](std::ptrdiff_t base, unsigned mask, const std::size_t* next) {
      if (used == most || !fits_all) {
        fits_all = false;
        return;
      }
      slots[used] = {static_cast<I>(base), static_cast<std::uint16_t>(mask)};
      T* const to = values.data() + used * R;
      for (std::size_t i = 0; i < R; ++i) to[i] = (mask >> i & 1u) != 0 ? from[next[i]] : T(0);
      ++used;
    });
  }
  if (!fits_all) return;
  start[slices] = used;
  slots.truncate(used);
  values.truncate(used * R);
  format_ = SpmvFormat::diagonals;
  slot_start_ = std::move(start);
  slots_ = std::move(slots);
  values_ = std::move(values);
}

template <class T, class I>
void SpmvPlan<T, I>::multiply(std::span<const T> x, std::span<T> y) const {
  if (format_ == SpmvFormat::csr) return spmv(*matrix_, x, y);
  if (format_ == SpmvFormat::blocks) return blocks_->multiply(x, y);
  if (format_ == SpmvFormat::slices) return sliced_->multiply(x, y);
  check_length("SpmvPlan", "x", x.size(), matrix_->cols());
  check_length("SpmvPlan", "y", y.size(), matrix_->rows());
  const auto slices = sparse_ops<T, I>().diagonal_slices;
  const std::size_t rows = matrix_->rows(), count = slot_start_.size() - 1, slots = slots_.size();
  on_threads(
      threads_for(matrix_->nonzeros()),
      [&](int t, int parts) {
        const auto slice = [&](int part) {
          const std::size_t target = slots / static_cast<std::size_t>(parts) * static_cast<std::size_t>(part);
          return part == parts
                     ? count
                     : static_cast<std::size_t>(std::lower_bound(slot_start_.begin(), slot_start_.end() - 1, target) -
                                                slot_start_.begin());
        };
        const std::size_t begin = slice(t), end = slice(t + 1);
        if (begin < end)
          slices(slot_start_.data(), slots_.data(), values_.data(), x.data(), y.data(), rows, begin, end);
      },
      wake_for(matrix_->nonzeros()));
}

template <class T, class I>
std::size_t SpmvPlan<T, I>::bytes() const noexcept {
  return slot_start_.size() * sizeof(std::size_t) + slots_.size() * sizeof(DiagonalSlot<I>) +
         values_.size() * sizeof(T) +
         (blocks_ ? blocks_->values().size() * sizeof(T) +
                        (blocks_->block_row_start().size() + blocks_->blocks()) * sizeof(I)
                  : 0) +
         (sliced_ ? sliced_->bytes() : 0);
}

#define PAWL_INSTANTIATE(T, I) template class SpmvPlan<T, I>;
PAWL_FOR_EACH_SPARSE_TYPE(PAWL_INSTANTIATE)

}  // namespace pawl::sparse
