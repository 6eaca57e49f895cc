// formats_test.cpp -- BSR and SELL-C-sigma: their products keep the bound, and they lead back to the same matrix.
#include <gmock/gmock.h>

#include "kernels/sparse/products.hpp"
#include "pawl/sparse/bsr.hpp"
#include "pawl/sparse/sell.hpp"
#include "sparse/patterns.hpp"

namespace pawl::sparse {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

template <class Types>
class FormatsTest : public ::testing::Test {};
using AllTypes =
    ::testing::Types<testing::SparseTypes<float, std::int32_t>, testing::SparseTypes<float, std::int64_t>,
                     testing::SparseTypes<double, std::int32_t>, testing::SparseTypes<double, std::int64_t>>;
TYPED_TEST_SUITE(FormatsTest, AllTypes);

TYPED_TEST(FormatsTest, BlocksTimesVector) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  for (std::size_t block : {2U, 3U, 4U, 8U})
    testing::check_products<T, I>(
        false, [=](const auto& a, auto x, auto y) { Bsr<T, I>(a, block).multiply(x, y); },
        block == 4 ? std::size_t(-1) : 20'000);
}

TYPED_TEST(FormatsTest, SlicesTimesVector) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  for (std::size_t sigma : {1U, 13U, 256U})
    testing::check_products<T, I>(
        false, [=](const auto& a, auto x, auto y) { Sell<T, I>(a, sigma).multiply(x, y); },
        sigma == 256 ? std::size_t(-1) : 20'000);
}

TYPED_TEST(FormatsTest, LeadBackToTheMatrix) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  for (const auto& p : testing::patterns<T, I>()) {
    if (p.values.size() > 20'000 && !std::is_same_v<T, double>) continue;
    SCOPED_TRACE(p.name);
    const auto a = testing::csr_of(p);
    auto without_zeros = p.map();
    std::erase_if(without_zeros, [](const auto& entry) { return entry.second == T(0); });
    for (std::size_t block : {2U, 3U, 4U, 8U}) {
      if (p.values.size() > 20'000 && block != 3) continue;
      const Bsr<T, I> blocks(a, block);
      const auto back = to_csr(blocks);
      ASSERT_TRUE(testing::keeps_promises(back));
      ASSERT_EQ(back.rows(), p.rows);
      ASSERT_EQ(back.cols(), p.cols);
      ASSERT_TRUE(testing::same_entries(back, without_zeros));
      if (a.nonzeros() > 0) {
        ASSERT_EQ(block_fill(a, block),
                  static_cast<double>(blocks.values().size()) / static_cast<double>(a.nonzeros()));
      }
    }
    for (std::size_t sigma : {1U, 13U, 256U, 1'000'000U}) {
      if (p.values.size() > 20'000 && sigma != 13) continue;
      const auto back = to_csr(Sell<T, I>(a, sigma));
      ASSERT_TRUE(testing::keeps_promises(back));
      ASSERT_EQ(back.rows(), p.rows);
      ASSERT_EQ(back.cols(), p.cols);
      ASSERT_TRUE(testing::same_entries(back, p.map()));
    }
  }
}

// An infinity in x reaches the rows that have an entry there, not those that are only filled up in a slice.
TEST(Formats, FillingIsNotMultiplied) {
  const std::vector<std::int32_t> start = {0, 1, 3, 3, 4}, columns = {2, 1, 2, 3};
  const std::vector<double> values = {1, 2, 3, 4};
  const Csr<double> a(4, 4, start, columns, values);
  const std::vector<double> x = {std::numeric_limits<double>::infinity(), 1, 1, 1};
  std::vector<double> y(4, -1);
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    Sell<double>(a).multiply(x, y);
    EXPECT_THAT(y, ::testing::ElementsAre(1, 5, 0, 4)) << name(isa);
  }
}

TEST(Formats, RefuseWhatDoesNotFit) {
  const Csr<float> a(6, 5);
  EXPECT_THAT([&] { Bsr<float>(a, 5); }, ThrowsMessage<std::invalid_argument>(HasSubstr("block size is 5, not 2, 3")));
  EXPECT_THAT([&] { (void)block_fill(a, 0); }, ThrowsMessage<std::invalid_argument>(HasSubstr("block size is 0")));
  EXPECT_THAT([&] { Sell<float>(a, 0); }, ThrowsMessage<std::invalid_argument>(HasSubstr("sigma is 0")));
  std::vector<float> x(5), y(6);
  const std::span<float> short_y(y.data(), 5);
  EXPECT_THAT([&] { Bsr<float>(a, 2).multiply(y, y); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("x has 6 elements, not 5")));
  EXPECT_THAT([&] { Sell<float>(a).multiply(x, short_y); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("y has 5 elements, not 6")));
}

}  // namespace
}  // namespace pawl::sparse
