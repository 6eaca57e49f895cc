// matmul_test.cpp -- every variant keeps the documented bound for all transposes, strides, scalars and awkward sizes.
//
// Rows are padded with NaN, which a wrong stride or tail reads, and what lies beyond the columns of C is checked for
// writes.
#include "pawl/matmul.hpp"

#include <gtest/gtest.h>

#include <array>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "kernels/guarded_array.hpp"
#include "kernels/tables.hpp"
#include "pawl/parallel.hpp"
#include "reference/matmul_ref.hpp"

namespace pawl {
namespace {

using testing::GuardedArray;

template <class T>
class MatmulTest : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(MatmulTest, Types);

struct Case {
  std::size_t m, n, k;
  bool ta = false, tb = false;
  double alpha = 1, beta = 0;
  std::size_t padding = 0;  // elements between the columns and the leading dimension
};

// A stored matrix with NaN in the padding; small whole numbers make every product and sum exact in any order.
template <class T>
GuardedArray<T> matrix(std::size_t rows, std::size_t columns, std::size_t ld, std::uint64_t seed, bool integers) {
  GuardedArray<T> x(rows * ld, seed % 3);
  GuardedArray<T> values(rows * columns + 1);
  values.fill(seed);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      const T v = values[i * columns + j];
      x[i * ld + j] = integers ? std::trunc(v * T(5)) : v;
    }
  return x;
}

template <class T>
void check(const Case& t, bool integers) {
  SCOPED_TRACE(::testing::Message() << name(active_isa()) << " " << t.m << "x" << t.n << "x" << t.k << " ta=" << t.ta
                                    << " tb=" << t.tb << " alpha=" << t.alpha << " beta=" << t.beta
                                    << " padding=" << t.padding << " threads=" << num_threads());
  const std::size_t lda = (t.ta ? t.m : t.k) + t.padding, ldb = (t.tb ? t.k : t.n) + t.padding, ldc = t.n + t.padding;
  const auto a = matrix<T>(t.ta ? t.k : t.m, t.ta ? t.m : t.k, lda, 1, integers);
  const auto b = matrix<T>(t.tb ? t.n : t.k, t.tb ? t.k : t.n, ldb, 2, integers);
  auto c = matrix<T>(t.m, t.n, ldc, 3, integers);
  if (t.beta == 0)
    for (std::size_t i = 0; i < t.m; ++i)
      for (std::size_t j = 0; j < t.n; ++j) c[i * ldc + j] = std::numeric_limits<T>::quiet_NaN();
  const GuardedArray<T> before = c;
  const T alpha = static_cast<T>(t.alpha), beta = static_cast<T>(t.beta);
  matmul(t.ta ? Transpose::yes : Transpose::no, t.tb ? Transpose::yes : Transpose::no, t.m, t.n, t.k, alpha, a.data(),
         lda, b.data(), ldb, beta, c.data(), ldc);
  const long double bound = static_cast<long double>(t.k + 2) * std::numeric_limits<T>::epsilon();
  for (std::size_t i = 0; i < t.m; ++i)
    for (std::size_t j = 0; j < ldc; ++j) {
      const T got = c[i * ldc + j];
      if (j >= t.n) {
        ASSERT_TRUE(std::isnan(got)) << "written beyond the columns at (" << i << ", " << j << ")";
        continue;
      }
      const auto want = reference::matmul_element<T>(t.ta, t.tb, i, j, t.k, alpha, a.data(), lda, b.data(), ldb, beta,
                                                     before[i * ldc + j]);
      if (integers) {
        ASSERT_EQ(got, want.value) << "at (" << i << ", " << j << ")";
      } else {
        ASSERT_LE(std::fabs(got - want.value), bound * want.magnitude) << "at (" << i << ", " << j << ")";
      }
    }
  EXPECT_TRUE(c.untouched());
}

template <class Body>
void for_each_isa(Body body) {
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    body();
    if (::testing::Test::HasFailure()) return;
  }
}

