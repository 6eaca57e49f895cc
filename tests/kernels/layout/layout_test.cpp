// layout_test.cpp -- every runnable variant of transpose and permute puts each element where the reference does, and
// concat and split keep theirs.
#include "pawl/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "isa/followed_rows.hpp"
#include "isa/store_waits.hpp"
#include "isa/streaming.hpp"
#include "kernels/guarded_array.hpp"
#include "pawl/isa.hpp"
#include "pawl/machine.hpp"
#include "reference/layout_ref.hpp"

namespace pawl {
namespace {

using testing::GuardedArray;

template <class T>
class Layout : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Layout, Types);

// Different numbers everywhere, so that no exchange goes unseen.
template <class T>
Tensor<T> counted(const Shape& shape) {
  auto x = Tensor<T>::uninitialized(shape);
  std::iota(x.data(), x.data() + x.elements(), T(1));
  return x;
}

// Every runnable variant, on CPUs that follow rows into L2 and on others.
std::vector<std::pair<Isa, bool>> on_either_kind() {
  std::vector<std::pair<Isa, bool>> all;
  for (const Isa isa : runnable_isas())
    for (const bool followed : {false, true}) all.emplace_back(isa, followed);
  return all;
}

// Extents around the tiles (2, 4, 8, 16) and bands (128 rows) of every variant.
constexpr std::size_t kExtents[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 33, 40, 127, 129, 150};

TYPED_TEST(Layout, TransposeAtEverySizeAndMisalignment) {
  using T = TypeParam;
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (std::size_t m : kExtents)
      for (std::size_t n : kExtents)
        for (std::size_t offset : {std::size_t{0}, std::size_t{1}, std::size_t{3}}) {
          GuardedArray<T> x(m * n, offset), out(m * n, offset == 3 ? 0 : offset);
          std::iota(x.data(), x.data() + m * n, T(1));
          transpose(std::span<const T>(x.data(), m * n), m, n, std::span<T>(out.data(), m * n));
          const auto want = reference::transpose(x.data(), m, n);
          ASSERT_TRUE(std::equal(want.begin(), want.end(), out.data())) << name(isa) << " " << m << " x " << n;
          ASSERT_TRUE(out.untouched()) << name(isa) << " " << m << " x " << n;
        }
  }
}

// Rows of the result a whole number of pages apart and nearly so, within lines and not, where stores wait and not.
TYPED_TEST(Layout, TransposeIntoRowsAPageApart) {
  using T = TypeParam;
  constexpr std::size_t kPage = 4096 / sizeof(T);
  for (const auto& [isa, waits] : on_either_kind()) {
    const ScopedIsa scope(isa);
    const StoreWaits stores(waits);
    for (std::size_t m : {kPage - 1, kPage, kPage + 2, 3 * kPage - 3})
      for (std::size_t n : {16U, 30U, 101U})
        for (std::size_t offset : {0U, 3U}) {
          GuardedArray<T> x(m * n, offset), out(m * n, offset);
          std::iota(x.data(), x.data() + m * n, T(1));
          transpose(std::span<const T>(x.data(), m * n), m, n, std::span<T>(out.data(), m * n));
          const auto want = reference::transpose(x.data(), m, n);
          ASSERT_TRUE(std::equal(want.begin(), want.end(), out.data())) << name(isa) << " " << m << " x " << n;
          ASSERT_TRUE(out.untouched()) << name(isa) << " " << m << " x " << n;
        }
  }
}

// From half the last-level cache on, past the caches; beyond twice its size in narrower bands.
TEST(LayoutStreaming, LargeMatricesComeOutWhole) {
  const std::size_t l3 = kept_in_l3();
  for (const std::size_t bytes : {l3 / 4 * 3, 2 * l3 + 4096}) {
    const std::size_t n = 2048, m = bytes / 2 / sizeof(float) / n / 16 * 16 + 32;
    const auto x = counted<float>({m, n});
    auto out = Tensor<float>::zeros({n, m});
    transpose(x.flat(), m, n, out.flat());
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) ASSERT_EQ(out.data()[j * m + i], x.data()[i * n + j]) << i << ", " << j;
  }
}

