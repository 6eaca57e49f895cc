// way.cpp -- what each way of a small product costs.
#include "kernels/matmul/way.hpp"

#include <algorithm>
#include <bit>

#include "isa/datapath.hpp"

namespace pawl {
namespace {

// Extents are below 2^18, and costs in 64ths of a ns: whole numbers of 32 bits take less to compute with.
using Count = std::uint32_t;
using Cost = std::uint32_t;

// Mostly 1 or 2, which takes less than to divide.
inline Count ceil_div(Count n, Count by) noexcept { return n <= by ? 1 : n <= 2 * by ? 2 : (n + by - 1) / by; }

// Half cycles that an FMA takes until the next one of its chain can begin; two begin in a cycle.
constexpr Count kChain = 8;

// Two ways, each for some columns, must be faster by a second call and a sixteenth, since costs are not exact. 275 of
// 4800 random shapes are cut so; time over time uncut on an Emerald Rapids, geometric mean, AVX-512 0.88 and AVX2 0.89.
constexpr Cost kSecondCall = 1024, kDoubt = 16;
// What is over sooner, 200 ns, cannot gain what it takes to look at two ways, 50 ns.
constexpr Cost kLeastCut = 200 * 64;

template <class T>
class Costs {
 public:
  explicit Costs(const MatmulOps<T>& kernels) noexcept
      : kernels_(kernels),
        rows_(static_cast<Count>(kernels.tile_rows)),
        lanes_(static_cast<Count>(kernels.tile_cols) / 2),
        shift_(static_cast<Count>(std::countr_zero(lanes_))),
        slow_(detail::splits_512_bits && lanes_ * sizeof(T) == 64 ? 2 : 1) {}

  Count rows() const noexcept { return rows_; }
  Count lanes() const noexcept { return lanes_; }

  // C[m, n], beyond what a call of tiles takes. Steps are half cycles.
  Cost tiles(bool left_by_columns, Count m, Count n, Count k) const noexcept {
    constexpr Cost kStep = 12, kWritten = 34;
    const Count panels = n >> (shift_ + 1), vectors = vectors_of(n), rest = vectors - 2 * panels;
    const Count chains = kChain * ceil_div(m, rows_);
    Count steps = panels * std::max(chains, 2 * m);
    // Three and four sums have two chains each if the left operand lies by columns, and a load for each element of it
    // and the vector. One and two rows are better off with wide tiles, which read by lines what L1 does not hold.
    const bool few = left_by_columns && panels == 0 && rest == 1 && (m == 3 || m == 4) && 2 * n >= lanes_;
    if (rest != 0) steps += std::max(few ? m + 1 : chains, m * rest);
    return slow_ * kStep * steps * k + kWritten * m * vectors;
  }

  Cost wide_tiles(Count m, Count n, Count k) const noexcept {
    constexpr Cost kCall = 657, kStep = 12, kWritten = 13;
    const Count sums = m * vectors_of(n);
    const Count tiles = ceil_div(vectors_of(n), static_cast<Count>(kernels_.few_rows_cols[m - 1]) >> shift_);
    // Few sums have several chains each; one row takes as many loads as FMAs.
    const Count chains = (2 * sums > kChain * tiles ? kChain : kChain / 2) * tiles;
    return kCall + slow_ * kStep * std::max(chains, m == 1 ? 2 * sums : sums) * k + kWritten * sums;
  }

  // Whether strips may be better than tiles: they are as wide as up to two vectors, and read a deep B that L1 does not
  // hold less well. Where a strip is all columns and rows are no whole vectors, to read C waits for the masked stores
  // of the row before, 8 ns once in a strip's few rows (k = 1 to 4 on an Emerald Rapids: 1.1 to 1.4 times as long).
  // One row reads B once, in longer runs by wide tiles or in lines (1.13 to 1.18 times as long, of 160 shapes).
  bool suits_strips(const SmallShape& x, Count n, Count k) const noexcept {
    constexpr Count kDeep = 32;
    if (x.m == 1 || n <= 2 * lanes_ || k >= kDeep || kernels_.strip_cols == 0) return false;
    return !x.reads_c || n > kernels_.strip_cols || n % lanes_ == 0;
  }
  // As strips.kernel.hpp deals vectors out.
  Cost strips(Count m, Count n, Count k) const noexcept {
    constexpr Cost kStrip = 120, kStep = 12, kWritten = 24;  // of 2700 shapes more
    const Count vectors = vectors_of(n), widest = static_cast<Count>(kernels_.strip_cols) >> shift_;
    const Count strips = ceil_div(vectors, widest), width = vectors / strips, wider = vectors % strips;
    const Count chains = kChain * ceil_div(m, static_cast<Count>(kernels_.strip_rows));
    const Count steps = (strips - wider) * std::max(chains, m * width) + wider * std::max(chains, m * (width + 1));
    return kStrip * strips + slow_ * kStep * steps * k + kWritten * m * vectors;
  }

