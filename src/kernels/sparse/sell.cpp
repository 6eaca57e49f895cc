// sell.cpp -- CSR to slices of rows side by side, their product with a vector, and back.
#include "pawl/sparse/sell.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "kernels/sparse/row_parts.hpp"
#include "pawl/parallel.hpp"
#include "sparse/active_ops.hpp"
#include "sparse/refuse.hpp"

namespace pawl::sparse {

template <class T, class I>
Sell<T, I>::Sell(const Csr<T, I>& a, std::size_t sigma) : cols_(a.cols()), nonzeros_(a.nonzeros()) {
  static_assert(C == kSliceRows<T>);
  if (sigma == 0) refuse("Sell: sigma is 0, not a number of rows");
  const I* const start = a.row_start().data();
  const std::size_t rows = a.rows(), slices = (rows + C - 1) / C;
  const auto length = [start](I row) {
    return static_cast<std::size_t>(start[row + 1]) - static_cast<std::size_t>(start[row]);
  };
  order_ = Array<I>(rows);
  std::iota(order_.begin(), order_.end(), I{0});
  Array<I> sorted(std::min(sigma, rows));
  // Rows that follow each other, the longest first; rows of one length keep their order.
  const auto sort = [&](std::size_t begin, std::size_t window) {
    I* const first = order_.data() + begin;
    const std::size_t n = std::min(window, rows - begin);
    constexpr std::size_t kLengths = 64;  // counters that cost less than the comparisons of kWindow rows and more
    constexpr std::size_t kWindow = 32;
    std::size_t places[kLengths] = {};
    const bool are_short = std::all_of(first, first + n, [&](I row) { return length(row) < kLengths; });
    if (n < kWindow || !are_short) {
      std::stable_sort(first, first + n, [&](I p, I q) { return length(p) > length(q); });
      return;
    }
    for (std::size_t i = 0; i < n; ++i) ++places[kLengths - 1 - length(first[i])];
    std::size_t sum = 0;
    for (std::size_t& place : places) sum += std::exchange(place, sum);
    for (std::size_t i = 0; i < n; ++i) sorted[places[kLengths - 1 - length(first[i])]++] = first[i];
    std::copy_n(sorted.data(), n, first);
  };
  for (std::size_t r = 0; r < rows; r += std::min(sigma, rows)) sort(r, sigma);
  slot_start_ = Array<std::size_t>(slices + 1);
  std::size_t slots = 0;
  for (std::size_t s = 0; s < slices; ++s) {
    slot_start_[s] = slots;
    if (sigma % C != 0) sort(s * C, C);  // a window ends within a slice, whose lanes in use must be the first ones
    slots += length(order_[s * C]);
  }
  slot_start_[slices] = slots;
  lanes_ = Array<std::uint8_t>(slots);
  columns_ = Array<I>(slots * C);
  values_ = Array<T>(slots * C);
  for (std::size_t s = 0; s < slices; ++s) {
    const std::size_t row = s * C, count = std::min(C, rows - row);
    const std::size_t first = slot_start_[s], width = slot_start_[s + 1] - first;
    // Lane by lane: which row ends next is not to be foreseen, and a slice stays in L1.
    for (std::size_t lane = 0; lane < C; ++lane) {
      const std::size_t entries = lane < count ? length(order_[row + lane]) : 0;
      const auto from = lane < count ? static_cast<std::size_t>(start[order_[row + lane]]) : 0;
      I* const columns = columns_.data() + first * C + lane;
      T* const values = values_.data() + first * C + lane;
      for (std::size_t k = 0; k < entries; ++k) {
        columns[k * C] = a.columns()[from + k];
        values[k * C] = a.values()[from + k];
      }
      for (std::size_t k = entries; k < width; ++k) {
        columns[k * C] = 0;
        values[k * C] = 0;
      }
    }
    std::size_t k = 0;
    for (std::size_t used = count; used > 0; --used)
      for (const std::size_t end = length(order_[row + used - 1]); k < end; ++k)
        lanes_[first + k] = static_cast<std::uint8_t>(used);
  }
}

template <class T, class I>
std::size_t Sell<T, I>::bytes() const noexcept {
  return order_.size() * sizeof(I) + slot_start_.size() * sizeof(std::size_t) + lanes_.size() +
         columns_.size() * (sizeof(I) + sizeof(T));
}

template <class T, class I>
void Sell<T, I>::multiply(std::span<const T> x, std::span<T> y) const {
  check_length("Sell::multiply", "x", x.size(), cols_);
  check_length("Sell::multiply", "y", y.size(), rows());
  const auto kernel = sparse_ops_for<T, I>(columns_.size()).sell_slices;
  const std::size_t slices = slot_start_.size() - 1, slots = lanes_.size();
  on_threads(
      threads_for(nonzeros_),
      [&](int t, int parts) {
        const auto slice = [&](int part) {
          const std::size_t target = slots / static_cast<std::size_t>(parts) * static_cast<std::size_t>(part);
          return part == parts
                     ? slices
                     : static_cast<std::size_t>(std::lower_bound(slot_start_.begin(), slot_start_.end() - 1, target) -
                                                slot_start_.begin());
        };
        const std::size_t begin = t == 0 ? 0 : slice(t), end = slice(t + 1);
        if (begin < end)
          kernel(slot_start_.data(), lanes_.data(), columns_.data(), values_.data(), order_.data(), x.data(), y.data(),
                 rows(), begin, end);
      },
      wake_for(nonzeros_));
}

template <class T, class I>
Csr<T, I> to_csr(const Sell<T, I>& a) {
  constexpr std::size_t C = Sell<T, I>::C;
  const std::size_t rows = a.rows(), n = a.nonzeros();
  Array<I> start(rows + 1), columns(n);
  Array<T> values(n);
  const I *const order = a.order().data(), *const from_columns = a.columns().data();
  const T* const from_values = a.values().data();
  const std::size_t* const slot_start = a.slot_start().data();
  const std::size_t slices = a.slot_start().size() - 1;
  // Lanes are in use from the first on, the longest row first. A slice is walked lane by lane, which writes a row at a
  // time, unless that is less than what the end of a lane costs: with one entry a row it took twice as long.
  constexpr std::size_t kFewSlots = 2;
  const auto rows_in = [&](std::size_t s) { return std::min(C, rows - s * C); };
  const auto row_of = [&](std::size_t s, std::size_t lane) { return static_cast<std::size_t>(order[s * C + lane]); };
  start[0] = 0;
  for (std::size_t s = 0; s < slices; ++s) {
    std::size_t k = slot_start[s + 1];
    for (std::size_t lane = 0; lane < rows_in(s); ++lane) {
      while (k > slot_start[s] && a.lanes()[k - 1] <= lane) --k;
      start[row_of(s, lane) + 1] = static_cast<I>(k - slot_start[s]);
    }
  }
  for (std::size_t r = 0; r < rows; ++r) start[r + 1] = static_cast<I>(start[r + 1] + start[r]);
  const auto move = [&](std::size_t to, std::size_t from) {
    columns[to] = from_columns[from];
    values[to] = from_values[from];
  };
  for (std::size_t s = 0; s < slices; ++s) {
    const std::size_t first = slot_start[s], width = slot_start[s + 1] - first;
    if (width <= kFewSlots) {
      for (std::size_t k = 0; k < width; ++k)
        for (std::size_t lane = 0; lane < a.lanes()[first + k]; ++lane)
          move(static_cast<std::size_t>(start[row_of(s, lane)]) + k, (first + k) * C + lane);
      continue;
    }
    for (std::size_t lane = 0; lane < rows_in(s); ++lane) {
      const auto to = static_cast<std::size_t>(start[row_of(s, lane)]);
      const auto entries = static_cast<std::size_t>(start[row_of(s, lane) + 1]) - to;
      for (std::size_t k = 0; k < entries; ++k) move(to + k, (first + k) * C + lane);
    }
  }
  return Csr<T, I>::trusted(rows, a.cols(), std::move(start), std::move(columns), std::move(values));
}

#define PAWL_INSTANTIATE(T, I) \
  template class Sell<T, I>;   \
  template Csr<T, I> to_csr(const Sell<T, I>&);
PAWL_FOR_EACH_SPARSE_TYPE(PAWL_INSTANTIATE)

}  // namespace pawl::sparse