// Rows a power of two apart, more of them than L2 holds: by blocks, whose last ones are not whole. Then rows 1 KiB
// apart, a large matrix of neither kind, one of 4 MiB and more whatever the type and the threads, and what L2 holds.
TYPED_TEST(Layout, TransposeOfManyStrides) {
  using T = TypeParam;
  struct Case {
    std::size_t x_stride, out_stride, m, n;
  };
  constexpr std::size_t kKi = 1024 / sizeof(T);
  for (const Case& c :
       {Case{4 * kKi, 4 * kKi, 697, 995}, Case{4 * kKi, 2 * kKi, 2 * kKi, 1024}, Case{kKi, kKi, 250, 131},
        Case{1001, 701, 700, 1000}, Case{1001, 351, 350, 1000}, Case{4 * kKi, 4 * kKi, 1000, 17},
        Case{16 * kKi, 16 * kKi, 1100, 1001}, Case{201, 151, 150, 200}, Case{kKi / 2, 131, 128, 120}}) {
    const std::size_t m = std::min(c.m, c.out_stride), n = std::min(c.n, c.x_stride);
    const auto x = counted<T>({m, c.x_stride});
    for (const auto& [isa, followed] : on_either_kind()) {
      const ScopedIsa scope(isa);
      const FollowedRows rows(followed);
      SCOPED_TRACE(::testing::Message() << name(isa) << " " << m << " x " << n << " of " << c.x_stride
                                        << (followed ? ", rows followed" : ""));
      auto out = Tensor<T>::zeros({n, c.out_stride});
      copy(View<const T>(x.view().slice(1, c.x_stride - n, c.x_stride).transpose()),
           out.view().slice(1, c.out_stride - m, c.out_stride));
      for (std::size_t j = 0; j < n; ++j) {
        const T* row = out.data() + j * c.out_stride;
        for (std::size_t i = 0; i < c.out_stride - m; ++i) ASSERT_EQ(row[i], T(0)) << "untouched " << j << ", " << i;
        for (std::size_t i = 0; i < m; ++i)
          ASSERT_EQ(row[c.out_stride - m + i], x.data()[i * c.x_stride + c.x_stride - n + j]) << j << ", " << i;
      }
    }
  }
}

TYPED_TEST(Layout, PermuteOfEveryOrder) {
  using T = TypeParam;
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (const Shape& shape : {Shape{5}, Shape{33, 18}, Shape{3, 20, 17}, Shape{2, 1, 19, 4}, Shape{7, 18, 2},
                               Shape{3, 17, 9, 2}, Shape{2, 5, 3, 4, 6}}) {
      const auto x = counted<T>(shape);
      std::vector<std::size_t> axes(shape.rank());
      std::iota(axes.begin(), axes.end(), std::size_t{0});
      do {
        const auto out = permute(x, axes);
        ASSERT_EQ(out.shape(), x.view().permute(axes).shape());
        ASSERT_EQ(out.to_vector(), reference::gather<T>(x.view().permute(axes))) << name(isa);
      } while (std::next_permutation(axes.begin(), axes.end()));
    }
  }
}

// Pairs (complex numbers, say) between arrays whose rows have gaps: of even steps and of odd ones, from addresses that
// are and are not a pair's. What lies between the rows must not change, and NaNs keep their bits.
TYPED_TEST(Layout, PairsThatStayTogether) {
  using T = TypeParam;
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr std::size_t kRows = 21, kCols = 34;
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (const std::size_t gap : {0U, 1U, 2U, 6U})
      for (const std::size_t from_offset : {0U, 1U})
        for (const std::size_t to_offset : {0U, 1U}) {
          const std::size_t from_row = 2 * kCols + gap, to_row = 2 * kRows + gap;
          testing::GuardedArray<T> x(kRows * from_row, from_offset), out(kCols * to_row, to_offset);
          for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i);
          for (std::size_t i = 0; i < out.size(); ++i) out[i] = T(-1);
          x[2 * from_row + 7] = std::numeric_limits<T>::quiet_NaN();
          const auto step = [](std::size_t n) { return static_cast<std::ptrdiff_t>(n); };
          copy(View<const T>(x.data(), {kCols, kRows, 2}, Strides{2, step(from_row), 1}),
               View<T>(out.data(), {kCols, kRows, 2}, Strides{step(to_row), 2, 1}));
          ASSERT_TRUE(out.untouched());
          for (std::size_t c = 0; c < kCols; ++c)
            for (std::size_t i = 0; i < to_row; ++i) {
              const T want = i < 2 * kRows ? x[i / 2 * from_row + 2 * c + i % 2] : T(-1);
              ASSERT_EQ(std::bit_cast<Bits>(out[c * to_row + i]), std::bit_cast<Bits>(want))
                  << name(isa) << " gap " << gap << " offsets " << from_offset << ", " << to_offset << " at " << c
                  << ", " << i;
            }
        }
  }
}

