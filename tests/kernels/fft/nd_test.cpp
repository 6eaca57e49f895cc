// nd_test.cpp -- transforms along axes of arrays: shapes, strides, batches, threads.
#include <gmock/gmock.h>

#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels/fft/panels.hpp"
#include "kernels/fft/random_numbers.hpp"
#include "kernels/fft/threads.hpp"
#include "pawl/fft.hpp"
#include "pawl/parallel.hpp"
#include "reference/fft_ref.hpp"

namespace pawl::fft {
namespace {

template <class T>
using Complex = std::complex<T>;

// Every line along `axis` of a dense row-major array by the defining sum.
template <class T>
std::vector<Complex<long double>> along(const std::vector<Complex<T>>& x, const Shape& shape, std::size_t axis,
                                        int sign) {
  std::vector<Complex<long double>> result(x.size());
  const std::size_t n = shape[axis], step = static_cast<std::size_t>(row_major(shape)[axis]);
  std::vector<Complex<T>> line(n);
  for (std::size_t start = 0; start < x.size(); ++start) {
    if (start / step % n != 0) continue;
    for (std::size_t j = 0; j < n; ++j) line[j] = x[start + j * step];
    const auto transformed = reference::dft(line.data(), n, sign);
    for (std::size_t j = 0; j < n; ++j) result[start + j * step] = transformed[j];
  }
  return result;
}

template <class T>
void expect_nd(const Shape& shape, const std::vector<std::size_t>& axes) {
  const auto x = random_numbers<T>(shape.elements(), shape.elements());
  for (bool inverse : {false, true}) {
    std::vector<Complex<long double>> want(x.begin(), x.end());
    long double allowed = 0;
    for (std::size_t axis : axes) {
      want = along(want, shape, axis, inverse ? 1 : -1);
      allowed += bound<T>(shape[axis]);
    }
    for (Isa isa : runnable_isas()) {
      const ScopedIsa scope(isa);
      const NdPlan<T> plan(shape, axes);
      Numbers<T> out(x.size());
      const View<const Complex<T>> in_view(x.data(), shape);
      const View<Complex<T>> out_view(out.data(), shape);
      std::vector<std::byte> workspace(plan.workspace_bytes());
      if (inverse)
        plan.inverse(in_view, out_view, workspace);
      else
        plan.forward(in_view, out_view, workspace);
      std::string text = std::string(name(isa)) + (inverse ? " inverse" : " forward");
      for (std::size_t extent : shape) text += " " + std::to_string(extent);
      ASSERT_LE(reference::relative_error(out.data(), want), allowed) << text;
      Numbers<T> in_place = x;
      const View<Complex<T>> both(in_place.data(), shape);
      if (inverse)
        plan.inverse(View<const Complex<T>>(in_place.data(), shape), both);
      else
        plan.forward(View<const Complex<T>>(in_place.data(), shape), both);
      ASSERT_EQ(in_place, out) << text << " in place";
    }
  }
}

TEST(NdFft, ShapesAndAxes) {
  const std::vector<std::pair<Shape, std::vector<std::size_t>>> cases = {
      {{7}, {0}},          {{64}, {0}},          {{5, 9}, {0, 1}},        {{16, 16}, {0, 1}},
      {{33, 40}, {0, 1}},  {{33, 40}, {0}},      {{33, 40}, {1}},         {{100, 3}, {1}},
      {{3, 200}, {1}},     {{7, 8}, {1}},        {{5, 16}, {1}},          {{19, 4}, {1}},
      {{17, 19}, {0, 1}},  {{1, 30}, {0, 1}},    {{30, 1}, {0, 1}},       {{6, 7, 8}, {0, 1, 2}},
      {{6, 7, 8}, {2, 0}}, {{4, 37, 5}, {1}},    {{2, 3, 4, 5}, {1, 3}},  {{20, 130}, {0, 1}},
      {{512, 64}, {0}},    {{8, 8}, {0, 1}},     {{20, 24}, {0, 1}},      {{25, 18}, {0, 1}},
      {{12, 5}, {0}},      {{40, 50}, {0, 1}},   {{8, 9, 10}, {0, 1, 2}}, {{3, 20, 24, 50}, {0, 2, 3}},
      {{26, 2}, {0}},      {{64, 2}, {0, 1}},    {{100, 4}, {0}},         {{49, 3}, {0, 1}},
      {{45, 2}, {0}},      {{45, 4}, {0}},       {{4, 4}, {0, 1}},        {{300, 2}, {0}},
      {{96, 7}, {0}},      {{3, 32, 9}, {1, 2}}, {{2, 625, 1, 3}, {1}},   {{34, 5}, {0, 1}},
      {{2, 53}, {0, 1}},   {{5, 191}, {1}},      {{9, 166}, {0, 1}},      {{2, 2, 2, 2, 2}, {0, 1, 2, 3, 4}},
      {{1}, {0}},          {{1, 1}, {1, 0}},     {{1, 9}, {0}},           {{1, 9}, {1}},
      {{9, 1}, {0}},       {{2, 4}, {1}},        {{4, 2}, {0}},           {{1, 13, 1}, {0, 1, 2}}};
  for (const auto& [shape, axes] : cases) {
    expect_nd<float>(shape, axes);
    expect_nd<double>(shape, axes);
  }
}

// One step apart in no dimension, backwards, transposed: the same numbers as from a dense copy.
TEST(NdFft, AnyStrides) {
  const Shape shape{12, 18};
  const auto memory = random_numbers<float>(4 * 12 * 18, 1);
  struct Case {
    std::ptrdiff_t offset;
    Strides strides;
  };
  const auto place = [](const Case& c, std::size_t i, std::size_t j) {
    return static_cast<std::size_t>(c.offset + static_cast<std::ptrdiff_t>(i) * c.strides[0] +
                                    static_cast<std::ptrdiff_t>(j) * c.strides[1]);
  };
  for (const Case& in : {Case{0, {36, 2}}, Case{0, {1, 12}}, Case{11 * 18 + 17, {-18, -1}}, Case{3, {0, 1}}})
    for (const Case& out : {Case{0, {36, 2}}, Case{0, {1, 12}}, Case{11 * 18 + 17, {-18, -1}}})
      for (std::vector<std::size_t> axes : {std::vector<std::size_t>{0}, {1}, {0, 1}}) {
        const View<const Complex<float>> in_view(memory.data() + in.offset, shape, in.strides);
        Numbers<float> dense, want(12 * 18), result(4 * 12 * 18);
        for (std::size_t i = 0; i < 12; ++i)
          for (std::size_t j = 0; j < 18; ++j) dense.push_back(memory[place(in, i, j)]);
        const NdPlan<float> plan(shape, axes);
        plan.forward(View<const Complex<float>>(dense.data(), shape), View<Complex<float>>(want.data(), shape));
        const View<Complex<float>> out_view(result.data() + out.offset, shape, out.strides);
        plan.forward(in_view, out_view);
        for (std::size_t i = 0; i < 12; ++i)
          for (std::size_t j = 0; j < 18; ++j)
            ASSERT_LT(std::abs(result[place(out, i, j)] - want[i * 18 + j]), 1e-5F) << in.offset << " " << out.offset;
      }
}

// Axis 0 of [n, columns] where rows have gaps, to rows or to lines, from rows or from lines: the same as column by
// column, and the gaps stay.
template <class T>
void expect_columns(std::size_t n, std::size_t columns, bool from_lines, bool to_lines) {
  const Shape shape{n, columns};
  const auto strides = [&](bool lines) {
    return lines ? Strides{1, static_cast<std::ptrdiff_t>(n + 3)}
                 : Strides{static_cast<std::ptrdiff_t>(columns + 1), 1};
  };
  const auto place = [&](bool lines, std::size_t j, std::size_t c) {
    return lines ? c * (n + 3) + j : j * (columns + 1) + c;
  };
  const Complex<T> gap(77, 77);
  const auto x = random_numbers<T>((n + 3) * (columns + 1), n);
  Numbers<T> y(x.size(), gap), line(n), want(n);
  const NdPlan<T> plan(shape, {0});
  const Plan<T> one(n);
  const View<const Complex<T>> in(x.data(), shape, strides(from_lines));
  const View<Complex<T>> out(y.data(), shape, strides(to_lines));
  plan.inverse(in, out, Normalization::orthonormal);
  std::size_t gaps = y.size();
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t j = 0; j < n; ++j) line[j] = x[place(from_lines, j, c)];
    one.inverse(line, want, Normalization::orthonormal);
    for (std::size_t k = 0; k < n; ++k) {
      Complex<T>& result = y[place(to_lines, k, c)];
      ASSERT_LT(std::abs(result - want[k]), 60 * std::numeric_limits<T>::epsilon()) << k << " of column " << c;
      result = gap;
      --gaps;
    }
  }
  ASSERT_EQ(gaps, y.size() - n * columns);
  for (const auto& z : y) ASSERT_EQ(z, gap);
}

