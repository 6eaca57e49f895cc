// oddities_test.cpp -- many oddities -> a short list that still says how many there were.
#include "read/oddities.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pawl::read {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using Severity = Oddities::Severity;

TEST(Oddities, PositionsCountCodePoints) {
  const std::string text = "ab\n\u00e9\u2713x\n";
  EXPECT_EQ(position(text, 0).line, 1U);
  EXPECT_EQ(position(text, 2).column, 3U);
  const Position x = position(text, text.find('x'));
  EXPECT_EQ(x.line, 2U);
  EXPECT_EQ(x.column, 3U);
  EXPECT_EQ(position(text, 1000).line, 3U);
}

TEST(Oddities, ComeInTheOrderOfTheText) {
  Oddities oddities;
  oddities.add(Severity::note, 4, "b", "second");
  oddities.add(Severity::warning, 0, "a", "first");
  const auto list = oddities.take("x\ny\nz\n", "f");
  ASSERT_THAT(list, SizeIs(2));
  EXPECT_EQ(list[0].what, "first");
  EXPECT_EQ(list[0].severity, Severity::warning);
  EXPECT_EQ(list[1].line, 3U);
  EXPECT_EQ(list[1].row, "b");
  EXPECT_THAT(oddities.take("", "f"), SizeIs(0)) << "taken once";
}

TEST(Oddities, AlikeOnesOfOneRowAreCounted) {
  Oddities oddities;
  for (std::size_t i = 0; i < 5; ++i) oddities.add(Severity::note, i, "a", "NaN");
  oddities.add(Severity::note, 5, "b", "NaN");
  const auto list = oddities.take("......", "f");
  ASSERT_THAT(list, SizeIs(2));
  EXPECT_EQ(list[0].what, "NaN (5 times)");
  EXPECT_EQ(list[0].column, 1U);
  EXPECT_EQ(list[1].what, "NaN");
}

TEST(Oddities, ManyRowsEndInACount) {
  Oddities oddities;
  const std::string text(1000, '\n');
  for (std::size_t i = 0; i < 1000; ++i)
    for (int repetition = 0; repetition < 3; ++repetition)
      oddities.add(Severity::warning, i, fmt::format("row{}", i), "NaN");
  const auto list = oddities.take(text, "f");
  ASSERT_THAT(list, SizeIs(Oddities::kShownRows + 1));
  EXPECT_EQ(list.back().what, "980 more benchmarks like the 20 above: NaN");
  EXPECT_EQ(list.back().line, Oddities::kShownRows + 1);
}

TEST(Oddities, ManyKindsEndInACount) {
  Oddities oddities;
  for (std::size_t i = 0; i < 100000; ++i) oddities.add(Severity::note, 0, "", fmt::format("kind {}", i));
  const auto list = oddities.take("", "f");
  ASSERT_THAT(list, SizeIs(Oddities::kKinds + 1));
  EXPECT_THAT(list.back().what, HasSubstr("99500 more oddities"));
}

}  // namespace
}  // namespace pawl::read
