// spgemm_by_runs.hpp -- the product of two matrices whose rows come in runs, each row the one before moved by one
// column: stretches of rows whose products fall alike, found once for each kind of stretch.
//
// A stretch is a piece of a run of `a` whose columns each stay within one run of `b`. Which entry of the result's row a
// product goes to is then the same for all its rows, and for all stretches of the same kinds of runs: a stencil on a
// grid has a few dozen, whatever its size.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "diagonal_runs.hpp"
#include "pawl/parallel.hpp"
#include "pawl/sparse.hpp"
#include "refuse.hpp"
#include "sparse/active_ops.hpp"

namespace pawl::sparse {

/// Makes the product where find() sees stretches that are worth it.
template <class T, class I>
class ProductByRuns {
 public:
  /// None where stretches are short, or the rows of the result longer than kRunProductWidth.
  static std::optional<ProductByRuns> find(const Csr<T, I>& a, const Csr<T, I>& b) {
    const auto runs_of = [end = sparse_ops<T, I>().end_of_run](const Csr<T, I>& m) {
      constexpr std::size_t kMeanRun = 6;
      return DiagonalRuns<T, I>::find(m, kMeanRun, [&m, end](std::size_t row) {
        return end(m.row_start().data(), m.columns().data(), row, m.rows());
      });
    };
    ProductByRuns product(a, b);
    const auto of_a = runs_of(a);
    if (!of_a) return std::nullopt;
    if (&a == &b) return product.divide(*of_a, *of_a) ? std::optional(std::move(product)) : std::nullopt;
    const auto of_b = runs_of(b);
    if (!of_b || !product.divide(*of_a, *of_b)) return std::nullopt;
    return product;
  }

  Csr<T, I> multiply(int threads) const {
    const std::size_t rows = a_->rows(), sum = stretches_.back().out;
    check_size<I>("the number of entries of the product", sum);
    Array<I> start(rows + 1), columns(sum);
    Array<T> values(sum);
    const auto kernel = sparse_ops<T, I>().run_matrix_product;
    const I *const a_start = a_->row_start().data(), *const b_start = b_->row_start().data();
    // Stretches that begin before the entry `target` of the result.
    const auto before = [&](std::size_t target) {
      return static_cast<std::size_t>(
          std::lower_bound(stretches_.begin(), stretches_.end() - 1, target,
                           [](const Stretch& s, std::size_t entries) { return s.out < entries; }) -
          stretches_.begin());
    };
    on_threads(threads, [&](int t, int parts) {
      const auto thread = static_cast<std::size_t>(t), all = static_cast<std::size_t>(parts);
      const std::size_t first = t == 0 ? 0 : before(sum / all * thread);
      const std::size_t last = t + 1 == parts ? stretches_.size() - 1 : before(sum / all * (thread + 1));
      std::array<RunFactor<T>, Runs::kMostDiagonals> factors;
      std::array<I, kRunProductWidth> first_columns;
      for (std::size_t i = first; i < last; ++i) {
        const Stretch& s = stretches_[i];
        const Kind& kind = kinds_[s.kind];
        const std::size_t count = stretches_[i + 1].row - s.row, width = kind.columns.size();
        for (std::size_t r = 0; r < count; ++r) start[s.row + r] = static_cast<I>(s.out + r * width);
        if (width == 0) continue;
        const std::uint8_t* slots = kind.slots.data();
        for (std::size_t k = 0; k < kind.offsets.size(); ++k) {
          const auto row = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(s.row) + kind.offsets[k]);
          const auto from = static_cast<std::size_t>(b_start[row]);
          factors[k] = {b_->values().data() + from, static_cast<std::size_t>(b_start[row + 1]) - from, slots};
          slots += factors[k].entries;
        }
        for (std::size_t c = 0; c < width; ++c)
          first_columns[c] = static_cast<I>(static_cast<std::ptrdiff_t>(s.row) + kind.columns[c]);
        kernel(a_->values().data() + a_start[s.row], kind.offsets.size(), factors.data(), count, first_columns.data(),
               width, columns.data() + s.out, values.data() + s.out);
      }
    });
    start[rows] = static_cast<I>(sum);
    return Csr<T, I>::trusted(rows, b_->cols(), std::move(start), std::move(columns), std::move(values));
  }

 private:
  using Runs = DiagonalRuns<T, I>;
  // What stretches have in common: the diagonals of the rows of `a` and of the result, and for each product in turn
  // which of the latter it belongs to.
  struct Kind {
    std::vector<std::ptrdiff_t> offsets, columns;
    std::vector<std::uint8_t> slots;
    std::vector<std::uint16_t> patterns;  // of the row of `a`, then of those of `b` that its entries meet
  };
  struct Stretch {
    std::size_t row, kind, out;
  };
  // Kinds are found by the patterns of their rows of `a` and `b`, in a table with open addresses.
  using Patterns = std::vector<std::uint16_t>;
  static_assert(Runs::kMostPatterns <= std::size_t{1} << 16);
  static constexpr std::size_t kMostKinds = 256, kAddressBits = 10;
  static constexpr std::uint16_t kNone = kMostKinds;

