// targets_test.cpp -- each metric of a target from hand-made results, and how judged targets read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "show/target_values.hpp"
#include "show/targets_format.hpp"

namespace pawl::show {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Processes 0 and 1 hold most rows; what only they share is compared within each.
model::ResultSet results() {
  model::ResultSet set;
  for (int p = 0; p < 3; ++p) {
    model::Process process;
    process.context = {{"pawl_l1d_bytes", "32768"}, {"pawl_l2_bytes", "1048576"}, {"pawl_l3_bytes", "33554432"}};
    process.yardsticks_start = {{"fma_f32_gflops", p == 0 ? 100 : 200}};
    set.processes.push_back(process);
  }
  const auto add = [&](const std::string& name, std::size_t first_process, std::vector<double> seconds) {
    model::Benchmark b;
    b.name = name;
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      model::Reading r;
      r.process = first_process + i;
      r.series = {{model::kRealTime, {seconds[i]}}, {"flops", {50e9}}, {"hit_rate", {0.5}}};
      b.readings.push_back(std::move(r));
    }
    set.benchmarks.push_back(std::move(b));
  };
  add("a/f32/pawl/n:8/threads:1", 0, {2e-6, 3e-6});
  add("a/f32/eigen/n:8/threads:1", 0, {4e-6, 9e-6});
  add("a/f32/blis/n:8/threads:1", 0, {3e-6, 6e-6});
  add("a/f32/scalar/n:8/threads:1", 0, {1e-6, 1e-6});
  add("a/f32/pawl/n:8/threads:2", 0, {1e-6, 2e-6});
  add("a/f32/fftw/n:8/threads:2", 2, {4e-6});  // in a process of its own
  add("BM_Other/8", 0, {1e-6});
  return set;
}

std::vector<double> values(const std::string& metric, std::size_t row) {
  const auto rows = target_values(results(), metric);
  EXPECT_EQ(rows.size(), 7U);
  return rows.at(row).values;
}

TEST(TargetValues, TimesAreNanoseconds) {
  EXPECT_THAT(values("real_time", 0), ElementsAre(DoubleNear(2000, 1e-9), DoubleNear(3000, 1e-9)));
  EXPECT_THAT(values("real_time", 6), ElementsAre(DoubleNear(1000, 1e-9)));
}

TEST(TargetValues, CountersGoByTheirNames) {
  EXPECT_THAT(values("hit_rate", 0), ElementsAre(0.5, 0.5));
  EXPECT_THAT(values("no_such", 0), IsEmpty());
}

TEST(TargetValues, LimitIsThatOfTheSameProcess) {
  EXPECT_THAT(values("percent_of_limit", 0), ElementsAre(DoubleNear(50, 1e-9), DoubleNear(25, 1e-9)));
  EXPECT_THAT(values("percent_of_limit", 6), IsEmpty());
}

TEST(TargetValues, RatiosAreWithinAProcess) {
  EXPECT_THAT(values("over/eigen", 0), ElementsAre(DoubleNear(2, 1e-9), DoubleNear(3, 1e-9)));
  EXPECT_THAT(values("over/best_peer", 0), ElementsAre(DoubleNear(1.5, 1e-9), DoubleNear(2, 1e-9)));
  EXPECT_THAT(values("over/scalar", 0), ElementsAre(DoubleNear(0.5, 1e-9), DoubleNear(1.0 / 3, 1e-9)));
  EXPECT_THAT(values("over/threads:1", 4), ElementsAre(DoubleNear(2, 1e-9), DoubleNear(1.5, 1e-9)));
  EXPECT_THAT(values("over/threads:1", 0), IsEmpty()) << "a row is not compared with itself";
  EXPECT_THAT(values("over/openblas", 0), IsEmpty());
  EXPECT_THAT(values("over/eigen", 6), IsEmpty());
}

TEST(TargetValues, APeerIsComparedWithTheOthers) {
  EXPECT_THAT(values("over/best_peer", 2), ElementsAre(DoubleNear(4.0 / 3, 1e-9), DoubleNear(1.5, 1e-9)));
}

TEST(TargetValues, OtherProcessesGiveOneRatioOfMeans) {
  EXPECT_THAT(values("over/fftw", 4), ElementsAre(DoubleNear(4 / std::sqrt(2.0), 1e-9)));
}

