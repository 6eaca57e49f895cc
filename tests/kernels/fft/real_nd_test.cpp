// real_nd_test.cpp -- transforms of real arrays along several axes: against complex ones of the same numbers, and back.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kernels/fft/random_numbers.hpp"
#include "pawl/fft.hpp"
#include "pawl/parallel.hpp"

namespace pawl::fft {
namespace {

template <class T>
void expect_real_nd(const Shape& shape, const std::vector<std::size_t>& axes) {
  const auto random = random_numbers<T>(shape.elements(), 5);
  std::vector<T> x;
  Numbers<T> as_complex;
  for (const auto& z : random) {
    x.push_back(z.real());
    as_complex.emplace_back(z.real());
  }
  const RealNdPlan<T> plan(shape, axes);
  const Shape& half = plan.results_shape();
  const std::size_t last = *std::max_element(axes.begin(), axes.end());
  Numbers<T> all(x.size()), y(half.elements());
  NdPlan<T>(shape, axes)
      .forward(View<const std::complex<T>>(as_complex.data(), shape), View<std::complex<T>>(all.data(), shape));
  std::vector<std::byte> workspace(plan.workspace_bytes());
  plan.forward(View<const T>(x.data(), shape), View<std::complex<T>>(y.data(), half), workspace);
  const T tolerance = std::numeric_limits<T>::epsilon() * 20 * std::sqrt(static_cast<T>(x.size()));
  const std::size_t step = static_cast<std::size_t>(row_major(half)[last]);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::size_t outer = i / step / half[last], k = i / step % half[last], inner = i % step;
    ASSERT_LT(std::abs(y[i] - all[(outer * shape[last] + k) * step + inner]), tolerance) << i;
  }
  std::vector<T> back(x.size());
  const Numbers<T> before = y;
  plan.inverse(View<const std::complex<T>>(y.data(), half), View<T>(back.data(), shape), Normalization::by_n);
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_LT(std::abs(back[i] - x[i]), tolerance) << i;
  ASSERT_EQ(y, before);
}

TEST(RealNdFft, AgreesWithComplexAndComesBack) {
  const std::vector<std::pair<Shape, std::vector<std::size_t>>> cases = {{{8}, {0}},
                                                                         {{9}, {0}},
                                                                         {{5, 8}, {0, 1}},
                                                                         {{16, 32}, {0, 1}},
                                                                         {{33, 40}, {1}},
                                                                         {{33, 40}, {0}},
                                                                         {{12, 15}, {1, 0}},
                                                                         {{6, 7, 8}, {0, 1, 2}},
                                                                         {{6, 7, 8}, {0, 1}},
                                                                         {{300, 256}, {0, 1}},
                                                                         {{4, 3, 10}, {2, 0}},
                                                                         {{64, 64}, {0, 1}},
                                                                         {{2, 66}, {0, 1}},
                                                                         {{6, 5, 4, 32}, {0, 1, 3}},
                                                                         {{3, 4, 36}, {1, 2}},
                                                                         {{24, 20, 16}, {0, 1, 2}},
                                                                         {{512, 300}, {0, 1}},
                                                                         {{1, 40}, {0, 1}},
                                                                         {{140, 64, 120}, {0, 1, 2}},
                                                                         {{3, 90, 64, 120}, {1, 2, 3}}};
  for (const auto& [shape, axes] : cases) {
    expect_real_nd<float>(shape, axes);
    expect_real_nd<double>(shape, axes);
  }
  const int threads = num_threads();
  set_num_threads(3);
  expect_real_nd<double>({300, 200}, {0, 1});
  expect_real_nd<double>({140, 64, 120}, {0, 1, 2});
  set_num_threads(threads);
}

// Rows shorter and longer than vectors, of even and odd length, of each variant.
TEST(RealNdFft, SmallArrays) {
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (std::size_t n = 1; n <= 40; ++n)
      for (std::size_t rows : {1U, 2U, 3U, 5U, 8U, 17U}) {
        SCOPED_TRACE(std::string(name(isa)) + " " + std::to_string(rows) + " x " + std::to_string(n));
        for (const std::vector<std::size_t>& axes : {std::vector<std::size_t>{0, 1}, {1}}) {
          expect_real_nd<float>({rows, n}, axes);
          expect_real_nd<double>({rows, n}, axes);
        }
      }
    expect_real_nd<float>({3, 1, 6, 2, 10, 1}, {0, 3, 4});
    expect_real_nd<double>({3, 2, 6, 8}, {0, 2, 3});
  }
}

