// formats_test.cpp -- BSR and SELL-C-sigma: their products keep the bound, and they lead back to the same matrix.
#include <gmock/gmock.h>

#include <set>
#include <utility>

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

// Far more columns than entries, with and without a row of many entries: neighbouring and equal blocks in several rows.
TEST(Formats, BlocksOfFewEntriesInManyColumns) {
  constexpr std::size_t kRows = 21, kCols = 3'000'001;
  for (const std::size_t in_first_row : {0U, 60'000U}) {
    std::vector<std::int32_t> rows, columns;
    const auto add = [&](std::size_t row, std::size_t column) {
      rows.push_back(static_cast<std::int32_t>(row));
      columns.push_back(static_cast<std::int32_t>(column));
    };
    for (std::size_t k = 0; k < in_first_row; ++k) add(0, 50 * k);
    for (std::size_t r = 1; r < kRows; ++r)
      for (std::size_t k = 0; k < 12; ++k) add(r, k % 3 == 0 ? kCols - 1 - k : 1'500'000 + 2 * k + r % 5);
    const std::vector<double> values(rows.size(), 2.5);
    const auto a = to_csr(Coo<double>{kRows, kCols, rows, columns, values});
    for (const std::size_t block : {2U, 3U, 4U, 8U}) {
      std::set<std::pair<std::size_t, std::size_t>> expected;
      for (std::size_t k = 0; k < rows.size(); ++k)
        expected.emplace(static_cast<std::size_t>(rows[k]) / block, static_cast<std::size_t>(columns[k]) / block);
      const Bsr<double> blocks(a, block);
      std::vector<std::pair<std::size_t, std::size_t>> found;
      for (std::size_t r = 0; r + 1 < blocks.block_row_start().size(); ++r)
        for (auto k = blocks.block_row_start()[r]; k < blocks.block_row_start()[r + 1]; ++k)
          found.emplace_back(r, static_cast<std::size_t>(blocks.block_columns()[static_cast<std::size_t>(k)]));
      ASSERT_THAT(found, ::testing::ElementsAreArray(expected)) << block;
      ASSERT_EQ(block_fill(a, block) * static_cast<double>(a.nonzeros()),
                static_cast<double>(expected.size() * block * block));
      ASSERT_TRUE(testing::same_entries(to_csr(blocks), testing::map_of(a)));
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
