// spmv_test.cpp -- every variant of the products of sparse matrices with vectors keeps the documented bound.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "kernels/guarded_array.hpp"
#include "pawl/isa.hpp"
#include "sparse/patterns.hpp"

namespace pawl::sparse {
namespace {

using testing::GuardedArray;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

template <class Types>
class SpmvTest : public ::testing::Test {};
using AllTypes =
    ::testing::Types<testing::SparseTypes<float, std::int32_t>, testing::SparseTypes<float, std::int64_t>,
                     testing::SparseTypes<double, std::int32_t>, testing::SparseTypes<double, std::int64_t>>;
TYPED_TEST_SUITE(SpmvTest, AllTypes);

// The documented bound n u sum |value x|, and one more u for the rounding of the result itself.
template <class T>
void expect_within_bound(T got, const reference::RowSum& want, std::size_t row) {
  const long double u = std::numeric_limits<T>::epsilon() / 2.0L;
  if (std::isfinite(want.magnitude)) {
    ASSERT_LE(std::fabs(static_cast<long double>(got) - want.sum),
              static_cast<long double>(want.entries + 1) * u * want.magnitude)
        << "row " << row;
  } else {
    ASSERT_FALSE(std::isfinite(got)) << "row " << row;
  }
}

template <class T, class I, class Product>
void check_products(bool transposed, Product product) {
  for (const auto& p : testing::patterns<T, I>()) {
    const auto a = testing::csr_of(p);
    const auto map = p.map();
    const std::size_t inputs = transposed ? p.rows : p.cols, outputs = transposed ? p.cols : p.rows;
    for (Isa isa : runnable_isas())
      for (int threads : {1, 3}) {
        SCOPED_TRACE(::testing::Message()
                     << p.name << ' ' << p.rows << " x " << p.cols << ' ' << name(isa) << " threads=" << threads);
        const ScopedIsa scope(isa);
        const testing::ScopedThreads scoped_threads(threads);
        GuardedArray<T> x(inputs, 1), y(outputs, 3);
        x.fill(p.rows + 7);
        product(a, std::span<const T>(x.data(), inputs), std::span<T>(y.data(), outputs));
        ASSERT_TRUE(y.untouched());
        const auto want = reference::spmv(map, outputs, x, transposed);
        for (std::size_t r = 0; r < outputs; ++r) {
          expect_within_bound(y[r], want[r], r);
          if (::testing::Test::HasFatalFailure()) return;
        }
      }
  }
}

TYPED_TEST(SpmvTest, RowsTimesVector) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  check_products<T, I>(false, [](const auto& a, auto x, auto y) { spmv<T, I>(a, x, y); });
}

TYPED_TEST(SpmvTest, TransposedTimesVector) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  check_products<T, I>(true, [](const auto& a, auto x, auto y) { spmv_transposed<T, I>(a, x, y); });
}

TEST(Spmv, RefusesVectorsOfAnotherLength) {
  const Csr<float> a(3, 2);
  std::vector<float> two(2), three(3);
  EXPECT_THAT([&] { spmv<float>(a, three, three); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("spmv: x has 3 elements, not 2")));
  EXPECT_THAT([&] { spmv<float>(a, two, two); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("spmv: y has 2 elements, not 3")));
  EXPECT_THAT([&] { spmv_transposed<float>(a, two, two); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("spmv_transposed: x has 2 elements, not 3")));
}

}  // namespace
}  // namespace pawl::sparse