// Rows that begin at pairs, rows that do not, rows backwards and without contiguous elements.
TEST(RealNdFft, Strides) {
  const Shape shape{10, 24};
  const RealNdPlan<double> plan(shape, {0, 1});
  const Shape& half = plan.results_shape();
  const auto random = random_numbers<double>(shape.elements(), 5);
  std::vector<double> x, back(1000);
  for (const auto& z : random) x.push_back(z.real());
  Numbers<double> want(half.elements());
  plan.forward(View<const double>(x.data(), shape), View<std::complex<double>>(want.data(), half));
  struct Case {
    std::ptrdiff_t start, row, next;
  };
  for (const Case& real :
       {Case{0, 26, 1}, Case{0, 25, 1}, Case{1, 26, 1}, Case{9 * 28, -28, 1}, Case{0, 1, 10}, Case{3, 48, 2}})
    for (const Case& pairs : {Case{0, 13, 1}, Case{1, 17, 1}, Case{9 * 13, -13, 1}, Case{0, 1, 10}}) {
      std::vector<double> in(1000);
      Numbers<double> out(500);
      const Strides real_strides{real.row, real.next}, pair_strides{pairs.row, pairs.next};
      for (std::ptrdiff_t i = 0; i < 10; ++i)
        for (std::ptrdiff_t j = 0; j < 24; ++j)
          in[static_cast<std::size_t>(real.start + i * real.row + j * real.next)] =
              x[static_cast<std::size_t>(24 * i + j)];
      plan.forward(View<const double>(in.data() + real.start, shape, real_strides),
                   View<std::complex<double>>(out.data() + pairs.start, half, pair_strides));
      for (std::ptrdiff_t i = 0; i < 10; ++i)
        for (std::ptrdiff_t j = 0; j < 13; ++j)
          ASSERT_LT(std::abs(out[static_cast<std::size_t>(pairs.start + i * pairs.row + j * pairs.next)] -
                             want[static_cast<std::size_t>(13 * i + j)]),
                    1e-13);
      plan.inverse(View<const std::complex<double>>(out.data() + pairs.start, half, pair_strides),
                   View<double>(back.data() + real.start, shape, real_strides), Normalization::by_n);
      for (std::ptrdiff_t i = 0; i < 10; ++i)
        for (std::ptrdiff_t j = 0; j < 24; ++j)
          ASSERT_NEAR(back[static_cast<std::size_t>(real.start + i * real.row + j * real.next)],
                      x[static_cast<std::size_t>(24 * i + j)], 1e-14);
    }
}

// Results of axis 1 of [outer, n, inner] real numbers, each of both arrays with `gap` elements behind each row and the
// dimensions from the outermost to the innermost in memory or the other way around. Beside complex transforms of the
// same numbers, and back with something in the imaginary parts that count as 0; gaps stay as they are.
template <class T>
void expect_real_axis(const Shape& shape, std::size_t gap, bool in_reversed, bool out_reversed) {
  const Shape half{shape[0], shape[1] / 2 + 1, shape[2]};
  const auto strides = [gap](const Shape& s, bool reversed) {
    const auto n0 = static_cast<std::ptrdiff_t>(s[0] + (reversed ? gap : 0)), n1 = static_cast<std::ptrdiff_t>(s[1]),
               n2 = static_cast<std::ptrdiff_t>(s[2] + (reversed ? 0 : gap));
    return reversed ? Strides{1, n0, n0 * n1} : Strides{n1 * n2, n2, 1};
  };
  const auto elements = [gap](const Shape& s) { return (s[0] + gap) * s[1] * (s[2] + gap); };
  const Strides in_strides = strides(shape, in_reversed), out_strides = strides(half, out_reversed);
  const auto place = [](const Strides& s, std::size_t i, std::size_t j, std::size_t k) {
    return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(i) * s[0] + static_cast<std::ptrdiff_t>(j) * s[1] +
                                    static_cast<std::ptrdiff_t>(k) * s[2]);
  };
  constexpr T kGap = T(77);
  const auto random = random_numbers<T>(shape.elements(), 6);
  Numbers<T> all(shape.elements()), y(elements(half), {kGap, kGap});
  std::vector<T> x(elements(shape), kGap);
  const auto each = [](const Shape& s, auto&& call) {
    for (std::size_t i = 0; i < s[0]; ++i)
      for (std::size_t j = 0; j < s[1]; ++j)
        for (std::size_t k = 0; k < s[2]; ++k) call(i, j, k);
  };
  each(shape, [&](std::size_t i, std::size_t j, std::size_t k) {
    const std::size_t at = (i * shape[1] + j) * shape[2] + k;
    all[at] = random[at].real();
    x[place(in_strides, i, j, k)] = random[at].real();
  });
  NdPlan<T>(shape, {1})
      .forward(View<const std::complex<T>>(all.data(), shape), View<std::complex<T>>(all.data(), shape));
  const RealNdPlan<T> plan(shape, {1});
  plan.forward(View<const T>(x.data(), shape, in_strides), View<std::complex<T>>(y.data(), half, out_strides));
  const T tolerance = std::numeric_limits<T>::epsilon() * 20 * std::sqrt(static_cast<T>(shape[1]));
  Numbers<T> rest = y;
  each(half, [&](std::size_t i, std::size_t j, std::size_t k) {
    const std::size_t at = place(out_strides, i, j, k);
    ASSERT_LT(std::abs(y[at] - all[(i * shape[1] + j) * shape[2] + k]), tolerance) << i << " " << j << " " << k;
    rest[at] = {kGap, kGap};
    if (j == 0 || 2 * j == shape[1]) y[at].imag(T(3));
  });
  for (const auto& z : rest) ASSERT_EQ(z, std::complex<T>(kGap, kGap));
  std::vector<T> back(x.size(), kGap);
  plan.inverse(View<const std::complex<T>>(y.data(), half, out_strides), View<T>(back.data(), shape, in_strides),
               Normalization::by_n);
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_LT(std::abs(back[i] - x[i]), x[i] == kGap ? T(1e-30) : tolerance);
}