TEST(NdFft, FewColumnsInRowsAndLines) {
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (std::size_t n : {2U, 3U, 7U, 16U, 25U, 27U, 64U, 127U, 131U, 262U})
      for (std::size_t columns : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 13U, 14U, 15U, 17U, 22U, 40U})
        for (bool from_lines : {false, true})
          for (bool to_lines : {false, true}) {
            SCOPED_TRACE(std::string(name(isa)) + " " + std::to_string(n) + " x " + std::to_string(columns) +
                         (from_lines ? " from lines" : "") + (to_lines ? " to lines" : ""));
            expect_columns<float>(n, columns, from_lines, to_lines);
            expect_columns<double>(n, columns, from_lines, to_lines);
          }
  }
}

// Too large for one slab, and the innermost dimension of the result is the outermost of the shape.
TEST(NdFft, SlabsOfAnyStrides) {
  const Shape shape{30, 24, 50};
  const Strides backwards{1, 30, 720};
  const auto x = random_numbers<double>(shape.elements(), 2);
  Numbers<double> want(x.size()), result(x.size());
  for (bool all : {true, false}) {
    const NdPlan<double> plan = all ? NdPlan<double>(shape) : NdPlan<double>(shape, {1, 2});
    plan.forward(View<const Complex<double>>(x.data(), shape), View<Complex<double>>(want.data(), shape));
    plan.forward(View<const Complex<double>>(x.data(), shape), View<Complex<double>>(result.data(), shape, backwards));
    for (std::size_t i = 0; i < 30; ++i)
      for (std::size_t j = 0; j < 24; ++j)
        for (std::size_t k = 0; k < 50; ++k)
          ASSERT_LT(std::abs(result[i + 30 * j + 720 * k] - want[(i * 24 + j) * 50 + k]), 1e-11) << all;
  }
}