  ProductByRuns(const Csr<T, I>& a, const Csr<T, I>& b)
      : a_(&a), b_(&b), kind_at_(std::size_t{1} << kAddressBits, kNone) {}

  // Where the kind of these patterns is, or is to be.
  std::uint16_t& place_of(const Patterns& patterns) {
    constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;
    std::uint64_t mixed = 0;
    for (const std::uint16_t pattern : patterns) mixed = (mixed + pattern + 1) * kGolden;
    for (std::size_t at = mixed >> (64 - kAddressBits);; at = (at + 1) % kind_at_.size())
      if (kind_at_[at] == kNone || kinds_[kind_at_[at]].patterns == patterns) return kind_at_[at];
  }

  // The kind of rows with a pattern of `a` whose entry k meets the pattern met[k] of `b`; false if too wide.
  bool add_kind(const typename Runs::Pattern& pattern, const std::vector<const typename Runs::Pattern*>& met,
                const Patterns& patterns) {
    Kind kind{pattern.offsets, {}, {}, patterns};
    const auto for_each = [&](auto product) {
      for (std::size_t k = 0; k < met.size(); ++k)
        for (const std::ptrdiff_t offset : met[k]->offsets) product(pattern.offsets[k] + offset);
    };
    std::size_t products = 0;
    std::ptrdiff_t least = 0, most = 0;
    for_each([&](std::ptrdiff_t column) {
      least = products == 0 ? column : std::min(least, column);
      most = products == 0 ? column : std::max(most, column);
      ++products;
    });
    // Columns near each other, as those of a band: no sort. 25 x 25 products take 1 us so, by a sort 11 (Zen 5).
    constexpr std::ptrdiff_t kNear = 1024;
    kind.slots.reserve(products);
    if (most - least < kNear) {
      std::array<std::uint8_t, kNear> slot{};
      const std::size_t range = static_cast<std::size_t>(most - least) + 1;
      for_each([&](std::ptrdiff_t column) { slot[static_cast<std::size_t>(column - least)] = 1; });
      for (std::size_t i = 0; i < range; ++i)
        if (slot[i] != 0) {
          if (kind.columns.size() == kRunProductWidth) return false;
          slot[i] = static_cast<std::uint8_t>(kind.columns.size());
          kind.columns.push_back(least + static_cast<std::ptrdiff_t>(i));
        }
      for_each([&](std::ptrdiff_t column) { kind.slots.push_back(slot[static_cast<std::size_t>(column - least)]); });
    } else {
      kind.columns.reserve(products);
      for_each([&](std::ptrdiff_t column) { kind.columns.push_back(column); });
      std::sort(kind.columns.begin(), kind.columns.end());
      kind.columns.erase(std::unique(kind.columns.begin(), kind.columns.end()), kind.columns.end());
      if (kind.columns.size() > kRunProductWidth) return false;
      for_each([&](std::ptrdiff_t column) {
        kind.slots.push_back(static_cast<std::uint8_t>(
            std::lower_bound(kind.columns.begin(), kind.columns.end(), column) - kind.columns.begin()));
      });
    }
    kinds_.push_back(std::move(kind));
    return true;
  }

  bool divide(const Runs& of_a, const Runs& of_b) {
    const std::size_t most_stretches = a_->rows() / 4 + 16;
    std::array<std::size_t, Runs::kMostDiagonals> current{};  // the run of `b` that each diagonal of `a` has come to
    std::vector<const typename Runs::Pattern*> met;
    Patterns patterns;
    std::size_t out = 0;
    for (std::size_t i = 0; i + 1 < of_a.runs().size(); ++i) {
      const auto& pattern = of_a.patterns()[of_a.runs()[i].pattern];
      const std::size_t end = of_a.runs()[i + 1].row;
      for (std::size_t row = of_a.runs()[i].row; row < end;) {
        std::size_t n = end - row;
        met.clear();
        patterns.assign(1, static_cast<std::uint16_t>(of_a.runs()[i].pattern));
        for (std::size_t k = 0; k < pattern.offsets.size(); ++k) {
          const auto b_row = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(row) + pattern.offsets[k]);
          std::size_t& run = current[pattern.diagonal[k]];
          while (of_b.runs()[run + 1].row <= b_row) ++run;
          n = std::min(n, of_b.runs()[run + 1].row - b_row);
          met.push_back(&of_b.patterns()[of_b.runs()[run].pattern]);
          patterns.push_back(static_cast<std::uint16_t>(of_b.runs()[run].pattern));
        }
        std::uint16_t& place = place_of(patterns);
        if (place == kNone) {
          if (kinds_.size() == kMostKinds || !add_kind(pattern, met, patterns)) return false;
          place = static_cast<std::uint16_t>(kinds_.size() - 1);
        }
        const std::size_t kind = place;
        if (stretches_.size() == most_stretches) return false;
        stretches_.push_back({row, kind, out});
        out += n * kinds_[kind].columns.size();
        row += n;
      }
    }
    stretches_.push_back({a_->rows(), 0, out});
    return true;
  }

  const Csr<T, I>*a_, *b_;
  std::vector<std::uint16_t> kind_at_;
  std::vector<Kind> kinds_;
  std::vector<Stretch> stretches_;
};

}  // namespace pawl::sparse
