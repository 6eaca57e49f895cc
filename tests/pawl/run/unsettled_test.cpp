// unsettled_test.cpp -- gated rows whose process runs disagree are found, the worst first, never too many.
#include "run/unsettled.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>

namespace pawl::run {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class UnsettledTest : public testing::Test {
 protected:
  model::ResultSet set;
  UnsettledLimits limits{.disagreement = 0.05, .most = 10};

  // One list of repetitions for each process run.
  void add(const std::string& executable, const std::string& name,
           std::initializer_list<std::initializer_list<double>> runs) {
    model::Benchmark benchmark;
    benchmark.name = name;
    benchmark.executable = executable;
    for (const auto& repetitions : runs) {
      model::Samples values;
      for (const double value : repetitions) values.push_back(value);
      model::Reading reading;
      reading.process = benchmark.readings.size();
      reading.series.push_back({model::kRealTime, std::move(values)});
      benchmark.readings.push_back(std::move(reading));
    }
    set.benchmarks.push_back(std::move(benchmark));
  }

  std::vector<Row> unsettled() const {
    const auto gates = [](const std::string& name) { return !name.starts_with("peer"); };
    return unsettled_rows(set, {"a_bench", "b_bench"}, gates, limits);
  }
};

TEST_F(UnsettledTest, RunsThatAgreeAreLeftAlone) {
  add("a_bench", "still", {{1.00, 9.0}, {1.02, 1.5}, {1.04, 7.0}});  // a slow repetition is no disagreement
  add("a_bench", "one run", {{1.0, 2.0}});
  EXPECT_THAT(unsettled(), IsEmpty());
}

TEST_F(UnsettledTest, ThoseThatDisagreeComeInTheOrderOfTheirExecutables) {
  add("b_bench", "second", {{1.0}, {1.0}, {1.1}});
  add("a_bench", "first", {{1.1}, {1.0}, {1.0}});
  add("c_bench", "nobody's", {{1.0}, {2.0}});
  EXPECT_THAT(unsettled(), ElementsAre(Row{0, "first"}, Row{1, "second"}));
}

TEST_F(UnsettledTest, RowsThatSeldomHadTheCoreAloneComeFirst) {
  add("a_bench", "much", {{1.0}, {1.4}, {1.0}});
  add("a_bench", "crowded", {{1.0}, {1.0}, {1.0}});
  add("a_bench", "two alone", {{1.0}, {1.0}, {1.0}});
  const auto watched = [&](std::size_t row, std::initializer_list<double> operations) {
    std::size_t run = 0;
    for (const double value : operations)
      set.benchmarks[row].readings[run++].series.push_back({model::kOperationsPerCycle, {value}});
  };
  watched(1, {3.9, 2.1, 2.5});
  watched(2, {3.9, 2.1, 3.88});
  EXPECT_THAT(unsettled(), ElementsAre(Row{0, "crowded"}, Row{0, "much"}));
  limits.most = 1;
  EXPECT_THAT(unsettled(), ElementsAre(Row{0, "crowded"}));
}

TEST_F(UnsettledTest, TheWorstOfThoseThatGate) {
  add("a_bench", "peer", {{1.0}, {9.0}});
  add("a_bench", "little", {{1.0}, {1.1}});
  add("a_bench", "much", {{1.0}, {1.4}});
  limits.most = 1;
  EXPECT_THAT(unsettled(), ElementsAre(Row{0, "much"}));
  limits.most = 3;
  EXPECT_THAT(unsettled(), ElementsAre(Row{0, "little"}, Row{0, "much"}));
  limits.most = 0;
  EXPECT_THAT(unsettled(), IsEmpty());
}

}  // namespace
}  // namespace pawl::run