TEST(NdFft, ThreadsThatAnArrayIsWorth) {
  constexpr auto kReal = Elements::real, kComplex = Elements::complex;
  constexpr std::size_t kSmall = 256 * 256, kLarge = 512 * 512;
  EXPECT_EQ(worthwhile_threads<float>(kComplex, kSmall, 2, 1, false), 1);
  EXPECT_EQ(worthwhile_threads<float>(kComplex, kSmall, 1, 16, false), 8);  // lines by themselves
  EXPECT_EQ(worthwhile_threads<float>(kComplex, kSmall, 2, 3, false), 1);   // few threads lose
  EXPECT_EQ(worthwhile_threads<float>(kComplex, kSmall, 2, 4, false), 4);   // four win
  EXPECT_EQ(worthwhile_threads<float>(kReal, kSmall, 2, 16, false), 1);     // half of the work
  EXPECT_EQ(worthwhile_threads<float>(kComplex, 128 * 128, 2, 16, false), 1);
  EXPECT_EQ(worthwhile_threads<float>(kComplex, kLarge, 2, 2, false), 2);
  EXPECT_EQ(worthwhile_threads<float>(kComplex, kLarge, 3, 16, false), 16);
  EXPECT_EQ(worthwhile_threads<float>(kReal, kLarge, 2, 16, false), 8);
  EXPECT_EQ(worthwhile_threads<double>(kComplex, 196608, 2, 3, false), 2);  // 3 * 2^15 each
  EXPECT_EQ(worthwhile_threads<double>(kComplex, 196607, 2, 3, false), 1);
  EXPECT_EQ(worthwhile_threads<float>(kComplex, 65536, 2, 2, true), 2);  // 2^15 each
  EXPECT_EQ(worthwhile_threads<float>(kComplex, 65535, 2, 2, true), 1);
  EXPECT_EQ(worthwhile_threads<double>(kComplex, 32768, 3, 2, true), 2);
  EXPECT_EQ(worthwhile_threads<double>(kReal, 131071, 3, 2, true), 1);
  EXPECT_EQ(worthwhile_threads<double>(kReal, 131072, 3, 2, true), 2);
}

