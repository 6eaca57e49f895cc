// gate_test.cpp -- thresholds that were typed stand beside those of a file, without changing what was not typed.
#include "gate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decide/thresholds.hpp"
#include "pawl/temporary_directory.hpp"

namespace pawl {
namespace {

class Gate : public testing::Test {
 protected:
  TemporaryDirectory directory;
  GateOptions options;

  decide::Thresholds time_thresholds() {
    options.thresholds = directory.write("th.json", R"({"schema_version": 1, "rules": [
        {"metric": "time", "warning_percent": 3, "critical_percent": 20, "improvement_percent": 2}]})");
    model::ResultSet set;
    set.processes.resize(1);
    model::Reading reading;
    reading.series = {{"real_time", {1}}};
    set.benchmarks.push_back({"a", "", "", "ns", "", {reading}});
    const auto policy = fitted(policy_of(options, baseline::Store(directory.path())), options, set, set);
    return decide::ThresholdTable(policy).find("real_time", "a").thresholds;
  }
};

TEST_F(Gate, CriticalAloneLeavesTheWarningOfTheFile) {
  options.critical = 30;
  const auto found = time_thresholds();
  EXPECT_EQ(found.warning, 0.03);
  EXPECT_EQ(found.critical, 0.30);
  EXPECT_EQ(found.improvement, 0.02);
}

TEST_F(Gate, CriticalBelowTheFilesWarningLowersIt) {
  options.critical = 1;
  EXPECT_EQ(time_thresholds().warning, 0.01);
  EXPECT_EQ(time_thresholds().critical, 0.01);
}

TEST_F(Gate, WarningAloneLeavesTheCriticalOfTheFileUnlessItIsBeyond) {
  options.warning = 15;
  EXPECT_EQ(time_thresholds().warning, 0.15);
  EXPECT_EQ(time_thresholds().critical, 0.20);
  EXPECT_EQ(time_thresholds().improvement, 0.15);
  options.warning = 25;
  EXPECT_EQ(time_thresholds().critical, 0.25);
}

// A word that nobody knows is a rule without effect.
TEST(UnknownMetrics, AreNotedWithWhatWasMeant) {
  model::ResultSet set;
  model::Reading reading;
  reading.series = {{"real_time", {1}}, {"widgets", {1}}};
  set.benchmarks.push_back({"a", "", "", "ns", "", {reading}});
  decide::Policy policy;
  for (const char* metric : {"", "time", "real_time", "widgets", "throughput", "variance", "max_bytes_used", "p99"})
    policy.rules.push_back({.metric = metric, .warning = 0.1});
  EXPECT_THAT(unknown_metrics(policy, set, set), ::testing::IsEmpty());
  for (const char* metric : {"Time", "real-time", "throughtput", "throughtput"})
    policy.rules.push_back({.metric = metric, .warning = 0.1});
  const auto notes = unknown_metrics(policy, set, set);
  ASSERT_EQ(notes.size(), 3u);
  EXPECT_THAT(notes[0], ::testing::HasSubstr("'Time' has no effect"));
  EXPECT_THAT(notes[0], ::testing::HasSubstr("did you mean time?"));
  EXPECT_THAT(notes[1], ::testing::HasSubstr("did you mean real_time?"));
  EXPECT_THAT(notes[2], ::testing::HasSubstr("did you mean throughput?"));
}

}  // namespace
}  // namespace pawl
