// scattered_stores_test.cpp -- transposes and triplets to CSR where lines of scattered stores are asked for, or not.
#include "sparse/scattered_stores.hpp"

#include <gmock/gmock.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "isa/store_waits.hpp"
#include "pawl/isa.hpp"
#include "sparse/patterns.hpp"
#include "sparse/transpose_by_blocks.hpp"

namespace pawl::sparse {
namespace {

using pawl::detail::kStoresAhead;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

template <class Types>
class ScatteredStoresTest : public ::testing::Test {};
using AllTypes =
    ::testing::Types<testing::SparseTypes<float, std::int32_t>, testing::SparseTypes<double, std::int64_t>>;
TYPED_TEST_SUITE(ScatteredStoresTest, AllTypes);

TEST(PutAsking, PutsEachInOrderAndAsksForThoseBehindOnce) {
  for (const bool wait : {false, true})
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, kStoresAhead, kStoresAhead + 1, 3 * kStoresAhead}) {
      const StoreWaits waits(wait);
      std::vector<std::size_t> put, asked;
      put_asking(
          n,
          [&](std::size_t k) {
            EXPECT_EQ(k, put.size() + kStoresAhead);
            asked.push_back(k);
          },
          [&](std::size_t k) { put.push_back(k); });
      ASSERT_EQ(put.size(), n);
      for (std::size_t k = 0; k < n; ++k) EXPECT_EQ(put[k], k);
      EXPECT_EQ(asked.size(), wait && n > kStoresAhead ? n - kStoresAhead : 0);
    }
}

// Triplets at scattered places, of which every seventh row has none and the last row many.
template <class T, class I>
testing::Pattern<T, I> scattered(std::size_t rows, std::size_t cols, std::size_t n, std::size_t in_last_row) {
  testing::Pattern<T, I> p;
  p.rows = rows;
  p.cols = cols;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t row = k * 7919 % rows;
    if (row % 7 == 3) row -= 1;
    if (k < in_last_row) row = rows - 1;
    p.row_indices.push_back(static_cast<I>(row));
    p.columns.push_back(static_cast<I>((k * 104'729 + k / 3) % cols));
    p.values.push_back(static_cast<T>(k % 23) / T(8) - T(1));  // so that sums of repeated places are exact
  }
  return p;
}

TYPED_TEST(ScatteredStoresTest, TransposesAreThoseOfTheReference) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  for (const std::size_t n : {65U, 66U, 80U, 81U, 97U, 150U, 3000U})
    for (const std::size_t in_last_row : {0U, 15U, 16U, 17U, 65U}) {
      const auto p = scattered<T, I>(n / 3 + 50, n / 2 + 70, n, in_last_row);
      const Csr<T, I> a = to_csr(p.coo());
      const auto want = reference::from_triplets<T>(p.columns, p.row_indices, p.values);
      for (const bool wait : {false, true})
        for (const int threads : {1, 2}) {
          SCOPED_TRACE(::testing::Message() << n << " triplets, " << in_last_row << " in the last row, wait " << wait
                                            << ", threads " << threads);
          const StoreWaits waits(wait);
          const testing::ScopedThreads scoped(threads);
          const Csr<T, I> t = transpose(a);
          ASSERT_TRUE(testing::keeps_promises(t));
          ASSERT_TRUE(testing::same_entries(t, want));
          const Csr<T, I> by_blocks = transpose_by_blocks(a, static_cast<std::size_t>(threads));
          ASSERT_TRUE(testing::keeps_promises(by_blocks));
          ASSERT_TRUE(testing::same_entries(by_blocks, want));
        }
    }
}

// 8192 triplets are the fewest that slots ask for; whole and partial vectors of 16 behind them.
TYPED_TEST(ScatteredStoresTest, TripletsGiveTheReferencesRows) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  for (const std::size_t n : {8191U, 8192U, 8193U, 8207U, 8208U, 8223U, 8224U, 20'001U})
    for (const std::size_t in_last_row : {0U, 500U}) {
      const auto p = scattered<T, I>(n / 5, n / 5 + 77, n, in_last_row);
      for (const Isa isa : runnable_isas())
        for (const bool wait : {false, true}) {
          SCOPED_TRACE(::testing::Message()
                       << name(isa) << ", " << n << " triplets, " << in_last_row << " in the last row, wait " << wait);
          const ScopedIsa scope(isa);
          const StoreWaits waits(wait);
          const Csr<T, I> a = to_csr(p.coo());
          ASSERT_TRUE(testing::keeps_promises(a));
          ASSERT_TRUE(testing::same_entries(a, p.map()));
        }
    }
}

// A row is used as an index where it is asked for: not before it was looked at.
TYPED_TEST(ScatteredStoresTest, BadIndicesAreNamedWhereverTheyAre) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  constexpr std::size_t kTriplets = 8200;
  for (const std::size_t at : {0U, 15U, 16U, 17U, 31U, 32U, 4096U, 8175U, 8176U, 8191U, 8192U, 8199U})
    for (const bool in_row : {false, true})
      for (const I bad : {static_cast<I>(-1), static_cast<I>(kTriplets), std::numeric_limits<I>::max()}) {
        auto p = scattered<T, I>(kTriplets / 5, kTriplets / 5, kTriplets, 0);
        (in_row ? p.row_indices : p.columns)[at] = bad;
        for (const Isa isa : runnable_isas()) {
          SCOPED_TRACE(::testing::Message() << name(isa) << " triplet " << at << " in_row " << in_row);
          const ScopedIsa scope(isa);
          const StoreWaits waits(true);
          EXPECT_THAT([&] { to_csr(p.coo()); }, ThrowsMessage<std::invalid_argument>(HasSubstr(std::to_string(bad))));
        }
      }
}

}  // namespace
}  // namespace pawl::sparse
