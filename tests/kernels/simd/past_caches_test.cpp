// past_caches_test.cpp -- passes whose results go past the caches: the bits of those that go through them, and no
// others.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "kernels/guarded_array.hpp"
#include "parallel/sharers.hpp"
#include "pawl/isa.hpp"
#include "pawl/layout.hpp"
#include "pawl/math.hpp"
#include "pawl/parallel.hpp"
#include "pawl/rows.hpp"
#include "pawl/simd.hpp"

namespace pawl {
namespace {

using testing::GuardedArray;

template <class T>
class PastCaches : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PastCaches, Types);

template <class T>
struct Pass {
  std::string name;
  std::function<void(std::span<const T> x, std::span<const T> y, std::size_t columns, std::span<T> out)> run;
};

// Rows of `columns` elements; y has as many elements as x, and its first ones serve as gains, shifts and statistics.
template <class T>
std::vector<Pass<T>> passes() {
  using In = std::span<const T>;
  using Out = std::span<T>;
  const T epsilon = T(1e-5);
  return {{"relu", [](In x, In, std::size_t, Out out) { relu(x, out); }},
          {"add", [](In x, In y, std::size_t, Out out) { add(x, y, out); }},
          {"add value", [](In x, In y, std::size_t, Out out) { add(x, y[0], out); }},
          {"sqrt", [](In, In y, std::size_t, Out out) { sqrt(y, out); }},
          {"fill", [](In x, In, std::size_t, Out out) { fill(out, x[1]); }},
          {"one row over all",
           [](In x, In y, std::size_t n, Out out) {
             const Shape rows{x.size() / n, n};
             sub(View<const T>(x.data(), rows), View<const T>(y.data(), {n}), View<T>(out.data(), rows));
           }},
          {"all from one row",
           [](In x, In y, std::size_t n, Out out) {
             const Shape rows{x.size() / n, n};
             sub(View<const T>(y.data(), {n}), View<const T>(x.data(), rows), View<T>(out.data(), rows));
           }},
          {"one value for each row",
           [](In x, In y, std::size_t n, Out out) {
             const Shape rows{x.size() / n, n};
             sub(View<const T>(x.data(), rows), View<const T>(y.data(), {rows[0], 1}), View<T>(out.data(), rows));
           }},
          {"exp", [](In x, In, std::size_t, Out out) { exp(x, out); }},
          {"log", [](In, In y, std::size_t, Out out) { log(y, out); }},
          {"tanh", [](In x, In, std::size_t, Out out) { tanh(x, out); }},
          {"sigmoid", [](In x, In, std::size_t, Out out) { sigmoid(x, out); }},
          {"gelu", [](In x, In, std::size_t, Out out) { gelu(x, out); }},
          {"layernorm",
           [=](In x, In y, std::size_t n, Out out) { layernorm(x, n, y.first(n), y.subspan(1, n), epsilon, out); }},
          {"layernorm, no gain",
           [=](In x, In y, std::size_t n, Out out) { layernorm(x, n, In{}, y.first(n), epsilon, out); }},
          {"rmsnorm", [=](In x, In y, std::size_t n, Out out) { rmsnorm(x, n, y.first(n), epsilon, out); }},
          {"log_softmax", [](In x, In, std::size_t n, Out out) { log_softmax(x, n, out); }},
          {"softmax", [](In x, In, std::size_t n, Out out) { softmax(x, n, out); }},
          {"bias and gelu",
           [](In x, In y, std::size_t n, Out out) { bias_activation(x, n, y.first(n), Activation::gelu, out); }},
          {"bias and gelu by tanh",
           [](In x, In y, std::size_t n, Out out) { bias_activation(x, n, y.first(n), Activation::gelu_tanh, out); }},
          {"bias and relu",
           [](In x, In y, std::size_t n, Out out) { bias_activation(x, n, y.first(n), Activation::relu, out); }},
          {"batchnorm",
           [=](In x, In y, std::size_t n, Out out) {
             batchnorm(x, n, 1, {y.first(n), y.subspan(1, n), y.subspan(2, n), y.subspan(3, n)}, epsilon, out);
           }},
          {"batchnorm of planes", [=](In x, In y, std::size_t n, Out out) {  // rows are channels of one image
             const std::size_t c = x.size() / n;
             batchnorm(x, c, n, {y.first(c), y.subspan(1, c), y.subspan(2, c), y.subspan(3, c)}, epsilon, out);
           }}};
}

// Each pass over rows * columns elements by all variants, out `offset` elements from a line. One thread that is said to
// be one of a million has a share of 2 MiB that goes past the caches.
template <class T>
void check(std::size_t rows, std::size_t columns, std::size_t offset) {
  const std::size_t n = rows * columns;
  GuardedArray<T> x(n, 1), y(n, 3);
  x.fill(1);
  y.fill(2);
  for (std::size_t i = 0; i < n; ++i) {
    y[i] = std::abs(y[i]);
    if (i % 97 < 24) x[i] *= T(20);  // beyond the ordinary arguments of sigmoid and gelu
  }
  const std::span<const T> in(x.data(), n), other(y.data(), n);
  for (const Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (const Pass<T>& pass : passes<T>()) {
      SCOPED_TRACE(::testing::Message() << pass.name << ", " << name(isa) << ", rows of " << columns << " at "
                                        << offset);
      GuardedArray<T> through(n, offset), past(n, offset);
      pass.run(in, other, columns, std::span<T>(through.data(), n));
      {
        const detail::SharersScope share(std::size_t{1} << 20);
        pass.run(in, other, columns, std::span<T>(past.data(), n));
      }
      ASSERT_TRUE(past.untouched());
      ASSERT_EQ(std::memcmp(past.data(), through.data(), n * sizeof(T)), 0);
    }
  }
}

TYPED_TEST(PastCaches, RowsThatAreWholeLines) { check<TypeParam>(300, 1024, 0); }
TYPED_TEST(PastCaches, RowsThatShareLines) { check<TypeParam>(301, 1001, 0); }
TYPED_TEST(PastCaches, RowsThatBeginWithinALine) { check<TypeParam>(301, 1001, 3); }
TYPED_TEST(PastCaches, ShortRows) {
  check<TypeParam>(4100, 64, 0);
  check<TypeParam>(4100, 67, 5);
  check<TypeParam>(39000, 7, 1);
  check<TypeParam>(7777, 36, 0);
}
TYPED_TEST(PastCaches, ByTwoThreads) {
  const int before = num_threads();
  set_num_threads(2);
  check<TypeParam>(601, 1001, 1);
  set_num_threads(before);
}

}  // namespace
}  // namespace pawl