// Columns and lines, fewer and more than fill vectors, of each variant.
TEST(RealNdFft, OneAxis) {
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (std::size_t n : {1U,  2U,  3U,  4U,  5U,  6U,  7U,  8U,  9U,  10U, 11U,  12U,  13U,
                          14U, 15U, 16U, 17U, 18U, 21U, 33U, 45U, 51U, 60U, 127U, 131U, 323U})
      for (std::size_t inner : {1U, 2U, 3U, 4U, 7U, 8U, 16U, 21U, 40U, 65U})
        for (std::size_t outer : {1U, 2U, 5U, 37U}) {
          if (n > 20 && inner * outer > 80) continue;
          SCOPED_TRACE(std::string(name(isa)) + " " + std::to_string(outer) + " x " + std::to_string(n) + " x " +
                       std::to_string(inner));
          const Shape shape{outer, n, inner};
          expect_real_axis<float>(shape, 0, false, false);
          expect_real_axis<double>(shape, 0, false, false);
          if (outer == 2) continue;
          expect_real_axis<float>(shape, 1, false, false);
          expect_real_axis<double>(shape, 2, false, false);
          expect_real_axis<float>(shape, 0, false, true);
          expect_real_axis<double>(shape, 3, true, false);
          expect_real_axis<double>(shape, 0, true, true);
        }
  }
  const int threads = num_threads();
  set_num_threads(3);
  expect_real_axis<float>({9, 60, 300}, 0, false, false);
  expect_real_axis<double>({7000, 7, 3}, 0, false, false);
  set_num_threads(threads);
}

// Transforms beside others have their own error and their own NaNs: of [outer, n, inner] along axis 1, number 1 of each
// three is 2^20 times as large as those around it, or all NaN.
template <class T>
void expect_apart(const Shape& shape) {
  const Shape half{shape[0], shape[1] / 2 + 1, shape[2]};
  const RealNdPlan<T> plan(shape, {1});
  const auto is_other = [&](std::size_t i, const Shape& s) {
    return (i / (s[1] * s[2]) * s[2] + i % s[2]) % 3 == 1;  // element i, of which transform
  };
  const auto with_others = [&](auto numbers, const Shape& s, T factor) {
    for (std::size_t i = 0; i < numbers.size(); ++i)
      if (is_other(i, s)) numbers[i] *= factor;
    return numbers;
  };
  const T tolerance = std::numeric_limits<T>::epsilon() * 20 * std::sqrt(static_cast<T>(shape[1]));
  const auto expect_same = [&](const auto& got, const auto& want, const Shape& s) {
    for (std::size_t i = 0; i < got.size(); ++i)
      if (!is_other(i, s)) {
        ASSERT_LT(std::abs(got[i] - want[i]), tolerance) << i;
      }
  };
  const auto forward = [&](const std::vector<T>& x) {
    Numbers<T> y(half.elements());
    plan.forward(View<const T>(x.data(), shape), View<std::complex<T>>(y.data(), half));
    return y;
  };
  const auto inverse = [&](const Numbers<T>& y) {
    std::vector<T> x(shape.elements());
    plan.inverse(View<const std::complex<T>>(y.data(), half), View<T>(x.data(), shape), Normalization::by_n);
    return x;
  };
  std::vector<T> x;
  for (const auto& z : random_numbers<T>(shape.elements(), 9)) x.push_back(z.real());
  const Numbers<T> y = forward(x);
  for (T factor : {T(1 << 20), std::numeric_limits<T>::quiet_NaN()}) {
    expect_same(forward(with_others(x, shape, factor)), y, half);
    expect_same(inverse(with_others(y, half, factor)), x, shape);
  }
}