class Threads {
 public:
  explicit Threads(int count) : before_(num_threads()) { set_num_threads(count); }
  ~Threads() { set_num_threads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_;
};

// Around each tile's height and width, and the vectors in it.
TYPED_TEST(MatmulTest, SizesAroundTheTilesAreExact) {
  const Threads one(1);
  for_each_isa([] {
    for (std::size_t m : {1u, 2u, 3u, 5u, 6u, 7u, 13u, 14u, 15u, 28u, 29u, 31u})
      for (std::size_t n : {1u, 2u, 7u, 8u, 9u, 15u, 16u, 17u, 31u, 32u, 33u, 65u})
        for (std::size_t k : {1u, 2u, 4u, 5u, 33u}) check<TypeParam>({m, n, k, false, false, 1, 0, 3}, true);
  });
}

TYPED_TEST(MatmulTest, TransposesScalarsAndPaddingKeepTheBound) {
  const Threads one(1);
  for_each_isa([] {
    for (const auto& [m, n, k] : {std::array<std::size_t, 3>{5, 37, 19}, {33, 70, 41}, {1, 45, 67}, {53, 1, 35}})
      for (bool ta : {false, true})
        for (bool tb : {false, true})
          for (double alpha : {1.0, -0.5, 0.0})
            for (double beta : {0.0, 1.0, 2.0})
              for (std::size_t padding : {0u, 5u}) check<TypeParam>({m, n, k, ta, tb, alpha, beta, padding}, false);
  });
}

TYPED_TEST(MatmulTest, BlockBoundariesAreCrossed) {
  const Threads one(1);
  for_each_isa([] {
    const auto& f = std::is_same_v<TypeParam, float> ? matmul_table(active_isa()).f32.max_kc
                                                     : matmul_table(active_isa()).f64.max_kc;
    for (std::size_t k : {f - 1, f, f + 1, 2 * f + 3}) {
      check<TypeParam>({40, 50, k, false, false, 1, 1, 1}, true);
      check<TypeParam>({3, 70, k, false, false, 1, 1, 1}, true);
    }
    check<TypeParam>({700, 33, 9, true, false, 1, 0, 2}, true);  // several blocks of rows
    check<TypeParam>({37, 600, 300, false, true, 1, 0, 2}, true);
  });
}

TYPED_TEST(MatmulTest, ManyColumnsCrossTheBlocksOfB) {
  const Threads one(1);
  check<TypeParam>({30, 8300, 5, true, false, 1, 0, 0}, true);
}

TYPED_TEST(MatmulTest, ThreadsShareTheWorkExactly) {
  for (int threads : {2, 3}) {
    const Threads several(threads);
    for_each_isa([] {
      check<TypeParam>({150, 170, 90, false, false, 1, 1, 1}, true);
      check<TypeParam>({400, 20, 150, false, false, 1, 0, 1}, true);
      check<TypeParam>({4, 2000, 150, false, false, 1, 0, 1}, true);
      check<TypeParam>({1, 3000, 400, false, true, 1, 0, 0}, true);
    });
  }
}

TYPED_TEST(MatmulTest, EmptyDimensionsDoNothingOrScale) {
  using T = TypeParam;
  std::vector<T> c{1, 2, 3, 4};
  matmul(Transpose::no, Transpose::no, 0, 2, 2, T(1), static_cast<const T*>(nullptr), 2, c.data(), 2, T(0), c.data(),
         2);
  EXPECT_EQ(c, (std::vector<T>{1, 2, 3, 4}));
  matmul(Transpose::no, Transpose::no, 2, 2, 0, T(1), static_cast<const T*>(nullptr), 0, static_cast<const T*>(nullptr),
         2, T(3), c.data(), 2);
  EXPECT_EQ(c, (std::vector<T>{3, 6, 9, 12}));
  matmul(Transpose::no, Transpose::no, 2, 2, 0, T(1), static_cast<const T*>(nullptr), 0, static_cast<const T*>(nullptr),
         2, T(0), c.data(), 2);
  EXPECT_EQ(c, (std::vector<T>{0, 0, 0, 0}));
}

TYPED_TEST(MatmulTest, NaNAndInfinityPropagateAsTheDefinitionSays) {
  using T = TypeParam;
  for_each_isa([] {
    const std::size_t n = 40;
    std::vector<T> a(n * n, T(1)), b(n * n, T(1)), c(n * n);
    a[3 * n + 7] = std::numeric_limits<T>::quiet_NaN();
    b[9 * n + 11] = std::numeric_limits<T>::infinity();
    matmul(Transpose::no, Transpose::no, n, n, n, T(1), a.data(), n, b.data(), n, T(0), c.data(), n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        const T v = c[i * n + j];
        if (i == 3) {
          ASSERT_TRUE(std::isnan(v));
        } else if (j == 11) {
          ASSERT_TRUE(std::isinf(v));
        } else {
          ASSERT_EQ(v, T(n));
        }
      }
  });
}

TYPED_TEST(MatmulTest, TheSameCallGivesTheSameBits) {
  using T = TypeParam;
  const auto a = Tensor<T>::randn({130, 300}, 1), b = Tensor<T>::randn({300, 140}, 2);
  const auto first = matmul(a, b).to_vector();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(matmul(a, b).to_vector(), first);
}

TYPED_TEST(MatmulTest, BadArgumentsAreRefusedBeforeAnyWork) {
  using T = TypeParam;
  std::vector<T> x(16, T(1)), c(16, T(7));
  const auto call = [&](Transpose ta, Transpose tb, std::size_t m, std::size_t n, std::size_t k, std::size_t lda,
                        std::size_t ldb, std::size_t ldc,
                        const T* a) { matmul(ta, tb, m, n, k, T(1), a, lda, x.data(), ldb, T(0), c.data(), ldc); };
  using enum Transpose;
  EXPECT_THROW(call(no, no, 2, 2, 4, 3, 2, 2, x.data()), std::invalid_argument);
  EXPECT_THROW(call(yes, no, 4, 2, 2, 3, 2, 2, x.data()), std::invalid_argument);
  EXPECT_THROW(call(no, no, 2, 4, 2, 2, 3, 4, x.data()), std::invalid_argument);
  EXPECT_THROW(call(no, yes, 2, 2, 4, 4, 3, 2, x.data()), std::invalid_argument);
  EXPECT_THROW(call(no, no, 2, 4, 2, 2, 4, 3, x.data()), std::invalid_argument);
  EXPECT_THROW(call(no, no, 2, 2, 2, 2, 2, 2, nullptr), std::invalid_argument);
  EXPECT_THROW(call(no, no, 4, 1, 1, SIZE_MAX / 2, 1, 1, x.data()), std::invalid_argument);
  EXPECT_EQ(c, std::vector<T>(16, T(7)));
  EXPECT_THROW((void)matmul(Tensor<T>::ones({2, 3}), Tensor<T>::ones({2, 3})), std::invalid_argument);
  EXPECT_THROW((void)matmul(Tensor<T>::ones({2, 3, 1}), Tensor<T>::ones({3, 1})), std::invalid_argument);
}

TEST(MatmulTables, VariantsAreDifferentCode) {
  for (Isa a : compiled_isas())
    for (Isa b : compiled_isas())
      if (a != b) {
        EXPECT_NE(matmul_table(a).f32.product, matmul_table(b).f32.product) << name(a) << " and " << name(b);
      }
}

}  // namespace
}  // namespace pawl
