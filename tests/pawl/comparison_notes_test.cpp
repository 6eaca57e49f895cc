// comparison_notes_test.cpp -- what readers of a comparison are told about its two sides.
#include "comparison_notes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pawl {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kNow = 1767322445;  // 2026-01-02T02:54:05Z

model::ResultSet quiet() {
  model::ResultSet set;
  set.label = "main";
  set.methodology.date = "2026-01-01T00:00:00+00:00";
  set.methodology.compiler = "g++ 12";
  set.machine.key = "m";
  set.processes.resize(2);
  return set;
}

TEST(Notes, NothingToSay) { EXPECT_THAT(comparison_notes(quiet(), quiet(), {false, true, kNow}), IsEmpty()); }

TEST(Notes, OldBaseline) {
  model::ResultSet base = quiet();
  base.methodology.date = "2025-11-01T00:00:00+00:00";
  EXPECT_THAT(comparison_notes(base, quiet(), {false, true, kNow}),
              ElementsAre("baseline 'main' is 62 days old; save a new one: pawl baseline save"));
  EXPECT_THAT(comparison_notes(base, quiet(), {false, false, kNow}), IsEmpty()) << "a plain file is as old as it is";
}

TEST(Notes, AgeFromTheProcessesWhereTheMethodHasNone) {
  model::ResultSet set = quiet();
  set.methodology.date.clear();
  EXPECT_FALSE(made_unix_s(set).has_value());
  set.processes[1].start_unix_s = 100;
  EXPECT_EQ(made_unix_s(set), 100);
}

TEST(Notes, BuildsThatDiffer) {
  model::ResultSet now = quiet();
  now.methodology.compiler = "clang 14";
  now.methodology.flags = "-O2";
  now.methodology.build_type = "Debug";
  const auto notes = comparison_notes(quiet(), now, {});
  EXPECT_THAT(notes, Contains("compilers differ: base g++ 12, new clang 14"));
  EXPECT_THAT(notes, Contains(HasSubstr("new is a Debug build")));
}

TEST(Notes, WaysOfMeasuringThatDiffer) {
  model::ResultSet base = quiet(), now = quiet();
  for (model::ResultSet* set : {&base, &now}) {
    set->methodology.settings = {{"seed", "42"}, {"repetitions", "3"}, {"min_time_s", "0.05"}, {"quick", "no"}};
    for (model::Process& process : set->processes)
      process.context = {{"pawl_isa_active", "avx512"}, {"library_version", "v1.7.1"}};
  }
  EXPECT_THAT(comparison_notes(base, now, {}), IsEmpty());
  now.methodology.settings = {
      {"seed", "7"}, {"repetitions", "1"}, {"min_time_s", "0.5"}, {"quick", "no"}, {"threads", "2"}};
  for (model::Process& process : now.processes)
    process.context = {{"pawl_isa_active", "avx2"}, {"library_version", "v1.9.4"}};
  EXPECT_THAT(
      comparison_notes(base, now, {}),
      ElementsAre("active ISAs differ: base avx512, new avx2", "threads differ: base default, new 2",
                  "seeds differ: base 42, new 7", "versions of Google Benchmark differ: base v1.7.1, new v1.9.4",
                  "repetitions differ: base 3, new 1", "seconds of a repetition differ: base 0.05, new 0.5"));
}

TEST(Notes, AQuickRunBesideAFullOneHasItsOwnTime) {
  model::ResultSet base = quiet(), now = quiet();
  base.methodology.settings = {{"repetitions", "3"}, {"min_time_s", "0.05"}, {"quick", "no"}};
  now.methodology.settings = {{"repetitions", "3"}, {"min_time_s", "0.02"}, {"quick", "yes"}};
  EXPECT_THAT(comparison_notes(base, now, {}), IsEmpty());
}

TEST(Notes, AnotherToolsFileSaysNothingOfOptions) {
  model::ResultSet now = quiet();
  now.methodology.settings = {{"repetitions", "3"}, {"min_time_s", "0.05"}, {"threads", "2"}, {"seed", "7"}};
  EXPECT_THAT(comparison_notes(quiet(), now, {}), IsEmpty());
}

TEST(Notes, MachinesThatSeemToDiffer) {
  model::ResultSet base = quiet(), now = quiet();
  base.machine.key = now.machine.key = "";
  base.machine.cores = 8;
  now.machine.cores = 2;
  EXPECT_THAT(comparison_notes(base, now, {}), Contains(HasSubstr("different machines: num_cpus (8 and 2) differ")));
}

TEST(Notes, BrokenAndDisturbedProcesses) {
  model::ResultSet now = quiet();
  now.processes[0].executable = "simd_bench";
  now.processes[0].run_index = 3;
  now.processes[0].signal = 11;
  now.processes[1].disturbance.flags = {"steal 3 %"};
  const auto notes = comparison_notes(quiet(), now, {});
  EXPECT_THAT(notes, Contains("new: simd_bench (run 3) died of signal 11; what it had not finished is missing"));
  EXPECT_THAT(notes, Contains("new: 1 of 2 process runs were disturbed, the first by: steal 3 %"));
}

TEST(Notes, OdditiesAreShownCountedAndComplete) {
  model::ResultSet now = quiet();
  for (int i = 0; i < 9; ++i) {
    now.oddities.push_back({model::Oddity::Severity::warning, "f.json", 3, 7, "BM_A", "odd"});
  }
  now.oddities.push_back({model::Oddity::Severity::note, "f.json", 0, 0, "", "harmless"});
  auto notes = comparison_notes(quiet(), now, {});
  EXPECT_EQ(notes.size(), 6U);
  EXPECT_EQ(notes[0], "f.json:3:7: BM_A: odd");
  EXPECT_EQ(notes[5], "new: 4 more oddities in the files (--all lists them)");
  notes = comparison_notes(quiet(), now, {.all = true});
  EXPECT_EQ(notes.size(), 10U);
  EXPECT_THAT(notes, Contains("f.json: harmless"));
}

}  // namespace
}  // namespace pawl