TEST(RealNdFft, TransformsBesideOthersStayApart) {
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    std::vector<std::size_t> lengths{20, 21, 33, 45, 51, 60, 64, 119, 127, 131, 134, 289, 323, 1000};
    for (std::size_t n = 2; n < 20; ++n) lengths.push_back(n);
    for (std::size_t n : lengths)
      for (const auto& [outer, inner] : {std::pair<std::size_t, std::size_t>{37, 1}, {1, 2}, {2, 3}, {1, 9}, {1, 45}}) {
        SCOPED_TRACE(std::string(name(isa)) + " " + std::to_string(outer) + " x " + std::to_string(n) + " x " +
                     std::to_string(inner));
        expect_apart<float>({outer, n, inner});
        expect_apart<double>({outer, n, inner});
      }
  }
}

// Of results 0 and n / 2 only what is symmetric along the other axes counts: in small arrays and others, rows shorter
// and longer than vectors.
TEST(RealNdFft, InverseTakesWhatIsSymmetric) {
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (std::size_t n : {4U, 6U, 20U, 800U}) {
      const Shape shape{6, n};
      const RealNdPlan<double> plan(shape, {0, 1});
      Numbers<double> y = random_numbers<double>(plan.results_shape().elements(), 7);
      std::vector<double> before(6 * n), after(6 * n);
      const View<const std::complex<double>> in(y.data(), plan.results_shape());
      plan.inverse(in, View<double>(before.data(), shape), Normalization::orthonormal);
      const auto junk = random_numbers<double>(12, 8);
      for (std::size_t end : {0U, 1U})
        for (std::size_t k = 0; k < 6; ++k)
          y[(n / 2 + 1) * k + end * (n / 2)] += junk[k + end * 6] - std::conj(junk[(6 - k) % 6 + end * 6]);
      plan.inverse(in, View<double>(after.data(), shape), Normalization::orthonormal);
      for (std::size_t i = 0; i < 6 * n; ++i) ASSERT_NEAR(before[i], after[i], 1e-12) << name(isa) << " " << n;
    }
  }
}

TEST(RealNdFft, WithoutAxesItIsAllOfThem) {
  const Shape shape{4, 3, 6};
  const RealNdPlan<double> all(shape), named(shape, {0, 1, 2});
  EXPECT_EQ(all.results_shape(), named.results_shape());
  std::vector<double> x(shape.elements());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i * i % 17);
  std::vector<std::complex<double>> got(all.results_shape().elements()), want(got.size());
  all.forward(View<const double>(x.data(), shape), View(got.data(), all.results_shape()));
  named.forward(View<const double>(x.data(), shape), View(want.data(), all.results_shape()));
  EXPECT_EQ(got, want);
}

TEST(RealNdFft, ArgumentsThatDoNotFit) {
  EXPECT_THROW(RealNdPlan<float>({3, 0}, {0}), std::invalid_argument);
  EXPECT_THROW(RealNdPlan<float>({3, 4}, {2}), std::invalid_argument);
  EXPECT_THROW(RealNdPlan<float>({3, 4}, {1, 1}), std::invalid_argument);
  const Shape shape{4, 6};
  const RealNdPlan<float> plan(shape, {0, 1});
  std::vector<float> x(24);
  Numbers<float> y(24);
  EXPECT_EQ(plan.results_shape(), (Shape{4, 4}));
  EXPECT_THROW(plan.forward(View<const float>(x.data(), shape), View<std::complex<float>>(y.data(), shape)),
               std::invalid_argument);
  auto* const reals = reinterpret_cast<float*>(y.data());
  EXPECT_THROW(plan.forward(View<const float>(reals, shape), View<std::complex<float>>(y.data(), {4, 4})),
               std::invalid_argument);
  std::vector<std::byte> small(plan.workspace_bytes() - 1);
  EXPECT_THROW(plan.inverse(View<const std::complex<float>>(y.data(), {4, 4}), View<float>(x.data(), shape), small),
               std::invalid_argument);
}

