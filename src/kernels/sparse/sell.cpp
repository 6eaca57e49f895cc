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
  const auto sort = [&](std::size_t begin, std::size_t window) {
    std::stable_sort(order_.data() + begin, order_.data() + begin + std::min(window, rows - begin),
                     [&](I p, I q) { return length(p) > length(q); });
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
    for (std::size_t k = slot_start_[s]; k < slot_start_[s + 1]; ++k) {
      const std::size_t step = k - slot_start_[s];
      std::size_t used = 0;
      for (; used < count && length(order_[row + used]) > step; ++used) {
        const std::size_t at = static_cast<std::size_t>(start[order_[row + used]]) + step;
        columns_[k * C + used] = a.columns()[at];
        values_[k * C + used] = a.values()[at];
      }
      lanes_[k] = static_cast<std::uint8_t>(used);
      for (std::size_t i = used; i < C; ++i) {
        columns_[k * C + i] = 0;
        values_[k * C + i] = 0;
      }
    }
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
  const auto kernel = sparse_ops<T, I>().sell_slices;
  const std::size_t slices = slot_start_.size() - 1, slots = lanes_.size();
  const int threads = nonzeros_ < kEntriesForThreads ? 1 : num_threads();
  on_threads(threads, [&](int t, int parts) {
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
  });
}

template <class T, class I>
Csr<T, I> to_csr(const Sell<T, I>& a) {
  constexpr std::size_t C = Sell<T, I>::C;
  const std::size_t rows = a.rows(), n = a.nonzeros();
  Array<I> start(rows + 1), columns(n);
  Array<T> values(n);
  for (I& s : start) s = 0;
  const auto for_each_entry = [&](auto entry) {
    for (std::size_t s = 0; s + 1 < a.slot_start().size(); ++s)
      for (std::size_t k = a.slot_start()[s]; k < a.slot_start()[s + 1]; ++k)
        for (std::size_t i = 0; i < a.lanes()[k]; ++i) entry(static_cast<std::size_t>(a.order()[s * C + i]), k * C + i);
  };
  for_each_entry([&](std::size_t row, std::size_t) { ++start[row + 1]; });
  for (std::size_t r = 0; r < rows; ++r) start[r + 1] = static_cast<I>(start[r + 1] + start[r]);
  Array<I> next(start);
  for_each_entry([&](std::size_t row, std::size_t at) {
    const auto to = static_cast<std::size_t>(next[row]++);
    columns[to] = a.columns()[at];
    values[to] = a.values()[at];
  });
  return Csr<T, I>::trusted(rows, a.cols(), std::move(start), std::move(columns), std::move(values));
}

#define PAWL_INSTANTIATE(T, I) \
  template class Sell<T, I>;   \
  template Csr<T, I> to_csr(const Sell<T, I>&);
PAWL_FOR_EACH_SPARSE_TYPE(PAWL_INSTANTIATE)

}  // namespace pawl::sparse
