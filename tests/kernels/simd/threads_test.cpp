// threads_test.cpp -- large spans and matrices: whatever the number of threads, the same bits, and every element once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "parallel/parts.hpp"
#include "pawl/layout.hpp"
#include "pawl/math.hpp"
#include "pawl/parallel.hpp"
#include "pawl/reduce.hpp"
#include "pawl/rows.hpp"
#include "pawl/simd.hpp"
#include "reference/reduce_ref.hpp"
#include "reference/simd_ref.hpp"

namespace pawl {
namespace {

class WithThreads {
 public:
  explicit WithThreads(int threads) : before_(num_threads()) { set_num_threads(threads); }
  ~WithThreads() { set_num_threads(before_); }

 private:
  int before_;
};

template <class T>
std::vector<T> numbers(std::size_t n) {
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<T>(std::sin(0.37 * static_cast<double>(i))) + T(0.1);
  return x;
}

TEST(Parts, CoverEveryElementOnceWhateverTheThreads) {
  using detail::Parts;
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, Parts::kShortest, Parts::kShortest + 1,
                              5 * Parts::kShortest - 1, Parts::kMost * Parts::kShortest + 3}) {
    const Parts parts(n);
    ASSERT_LE(parts.count(), Parts::kMost) << n;
    for (const int threads : {1, 3}) {
      const WithThreads scope(threads);
      std::vector<std::size_t> begins(parts.count()), ends(parts.count());
      parts.each([&](std::size_t part, std::size_t begin, std::size_t end) { begins[part] = begin, ends[part] = end; });
      for (std::size_t p = 0; p < parts.count(); ++p) ASSERT_EQ(begins[p], p == 0 ? 0 : ends[p - 1]) << n;
      ASSERT_EQ(ends.back(), n);
    }
  }
}

TEST(Parts, SumsOfPartsAreCompensated) {
  const float sums[] = {1e8f, 1.0f, 1.0f, 1.0f, 1.0f, -1e8f};
  EXPECT_EQ(detail::sum_of_parts(sums, 6), 4.0f);
  const float infinite[] = {1.0f, std::numeric_limits<float>::infinity(), 2.0f};
  EXPECT_EQ(detail::sum_of_parts(infinite, 3), std::numeric_limits<float>::infinity());
}

template <class T>
class ThreadsTest : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ThreadsTest, Types);

TYPED_TEST(ThreadsTest, ReductionsDoNotDependOnTheirNumber) {
  using T = TypeParam;
  const std::size_t n = 5 * detail::Parts::kShortest + 77;
  auto x = numbers<T>(n);
  auto y = x;
  for (std::size_t i = 0; i < n; ++i) y[i] = x[n - 1 - i];
  const std::size_t low = 4 * detail::Parts::kShortest + 5, high = 2 * detail::Parts::kShortest + 9;
  x[low] = T(-3);
  x[high] = x[high + detail::Parts::kShortest] = T(3);  // twice: the first one counts
  const std::span<const T> xs(x), ys(y);
  const auto all = [&] {
    return std::vector<T>{sum(xs),       dot(xs, ys),   min(xs),
                          max(xs),       mean(xs),      variance(xs),
                          norm(xs),      stddev(xs, 1), cosine_similarity(xs, ys),
                          T(argmin(xs)), T(argmax(xs))};
  };
  std::vector<T> one;
  {
    const WithThreads scope(1);
    one = all();
  }
  for (const int threads : {2, 3}) {
    const WithThreads scope(threads);
    EXPECT_EQ(all(), one) << threads << " threads";
  }
  const long double eps = std::numeric_limits<T>::epsilon();
  const auto want = reference::sum(x.data(), n);
  EXPECT_LE(std::fabs(one[0] - want.value), 42 * eps * want.magnitude);
  const auto product = reference::dot(x.data(), y.data(), n);
  EXPECT_LE(std::fabs(one[1] - product.value), 43 * eps * product.magnitude);
  EXPECT_EQ(one[2], T(-3));
  EXPECT_EQ(one[3], T(3));
  EXPECT_NEAR(one[5], static_cast<T>(reference::variance(x.data(), n, 0)), 200 * static_cast<T>(eps));
  EXPECT_NEAR(one[6], static_cast<T>(reference::norm(x.data(), n)), 24 * static_cast<T>(eps) * one[6]);
  EXPECT_EQ(argmin(xs), low);
  EXPECT_EQ(argmax(xs), high);
  x[n - 2] = std::numeric_limits<T>::quiet_NaN();
  EXPECT_EQ(argmax(xs), n - 2);
  EXPECT_TRUE(std::isnan(max(xs)) && std::isnan(sum(xs)));
}

