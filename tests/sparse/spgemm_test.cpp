// spgemm_test.cpp -- the product of sparse matrices equals the reference bit by bit, whichever accumulator a row takes.
#include <gmock/gmock.h>

#include "sparse/patterns.hpp"

namespace pawl::sparse {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

template <class Types>
class SpgemmTest : public ::testing::Test {};
using AllTypes =
    ::testing::Types<testing::SparseTypes<float, std::int32_t>, testing::SparseTypes<double, std::int64_t>>;
TYPED_TEST_SUITE(SpgemmTest, AllTypes);

TYPED_TEST(SpgemmTest, EqualsTheReference) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  for (const auto& p : testing::patterns<T, I>()) {
    const auto a = testing::csr_of(p);
    const auto a_map = testing::map_of(a);
    // Times itself where that fits, and times a wide matrix: few products a row (sort), many on few columns (array),
    // many on columns far apart (hash).
    testing::Pattern<T, I> wide{"wide", p.cols, 1'000'000, {}, {}, {}};
    for (std::size_t k = 0; k < std::min<std::size_t>(4 * p.cols, 60'000); ++k) {
      wide.row_indices.push_back(static_cast<I>(k * 7919 % p.cols));
      wide.columns.push_back(static_cast<I>(k * 104'729 % (k % 3 == 0 ? 50 : 1'000'000)));
      wide.values.push_back(static_cast<T>(0.1 * static_cast<double>(k % 13) - 0.6));
    }
    std::vector<Csr<T, I>> others = {testing::csr_of(wide)};
    if (p.rows == p.cols) others.push_back(a);
    for (const auto& b : others) {
      const auto want = reference::spgemm(a_map, testing::map_of(b));
      for (int threads : {1, 3}) {
        SCOPED_TRACE(::testing::Message() << p.name << ' ' << p.rows << " x " << p.cols << " threads=" << threads);
        const testing::ScopedThreads scoped_threads(threads);
        const Csr<T, I> c = spgemm(a, b);
        ASSERT_EQ(c.rows(), a.rows());
        ASSERT_EQ(c.cols(), b.cols());
        ASSERT_TRUE(testing::keeps_promises(c));
        ASSERT_TRUE(testing::same_entries(testing::map_of(c), want));
      }
    }
  }
}

TEST(Spgemm, RefusesSizesThatDoNotFit) {
  EXPECT_THAT([] { (void)spgemm(Csr<float>(2, 3), Csr<float>(4, 2)); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("a has 3 columns, but b has 4 rows")));
}

}  // namespace
}  // namespace pawl::sparse
