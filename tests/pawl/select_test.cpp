// select_test.cpp -- filters, families, metrics, and benchmarks of differently named executables.
#include "select.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "failure.hpp"

namespace pawl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

model::ResultSet set_of(const std::vector<std::string>& names, const std::string& executable = "") {
  model::ResultSet set;
  set.processes.resize(1);
  for (const std::string& name : names) {
    model::Reading reading;
    reading.series = {{"real_time", {1}}, {"cpu_time", {1}}, {"items_per_second", {1}}};
    set.benchmarks.push_back({name, executable, "", "ns", "", {reading}});
  }
  return set;
}

std::vector<std::string> names_of(const model::ResultSet& set) {
  std::vector<std::string> names;
  for (const model::Benchmark& benchmark : set.benchmarks) names.push_back(benchmark.name);
  return names;
}

TEST(Select, FiltersAsGoogleBenchmarkDoes) {
  model::ResultSet set = set_of({"BM_Read/8", "BM_Write/8", "BM_Read/64"});
  keep_matching(set, "Read", "--filter");
  EXPECT_THAT(names_of(set), ElementsAre("BM_Read/8", "BM_Read/64"));
  keep_matching(set, "-/8$", "--filter");
  EXPECT_THAT(names_of(set), ElementsAre("BM_Read/64"));
  keep_matching(set, "^nothing$", "--filter");
  EXPECT_THAT(names_of(set), IsEmpty());
  EXPECT_THROW(keep_matching(set, "(", "--filter"), Failure);
}

TEST(Select, AllIsNoFilter) {
  model::ResultSet set = set_of({"BM_Read", "BM_Wall"});
  keep_filtered(set, "all");
  EXPECT_EQ(set.benchmarks.size(), 2u);
  keep_filtered(set, "-all");
  EXPECT_THAT(names_of(set), ElementsAre("BM_Read"));
  EXPECT_THROW(keep_filtered(set, "("), Failure);
}

TEST(Select, PatternsThatCouldTakeForEverAreRefused) {
  model::ResultSet set = set_of({"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"});
  EXPECT_THROW(keep_matching(set, "(a|a)*b", "--filter"), Failure);
}

TEST(Select, LongNamesDoNotOverflowTheStack) {
  std::string name(1000000, 'a');
  name += 'b';
  model::ResultSet set = set_of({name});
  keep_matching(set, "[ab]*b$", "--filter");  // recursion for each letter in the library's matcher
  EXPECT_THAT(names_of(set), IsEmpty()) << "only the start of the name is looked at";
}

TEST(Select, FamiliesGetOneName) {
  model::ResultSet base = set_of({"BM_Old/8", "BM_New/8", "BM_Other"}), now = base;
  keep_family(base, "BM_Old", "[BM_Old vs. BM_New]");
  keep_family(now, "BM_New", "[BM_Old vs. BM_New]");
  EXPECT_THAT(names_of(base), ElementsAre("[BM_Old vs. BM_New]/8"));
  EXPECT_EQ(names_of(base), names_of(now));
  model::ResultSet dollar = set_of({"a$&b"});
  keep_family(dollar, "b", "[$& vs. $1]");
  EXPECT_THAT(names_of(dollar), ElementsAre("a$&[$& vs. $1]"));
}

TEST(Select, ExecutablesMatterOnlyWhereNamesRepeat) {
  model::ResultSet base = set_of({"a", "b"}, "bench_base"), now = set_of({"a", "b"}, "bench_head");
  match_by_name(base, now);
  EXPECT_TRUE(base.benchmarks[0].executable == now.benchmarks[0].executable);

  model::ResultSet two = set_of({"a"}, "x");
  two.benchmarks.push_back(set_of({"a"}, "y").benchmarks[0]);
  model::ResultSet same = two;
  match_by_name(two, same);
  EXPECT_EQ(two.benchmarks[0].executable, "x");
  EXPECT_EQ(two.benchmarks[1].executable, "y");
}

TEST(Select, MetricsByNameAndClass) {
  const model::ResultSet set = set_of({"a"});
  EXPECT_THAT(resolve_metrics({"real_time"}, set, set), ElementsAre("real_time"));
  EXPECT_THAT(resolve_metrics({"time"}, set, set), ElementsAre("real_time"));
  EXPECT_THAT(resolve_metrics({"cpu"}, set, set), ElementsAre("cpu_time"));
  EXPECT_THAT(resolve_metrics({"throughput", "real_time"}, set, set), ElementsAre("items_per_second", "real_time"));
  EXPECT_THAT(resolve_metrics({"all", "real_time"}, set, set),
              ElementsAre("cpu_time", "items_per_second", "real_time", "variance"));
  try {
    resolve_metrics({"cpu_tim"}, set, set);
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_THAT(failure.line, HasSubstr("did you mean cpu_time?"));
  }
  EXPECT_THAT(resolve_metrics({"real_time"}, {}, {}), IsEmpty());  // nothing was read: the verdict says that
}

TEST(Select, AMetricMayHaveACommaInItsName) {
  model::ResultSet set = set_of({"a"});
  set.benchmarks[0].readings[0].series.push_back({"mem_max,bytes", {1.0}});
  EXPECT_THAT(resolve_metrics({"cpu", "mem_max", "bytes", "real_time"}, set, set),
              ElementsAre("cpu_time", "mem_max,bytes", "real_time"));
}

}  // namespace
}  // namespace pawl