TYPED_TEST(Layout, CopiesOfStridedRepeatedAndReversedViews) {
  using T = TypeParam;
  const auto x = counted<T>({6, 20, 30});
  const View<const T> views[] = {x.view().slice(2, 0, 30, 2),
                                 x.view().slice(1, 3, 19, 5).transpose(),
                                 x.view().select(2, 4),
                                 x.view().slice(0, 2, 2),
                                 broadcast_to(x.view().slice(1, 7, 8), {6, 3, 30}),
                                 View<const T>(x.data() + x.elements() - 1, {20, 30}, Strides{-30, -1}),
                                 View<const T>(x.data() + 29, {20, 30}, Strides{30, -1}),
                                 View<const T>(x.data(), Shape{}, Strides{})};
  for (const auto& view : views) EXPECT_EQ(Tensor<T>::copy_of(view).to_vector(), reference::gather<T>(view));
}

// Every k-th element of rows of all lengths around those of vectors, the last one being the end of what may be read.
TYPED_TEST(Layout, CopiesOfEveryKthElement) {
  using T = TypeParam;
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (std::ptrdiff_t step : {-3, -1, 2, 3, 4, 5, 8})
      for (std::size_t n = 1; n <= 70; ++n)
        for (const std::size_t rows : {1U, 3U}) {
          const std::size_t reach = static_cast<std::size_t>(std::abs(step)) * (n - 1), size = rows * (reach + 1);
          testing::GuardedArray<T> x(size, 1), out(rows * n, 3);
          for (std::size_t i = 0; i < size; ++i) x[i] = static_cast<T>(i);
          const auto row = static_cast<std::ptrdiff_t>(reach + 1);
          const View<const T> from(x.data() + (step < 0 ? reach : 0), {rows, n}, Strides{row, step});
          copy(from, View<T>(out.data(), {rows, n}));
          ASSERT_TRUE(out.untouched());
          for (std::size_t i = 0; i < rows * n; ++i) {
            const auto at = static_cast<std::ptrdiff_t>(i / n) * row + static_cast<std::ptrdiff_t>(i % n) * step;
            ASSERT_EQ(out[i], from.data()[at]) << name(isa) << " step " << step << ", " << i << " of " << n;
          }
        }
  }
}

// Between every pair of arrangements of a 6 x 20 x 30 array, inside a larger one that must not change.
TYPED_TEST(Layout, CopyBetweenViews) {
  using T = TypeParam;
  const Shape whole{8, 24, 31};
  const auto x = counted<T>(whole);
  const auto inside = [](auto view) { return view.slice(0, 1, 7).slice(1, 2, 22).slice(2, 1, 31); };
  std::vector<std::size_t> a{0, 1, 2};
  do {
    std::vector<std::size_t> b{0, 1, 2};
    do {
      auto out = Tensor<T>::full({whole[b[0]], whole[b[1]], whole[b[2]]}, T(-1));
      // Axis d of `target` is axis d of x.
      std::size_t back[3];
      for (std::size_t d = 0; d < 3; ++d) back[b[d]] = d;
      const auto target = inside(out.view().permute(back));
      copy(inside(x.view()).permute(a), target.permute(a));
      ASSERT_EQ(reference::gather<T>(target), reference::gather<T>(inside(x.view())));
      ASSERT_EQ(std::count(out.data(), out.data() + out.elements(), T(-1)), 8 * 24 * 31 - 6 * 20 * 30);
    } while (std::next_permutation(b.begin(), b.end()));
  } while (std::next_permutation(a.begin(), a.end()));
  auto other = Tensor<T>::zeros({2, 3});
  EXPECT_THROW(copy(Tensor<T>::ones({3, 2}), other.view()), std::invalid_argument);
}