TEST(NdFft, PanelsOfLinesDivideEvenly) {
  EXPECT_EQ(even_panel(32, 1, 64, 2), 16U);
  EXPECT_EQ(even_panel(2, 1, 64, 2), 1U);
  EXPECT_EQ(even_panel(2, 1, 64, 16), 1U);
  EXPECT_EQ(even_panel(100, 1, 16, 2), 13U);  // eight panels, not seven
  EXPECT_EQ(even_panel(10, 3, 16, 2), 10U);   // three times one panel: two rounds, four panels
  EXPECT_EQ(even_panel(10, 1000, 16, 2), 10U);
}

TEST(NdFft, ThreadsChangeNothing) {
  const int before = num_threads();
  using Case = std::pair<Shape, std::vector<std::size_t>>;
  for (const auto& [shape, axes] :
       {Case{{900, 900}, {0, 1}}, Case{{92, 93, 94}, {0, 1, 2}}, Case{{400000, 2}, {0, 1}}, Case{{3, 270000}, {0, 1}},
        Case{{1000, 100}, {1}}, Case{{1000, 100}, {0}}, Case{{40, 60, 60}, {1, 2}}, Case{{16, 1024}, {1}},
        Case{{3, 8192}, {1}}, Case{{35, 512}, {1}}, Case{{161, 150}, {1}}, Case{{40, 1000}, {0}},
        Case{{7, 5, 700}, {2}}}) {
    const auto x = random_numbers<double>(shape.elements(), 3);
    Numbers<double> one(x.size()), three(x.size());
    set_num_threads(1);
    NdPlan<double>(shape, axes)
        .forward(View<const Complex<double>>(x.data(), shape), View<Complex<double>>(one.data(), shape));
    set_num_threads(3);
    NdPlan<double> plan(shape, axes);
    EXPECT_GE(plan.threads(), 2);
    plan.forward(View<const Complex<double>>(x.data(), shape), View<Complex<double>>(three.data(), shape));
    EXPECT_EQ(one, three);
  }
  const Shape small{251, 263};
  const auto x = random_numbers<float>(small.elements(), 3);
  Numbers<float> one(x.size()), four(x.size());
  for (auto [threads, result] : {std::pair{1, &one}, std::pair{4, &four}}) {
    set_num_threads(threads);
    const NdPlan<float> plan(small);
    EXPECT_EQ(plan.threads(), threads);
    plan.forward(View<const Complex<float>>(x.data(), small), View<Complex<float>>(result->data(), small));
  }
  EXPECT_EQ(one, four);
  set_num_threads(before);
}

