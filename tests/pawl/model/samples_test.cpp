// samples_test.cpp -- Samples behaves as a std::vector<double> does, whether its values are inline or on the heap.
#include "model/samples.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <span>

namespace pawl::model {
namespace {

using testing::ElementsAre;

TEST(Samples, IsSmall) { EXPECT_LE(sizeof(Samples), 16U); }

TEST(Samples, GrowsAsAVectorDoes) {
  Samples samples;
  std::vector<double> expected;
  for (int i = 0; i < 1000; ++i) {
    samples.push_back(i * 0.5);
    expected.push_back(i * 0.5);
    ASSERT_EQ(std::vector<double>(samples), expected);
  }
  samples.clear();
  EXPECT_TRUE(samples.empty());
  samples.push_back(7);
  EXPECT_THAT(samples, ElementsAre(7));
}

TEST(Samples, CopiesAndMovesOfEachKindAreIndependent) {
  const std::vector<Samples> kinds = {{}, {1.0}, {1.0, 2.0, 3.0}};
  for (const Samples& from : kinds)
    for (const Samples& onto : kinds) {
      Samples copied = onto;
      copied = from;
      EXPECT_EQ(copied, from);
      if (!copied.empty()) copied[0] = 9;
      Samples target = onto, source = from;
      target = std::move(source);
      EXPECT_EQ(target, from);
      const Samples made = std::move(target);
      EXPECT_EQ(made, from);
    }
}

TEST(Samples, StandsWhereAVectorStood) {
  Samples samples = std::vector<double>{3, 1, 2};
  std::sort(samples.begin(), samples.end());
  EXPECT_THAT(samples, ElementsAre(1, 2, 3));
  const std::span<const double> span = samples;
  EXPECT_EQ(span.size(), 3U);
  const std::vector<double> vector = samples;
  EXPECT_THAT(vector, ElementsAre(1, 2, 3));
  EXPECT_EQ(nlohmann::json(samples).dump(), "[1.0,2.0,3.0]");
  EXPECT_EQ(samples.front(), 1);
  EXPECT_EQ(samples.back(), 3);
  EXPECT_THROW(static_cast<void>(samples.at(3)), std::out_of_range);
  samples = {5.0};
  EXPECT_THAT(samples, ElementsAre(5));
  samples.resize(3, -1);
  EXPECT_THAT(samples, ElementsAre(5, -1, -1));
  EXPECT_THAT(Samples(2, 4.0), ElementsAre(4, 4));
}

}  // namespace
}  // namespace pawl::model
