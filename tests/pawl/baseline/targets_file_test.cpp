// targets_file_test.cpp -- targets.json becomes bars, and every mistake in it has its line.
#include "baseline/targets_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "failure.hpp"

namespace pawl::baseline {
namespace {

using ::testing::HasSubstr;

std::string error_of(const std::string& targets) {
  try {
    parse_targets("{\"schema_version\": 1,\n\"targets\": " + targets + "}", "t.json");
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.exit_code, kBadInput);
    EXPECT_EQ(failure.line.find('\n'), std::string::npos) << failure.line;
    return failure.line;
  }
  return "no error";
}

TEST(TargetsFile, ReadsEveryKey) {
  const auto targets = parse_targets(R"({"schema_version": 1, "comment": "c", "targets": [
    {"name": "fast", "pattern": "^a/", "metric": "over/eigen", "at_least": 1.3, "over": "geometric_mean", "comment": "c"},
    {"metric": "real_time", "at_most": 40, "over": "each"}]})",
                                     "t.json");
  ASSERT_EQ(targets.size(), 2U);
  EXPECT_EQ(targets[0].name, "fast");
  EXPECT_EQ(targets[0].pattern, "^a/");
  EXPECT_EQ(targets[0].metric, "over/eigen");
  EXPECT_EQ(targets[0].at_least, 1.3);
  EXPECT_FALSE(targets[0].at_most.has_value());
  EXPECT_TRUE(targets[0].geometric_mean);
  EXPECT_EQ(targets[1].name, "real_time of all");
  EXPECT_EQ(targets[1].at_most, 40);
  EXPECT_FALSE(targets[1].geometric_mean);
}

TEST(TargetsFile, MistakesHaveTheirLine) {
  EXPECT_EQ(error_of("[]"), "t.json:1: has no targets");
  EXPECT_THAT(error_of("[{\"metric\": \"x\"}]"), HasSubstr("t.json:2: targets[0] needs at_least or at_most"));
  EXPECT_THAT(error_of("[{\"metric\": \"x\", \"at_least\": 1, \"at_most\": 2}]"), HasSubstr("and not both"));
  EXPECT_THAT(error_of("[{\"at_least\": 1}]"), HasSubstr("targets[0] has no metric"));
  EXPECT_THAT(error_of("[{\"metric\": \"x\",\n\"at_least\": 0}]"),
              HasSubstr("t.json:3: targets[0].at_least expected a number above 0"));
  EXPECT_THAT(error_of("[{\"metric\": \"x\", \"atleast\": 1}]"), HasSubstr("did you mean at_least?"));
  EXPECT_THAT(error_of("[{\"metric\": \"x\", \"at_least\": 1, \"pattern\": \"(\"}]"),
              HasSubstr("cannot be used as a regular expression"));
  EXPECT_THAT(error_of("[{\"metric\": \"x\", \"at_least\": 1, \"over\": \"mean\"}]"),
              HasSubstr("expected \"each\" or \"geometric_mean\""));
  EXPECT_THAT(error_of("{}"), HasSubstr("t.json:2: targets"));
}

}  // namespace
}  // namespace pawl::baseline
