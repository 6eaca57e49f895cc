// severity.cpp -- see severity.hpp.
#include "decide/severity.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

namespace pawl::decide {

void sort_by_severity(std::vector<Comparison>& comparisons) {
  const auto size_of = [](const Comparison& c) { return std::isfinite(c.change) ? std::fabs(c.change) : 0; };
  std::vector<std::size_t> order(comparisons.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const Comparison &x = comparisons[a], &y = comparisons[b];
    if (x.verdict != y.verdict) return x.verdict < y.verdict;
    const double size_x = size_of(x), size_y = size_of(y);
    return size_x != size_y ? size_x > size_y : a < b;
  });
  for (std::size_t start = 0; start < order.size(); ++start) {
    // Follows the cycle that `start` is in; what has its place already points to itself.
    if (order[start] == start) continue;
    Comparison first = std::move(comparisons[start]);
    std::size_t to = start;
    while (order[to] != start) {
      comparisons[to] = std::move(comparisons[order[to]]);
      to = std::exchange(order[to], to);
    }
    comparisons[to] = std::move(first);
    order[to] = to;
  }
}

}  // namespace pawl::decide
