// sddmm_test.cpp -- sampled products of dense matrices against dense loops, for all types, variants and threads.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "pawl/isa.hpp"
#include "pawl/sparse/operations.hpp"
#include "sparse/patterns.hpp"

namespace pawl::sparse {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

template <class Types>
class SddmmTest : public ::testing::Test {};
using AllTypes =
    ::testing::Types<testing::SparseTypes<float, std::int32_t>, testing::SparseTypes<float, std::int64_t>,
                     testing::SparseTypes<double, std::int32_t>, testing::SparseTypes<double, std::int64_t>>;
TYPED_TEST_SUITE(SddmmTest, AllTypes);

// The products at the entries of `a` of rows of u and v, and the sums of their absolute values, which bound the error.
struct EntrySum {
  long double sum = 0, magnitude = 0;
};

template <class T, class I>
std::vector<EntrySum> sums_at_entries(const Csr<T, I>& a, const std::vector<T>& u, const std::vector<T>& v,
                                      std::size_t stride, std::size_t width) {
  std::vector<EntrySum> sums(a.nonzeros());
  for (std::size_t r = 0; r < a.rows(); ++r)
    for (auto k = static_cast<std::size_t>(a.row_start()[r]); k < static_cast<std::size_t>(a.row_start()[r + 1]); ++k)
      for (std::size_t i = 0; i < width; ++i) {
        const long double product = static_cast<long double>(u[r * stride + i]) *
                                    static_cast<long double>(v[static_cast<std::size_t>(a.columns()[k]) * stride + i]);
        sums[k].sum += product;
        sums[k].magnitude += std::fabs(product);
      }
  return sums;
}

// Each entry of `got` is that of `a` times its sum, within the documented bound.
template <class T, class I>
void expect_sampled(const Csr<T, I>& got, const Csr<T, I>& a, const std::vector<EntrySum>& sums, std::size_t width) {
  ASSERT_TRUE(testing::keeps_promises(got));
  ASSERT_TRUE(std::ranges::equal(got.row_start(), a.row_start()) && std::ranges::equal(got.columns(), a.columns()));
  const long double unit = std::numeric_limits<T>::epsilon() / 2.0L;
  for (std::size_t k = 0; k < a.nonzeros(); ++k) {
    const long double value = a.values()[k];
    if (!std::isfinite(value)) continue;
    ASSERT_LE(std::fabs(static_cast<long double>(got.values()[k]) - value * sums[k].sum),
              static_cast<long double>(width + 1) * unit * std::fabs(value) * sums[k].magnitude)
        << "entry " << k;
  }
}

TYPED_TEST(SddmmTest, IsTheProductAtTheEntries) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  for (const auto& p : testing::patterns<T, I>()) {
    const auto a = testing::csr_of(p);
    const bool large = a.nonzeros() > 3'000;
    for (std::size_t width :
         large ? std::vector<std::size_t>{5, 33} : std::vector<std::size_t>{0, 1, 2, 5, 8, 15, 16, 33})
      for (std::size_t gap : {0u, 2u}) {
        if (large && (gap == 0) != (width == 5)) continue;
        const std::size_t stride = width + gap;
        // What is between the rows, where the last vector of a row may reach, is NaN.
        std::vector<T> u(p.rows * stride, std::numeric_limits<T>::quiet_NaN()),
            v(p.cols * stride, u.empty() ? T(0) : u[0]);
        for (std::size_t r = 0; r < p.rows; ++r)
          for (std::size_t i = 0; i < width; ++i)
            u[r * stride + i] = static_cast<T>((r * 37 + i * 11) % 101) / T(50) - T(1);
        for (std::size_t c = 0; c < p.cols; ++c)
          for (std::size_t i = 0; i < width; ++i)
            v[c * stride + i] = static_cast<T>((c * 53 + i * 17) % 97) / T(50) - T(1);
        const auto sums = sums_at_entries(a, u, v, stride, width);
        for (const Isa isa : runnable_isas())
          for (int threads : {1, 3}) {
            SCOPED_TRACE(::testing::Message() << p.name << " width " << width << " stride " << stride << ' '
                                              << name(isa) << " threads " << threads);
            const ScopedIsa scope(isa);
            const testing::ScopedThreads scoped_threads(threads);
            ASSERT_NO_FATAL_FAILURE(expect_sampled(sddmm<T, I>(a, u, stride, v, stride, width), a, sums, width));
          }
      }
  }
  std::vector<T> u(4);
  EXPECT_THAT(([&] { (void)sddmm<T, I>(Csr<T, I>(3, 2), u, 2, u, 2, 2); }),
              ThrowsMessage<std::invalid_argument>(HasSubstr("u has 4 elements, too few for 3 rows with stride 2")));
}

// Rows of v beyond L2, which are asked for ahead, and rows of 1 to 9 entries.
TYPED_TEST(SddmmTest, FetchesRowsAhead) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  constexpr std::size_t kRows = 200, kCols = 100'000, kWidth = 48;
  std::vector<I> rows, columns;
  std::vector<T> values;
  for (std::size_t r = 0; r < kRows; ++r)
    for (std::size_t k = 0; k < 1 + r % 9; ++k) {
      rows.push_back(static_cast<I>(r));
      columns.push_back(static_cast<I>(r + k == 0 ? kCols - 1 : (r * 7919 + k * 104'729) % kCols));
      values.push_back(static_cast<T>(k) - T(3));
    }
  const auto a = to_csr(Coo<T, I>{kRows, kCols, rows, columns, values});
  std::vector<T> u(kRows * kWidth), v(kCols * kWidth);
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = static_cast<T>(i % 31) - T(15);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<T>(i % 29) - T(14);
  const auto sums = sums_at_entries(a, u, v, kWidth, kWidth);
  for (const Isa isa : runnable_isas()) {
    SCOPED_TRACE(name(isa));
    const ScopedIsa scope(isa);
    ASSERT_NO_FATAL_FAILURE(expect_sampled(sddmm<T, I>(a, u, kWidth, v, kWidth, kWidth), a, sums, kWidth));
  }
}

}  // namespace
}  // namespace pawl::sparse
