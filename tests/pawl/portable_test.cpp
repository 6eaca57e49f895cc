// portable_test.cpp -- the same code on a machine twice as fast is no change, and slower code is one.
#include "portable.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decide/judge.hpp"
#include "failure.hpp"
#include "show/limit.hpp"

namespace pawl {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

// A machine `speed` times as fast as the slowest, running code that takes `slowness` times what it should.
model::ResultSet measured(double speed, double slowness, bool says_work) {
  model::ResultSet set;
  set.label = "r";
  for (int run = 0; run < 4; ++run) {
    model::Process process;
    process.pair_index = run;
    process.yardsticks_start = {
        {"fma_f32_gflops", 100 * speed}, {"read_l1_gbs", 200 * speed}, {"copy_l1_gbs", 150 * speed}};
    process.context = {{"pawl_l1d_bytes", "32768"}, {"pawl_l2_bytes", "1048576"}, {"pawl_l3_bytes", "33554432"}};
    set.processes.push_back(process);
  }
  for (const char* name : {"matmul/f32/pawl/m:64", "dot/f32/pawl/n:64"}) {
    model::Benchmark benchmark{name, "", "", "ns", "", {}};
    for (std::size_t run = 0; run < 4; ++run) {
      model::Reading reading;
      reading.process = run;
      const double seconds = 1e-6 * slowness / speed * (1 + 0.001 * static_cast<double>(run));
      reading.series = {{"real_time", {seconds}}, {"allocs_per_iter", {3}}};
      if (says_work) {
        reading.series.push_back({"flops", {5e4 / seconds}});
        reading.series.push_back({"bytes", {1e4 / seconds}});
        reading.series.push_back({"working_set_bytes", {1e4}});
      }
      benchmark.readings.push_back(reading);
    }
    set.benchmarks.push_back(benchmark);
  }
  return set;
}

double change_of(double speed, double slowness, bool says_work) {
  model::ResultSet base = measured(1, 1, says_work), now = measured(speed, slowness, says_work);
  make_portable(base, now);
  decide::Policy policy;
  policy.metrics = {portable_metric("real_time")};
  const decide::Judgement judgement = decide::judge(base, now, policy);
  EXPECT_EQ(judgement.comparisons.size(), 2U);
  EXPECT_FALSE(judgement.comparisons[0].paired);
  return judgement.comparisons.at(0).change;
}

TEST(Portable, FasterMachineIsNoChange) {
  EXPECT_NEAR(change_of(2, 1, true), 0, 1e-12);
  EXPECT_NEAR(change_of(2, 1, false), 0, 1e-12);
}

TEST(Portable, SlowerCodeIsOne) {
  EXPECT_NEAR(change_of(2, 1.2, true), 0.2, 1e-12);
  EXPECT_NEAR(change_of(3, 1.2, false), 0.2, 1e-12);
}

TEST(Portable, TheRulesOfTheTimeHold) {
  model::ResultSet base = measured(1, 1, true), now = measured(2, 1.2, true);
  make_portable(base, now);
  decide::Policy policy;
  policy.metrics = {portable_metric("real_time")};
  policy.rules = {{.metric = "time", .warning = 0.5, .critical = 0.6},
                  {.metric = "real_time", .pattern = "^dot/", .gate = false}};
  const decide::Judgement judgement = decide::judge(base, now, policy);
  ASSERT_EQ(judgement.comparisons.size(), 2U);
  for (const decide::Comparison& c : judgement.comparisons) {
    EXPECT_EQ(c.warning, 0.5);
    EXPECT_EQ(c.critical, 0.6);
    EXPECT_EQ(c.gated, c.name.starts_with("matmul/"));
  }
  EXPECT_THAT(judgement.notes, Each(Not(HasSubstr("is a guess"))));
}

TEST(Portable, BothSidesAreDividedByTheSameKindOfThing) {
  // Only one side says its work: the limit of one and the mean of the other would be a made-up change.
  model::ResultSet base = measured(1, 1, true), now = measured(1, 1, false);
  EXPECT_THAT(make_portable(base, now), Contains(HasSubstr("2 benchmarks don't say their work")));
  EXPECT_DOUBLE_EQ(base.benchmarks[0].readings[0].series[0].values[0],
                   now.benchmarks[0].readings[0].series[0].values[0]);
}

TEST(Portable, WithoutYardsticksNothingCompares) {
  model::ResultSet base = measured(1, 1, true), now = measured(1, 1, true);
  now.processes[2].yardsticks_start.clear();
  try {
    make_portable(base, now);
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.exit_code, kNothingToCompare);
  }
}

