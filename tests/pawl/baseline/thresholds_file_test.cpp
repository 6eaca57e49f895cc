// thresholds_file_test.cpp -- what a thresholds.json says becomes the policy, and what it gets wrong is named.
#include "baseline/thresholds_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decide/thresholds.hpp"
#include "failure.hpp"

namespace pawl::baseline {
namespace {

using ::testing::HasSubstr;

std::string failure_of(const std::string& text) {
  try {
    (void)parse_thresholds(text, "t.json");
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.exit_code, kBadInput);
    return failure.what();
  }
  return "taken";
}

TEST(ThresholdsFile, RulesAndCriticalPathsBecomeThePolicy) {
  const auto policy = parse_thresholds(R"({"schema_version": 1,
    "rules": [{"metric": "time", "warning_percent": 3, "critical_percent": 6, "improvement_percent": 1},
              {"metric": "memory", "pattern": "^arena/", "gate": false}],
    "critical_path": ["^matmul/", "softmax"]})",
                                       "t.json");
  const decide::ThresholdTable table(policy);
  EXPECT_DOUBLE_EQ(table.find("real_time", "fft").thresholds.warning, 0.03);
  EXPECT_DOUBLE_EQ(table.find("real_time", "fft").thresholds.improvement, 0.01);
  EXPECT_FALSE(table.find("real_time", "fft").critical_path);
  EXPECT_TRUE(table.find("real_time", "matmul/f32").critical_path);
  EXPECT_TRUE(table.find("max_bytes_used", "x/softmax").critical_path);
  EXPECT_FALSE(table.find("max_bytes_used", "arena/x").gate);
  EXPECT_FALSE(policy.also.empty());
}

TEST(ThresholdsFile, MetricsThatAreNamedAreTheOnlyOnes) {
  const auto policy = parse_thresholds(R"({"schema_version": 1, "metrics": ["real_time", "memory"]})", "t.json");
  EXPECT_EQ(policy.metrics, (std::vector<std::string>{"real_time", "memory"}));
  EXPECT_TRUE(policy.also.empty());
}

TEST(ThresholdsFile, PatternsThatCannotBeUsedAreNamedWithTheirLine) {
  const std::string open = failure_of("{\"schema_version\": 1,\n\"rules\": [\n{\"pattern\": \"a(b\"}]}");
  EXPECT_THAT(open, HasSubstr("t.json:3"));
  EXPECT_THAT(open, HasSubstr("cannot be used as a regular expression"));
  EXPECT_THAT(failure_of(R"({"schema_version": 1, "rules": [{"pattern": "(a+)+b"}]})"), HasSubstr("for ever"));
  EXPECT_THAT(failure_of(R"({"schema_version": 1, "critical_path": ["("]})"), HasSubstr("critical_path"));
}

}  // namespace
}  // namespace pawl::baseline
