// disturbance_test.cpp -- made-up process runs, quiet and disturbed, get the flags they deserve.
#include "run/disturbance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pawl::run {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

model::ResultSet rows(const std::vector<std::tuple<std::string, double, double>>& real_and_cpu) {
  model::ResultSet set;
  set.processes.emplace_back();
  for (const auto& [name, real, cpu] : real_and_cpu) {
    model::Reading reading;
    reading.series = {{model::kRealTime, {real}}, {model::kCpuTime, {cpu}}};
    set.benchmarks.push_back({name, "x", "", "ns", "", {reading}});
  }
  return set;
}

model::Process quiet() {
  model::Process process;
  process.disturbance.real_over_cpu = 1.005;
  process.disturbance.steal = 0;
  process.disturbance.other_busy = 0.02;
  process.yardsticks_start = {{"fma_f32_gflops", 117}, {"read_l1_gbs", 200}, {"read_mem_gbs", 30}};
  process.yardsticks_end = {{"fma_f32_gflops", 116}, {"read_l1_gbs", 204}, {"read_mem_gbs", 39}};
  return process;
}

TEST(RealOverCpu, MedianOverSingleThreadedRows) {
  EXPECT_FALSE(real_over_cpu(rows({})));
  EXPECT_DOUBLE_EQ(*real_over_cpu(rows({{"a", 1.2, 1}, {"b", 1.0, 1}, {"c", 1.1, 1}})), 1.1);
  EXPECT_DOUBLE_EQ(*real_over_cpu(rows({{"a", 1.0, 1}, {"b/threads:2", 1.9, 1}, {"threads:16/x", 1.9, 1}})), 1.0);
  EXPECT_DOUBLE_EQ(*real_over_cpu(rows({{"a/threads:1", 1.3, 1}, {"a/mythreads:9", 1.5, 1}})), 1.4);
}

TEST(RealOverCpu, RowsThatWaitOnPurposeDoNotCount) {
  EXPECT_DOUBLE_EQ(*real_over_cpu(rows({{"a", 1.0, 1}, {"sleep", 1000, 1}, {"sleep2", 1000, 1}})), 1.0);
  EXPECT_FALSE(real_over_cpu(rows({{"sleep", 1000, 1}, {"nothing", 0, 0}})));
}

TEST(RealOverCpu, FailedReadingsDoNotCount) {
  auto set = rows({{"a", 1.5, 1}, {"b", 1.0, 1}});
  set.benchmarks[0].readings[0].status = model::Status::failed;
  EXPECT_DOUBLE_EQ(*real_over_cpu(set), 1.0);
}

TEST(Assess, AQuietRunHasNoFlags) {
  EXPECT_THAT(assess(quiet(), 1, 2), IsEmpty());
  EXPECT_THAT(assess(model::Process{}, 1, 2), IsEmpty()) << "what was not measured is no reason";
}

TEST(Assess, EachLimitHasItsLine) {
  auto waited = quiet();
  waited.disturbance.real_over_cpu = 1.06;
  EXPECT_THAT(assess(waited, 1, 2), ElementsAre(HasSubstr("1.06 times CPU time")));
  EXPECT_THAT(assess(waited, 1.05, 2), IsEmpty()) << "usual for this executable";
  EXPECT_THAT(assess(waited, 0.5, 2), ElementsAre(HasSubstr("1.06"))) << "less than 1 is no usual";

  auto stolen = quiet();
  stolen.disturbance.steal = 0.011;
  EXPECT_THAT(assess(stolen, 1, 2), ElementsAre(HasSubstr("hypervisor gave 1.1 %")));

  auto busy = quiet();
  busy.disturbance.other_busy = 0.11;
  EXPECT_THAT(assess(busy, 1, 2), ElementsAre(HasSubstr("used 0.22 CPUs")));
  EXPECT_THAT(assess(busy, 1, 1), IsEmpty());

  auto clock = quiet();
  clock.yardsticks_end["fma_f32_gflops"] = 110;
  EXPECT_THAT(assess(clock, 1, 2), ElementsAre(HasSubstr("the clock moved: fma_f32_gflops changed by -6.0 %")));

  auto slower = quiet();
  for (auto& [name, value] : slower.yardsticks_end) value = 0.94 * slower.yardsticks_start[name];
  EXPECT_THAT(assess(slower, 1, 2), ElementsAre(HasSubstr("yardsticks moved by -6.0 %")));
}

TEST(Assess, OneNoisyMemoryYardstickIsNoReason) {
  auto process = quiet();
  process.yardsticks_end["read_mem_gbs"] = 15;
  EXPECT_THAT(assess(process, 1, 2), IsEmpty());
}

TEST(Assess, SeveralReasonsAreAllSaid) {
  auto process = quiet();
  process.disturbance.real_over_cpu = 1.5;
  process.disturbance.steal = 0.2;
  EXPECT_THAT(assess(process, 1, 2), testing::SizeIs(2));
}

}  // namespace
}  // namespace pawl::run