TEST(Limit, NearestRoofBinds) {
  using show::Bound;
  const auto name = show::parse_name("dot/f32/pawl/n:64/threads:2");
  ASSERT_TRUE(name.has_value());
  EXPECT_EQ(name->threads, 2);
  EXPECT_EQ(name->group(), "dot/f32/n:64/threads:2");
  const std::map<std::string, double> yardsticks = {{"fma_f32_gflops", 100},
                                                    {"read_l1_gbs", 200},
                                                    {"copy_l1_gbs", 400},
                                                    {"read_mem_gbs", 30},
                                                    {"stream_copy_mem_gbs", 40}};
  const show::CacheLevels caches{32768, 1048576, 33554432};
  // 2 flop per 8 bytes: memory binds; a dot product only reads, so the copy yardstick is not its limit.
  const auto limit = show::limit_of(*name, {1e-6, 2e3, 8e3, 8e3}, yardsticks, caches);
  ASSERT_TRUE(limit.has_value());
  EXPECT_EQ(limit->bound, Bound::memory);
  EXPECT_EQ(limit->yardstick, "read_l1_gbs");
  EXPECT_NEAR(limit->seconds, 8e3 / 400e9, 1e-18);
  const auto add = show::parse_name("add/f32/pawl/n:64");
  EXPECT_EQ(show::limit_of(*add, {1e-6, 0, 1e9, 1e9}, yardsticks, caches)->yardstick, "stream_copy_mem_gbs");
  EXPECT_EQ(show::limit_of(*add, {1e-6, 1e9, 8, 8}, yardsticks, caches)->bound, Bound::compute);
  // Two threads in memory: one thread's yardstick says nothing, one of two threads is theirs together.
  EXPECT_FALSE(show::limit_of(*name, {1e-6, 0, 1e9, 1e9}, yardsticks, caches).has_value());
  auto of_two = yardsticks;
  of_two["read_mem_gbs/threads:2"] = 50;
  of_two["stream_copy_mem_gbs/threads:2"] = 80;
  const auto together = show::limit_of(*name, {1e-6, 0, 1e9, 1e9}, of_two, caches);
  ASSERT_TRUE(together.has_value());
  EXPECT_EQ(together->yardstick, "read_mem_gbs/threads:2");
  EXPECT_NEAR(together->seconds, 1e9 / 50e9, 1e-12);
  EXPECT_FALSE(show::parse_name("BM_Read/8/64").has_value());
  EXPECT_FALSE(show::parse_name("a/b").has_value());
}

// What writes next to nothing is held against reading alone.
TEST(Limit, WritingIsNoLimitOfWhatOnlyReads) {
  const std::map<std::string, double> yardsticks = {{"read_mem_gbs", 30}, {"stream_copy_mem_gbs", 40}};
  const show::CacheLevels caches{32768, 1048576, 33554432};
  const auto yardstick_of = [&](const char* text) {
    return show::limit_of(*show::parse_name(text), {1, 0, 1e9, 1e9}, yardsticks, caches)->yardstick;
  };
  for (const char* reads : {"variance/f32/pawl/n:9", "sum_axis1/f32/pawl/m:4/n:4", "sum_slice_axis0/f64/pawl/m:4",
                            "cosine_similarity/f32/pawl/n:9", "matmul/f32/pawl/m:1/n:4096/k:4096/threads:1",
                            "linear_packed/q4_0/pawl/m:8/n:4096/k:4096"})
    EXPECT_EQ(yardstick_of(reads), "read_mem_gbs") << reads;
  for (const char* writes : {"add/f32/pawl/n:9", "transpose/f32/pawl/m:4/n:4", "matmul/f32/pawl/m:64/n:64/k:64",
                             "matmul/f32/pawl/m:1024/n:1024/k:16", "spmv_transposed/f64/pawl/rows:9"})
    EXPECT_EQ(yardstick_of(writes), "stream_copy_mem_gbs") << writes;
}

}  // namespace
}  // namespace pawl