TEST(NdFft, NormalizationCountsAllAxes) {
  const Shape shape{6, 10};
  const Numbers<float> x(60, 1.0F);
  Numbers<float> y(60);
  NdPlan<float>(shape).forward(View<const Complex<float>>(x.data(), shape), View<Complex<float>>(y.data(), shape),
                               Normalization::by_n);
  EXPECT_NEAR(y[0].real(), 1, 1e-6);
  NdPlan<float>(shape, {1})
      .inverse(View<const Complex<float>>(x.data(), shape), View<Complex<float>>(y.data(), shape), Normalization::by_n);
  EXPECT_NEAR(y[50].real(), 1, 1e-6);
}

// Lines of few points, one after another: some fill whole vectors together, and some are left over.
template <class T>
void expect_short_rows() {
  for (std::size_t n = 2; n <= 9; ++n)
    for (std::size_t rows : {1U, 7U, 8U, 21U}) {
      const Shape shape{rows, n};
      const auto x = random_numbers<T>(shape.elements(), rows * n);
      auto want = along(x, shape, 1, 1);
      for (auto& value : want) value /= static_cast<long double>(n);
      for (Isa isa : runnable_isas()) {
        const ScopedIsa scope(isa);
        const NdPlan<T> plan(shape, {1});
        Numbers<T> out(x.size());
        plan.inverse(View<const Complex<T>>(x.data(), shape), View<Complex<T>>(out.data(), shape), Normalization::by_n);
        ASSERT_LE(reference::relative_error(out.data(), want), bound<T>(n)) << name(isa) << " " << rows << " x " << n;
      }
    }
}
TEST(NdFft, ShortRowsAreNormalized) {
  expect_short_rows<float>();
  expect_short_rows<double>();
}

TEST(NdFft, NormalizationOfOnePoint) {
  const Shape shape{1, 3};
  const Numbers<double> x = {{1, 2}, {3, 4}, {5, 6}};
  Numbers<double> y(3);
  NdPlan<double>(shape, {0})
      .inverse(View<const Complex<double>>(x.data(), shape), View<Complex<double>>(y.data(), shape),
               Normalization::by_n);
  EXPECT_EQ(x, y);
}

