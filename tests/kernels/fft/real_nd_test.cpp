// real_nd_test.cpp -- transforms of real arrays along several axes: against complex ones of the same numbers, and back.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
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

}  // namespace
}  // namespace pawl::fft