TYPED_TEST(Layout, TransposeOfTensorsAndItsErrors) {
  using T = TypeParam;
  const auto x = counted<T>({2, 3, 4});
  const auto out = transpose(x);
  EXPECT_EQ(out.shape(), (Shape{2, 4, 3}));
  EXPECT_EQ(out.to_vector(), reference::gather<T>(x.view().transpose()));
  EXPECT_THROW((void)transpose(Tensor<T>::ones({3})), std::invalid_argument);
  std::vector<T> small(5, T(7)), large(6);
  EXPECT_THROW(transpose(std::span<const T>(large), 2, 3, std::span<T>(small)), std::invalid_argument);
  EXPECT_THROW(transpose(std::span<const T>(large), 2, 2, std::span<T>(large)), std::invalid_argument);
  EXPECT_EQ(small, std::vector<T>(5, T(7)));
  EXPECT_THROW((void)permute(x, {0, 1}), std::invalid_argument);
  EXPECT_THROW((void)permute(x, {0, 1, 1}), std::invalid_argument);
  EXPECT_NO_THROW(transpose(std::span<const T>(), 0, 3, std::span<T>()));
}

TYPED_TEST(Layout, ConcatPutsPartsInOrder) {
  using T = TypeParam;
  const auto a = counted<T>({2, 3, 4}), b = Tensor<T>::full({2, 1, 4}, T(-1));
  const auto joined = concat({a, b, a.view().slice(1, 0, 3, 2)}, 1);
  ASSERT_EQ(joined.shape(), (Shape{2, 6, 4}));
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 6; ++j)
      for (std::size_t k = 0; k < 4; ++k) {
        const T want = j < 3 ? a.at({i, j, k}) : j == 3 ? T(-1) : a.at({i, j == 4 ? 0u : 2u, k});
        ASSERT_EQ(joined.at({i, j, k}), want) << i << j << k;
      }
  EXPECT_EQ(concat({a, a}, 0).shape(), (Shape{4, 3, 4}));
  EXPECT_EQ(concat({a, Tensor<T>::zeros({2, 3, 0})}, 2).to_vector(), a.to_vector());
  EXPECT_THROW((void)concat(std::span<const View<const T>>(), 0), std::invalid_argument);
  EXPECT_THROW((void)concat({a, b}, 0), std::invalid_argument);
  EXPECT_THROW((void)concat({a, a}, 3), std::invalid_argument);
  EXPECT_THROW((void)concat({a, Tensor<T>::ones({2, 3})}, 1), std::invalid_argument);
}

TYPED_TEST(Layout, ConcatWritesBetweenTheElementsOfAWiderView) {
  using T = TypeParam;
  const std::size_t rows = 37;
  const auto a = counted<T>({rows, 300}), b = counted<T>({rows, 260}), c = counted<T>({rows, 1});
  const View<const T> parts[] = {a.view(), b.view().slice(1, 0, 260, 2), c.view()};
  auto wide = Tensor<T>::full({rows, 431 + 2}, T(-1));
  concat(std::span(parts), 1, wide.view().slice(1, 1, 432));
  for (std::size_t i = 0; i < rows; ++i) {
    ASSERT_EQ(wide.at({i, 0}), T(-1)) << i;
    ASSERT_EQ(wide.at({i, 432}), T(-1)) << i;
    for (std::size_t j = 0; j < 431; ++j) {
      const T want = j < 300 ? a.at({i, j}) : j < 430 ? b.at({i, (j - 300) * 2}) : c.at({i, 0});
      ASSERT_EQ(wide.at({i, j + 1}), want) << i << ", " << j;
    }
  }
  EXPECT_THROW(concat(std::span(parts), 1, wide.view()), std::invalid_argument);
  EXPECT_EQ(wide.at({0, 0}), T(-1));
}