template <class F>
std::string message_of(F&& call) {
  try {
    call();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "no error";
}

TEST(NdFft, ArgumentsThatDoNotFit) {
  EXPECT_EQ(message_of([] { NdPlan<float>(Shape{3, 0}); }), "fft::NdPlan: shape [3, 0] has an extent of 0");
  EXPECT_EQ(message_of([] { NdPlan<float>(Shape{3, 4}, {2}); }), "fft::NdPlan: axis 2 of an array of shape [3, 4]");
  EXPECT_EQ(message_of([] { NdPlan<float>(Shape{3, 4}, {1, 1}); }), "fft::NdPlan: axis 1 twice");
  EXPECT_EQ(message_of([] {
              NdPlan<float>(Shape{3, 4}, std::vector<std::size_t>{});
            }),
            "fft::NdPlan: no axes to transform along");
  const Shape shape{3, 4}, other{4, 3};
  const NdPlan<float> plan(shape);
  Numbers<float> x(24), y(24);
  const View<const Complex<float>> in(x.data(), shape);
  const View<Complex<float>> out(y.data(), shape);
  EXPECT_EQ(message_of([&] { plan.forward(View<const Complex<float>>(x.data(), other), out); }),
            "fft::forward: in has shape [4, 3], the plan is for [3, 4]");
  EXPECT_EQ(message_of([&] { plan.forward(in, View<Complex<float>>(nullptr, shape)); }), "fft::forward: out is null");
  EXPECT_EQ(message_of([&] { plan.forward(in, View<Complex<float>>(x.data() + 1, shape)); }),
            "fft::forward: in and out overlap");
  EXPECT_EQ(message_of([&] {
              plan.forward(in, View<Complex<float>>(y.data(), shape, Strides{0, 1}));
            }),
            "fft::forward: out has a stride of 0");
  std::vector<std::byte> small(plan.workspace_bytes() - 1);
  EXPECT_THAT(message_of([&] { plan.inverse(in, out, small); }), ::testing::HasSubstr("fft::inverse: workspace has"));
}

// The checks before the short ways of arrays that one call does, of a line and of several axes.
TEST(NdFft, SharedMemoryOfSmallArrays) {
  using Case = std::pair<Shape, std::vector<std::size_t>>;
  for (const auto& [shape, axes] : {Case{{2, 4}, {1}}, Case{{4, 2}, {0}}, Case{{1, 4}, {1}}, Case{{4, 4}, {0, 1}}}) {
    const NdPlan<double> plan(shape, axes);
    const std::size_t n = shape.elements(), wanted = plan.workspace_bytes() / sizeof(Complex<double>) + 1;
    Numbers<double> x(n), y(n), large(2 * n + wanted);
    const auto workspace = std::as_writable_bytes(std::span(large).subspan(n - 1, wanted));
    const View<const Complex<double>> in(x.data(), shape);
    const View<Complex<double>> out(y.data(), shape), before(large.data(), shape);
    const View<Complex<double>> behind(large.data() + n + wanted - 2, shape);
    for (const auto& shared : {before, behind}) {
      EXPECT_EQ(message_of([&] { plan.forward(shared, out, workspace); }), "fft::forward: in and workspace overlap");
      EXPECT_EQ(message_of([&] { plan.inverse(in, shared, workspace); }), "fft::inverse: out and workspace overlap");
    }
    const View<Complex<double>> shifted(large.data() + 1, shape);
    EXPECT_EQ(message_of([&] { plan.forward(shifted, before); }), "fft::forward: in and out overlap");
    EXPECT_EQ(message_of([&] { plan.inverse(before, shifted); }), "fft::inverse: in and out overlap");
    EXPECT_EQ(message_of([&] { plan.forward(in, out, workspace.first(plan.workspace_bytes() - 1)); }),
              "fft::forward: workspace has " + std::to_string(plan.workspace_bytes() - 1) +
                  " bytes, workspace_bytes() is " + std::to_string(plan.workspace_bytes()));
    EXPECT_EQ(message_of([&, &shape = shape] { plan.forward(View<const Complex<double>>(nullptr, shape), out); }),
              "fft::forward: in is null");
    plan.forward(before, before, std::as_writable_bytes(std::span(large).subspan(n, wanted)));
  }
}

// As many elements, but otherwise: what one call does is called only for the shape and the strides of the plan.
TEST(NdFft, OtherShapesAndStridesOfSmallArrays) {
  for (const std::size_t axis : {0u, 1u}) {
    const Shape shape{2, 4}, other{4, 2}, flat{8}, deep{1, 2, 4};
    const NdPlan<double> plan(shape, {axis});
    const Numbers<double> x = random_numbers<double>(8, 5);
    Numbers<double> y(8), turned(8), expected(8);
    const View<const Complex<double>> in(x.data(), shape);
    const View<Complex<double>> out(y.data(), shape);
    for (const Shape& wrong : {other, flat, deep}) {
      EXPECT_THROW(plan.forward(View<const Complex<double>>(x.data(), wrong), out), std::invalid_argument);
      EXPECT_THROW(plan.forward(in, View<Complex<double>>(y.data(), wrong)), std::invalid_argument);
      EXPECT_THROW(plan.inverse(View<const Complex<double>>(x.data(), wrong), out), std::invalid_argument);
    }
    plan.forward(in, View<Complex<double>>(expected.data(), shape));
    plan.forward(in, View<Complex<double>>(turned.data(), shape, Strides{1, 2}));
    for (std::size_t i = 0; i < 8; ++i) EXPECT_LT(std::abs(turned[i / 4 + 2 * (i % 4)] - expected[i]), 1e-14) << i;
    plan.forward(in, out, Normalization::by_n);
    const double n = static_cast<double>(shape[axis]);
    for (std::size_t i = 0; i < 8; ++i) EXPECT_LT(std::abs(y[i] * n - expected[i]), 1e-14) << i;
  }
}

}  // namespace
}  // namespace pawl::fft
