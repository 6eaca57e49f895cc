// real_nd_test.cpp -- transforms of real arrays along several axes: against complex ones of the same numbers, and back.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
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
  const std::vector<std::pair<Shape, std::vector<std::size_t>>> cases = {
      {{8}, {0}},          {{9}, {0}},           {{5, 8}, {0, 1}},    {{16, 32}, {0, 1}},
      {{33, 40}, {1}},     {{33, 40}, {0}},      {{12, 15}, {1, 0}},  {{6, 7, 8}, {0, 1, 2}},
      {{6, 7, 8}, {0, 1}}, {{300, 256}, {0, 1}}, {{4, 3, 10}, {2, 0}}};
  for (const auto& [shape, axes] : cases) {
    expect_real_nd<float>(shape, axes);
    expect_real_nd<double>(shape, axes);
  }
  const int threads = num_threads();
  set_num_threads(3);
  expect_real_nd<double>({300, 200}, {0, 1});
  set_num_threads(threads);
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