// More than L2 holds, in rows of 2 KiB and more: all parts of a row before the next one.
TYPED_TEST(Layout, ConcatOfLongRows) {
  using T = TypeParam;
  const std::size_t rows = 700;
  const auto a = counted<T>({rows, 700}), b = counted<T>({rows, 5, 111}), c = counted<T>({rows / 2, 2, 530});
  auto wide = Tensor<T>::full({rows, 1700}, T(-1));
  for (const Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    const View<const T> parts[] = {a.view().slice(1, 3, 603), b.view().reshape({rows, 555}),
                                   c.view().reshape({rows, 530})};
    concat(std::span(parts), 1, wide.view().slice(1, 7, 7 + 1685));
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < 1700; ++j) {
        const std::size_t k = j - 7;
        const T want = j < 7 || k >= 1685 ? T(-1)
                       : k < 600          ? a.at({i, k + 3})
                       : k < 1155         ? b.data()[i * 555 + k - 600]
                                          : c.data()[i * 530 + k - 1155];
        ASSERT_EQ(wide.at({i, j}), want) << name(isa) << ' ' << i << ", " << j;
      }
    std::fill_n(wide.data(), wide.elements(), T(-1));
  }
  // Two outer dimensions that do not step as one, and runs of two.
  const auto d = counted<T>({20, 30, 3, 400}), e = counted<T>({20, 30, 2, 400});
  const auto f = d.view().slice(1, 2, 22), g = e.view().slice(1, 0, 20);
  const auto joined = concat({f, g, f}, 2);
  for (std::size_t i = 0; i < 20; ++i)
    for (std::size_t j = 0; j < 20; ++j)
      for (std::size_t k = 0; k < 8; ++k)
        for (std::size_t l = 0; l < 400; l += 7)
          ASSERT_EQ(joined.at({i, j, k, l}), k < 3   ? f.at({i, j, k, l})
                                             : k < 5 ? g.at({i, j, k - 3, l})
                                                     : f.at({i, j, k - 5, l}));
}

TYPED_TEST(Layout, SplitIsTheInverseAndCopiesNothing) {
  using T = TypeParam;
  auto x = counted<T>({3, 7, 2});
  const auto parts = split(x.view(), {2, 0, 4, 1}, 1);
  ASSERT_EQ(parts.size(), 4u);
  EXPECT_EQ(parts[1].shape(), (Shape{3, 0, 2}));
  EXPECT_EQ(parts[2].data(), x.data() + 4);
  EXPECT_EQ(concat({parts[0], parts[1], parts[2], parts[3]}, 1).to_vector(), x.to_vector());
  parts[3].at({0, 0, 0}) = T(-5);
  EXPECT_EQ(x.at({0, 6, 0}), T(-5));
  EXPECT_THROW((void)split(x.view(), {2, 4}, 1), std::invalid_argument);
  EXPECT_THROW((void)split(x.view(), {8}, 1), std::invalid_argument);
  EXPECT_THROW((void)split(x.view(), {std::size_t(-1), std::size_t(8)}, 1), std::invalid_argument);
  EXPECT_THROW((void)split(x.view(), {1}, 3), std::invalid_argument);
}

// Rows that begin anywhere within a line, and one row of all of it, beyond twice what the last-level cache keeps, where
// stores go past the caches.
TEST(Copy, LongRowsOfLargeMatricesComeOutWholeAndNothingElse) {
  const std::size_t n = 1501, gap = 3, bytes = kept_in_l3();
  const std::size_t m = bytes / (n * sizeof(float)) + 2;
  std::vector<float> x(m * n), out(m * (n + gap));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 9973);
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    std::fill(out.begin(), out.end(), -1.0f);
    copy(View<const float>(x.data(), Shape{m, n}), View<float>(out.data(), Shape{m, n + gap}).slice(1, 1, n + 1));
    std::size_t wrong = 0;
    for (std::size_t r = 0; r < m; ++r)
      for (std::size_t j = 0; j < n + gap; ++j)
        wrong += out[r * (n + gap) + j] != (j >= 1 && j <= n ? x[r * n + j - 1] : -1.0f);
    EXPECT_EQ(wrong, 0u) << name(isa);
    std::fill(out.begin(), out.end(), -1.0f);
    copy(View<const float>(x.data(), Shape{x.size()}), View<float>(out.data() + 1, Shape{x.size()}));
    EXPECT_TRUE(std::equal(x.begin(), x.end(), out.begin() + 1)) << name(isa);
    EXPECT_EQ(out[0], -1.0f);
    EXPECT_EQ(out[x.size() + 1], -1.0f);
  }
}

}  // namespace
}  // namespace pawl