// The checks before the short ways of arrays that one call does, of a line and of several axes.
TEST(RealNdFft, SharedMemoryOfSmallArrays) {
  using Case = std::pair<Shape, std::vector<std::size_t>>;
  for (const auto& [shape, axes] : {Case{{2, 4}, {1}}, Case{{4, 2}, {0}}, Case{{1, 4}, {1}}, Case{{4, 4}, {0, 1}}}) {
    const RealNdPlan<float> plan(shape, axes);
    const Shape& half = plan.results_shape();
    const std::size_t n = shape.elements(), results = half.elements();
    const std::size_t wanted = plan.workspace_bytes() / sizeof(float) + 1;
    std::vector<float> x(n), large(wanted + 2 * n + 4 * results);
    Numbers<float> y(results);
    float* const begin = large.data() + n + 2 * results;
    const auto workspace = std::as_writable_bytes(std::span(begin, wanted));
    const View<float> reals(x.data(), shape);
    const View<std::complex<float>> pairs(y.data(), half);
    const auto pairs_at = [&](float* p) {
      return View<std::complex<float>>(reinterpret_cast<std::complex<float>*>(p), half);
    };
    for (float* p : {begin - n + 1, begin + wanted - 1}) {
      EXPECT_THROW(plan.forward(View<const float>(p, shape), pairs, workspace), std::invalid_argument);
      EXPECT_THROW(plan.inverse(pairs, View<float>(p, shape), workspace), std::invalid_argument);
    }
    for (float* p : {begin - 2 * results + 1, begin + wanted - 1}) {
      EXPECT_THROW(plan.forward(reals, pairs_at(p), workspace), std::invalid_argument);
      EXPECT_THROW(plan.inverse(pairs_at(p), reals, workspace), std::invalid_argument);
    }
    EXPECT_THROW(plan.forward(View<const float>(begin + 1, shape), pairs_at(begin)), std::invalid_argument);
    EXPECT_THROW(plan.inverse(pairs_at(begin), View<float>(begin + 2 * results - 1, shape)), std::invalid_argument);
    EXPECT_THROW(plan.forward(reals, pairs, workspace.first(plan.workspace_bytes() - 1)), std::invalid_argument);
    plan.forward(View<const float>(begin - n, shape), pairs_at(begin + wanted), workspace);
    plan.inverse(pairs_at(begin - 2 * results), View<float>(begin + wanted, shape), workspace);
  }
}

// As many elements, but otherwise: what one call does is called only for the shapes and the strides of the plan.
TEST(RealNdFft, OtherShapesAndStridesOfSmallArrays) {
  const Shape shape{3, 4}, half{3, 3};
  const RealNdPlan<double> plan(shape, {1});
  ASSERT_EQ(plan.results_shape(), half);
  std::vector<double> x(12);
  for (std::size_t i = 0; i < 12; ++i) x[i] = static_cast<double>(i * i % 7);
  Numbers<double> y(9), turned(9);
  const View<const double> in(x.data(), shape);
  const View<std::complex<double>> out(y.data(), half);
  for (const Shape& wrong : {Shape{4, 3}, Shape{12}, Shape{2, 6}}) {
    EXPECT_THROW(plan.forward(View<const double>(x.data(), wrong), out), std::invalid_argument);
    EXPECT_THROW(plan.inverse(out, View<double>(x.data(), wrong)), std::invalid_argument);
  }
  EXPECT_THROW(plan.forward(in, View<std::complex<double>>(y.data(), Shape{9})), std::invalid_argument);
  plan.forward(in, out);
  plan.forward(in, View<std::complex<double>>(turned.data(), half, Strides{1, 3}));
  for (std::size_t i = 0; i < 9; ++i) EXPECT_LT(std::abs(turned[i / 3 + 3 * (i % 3)] - y[i]), 1e-14) << i;
  std::vector<double> back(12);
  plan.inverse(out, View<double>(back.data(), shape, Strides{1, 3}), Normalization::by_n);
  for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(back[i / 4 + 3 * (i % 4)], x[i], 1e-14) << i;
}

}  // namespace
}  // namespace pawl::fft
