// view_test.cpp -- shapes refuse what cannot be; views address the elements that they say.
#include "pawl/view.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace pawl {
namespace {

using ::testing::ElementsAre;

std::vector<double> counted(std::size_t n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 0.0);
  return values;
}

TEST(Shape, CountsElements) {
  EXPECT_EQ(Shape{}.elements(), 1u);
  EXPECT_EQ((Shape{2, 3, 4}).elements(), 24u);
  EXPECT_EQ((Shape{2, 0, 4}).elements(), 0u);
  EXPECT_EQ((Shape{2, 3}), (Shape{2, 3}));
  EXPECT_FALSE((Shape{2, 3}) == (Shape{3, 2}));
  EXPECT_FALSE((Shape{2}) == (Shape{2, 0}));
}

TEST(Shape, RefusesTooManyDimensionsAndOverflow) {
  EXPECT_THROW((Shape{1, 1, 1, 1, 1, 1, 1, 1, 1}), std::invalid_argument);
  EXPECT_THROW((Shape{SIZE_MAX, 2}), std::invalid_argument);
  EXPECT_THROW((Shape{std::size_t{1} << 32, std::size_t{1} << 32}), std::invalid_argument);
  EXPECT_THROW((Shape{std::size_t{1} << 61}), std::invalid_argument);
  EXPECT_EQ((Shape{SIZE_MAX, 2, 0}).elements(), 0u);
}

// Strides of an empty array may wrap around, which must be no signed overflow (the UBSan build runs this).
TEST(View, EmptyShapesMayHaveLargeExtents) {
  const Shape shape{0, std::size_t{1} << 40, std::size_t{1} << 40};
  EXPECT_EQ(shape.elements(), 0u);
  EXPECT_EQ(row_major(shape)[1], std::ptrdiff_t{1} << 40);
  EXPECT_TRUE(View<const float>(nullptr, shape).is_contiguous());
}

TEST(View, AddressesRowMajor) {
  auto values = counted(24);
  const View<double> v(values.data(), {2, 3, 4});
  EXPECT_TRUE(v.is_contiguous());
  EXPECT_EQ(v.at({1, 2, 3}), 23);
  EXPECT_EQ(v.at({1, 0, 2}), 14);
  EXPECT_THROW((void)v.at({2, 0, 0}), std::out_of_range);
  EXPECT_THROW((void)v.at({0, 0}), std::invalid_argument);
}

TEST(View, PermutesAndTransposes) {
  auto values = counted(24);
  const View<double> v(values.data(), {2, 3, 4});
  const auto p = v.permute({2, 0, 1});
  EXPECT_EQ(p.shape(), (Shape{4, 2, 3}));
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(p.at({k, i, j}), v.at({i, j, k}));
  EXPECT_FALSE(p.is_contiguous());
  EXPECT_EQ(v.transpose().at({1, 3, 2}), v.at({1, 2, 3}));
  EXPECT_THROW((void)v.permute({0, 1}), std::invalid_argument);
  EXPECT_THROW((void)v.permute({0, 1, 1}), std::invalid_argument);
  EXPECT_THROW((void)v.permute({0, 1, 3}), std::invalid_argument);
  EXPECT_THROW((void)View<double>(values.data(), {24}).transpose(), std::invalid_argument);
}

TEST(View, Slices) {
  auto values = counted(24);
  const View<double> v(values.data(), {4, 6});
  const auto s = v.slice(1, 1, 6, 2);
  EXPECT_EQ(s.shape(), (Shape{4, 3}));
  EXPECT_EQ(s.at({2, 0}), 13);
  EXPECT_EQ(s.at({2, 2}), 17);
  EXPECT_FALSE(s.is_contiguous());
  EXPECT_TRUE(v.slice(0, 1, 3).is_contiguous());
  EXPECT_EQ(v.slice(0, 4, 4).elements(), 0u);
  const auto one = v.slice(0, 1, 4, SIZE_MAX - 1);  // a step beyond the end leaves the first
  EXPECT_EQ(one.shape(), (Shape{1, v.shape()[1]}));
  EXPECT_EQ(one.at({0, 1}), v.at({1, 1}));
  EXPECT_THROW((void)v.slice(0, 3, 5), std::out_of_range);
  EXPECT_THROW((void)v.slice(0, 3, 2), std::out_of_range);
  EXPECT_THROW((void)v.slice(2, 0, 1), std::out_of_range);
  EXPECT_THROW((void)v.slice(0, 0, 4, 0), std::invalid_argument);
}

TEST(View, SelectsAndReshapes) {
  auto values = counted(24);
  const View<double> v(values.data(), {2, 3, 4});
  const auto row = v.select(1, 2);
  EXPECT_EQ(row.shape(), (Shape{2, 4}));
  EXPECT_EQ(row.at({1, 3}), 23);
  EXPECT_THROW((void)v.select(1, 3), std::out_of_range);
  EXPECT_EQ(v.reshape({6, 4}).at({5, 3}), 23);
  EXPECT_THROW((void)v.reshape({5, 5}), std::invalid_argument);
  EXPECT_THROW((void)v.transpose().reshape({24}), std::invalid_argument);
}

TEST(View, FlatGivesContiguousElementsOnly) {
  auto values = counted(6);
  const View<double> v(values.data(), {2, 3});
  EXPECT_THAT(v.flat(), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THROW((void)v.transpose().flat(), std::invalid_argument);
  EXPECT_THAT(v.slice(0, 1, 2).flat(), ElementsAre(3, 4, 5));
  EXPECT_TRUE(v.slice(0, 1, 1).slice(1, 0, 3, 2).flat().empty());  // nothing has no gaps, whatever its strides
}

}  // namespace
}  // namespace pawl
