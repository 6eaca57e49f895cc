// thresholds_file_test.cpp -- thresholds.json becomes a policy, and every mistake in it has its line.
#include "baseline/thresholds_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decide/thresholds.hpp"
#include "failure.hpp"

namespace pawl::baseline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string error_of(const std::string& text) {
  try {
    parse_thresholds(text, "t.json");
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.exit_code, kBadInput);
    EXPECT_EQ(failure.line.find('\n'), std::string::npos) << failure.line;
    return failure.line;
  }
  return "no error";
}

TEST(ThresholdsFile, ReadsEveryKey) {
  const decide::Policy policy = parse_thresholds(R"({
    "schema_version": 1, "comment": "c", "alpha": 0.05, "confidence": 0.99, "metrics": ["real_time", "throughput"],
    "rules": [
      {"metric": "time", "pattern": "matmul", "warning_percent": 2, "critical_percent": 4, "improvement_percent": 3,
       "direction": "smaller_is_worse", "gate": false, "critical_path": true, "comment": "why"},
      {"metric": "memory"}]})",
                                                 "t.json");
  EXPECT_EQ(policy.alpha, 0.05);
  EXPECT_EQ(policy.confidence, 0.99);
  EXPECT_THAT(policy.metrics, ElementsAre("real_time", "throughput"));
  ASSERT_EQ(policy.rules.size(), 2U);
  const decide::Rule& rule = policy.rules[0];
  EXPECT_EQ(rule.metric, "time");
  EXPECT_EQ(rule.pattern, "matmul");
  EXPECT_EQ(rule.warning, 0.02);
  EXPECT_EQ(rule.critical, 0.04);
  EXPECT_EQ(rule.improvement, 0.03);
  EXPECT_EQ(rule.direction, decide::Direction::smaller_is_worse);
  EXPECT_EQ(rule.gate, false);
  EXPECT_EQ(rule.critical_path, true);
  EXPECT_FALSE(policy.rules[1].warning.has_value());
}

TEST(ThresholdsFile, ProfileIsTheGround) {
  const decide::Policy policy = parse_thresholds(R"({"schema_version": 1, "profile": "strict"})", "t.json");
  EXPECT_EQ(policy.rules.size(), decide::profile("strict").rules.size());
}

TEST(ThresholdsFile, MistakesHaveTheirLine) {
  EXPECT_THAT(error_of("{"), HasSubstr("t.json:1:2: syntax error"));
  EXPECT_EQ(error_of("{}"), "t.json:1: has no schema_version; expected 1");
  EXPECT_THAT(error_of("{\"schema_version\": 1,\n\"rules\": [\n{\"warning_precent\": 5}]}"),
              HasSubstr("t.json:3: rules[0].warning_precent is no key (did you mean warning_percent?)"));
  EXPECT_THAT(error_of("{\"schema_version\": 1,\n\"rles\": []}"),
              HasSubstr("t.json:2: rles is no key (did you mean rules?)"));
  EXPECT_THAT(error_of("{\"schema_version\": 1,\n\"rules\": [{\"pattern\":\n\"(\"}]}"),
              HasSubstr("rules[0].pattern cannot be used as a regular expression"));
  EXPECT_THAT(
      error_of("{\"schema_version\": 1, \"rules\": [{},\n{\"warning_percent\": 20, \"critical_percent\": 10}]}"),
      HasSubstr("t.json:2: rules[1] has a warning of 20 % above its critical of 10 %"));
  EXPECT_THAT(error_of("{\"schema_version\": 1, \"rules\": [{\"critical_percent\": -1}]}"),
              HasSubstr("expected a percentage"));
  EXPECT_THAT(error_of("{\"schema_version\": 1, \"rules\": [{\"critical_percent\": \"5 %\"}]}"),
              HasSubstr("expected a number"));
  EXPECT_THAT(error_of("{\"schema_version\": 1, \"alpha\": 5}"), HasSubstr("alpha expected a probability"));
  EXPECT_THAT(error_of("{\"schema_version\": 1, \"metrics\": []}"), HasSubstr("nothing would be compared"));
  EXPECT_THAT(error_of("{\"schema_version\": 1, \"rules\": [{\"direction\": \"up\"}]}"), HasSubstr("larger_is_worse"));
  EXPECT_THAT(error_of("{\"schema_version\": 1, \"rules\": [{\"gate\": 1}]}"), HasSubstr("expected true or false"));
  EXPECT_THAT(error_of("{\"schema_version\": 1, \"profile\": \"hard\"}"), HasSubstr("no profile 'hard'"));
  EXPECT_THAT(error_of("[]"), HasSubstr("expected an object"));
}

TEST(ThresholdsFile, OursIsValidAndLeavesPeersUngated) {
  const decide::Policy policy = read_thresholds(PAWL_THRESHOLDS);
  const decide::ThresholdTable table(policy);
  EXPECT_EQ(table.find("real_time", "matmul/f32/pawl/m:8").thresholds.critical, 0.10);
  EXPECT_EQ(table.find("max_bytes_used", "matmul/f32/pawl/m:8").thresholds.warning, 0.10);
  EXPECT_TRUE(table.find("real_time", "matmul/f32/pawl/m:8").gate);
  EXPECT_TRUE(table.find("real_time", "matmul/f32/avx2/m:8").gate);
  EXPECT_FALSE(table.find("real_time", "matmul/f32/eigen/m:8").gate);
  EXPECT_FALSE(table.find("real_time", "fft/f32/fftw_measure").gate);
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
  const std::string open = error_of("{\"schema_version\": 1,\n\"rules\": [\n{\"pattern\": \"a(b\"}]}");
  EXPECT_THAT(open, HasSubstr("t.json:3"));
  EXPECT_THAT(open, HasSubstr("cannot be used as a regular expression"));
  EXPECT_THAT(error_of(R"({"schema_version": 1, "rules": [{"pattern": "(a+)+b"}]})"), HasSubstr("for ever"));
  EXPECT_THAT(error_of(R"({"schema_version": 1, "critical_path": ["("]})"), HasSubstr("critical_path"));
}

}  // namespace
}  // namespace pawl::baseline
