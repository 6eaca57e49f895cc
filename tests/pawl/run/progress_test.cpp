// progress_test.cpp -- the line that shows how far a run is, and when it will end.
#include "run/progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pawl::run {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

TEST(DurationText, AsPeopleSayIt) {
  EXPECT_EQ(duration_text(0.4), "0s");
  EXPECT_EQ(duration_text(59.4), "59s");
  EXPECT_EQ(duration_text(61.6), "1m02s");
  EXPECT_EQ(duration_text(7500), "2h05m");
  EXPECT_EQ(duration_text(-1), "0s");
}

TEST(Forecast, ByRowOfTheExecutableElseOfAll) {
  Forecast forecast;
  EXPECT_FALSE(forecast.seconds("a", 10));
  forecast.add("a", 10, 20);
  EXPECT_DOUBLE_EQ(*forecast.seconds("a", 5), 10);
  EXPECT_DOUBLE_EQ(*forecast.seconds("b", 5), 10);
  forecast.add("b", 10, 40);
  EXPECT_DOUBLE_EQ(*forecast.seconds("a", 5), 10);
  EXPECT_DOUBLE_EQ(*forecast.seconds("b", 5), 20);
  EXPECT_DOUBLE_EQ(*forecast.seconds("c", 5), 15);
  forecast.add("a", 0, 100);
  EXPECT_DOUBLE_EQ(*forecast.seconds("a", 5), 10);
}

TEST(ProgressLine, BarShareWhatAndTimeLeft) {
  const ProgressState state{9, 18, "simd_bench", "add/f32/pawl/n:16", 62.0};
  const std::string line = progress_line(state, 120);
  EXPECT_THAT(line, StartsWith("[##########          ]  50 %  10 of 18"));
  EXPECT_THAT(line, HasSubstr("simd_bench  add/f32/pawl/n:16"));
  EXPECT_THAT(line, EndsWith("1m02s left"));
}

TEST(ProgressLine, FitsItsWidthAndKeepsTheTime) {
  const ProgressState state{9, 18, "simd_bench", std::string(200, 'x'), 62.0};
  for (std::size_t width : {120u, 80u, 64u, 60u}) {
    const std::string line = progress_line(state, width);
    EXPECT_LE(line.size(), width + 4) << "bytes: the ellipsis takes three for one column";
    EXPECT_THAT(line, EndsWith("1m02s left"));
  }
  EXPECT_LE(progress_line(state, 10).size(), 10u);
}

TEST(ProgressLine, EndsAreInOrder) {
  EXPECT_THAT(progress_line({0, 0, "", "", {}}, 80), StartsWith("[                    ]   0 %  1 of 1"));
  EXPECT_THAT(progress_line({18, 18, "a", "", 0.0}, 80), StartsWith("[####################] 100 %  18 of 18"));
}

TEST(Progress, ALogThatCannotBeWrittenStopsNothing) {
  std::FILE* full = std::fopen("/dev/full", "w");
  ASSERT_NE(full, nullptr);
  {
    Progress progress(full, 80, false);
    EXPECT_NO_THROW(progress.log("a line"));
    EXPECT_NO_THROW(progress.show({0, 1, "a", "", {}}));
  }
  std::fclose(full);
}

TEST(ProgressLine, ANameCannotWriteToTheTerminal) {
  EXPECT_EQ(progress_line({0, 1, "a\x1b[31m", "", {}}, 80).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace pawl::run