TEST(TargetValues, WhatFailedSaysWhy) {
  model::ResultSet set = results();
  const auto failure = [&](const std::string& metric) { return target_values(set, metric).at(0).failure; };
  EXPECT_EQ(failure("real_time"), "");
  EXPECT_EQ(failure("no_such"), "");
  set.benchmarks[0].readings[1].series[2].values = {std::nan("")};
  EXPECT_EQ(failure("hit_rate"), "") << "the other run has one";
  set.benchmarks[0].readings[0].series[2].values = {std::nan("")};
  EXPECT_EQ(failure("hit_rate"), "has no usable hit_rate");
  EXPECT_EQ(failure("real_time"), "");
  set.benchmarks[0].readings[1].status = model::Status::failed;
  set.benchmarks[0].readings[1].message = "boom";
  EXPECT_EQ(failure("real_time"), "fails: boom in 1 of 2 process runs");
  set.benchmarks[0].readings[0].status = model::Status::skipped;
  EXPECT_EQ(failure("over/eigen"), "is skipped");
}

std::vector<JudgedTarget> judged() {
  return {{{.name = "fast | enough", .pattern = "a", .metric = "over/eigen", .at_least = 1},
           {decide::Reach::met, 2, 2, 0, "a/f32", 1.5, 1.4, 1.6, 3}},
          {{.name = "near the peak", .pattern = "a", .metric = "percent_of_limit", .at_least = 90},
           {decide::Reach::missed, 4, 3, 2, "b/f32", 80, 79, 81, 3}},
          {{.name = "none", .pattern = "zzz", .metric = "real_time", .at_most = 4}, {}}};
}

TEST(TargetsFormat, WorstComesFirst) {
  const std::string text = format_targets_text(judged());
  EXPECT_LT(text.find("near the peak"), text.find("fast | enough")) << text;
  for (const char* part :
       {">= 90.0 %", "80.0 % [79.0 %, 81.0 %]", "b/f32 (2 of 3 fall short)", "a/f32 (the worst of 2)",
        "no benchmark matches zzz", "<= 4.000 ns", "targets: 1 met, 1 missed, 1 not applicable\n"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(TargetsFormat, MarkdownAndJsonCarryTheSame) {
  EXPECT_THAT(format_targets_markdown(judged()), HasSubstr("| missed | near the peak |"));
  EXPECT_THAT(format_targets_markdown(judged()), ::testing::Not(HasSubstr("fast | enough")));
  const auto json = nlohmann::json::parse(format_targets_json(judged(), 1));
  EXPECT_EQ(json.at("exit_code"), 1);
  EXPECT_EQ(json.at("targets").size(), 3U);
  EXPECT_EQ(json.at("targets").at(1).at("result"), "missed");
  EXPECT_EQ(json.at("targets").at(1).at("value"), 80);
  EXPECT_FALSE(json.at("targets").at(2).contains("value"));
}

TEST(TargetsFormat, WhatFailedIsNamed) {
  const decide::Target target{.name = "fast", .pattern = "", .metric = "real_time", .at_most = 200};
  const decide::Reached some{decide::Reach::missed, 3, 1, 0, "a", 100, 100, 100, 1, 2, "b", "fails: boom"},
      none{decide::Reach::missed, 1, 0, 0, "", 0, 0, 0, 0, 1, "b", "is skipped"};
  const std::string text = format_targets_text({{target, some}, {target, none}});
  EXPECT_THAT(text, HasSubstr("100.0 ns (one run)  a; b fails: boom (2 of 3 failed)\n")) << text;
  EXPECT_THAT(text, HasSubstr(" -  b is skipped\n")) << text;
  const auto json = nlohmann::json::parse(format_targets_json({{target, some}, {target, none}}, 1));
  EXPECT_EQ(json.at("targets").at(0).at("failed"), 2);
  EXPECT_EQ(json.at("targets").at(0).at("failed_row"), "b");
  EXPECT_EQ(json.at("targets").at(1).at("failure"), "is skipped");
  EXPECT_FALSE(json.at("targets").at(1).contains("value"));
}

}  // namespace
}  // namespace pawl::show