TYPED_TEST(ThreadsTest, ElementwiseWorkIsDoneOnceEverywhere) {
  using T = TypeParam;
  const std::size_t rows = 700, columns = 1001, n = rows * columns;
  const auto x = numbers<T>(n), y = numbers<T>(n + 1);
  const std::span<const T> xs(x), ys(y.data() + 1, n), row(y.data(), columns);
  const auto all = [&] {
    std::vector<std::vector<T>> results;
    const auto run = [&](auto f) { f(std::span<T>(results.emplace_back(n, T(-7)))); };
    run([&](auto out) { add(xs, ys, out); });
    run([&](auto out) { mul(xs, T(3), out); });
    run([&](auto out) { axpy(T(2), xs, out); });
    run([&](auto out) { relu(xs, out); });
    run([&](auto out) { clamp(xs, T(-0.5), T(0.25), out); });
    run([&](auto out) { exp(xs, out); });
    run([&](auto out) { softmax(xs, columns, out); });
    run([&](auto out) { log_softmax(xs, columns, out); });
    run([&](auto out) { layernorm(xs, columns, row, row, T(1e-5), out); });
    run([&](auto out) { rmsnorm(xs, columns, row, T(1e-5), out); });
    run([&](auto out) { bias_activation(xs, columns, row, Activation::gelu, out); });
    run([&](auto out) { transpose(xs, rows, columns, out); });
    run([&](auto out) {
      const std::vector<T> ones(columns, T(1));
      batchnorm(xs, columns, 1, {row, std::span<const T>(ones), {}, row}, T(1e-5), out);
    });
    run([&](auto out) {
      const View<const T> matrix(x.data(), Shape{rows, columns});
      const auto sums = sum(matrix, 1);
      std::copy(sums.data(), sums.data() + rows, out.begin());
    });
    // Views: broadcasting, copies in other orders, and reductions along every axis, narrow ones too.
    const View<const T> cube(x.data(), Shape{7, 100, columns}), flat(x.data(), Shape{n / 7, 7});
    const auto hand_over = [&](const auto& result) {
      const auto values = std::span(result);
      run([&](auto out) { std::copy(values.begin(), values.end(), out.begin()); });
    };
    hand_over(sub(cube, View<const T>(y.data(), Shape{100, 1})).flat());
    hand_over(mul(View<const T>(y.data(), Shape{n / 7, 1}), flat).flat());
    hand_over(add(flat, View<const T>(y.data(), Shape{7})).flat());
    hand_over(permute(cube, {2, 0, 1}).flat());
    hand_over(permute(cube, {1, 0, 2}).flat());
    hand_over(Tensor<T>::copy_of(cube.slice(2, 0, columns, 2)).flat());
    hand_over(concat({cube.slice(1, 0, 30), cube.slice(1, 30, 100)}, 1).flat());
    for (const std::size_t axis : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
      hand_over(sum(cube, axis).flat());
      hand_over(max(cube, axis).flat());
      hand_over(variance(cube, axis).flat());
      hand_over(argmax(cube, axis));
    }
    hand_over(norm(flat, 1).flat());
    hand_over(sum(flat, 0).flat());
    return results;
  };
  std::vector<std::vector<T>> one;
  {
    const WithThreads scope(1);
    one = all();
  }
  for (const int threads : {2, 3}) {
    const WithThreads scope(threads);
    const auto many = all();
    for (std::size_t k = 0; k < one.size(); ++k)
      ASSERT_EQ(std::memcmp(many[k].data(), one[k].data(), n * sizeof(T)), 0) << "function " << k << ", " << threads;
  }
  for (std::size_t i = 0; i < n; i += 13) ASSERT_EQ(one[0][i], xs[i] + ys[i]);
  for (std::size_t i = 0; i < rows; i += 7) ASSERT_EQ(one[11][5 * rows + i], x[i * columns + 5]);
}

}  // namespace
}  // namespace pawl
