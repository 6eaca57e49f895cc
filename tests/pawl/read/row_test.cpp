// row_test.cpp -- what each key of a row means, and what is said where it means nothing.
#include <cmath>

#include "parts.hpp"

namespace pawl::read {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

model::ResultSet read_row(const std::string& members) {
  return read_bytes(document("{\"name\": \"a\", " + members + "}"), "f.json");
}

TEST(Row, EveryTimeUnitBecomesSeconds) {
  const std::pair<const char*, double> units[] = {{"ns", 1e9}, {"us", 1e6}, {"ms", 1e3}, {"s", 1}};
  for (const auto& [unit, per_second] : units) {
    const auto set = read_row(std::string("\"real_time\": 12.5, \"cpu_time\": 3, \"time_unit\": \"") + unit + "\"");
    EXPECT_THAT(values(set, "a"), ElementsAre(12.5 / per_second));
    EXPECT_THAT(values(set, "a", model::kCpuTime), ElementsAre(3 / per_second));
    EXPECT_EQ(find(set, "a")->time_unit, unit);
    EXPECT_THAT(set.oddities, IsEmpty());
  }
}

TEST(Row, UnitsThatAreUnknownOrMissing) {
  const auto missing = read_row("\"real_time\": 5");
  EXPECT_THAT(values(missing, "a"), ElementsAre(5 / 1e9));
  EXPECT_THAT(oddities(missing), ElementsAre("3:16 a: the row has no time_unit: taken as ns, the library's default"));
  const auto unknown = read_row("\"real_time\": 5, \"time_unit\": \"min\"");
  EXPECT_THAT(values(unknown, "a"), IsEmpty());
  EXPECT_EQ(find(unknown, "a")->readings[0].status, model::Status::failed) << "a time that cannot be read is no pass";
  EXPECT_THAT(oddities(unknown), Contains(HasSubstr("the time unit is \"min\", none of ns us ms s")));
}

TEST(Row, ErrorsOfOldAndNewLibrariesNeverHaveATime) {
  const auto old_error =
      read_row(R"("error_occurred": true, "error_message": "boom", "real_time": 0, "time_unit": "ns", "n": 7)");
  EXPECT_EQ(find(old_error, "a")->readings[0].status, model::Status::failed);
  EXPECT_EQ(find(old_error, "a")->readings[0].message, "boom");
  EXPECT_THAT(find(old_error, "a")->readings[0].series, IsEmpty());
  const auto skip = read_row(R"("skipped": true, "skip_message": "no GPU", "real_time": 0, "time_unit": "ns")");
  EXPECT_EQ(find(skip, "a")->readings[0].status, model::Status::skipped);
  EXPECT_EQ(find(skip, "a")->readings[0].message, "no GPU");
  EXPECT_THAT(find(skip, "a")->readings[0].series, IsEmpty());
  const auto neither = read_row(R"("error_occurred": false, "skipped": false, "real_time": 1, "time_unit": "s")");
  EXPECT_EQ(find(neither, "a")->readings[0].status, model::Status::ok);
}

TEST(Row, CountersKeepTheirNamesAndOrder) {
  const auto set = read_row(R"("real_time": 1, "time_unit": "s", "z,%": 1, "bytes_per_second": 2e9, "a": -1)");
  std::vector<std::string> metrics;
  for (const auto& series : find(set, "a")->readings[0].series) metrics.push_back(series.metric);
  EXPECT_THAT(metrics, ElementsAre("real_time", "z,%", "bytes_per_second", "a"));
  EXPECT_THAT(values(set, "a", "bytes_per_second"), ElementsAre(2e9)) << "rates are per second as they stand";
}

TEST(Row, CountersNamedLikeTheLibrarysKeys) {
  const auto set = read_row(
      R"("real_time": 1, "time_unit": "s", "real_time": 42, "threads": 1, "threads": 8, "label": 3, "skipped": 5,
         "rms": 0.5, "label": "text")");
  EXPECT_THAT(values(set, "a"), ElementsAre(1));
  EXPECT_THAT(values(set, "a", "real_time#2"), ElementsAre(42));
  EXPECT_THAT(values(set, "a", "threads#2"), ElementsAre(8));
  EXPECT_THAT(values(set, "a", "label"), ElementsAre(3));
  EXPECT_THAT(values(set, "a", "skipped"), ElementsAre(5));
  EXPECT_THAT(values(set, "a", "rms"), ElementsAre(0.5)) << "a row with a time is no fit";
  EXPECT_EQ(find(set, "a")->label, "text");
  EXPECT_EQ(find(set, "a")->readings[0].status, model::Status::ok);
}

TEST(Row, CountersNamedLikeWhatRepeatedOnesAreCalled) {
  const auto before = read_row(R"("real_time": 1, "time_unit": "s", "x#2": 20, "x": 1, "x": 2, "x": 3)");
  EXPECT_THAT(values(before, "a", "x#2"), ElementsAre(20));
  EXPECT_THAT(values(before, "a", "x#3"), ElementsAre(2));
  EXPECT_THAT(values(before, "a", "x#4"), ElementsAre(3));
  const auto behind = read_row(R"("real_time": 1, "time_unit": "s", "x": 1, "x": 2, "x#2": 20)");
  EXPECT_THAT(values(behind, "a", "x#2"), ElementsAre(2));
  EXPECT_THAT(values(behind, "a", "x#2#2"), ElementsAre(20));
}

TEST(Row, NumbersInOtherClothes) {
  const auto quoted = read_row(R"("real_time": "1.5", "cpu_time": "NaN", "time_unit": "s", "n": "7")");
  EXPECT_THAT(values(quoted, "a"), ElementsAre(1.5));
  EXPECT_TRUE(std::isnan(values(quoted, "a", model::kCpuTime)[0]));
  EXPECT_THAT(values(quoted, "a", "n"), ElementsAre(7));
  EXPECT_THAT(oddities(quoted), Contains(HasSubstr("\"real_time\" is in quotes: taken as the number that it spells")));
  const auto null = read_row(R"("real_time": null, "time_unit": "s", "n": null)");
  EXPECT_TRUE(std::isnan(values(null, "a")[0]));
  EXPECT_THAT(oddities(null), Contains(HasSubstr("\"real_time\" is null: taken as NaN")));
}

TEST(Row, WhatIsNoMeasurementIsLeftOutAloud) {
  const auto set = read_row(R"("real_time": 1, "time_unit": "s", "compiler": "gcc", "inner": {"x": 1}, "flag": true)");
  EXPECT_THAT(oddities(set), ElementsAre(HasSubstr("\"compiler\" is text: left out"),
                                         HasSubstr("\"inner\" holds an object or a list: left out"),
                                         HasSubstr("\"flag\" is true or false: left out")));
}

TEST(Row, TimesThatCannotBe) {
  for (const auto& [token, word] : {std::pair{"NaN", "NaN"}, std::pair{"-Infinity", "-Infinity"}, std::pair{"0", "0"},
                                    std::pair{"-1", "negative"}}) {
    const auto set = read_row(std::string("\"real_time\": ") + token + ", \"cpu_time\": 1, \"time_unit\": \"s\"");
    EXPECT_THAT(oddities(set), ElementsAre(HasSubstr(std::string("real_time is ") + word)));
    EXPECT_EQ(values(set, "a").size(), 1U) << "kept as the file has it";
  }
}

TEST(Row, CountsThatAreNone) {
  const auto set =
      read_row(R"("real_time": 1, "time_unit": "s", "iterations": -5, "threads": 1.5, "family_index": 1e300)");
  EXPECT_FALSE(find(set, "a")->readings[0].iterations.has_value());
  EXPECT_THAT(oddities(set), ElementsAre(HasSubstr("\"iterations\" is no count"), HasSubstr("\"threads\" is no count"),
                                         HasSubstr("\"family_index\" is no count")));
  const auto huge = read_row(R"("real_time": 1, "time_unit": "s", "iterations": 1000000000000)");
  EXPECT_EQ(find(huge, "a")->readings[0].iterations, 1000000000000U);
}

TEST(Row, WithoutANameIsLeftOutAloud) {
  const auto set = read_bytes(document("{\"real_time\": 1}," + row("b", 2)), "f.json");
  EXPECT_THAT(names(set), ElementsAre("b"));
  EXPECT_THAT(oddities(set), Contains("3:16 : a row has no name: left out"));
}

TEST(Row, LocaleOfTheWriter) {
  const auto set = read_row(R"("iterations": 1,000,000, "real_time": 6,82e+02, "time_unit": "ns")");
  EXPECT_THAT(values(set, "a"), ElementsAre(682 / 1e9));
  EXPECT_EQ(find(set, "a")->readings[0].iterations, 1000000U);
  EXPECT_THAT(oddities(set), ElementsAre(HasSubstr("written under a locale")));
}

TEST(Row, TooManyCountersAreCut) {
  std::string counters;
  for (int i = 0; i < 5000; ++i) counters += ", \"c" + std::to_string(i) + "\": 1";
  const auto set = read_row("\"real_time\": 1, \"time_unit\": \"s\"" + counters);
  EXPECT_LE(find(set, "a")->readings[0].series.size(), 1002U);
  EXPECT_THAT(oddities(set), ElementsAre(HasSubstr("more than 1000 counters")));
}

}  // namespace
}  // namespace pawl::read
