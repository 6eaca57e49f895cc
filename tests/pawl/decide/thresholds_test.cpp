// thresholds_test.cpp -- rules by name and metric: the longest match wins, the later rule wins a tie.
#include "decide/thresholds.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace pawl::decide {
namespace {

TEST(Thresholds, DefaultsByClass) {
  const ThresholdTable table(Policy{});
  EXPECT_EQ(table.find("real_time", "x").thresholds.warning, 0.05);
  EXPECT_EQ(table.find("real_time", "x").thresholds.critical, 0.10);
  EXPECT_EQ(table.find("max_bytes_used", "x").thresholds.critical, 0.20);
  EXPECT_EQ(table.find("items_per_second", "x").direction, Direction::smaller_is_worse);
  EXPECT_EQ(table.find("real_time", "x").direction, Direction::larger_is_worse);
  EXPECT_EQ(table.find("snr", "x").direction, Direction::smaller_is_worse);
  EXPECT_EQ(table.find("mse", "x").direction, Direction::larger_is_worse);
}

TEST(Thresholds, TheLongestMatchWinsAndFieldsAreInherited) {
  Policy policy;
  policy.rules = {{.metric = "time", .pattern = "matmul/f32", .warning = 0.02},
                  {.metric = "time", .pattern = "matmul", .warning = 0.07, .critical = 0.30},
                  {.metric = "", .pattern = "^sum/", .critical_path = true}};
  const ThresholdTable table(policy);
  const Applied a = table.find("real_time", "matmul/f32/pawl/m:1");
  EXPECT_EQ(a.thresholds.warning, 0.02);
  EXPECT_EQ(a.thresholds.critical, 0.30);
  EXPECT_EQ(table.find("real_time", "matmul/f64/pawl/m:1").thresholds.warning, 0.07);
  EXPECT_EQ(table.find("max_bytes_used", "matmul/f32").thresholds.warning, 0.10);
  EXPECT_TRUE(table.find("cpu_time", "sum/f32").critical_path);
  EXPECT_FALSE(table.find("cpu_time", "add/f32").critical_path);
}

TEST(Thresholds, ALaterRuleWinsATie) {
  Policy policy;
  policy.rules = {{.metric = "time", .pattern = "abc", .warning = 0.01},
                  {.metric = "time", .pattern = "xyz", .warning = 0.02}};
  EXPECT_EQ(ThresholdTable(policy).find("real_time", "abcxyz").thresholds.warning, 0.02);
}

// Twelve percent is below a warning threshold of 15 %, so it cannot be critical.
TEST(Thresholds, AWarningIsNeverAboveTheCriticalThreshold) {
  Policy policy;
  policy.rules = {{.metric = "time", .pattern = "one", .warning = 0.15},
                  {.metric = "time", .pattern = "one more", .warning = 0.03},
                  {.metric = "time", .pattern = "low", .critical = 0.03},
                  {.metric = "time", .pattern = "lower", .warning = 0.04}};
  const ThresholdTable table(policy);
  const auto found = [&](const char* name) { return table.find("real_time", name).thresholds; };
  EXPECT_EQ(found("one").warning, 0.15);
  EXPECT_EQ(found("one").critical, 0.15);
  EXPECT_EQ(found("one more").warning, 0.03);
  EXPECT_EQ(found("one more").critical, 0.10) << "the default, since the wider rule said nothing of it";
  EXPECT_EQ(found("low").warning, 0.03);
  EXPECT_EQ(found("low").critical, 0.03);
  EXPECT_EQ(found("lower").warning, 0.04);
  EXPECT_EQ(found("lower").critical, 0.04);
}

TEST(Thresholds, ABadPatternIsNamed) {
  Policy policy;
  policy.rules = {{.metric = "time", .pattern = "a(b"}};
  try {
    const ThresholdTable table(policy);
    FAIL() << "was taken";
  } catch (const RuleError& error) {
    EXPECT_NE(std::string(error.what()).find("rule 1 'a(b'"), std::string::npos) << error.what();
  }
}

TEST(Thresholds, PatternsThatCouldTakeForEverAndBadNumbersAreRefused) {
  Policy policy;
  policy.rules = {{.metric = "time", .pattern = "(a+)+b"}};
  EXPECT_THROW(ThresholdTable{policy}, RuleError);
  policy.rules = {{.metric = "time", .warning = -0.05}};
  EXPECT_THROW(ThresholdTable{policy}, RuleError);
  policy.rules = {{.metric = "time", .critical = std::numeric_limits<double>::quiet_NaN()}};
  EXPECT_THROW(ThresholdTable{policy}, RuleError);
}

TEST(Thresholds, ProfilesExist) {
  EXPECT_EQ(ThresholdTable(profile("latency")).find("real_time", "BM_x").thresholds.critical, 0.15);
  EXPECT_EQ(ThresholdTable(profile("latency")).find("real_time", "rpc_latency").thresholds.critical, 0.25);
  EXPECT_THROW((void)profile("lenient"), std::invalid_argument);
}

}  // namespace
}  // namespace pawl::decide
