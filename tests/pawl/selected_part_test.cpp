// selected_part_test.cpp -- which rows of a baseline a run of a part leaves out, and which it must not.
#include "selected_part.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pawl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

model::ResultSet set_of(const std::vector<RowName>& rows) {
  model::ResultSet set;
  set.processes.resize(1);
  for (const RowName& row : rows) set.benchmarks.push_back({row.name, row.executable, "", "ns", "", {}});
  return set;
}

std::vector<std::string> names_of(const model::ResultSet& set) {
  std::vector<std::string> names;
  for (const model::Benchmark& b : set.benchmarks) names.push_back(b.executable + ":" + b.name);
  return names;
}

TEST(SelectedPart, NothingAskedForLeavesAllAsItIs) {
  auto base = set_of({{"b_bench", "x"}, {"c_bench", "y"}});
  EXPECT_THAT(keep_selected(base, {{}, {}, {"b_bench"}, {{"b_bench", "x"}}, {}}), IsEmpty());
  EXPECT_EQ(base.benchmarks.size(), 2u);
}

TEST(SelectedPart, OtherExecutablesAreLeftOutAndMissingRowsOfTheseAreNot) {
  auto base = set_of({{"b_bench", "x"}, {"b_bench", "gone"}, {"b2_bench", "gone"}, {"c_bench", "y"}, {"", "unknown"}});
  EXPECT_THAT(keep_selected(base, {{"b*"}, {}, {"b_bench"}, {{"b_bench", "x"}}, {}}),
              ElementsAre("1 benchmark of the baseline left out, as asked by --suite"));
  EXPECT_THAT(names_of(base), ElementsAre("b_bench:x", "b_bench:gone", "b2_bench:gone", ":unknown"));
}

TEST(SelectedPart, ExecutablesThatAreNamedAreAPart) {
  auto base = set_of({{"b_bench", "x"}, {"b_bench", "gone"}, {"c_bench", "y"}, {"", "unknown"}});
  EXPECT_THAT(keep_selected(base, {{}, {}, {"b_bench"}, {{"b_bench", "x"}}, {}, true}),
              ElementsAre("1 benchmark of the baseline left out, as asked by WHERE"));
  EXPECT_THAT(names_of(base), ElementsAre("b_bench:x", "b_bench:gone", ":unknown"));
}

TEST(SelectedPart, ADirectoryOrARenamedExecutableIsNoPart) {
  const auto base = set_of({{"b_bench", "x"}, {"c_bench", "y"}});
  const auto named = [&](const char* where, const char* name) {
    run::BenchProgram program;
    program.name = name;
    return named_alone({where}, {program}, base);
  };
  EXPECT_TRUE(named("/proc/self/exe", "b_bench"));
  EXPECT_FALSE(named("/proc/self", "b_bench"));
  EXPECT_FALSE(named("/proc/self/exe", "new_bench"));
  EXPECT_FALSE(named_alone({}, {}, base));
}

TEST(SelectedPart, AGlobIsAboutTheFilesNameAndMeansTheBenches) {
  auto base = set_of({{"one.fft_bench", "x"}, {"two.fft_bench", "x"}, {"fft_test", "y"}, {"matfft_bench", "z"}});
  keep_selected(base, {{"fft*"}, {}, {"one.fft_bench"}, {{"one.fft_bench", "x"}}, {}});
  EXPECT_THAT(names_of(base), ElementsAre("one.fft_bench:x", "two.fft_bench:x"));
}

TEST(SelectedPart, ARenamedExecutableIsStillComparedByTheNamesOfItsRows) {
  auto base = set_of({{"old_bench", "x"}, {"old_bench", "y"}});
  keep_selected(base, {{"new"}, {}, {"new_bench"}, {{"new_bench", "x"}}, {}});
  EXPECT_THAT(names_of(base), ElementsAre("old_bench:x"));
  auto two = set_of({{"b_bench", "x"}, {"c_bench", "x"}});
  keep_selected(two, {{"b"}, {}, {"b_bench"}, {{"b_bench", "x"}}, {}});
  EXPECT_THAT(names_of(two), ElementsAre("b_bench:x")) << "a name of two rows says nothing";
}

TEST(SelectedPart, AFilterIsThatOfGoogleBenchmark) {
  const std::vector<RowName> rows = {{"b_bench", "BM_A/8"}, {"b_bench", "BM_A/9"}, {"b_bench", "BM_B"}};
  const std::vector<RowName> measured = {rows[0]};
  auto base = set_of(rows);
  EXPECT_THAT(keep_selected(base, {{}, "BM_A", {"b_bench"}, measured, {}}),
              ElementsAre("1 benchmark of the baseline left out, as asked by --filter"));
  EXPECT_THAT(names_of(base), ElementsAre("b_bench:BM_A/8", "b_bench:BM_A/9"));
  base = set_of(rows);
  keep_selected(base, {{}, "-BM_B", {"b_bench"}, measured, {}});
  EXPECT_THAT(names_of(base), ElementsAre("b_bench:BM_A/8", "b_bench:BM_A/9"));
  base = set_of(rows);
  EXPECT_THAT(keep_selected(base, {{}, "all", {"b_bench"}, measured, {}}), IsEmpty());
  EXPECT_EQ(base.benchmarks.size(), 3u);
  EXPECT_THAT(keep_selected(base, {{}, "(BM_A+)+", {"b_bench"}, measured, {}}),
              ElementsAre(HasSubstr("is not applied to the baseline")));
  EXPECT_EQ(base.benchmarks.size(), 3u);
}

TEST(SelectedPart, OnlyWhatAFullRunStillHasIsLeftOutByQuick) {
  auto base = set_of({{"b_bench", "quick"}, {"b_bench", "full"}, {"b_bench", "gone"}});
  EXPECT_THAT(
      keep_selected(base, {{}, {}, {"b_bench"}, {{"b_bench", "quick"}}, {{"b_bench", "quick"}, {"b_bench", "full"}}}),
      ElementsAre("1 benchmark of the baseline left out, as asked by --quick"));
  EXPECT_THAT(names_of(base), ElementsAre("b_bench:quick", "b_bench:gone"));
}

}  // namespace
}  // namespace pawl
