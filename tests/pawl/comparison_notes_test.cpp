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