  Cost dots(Count m, Count n, Count k) const noexcept {
    constexpr Cost kCall = 250, kTile = 179, kStep = 13, kFolded = 49;
    const Count down = ceil_div(m, static_cast<Count>(kernels_.dot_rows));
    const Count across = ceil_div(n, static_cast<Count>(kernels_.dot_cols[ceil_div(m, down) - 1]));
    // FMAs, or loads where there are more of them.
    const Count steps = std::max({m * n, across * m + down * n, 2 * down * across});
    return kCall + kTile * down * across + slow_ * kStep * steps * vectors_of(k) + kFolded * m * n;
  }

  // One row or column is the same turned over. Two or three rows of f32 are joined element by element but by AVX-512.
  // L1 holds up to 4096 words and their copy.
  Cost turn(bool needed, Count rows, Count columns) const noexcept {
    constexpr Cost kCall = 433, kElement = 48, kTwoWords = 10, kTwoMore = 15, kTwoMoreNarrow = 30, kInL1 = 4096;
    if (!needed || rows == 1 || columns == 1) return 0;
    if (sizeof(T) == 4 && rows < 4 && lanes_ < 16) return kCall + kElement * rows * columns;
    const Count words = rows * columns * static_cast<Count>(sizeof(T) / 4), more = words > kInL1 ? words - kInL1 : 0;
    return kCall + (kTwoWords * words + (std::min(rows, columns) < lanes_ ? kTwoMoreNarrow : kTwoMore) * more) / 2;
  }

  // Beyond that, where the columns are some of the columns of a matrix by rows: of B, or of C, which is written.
  Cost columns_apart(bool needed, Count rows, Count columns, bool written) const noexcept {
    constexpr Cost kOne = 36, kRead = 21, kWritten = 46;
    return !needed ? 0 : rows * (columns == 1 ? kOne : written ? kWritten : kRead);
  }

 private:
  Count vectors_of(Count n) const noexcept { return (n + lanes_ - 1) >> shift_; }

  const MatmulOps<T>& kernels_;
  Count rows_, lanes_, shift_;
  Cost slow_;
};

struct Choice {
  SmallWay way;
  Cost cost;
};

// The cheapest way of n columns of C[m, x.n].
template <class T>
Choice cheapest(const Costs<T>& costs, const SmallShape& x, Count m, Count n, Count k) noexcept {
  const bool ta = x.transpose_a, tb = x.transpose_b, part = n != x.n;
  Choice best{SmallWay::tiles, costs.tiles(ta, m, n, k) + costs.turn(tb, n, k)};
  const auto offer = [&](SmallWay way, Cost cost) {
    if (cost < best.cost) best = {way, cost};
  };
  if (m <= costs.rows())
    offer(SmallWay::wide_tiles, costs.wide_tiles(m, n, k) + costs.turn(ta, k, m) + costs.turn(tb, n, k));
  if (costs.suits_strips(x, n, k)) offer(SmallWay::strips, costs.strips(m, n, k) + costs.turn(tb, n, k));
  // A B by rows that fill vectors is best read so.
  if (!tb && n >= 2 * costs.lanes()) return best;
  const Cost columns_of_b = costs.turn(!tb, k, n) + costs.columns_apart(part && !tb, k, n, false);
  const Cost columns_of_c = costs.turn(true, n, m) + costs.columns_apart(part, m, n, true);
  const Cost for_dots = costs.turn(ta, k, m) + columns_of_b;
  if (for_dots < best.cost) {
    offer(SmallWay::dots, costs.dots(m, n, k) + for_dots);
    offer(SmallWay::dots_by_columns, costs.dots(n, m, k) + for_dots);
  }
  const Cost turned = costs.turn(!ta, m, k) + columns_of_c * (x.reads_c ? 2 : 1);
  if (turned < best.cost) {
    offer(SmallWay::turned_tiles, costs.tiles(!tb, n, m, k) + turned);
    if (n <= costs.rows()) offer(SmallWay::turned_wide_tiles, costs.wide_tiles(n, m, k) + turned + columns_of_b);
  }
  return best;
}

}  // namespace

template <class T>
SmallPlan plan_small_product(const MatmulOps<T>& kernels, const SmallShape& x) noexcept {
  const Costs<T> costs(kernels);
  const auto m = static_cast<Count>(x.m), n = static_cast<Count>(x.n), k = static_cast<Count>(x.k);
  const Choice all = cheapest(costs, x, m, n, k);
  const SmallPlan together{all.way, all.way, x.n};
  const Count rest = n % costs.lanes(), whole = n - rest;
  if (whole == 0 || rest == 0 || all.cost < kLeastCut) return together;
  const auto is_worth = [&](Cost both) { return both + both / kDoubt + kSecondCall < all.cost; };
  const Choice first = cheapest(costs, x, m, whole, k);
  if (!is_worth(first.cost)) return together;
  const Choice second = cheapest(costs, x, m, rest, k);
  return is_worth(first.cost + second.cost) ? SmallPlan{first.way, second.way, whole} : together;
}

template SmallPlan plan_small_product(const MatmulOps<float>&, const SmallShape&) noexcept;
template SmallPlan plan_small_product(const MatmulOps<double>&, const SmallShape&) noexcept;

}  // namespace pawl
