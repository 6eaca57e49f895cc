// real_rows.cpp -- see real_rows.hpp.
#include "kernels/fft/real_rows.hpp"

#include <algorithm>

#include "kernels/fft/lines.hpp"
#include "kernels/fft/roots.hpp"
#include "kernels/fft/threads.hpp"
#include "pawl/parallel.hpp"

namespace pawl::fft {
namespace {

// Rows between their transforms and what makes them real ones: half of an L1 of 32 KiB. Row by row, vectors would be
// loaded across two that have just been stored, which waits until both are in the cache.
constexpr std::size_t kRowsBytes = std::size_t{16} << 10;
// Two slabs of large three-dimensional arrays stay in half of a 1 MiB L2 between the columns and the rows: on a Zen 4
// 128^3 points of f64 took 0.87 to 0.93 of the time, but 64^3 1.04 times as long.
constexpr std::size_t kSlabsBytes = std::size_t{512} << 10, kLargeBytes = std::size_t{4} << 20;

}  // namespace

template <class T>
AlignedArray<T> real_rows_table(std::size_t h) {
  constexpr std::size_t kMostLanes = 64 / sizeof(T);  // that are read beyond the end
  AlignedArray<T> table(4 * (h + 1) + kMostLanes);
  const Roots roots(2 * h);
  T *const first = table.data(), *const second = first + 2 * (h + 1);
  for (std::size_t k = 0; k <= h; ++k) {
    const auto root = roots(k);
    const T re = static_cast<T>(root.real()), im = static_cast<T>(root.imag());
    first[2 * k] = first[2 * k + 1] = im;
    second[2 * k] = re;
    second[2 * k + 1] = -re;
  }
  return table;
}

template <class T>
bool RealRows<T>::can(std::size_t n, Isa isa) noexcept {
  return n % 2 == 0 && n >= std::max<std::size_t>(2, fft_ops<T>(isa).lanes);
}

template <class T>
RealRows<T>::RealRows(const Shape& results, std::size_t halved, std::span<const std::size_t> others, Isa isa)
    : shape_(results),
      halved_(halved),
      inner_(others[0]),
      half_(results[halved] - 1),
      row_(up_to_line<T>(2 * (half_ + 1))),
      ops_(fft_ops<T>(isa)),
      by_place_(others.size() > 1 && 4 * results[inner_] * (half_ + 1) * sizeof(T) <= kSlabsBytes &&
                2 * results.elements() * sizeof(T) >= kLargeBytes),
      axis_(shared_axis<T>(half_, isa)),
      columns_(shared_axis<T>(results[inner_], isa)),
      table_(real_rows_table<T>(half_)) {
  for (std::size_t axis : others) transformed_[axis] = true;
  at_once_ = std::clamp<std::size_t>(kRowsBytes / (2 * row_ * sizeof(T)), 1, axis_->panel());
}

template <class T>
template <class Before, class Call, class After>
void RealRows<T>::for_groups(const std::ptrdiff_t* strides, const std::ptrdiff_t* other, int threads, Before&& before,
                             Call&& call, After&& after) const noexcept {
  const std::size_t length = shape_[inner_], middle = length % 2 == 0 ? length / 2 : 0;
  // Of each place along the remaining dimensions: row 0, the middle one, which are mirror images of themselves if the
  // place is, and groups of the others. Threads share these or, for slabs, places.
  const std::size_t parts = 2 + (length - 1 + at_once_ - 1) / at_once_;
  const std::size_t places = shape_.elements() / shape_[halved_] / length, jobs = by_place_ ? places : places * parts;
  on_threads(
      static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(threads), jobs)),
      [&](int thread, int count) {
        for (auto job = static_cast<std::size_t>(thread); job < jobs; job += static_cast<std::size_t>(count)) {
          Group first{};
          std::size_t rest = by_place_ ? job : job / parts, place = 0, mirror = 0, weight = 1;
          for (std::size_t d = shape_.rank(); d-- > 0;) {
            if (d == halved_ || d == inner_) continue;
            const std::size_t i = rest % shape_[d], j = transformed_[d] && i > 0 ? shape_[d] - i : i;
            rest /= shape_[d];
            place += i * weight;
            mirror += j * weight;
            weight *= shape_[d];
            first.a += static_cast<std::ptrdiff_t>(i) * strides[d];
            first.b += static_cast<std::ptrdiff_t>(j) * strides[d];
            first.other_a += static_cast<std::ptrdiff_t>(i) * other[d];
            first.other_b += static_cast<std::ptrdiff_t>(j) * other[d];
          }
          if (mirror < place) continue;
          if (by_place_) before(first, thread);
          const std::size_t end = mirror > place ? length : (length + 1) / 2;
          const std::size_t first_part = by_place_ ? 0 : job % parts, last_part = by_place_ ? parts : first_part + 1;
          for (std::size_t part = first_part; part < last_part; ++part) {
            Group group = first;
            group.count = 1;
            std::size_t k = 0;
            if (part == 1) {
              k = middle;
              if (mirror > place || k == 0) continue;
            } else if (part > 1) {
              k = 1 + (part - 2) * at_once_;
              if (k >= end) continue;
              group.count = std::min(at_once_, end - k);
            }
            const auto row = static_cast<std::ptrdiff_t>(k),
                       image = static_cast<std::ptrdiff_t>(k == 0 ? 0 : length - k - group.count + 1);
            group.a += row * strides[inner_];
            group.b += image * strides[inner_];
            group.other_a += row * other[inner_];
            group.other_b += image * other[inner_];
            call(group, thread);
          }
          if (by_place_) after(first, thread);
        }
      },
      wake_for(shape_.elements()));
}

// The slabs at offsets a and b along inner_, in place; they may be the same.
template <class T>
void RealRows<T>::run_columns(Pairs<T> z, std::ptrdiff_t a, std::ptrdiff_t b, T* workspace,
                              bool swapped) const noexcept {
  const Places places{z.strides[inner_], 1};
  const auto slab = [&](T* pairs) {
    for (std::size_t c = 0; c < half_; c += columns_->panel())
      columns_->run(pairs + 2 * c, places, pairs + 2 * c, places, std::min(columns_->panel(), half_ - c), workspace,
                    swapped, T(1));
  };
  slab(z.data + 2 * a);
  if (a != b) slab(z.data + 2 * b);
}

template <class T>
void RealRows<T>::forward(Pairs<T> z, Pairs<T> out, T* workspace, std::size_t thread_elements, int threads,
                          T scale) const noexcept {
  const Places from{1, z.strides[inner_]}, between{1, static_cast<std::ptrdiff_t>(row_ / 2)};
  const std::ptrdiff_t to = 2 * out.strides[inner_];
  const auto columns = [&](const Group& slabs, int thread) {
    run_columns(z, slabs.a, slabs.b, workspace + static_cast<std::size_t>(thread) * thread_elements, false);
  };
  const auto rows = [&](const Group& group, int thread) {
    T* const a = workspace + static_cast<std::size_t>(thread) * thread_elements;
    T *const b = group.a == group.b ? a : a + at_once_ * row_, *const inner = a + 2 * at_once_ * row_;
    axis_->run(z.data + 2 * group.a, from, a, between, group.count, inner, false, T(1));
    if (a != b) axis_->run(z.data + 2 * group.b, from, b, between, group.count, inner, false, T(1));
    for (std::size_t i = 0; i < group.count; ++i)
      for (T* row : {a + i * row_, b + i * row_}) {  // result h is result 0
        row[2 * half_] = row[0];
        row[2 * half_ + 1] = row[1];
      }
    T* const out_a = out.data + 2 * group.other_a;
    T* const out_b = out.data + 2 * group.other_b;
    for (std::size_t i = 0, j = group.count - 1; i < group.count; ++i, --j)
      ops_.split_rows(a + i * row_, b + j * row_, table_.data(), out_a + static_cast<std::ptrdiff_t>(i) * to,
                      out_b + static_cast<std::ptrdiff_t>(j) * to, half_, scale);
  };
  for_groups(z.strides, out.strides, threads, columns, rows, [](const Group&, int) {});
}

template <class T>
void RealRows<T>::inverse(Pairs<const T> in, Pairs<T> z, T* workspace, std::size_t thread_elements, int threads,
                          T scale) const noexcept {
  const Places to{1, z.strides[inner_]}, between{1, static_cast<std::ptrdiff_t>(row_ / 2)};
  const std::ptrdiff_t from = 2 * in.strides[inner_];
  const auto columns = [&](const Group& slabs, int thread) {
    run_columns(z, slabs.other_a, slabs.other_b, workspace + static_cast<std::size_t>(thread) * thread_elements, true);
  };
  const auto rows = [&](const Group& group, int thread) {
    T* const a = workspace + static_cast<std::size_t>(thread) * thread_elements;
    T *const b = group.a == group.b ? a : a + at_once_ * row_, *const inner = a + 2 * at_once_ * row_;
    const T* const in_a = in.data + 2 * group.a;
    const T* const in_b = in.data + 2 * group.b;
    for (std::size_t i = 0, j = group.count - 1; i < group.count; ++i, --j) {
      const T* const x = in_a + static_cast<std::ptrdiff_t>(i) * from;
      const T* const y = in_b + static_cast<std::ptrdiff_t>(j) * from;
      T *const to_x = a + i * row_, *const to_y = b + j * row_;
      ops_.join_rows(x, y, table_.data(), to_x, to_y, half_, scale);
      // Of results 0 and h only what is symmetric counts: what else there is would go into other elements.
      const std::size_t h = 2 * half_;
      const T re_0 = (x[0] + y[0]) * scale / 2, im_0 = (x[1] - y[1]) * scale / 2;
      const T re_h = (x[h] + y[h]) * scale / 2, im_h = (x[h + 1] - y[h + 1]) * scale / 2;
      to_y[0] = re_0 + re_h + im_0 - im_h;
      to_y[1] = re_0 - re_h - im_0 - im_h;
      to_x[0] = re_0 + re_h - im_0 + im_h;
      to_x[1] = re_0 - re_h + im_0 + im_h;
    }
    axis_->run(a, between, z.data + 2 * group.other_a, to, group.count, inner, true, T(1));
    if (a != b) axis_->run(b, between, z.data + 2 * group.other_b, to, group.count, inner, true, T(1));
  };
  for_groups(
      in.strides, z.strides, threads, [](const Group&, int) {}, rows, columns);
}

template AlignedArray<float> real_rows_table(std::size_t);
template AlignedArray<double> real_rows_table(std::size_t);
template class RealRows<float>;
template class RealRows<double>;

}  // namespace pawl::fft
