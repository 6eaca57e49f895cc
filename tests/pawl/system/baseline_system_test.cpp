// baseline_system_test.cpp -- `pawl baseline` and `pawl merge` from the shell.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "failure.hpp"
#include "pawl/machine.hpp"
#include "pawl/system/google_file.hpp"
#include "pawl/system/pawl_program.hpp"
#include "pawl/temporary_directory.hpp"

namespace pawl {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class BaselineSystem : public ::testing::Test {
 protected:
  BaselineSystem() { directory_.write("a.json", GoogleFile().add("BM_A", 100).text()); }
  Ended pawl(std::vector<std::string> arguments) {
    return run_pawl({.arguments = std::move(arguments), .directory = directory_.path()});
  }
  bool exists(const std::string& name) { return fs::exists(directory_.path() / name); }

  const std::string key_ = machine_key(describe_machine());
  TemporaryDirectory directory_;
};

TEST_F(BaselineSystem, SaveListShowCompareRemove) {
  Ended ended = pawl({"baseline", "list"});
  EXPECT_EQ(ended.exit_code, kPassed);
  EXPECT_THAT(ended.out, HasSubstr("no baseline in baselines"));

  ended = pawl({"baseline", "save", "main", "--from", "a.json"});
  EXPECT_EQ(ended.exit_code, kPassed) << ended.err;
  EXPECT_THAT(ended.out, StartsWith("saved a.json as baselines/" + key_ + "/main.json (1 benchmark, 1 process run)"));
  EXPECT_TRUE(exists("baselines/" + key_ + "/main.json"));

  EXPECT_THAT(pawl({"baseline", "list"}).out, HasSubstr("this machine"));
  EXPECT_THAT(pawl({"baseline", "show", "main"}).out, HasSubstr("BM_A"));
  const Ended shown = pawl({"baseline", "show", "main", "--format", "json"});
  EXPECT_EQ(nlohmann::json::parse(shown.out)["schema_version"], 1);

  directory_.write("slow.json", GoogleFile().add("BM_A", 150).text());
  EXPECT_EQ(pawl({"compare", "main", "slow.json"}).exit_code, kRegression);
  fs::create_directories(directory_.path() / "deep" / "er");
  const Ended below =
      run_pawl({.arguments = {"compare", "main", "../../slow.json"}, .directory = directory_.path() / "deep" / "er"});
  EXPECT_EQ(below.exit_code, kRegression) << "the store is found upward: " << below.err;

  EXPECT_EQ(pawl({"baseline", "remove", "main"}).exit_code, kPassed);
  EXPECT_FALSE(exists("baselines/" + key_ + "/main.json"));
  EXPECT_TRUE(exists("baselines/" + key_ + "/main.json.bak"));
  EXPECT_EQ(pawl({"compare", "main", "slow.json"}).exit_code, kNothingToCompare);
  EXPECT_EQ(pawl({"baseline", "show", "main"}).exit_code, kNothingToCompare);
  EXPECT_EQ(pawl({"baseline", "remove", "main"}).exit_code, kNothingToCompare);
}

TEST_F(BaselineSystem, AnotherMachinesIsNotComparedInSilence) {
  ASSERT_EQ(pawl({"baseline", "save", "main", "--from", "a.json", "--platform", "intel-skylake-avx2-8c"}).exit_code, 0);
  const Ended ended = pawl({"compare", "main", "a.json"});
  EXPECT_EQ(ended.exit_code, kNothingToCompare);
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(ended.err, "pawl: baseline 'main' is from intel-skylake-avx2-8c, this is " + key_ +
                           ": absolute times don't compare.\n"
                           "      Compare ratios to the yardsticks with --portable, or save a baseline here: pawl "
                           "baseline save\n");
  EXPECT_EQ(pawl({"compare", "main", "a.json", "--lenient"}).exit_code, kNothingToCompare);
  EXPECT_THAT(pawl({"compare", "main", "a.json", "--portable"}).err, HasSubstr("has no yardsticks"));
  EXPECT_EQ(pawl({"baseline", "show", "main"}).exit_code, kPassed);
  EXPECT_EQ(pawl({"baseline", "show", "main", "--here"}).exit_code, kNothingToCompare);
}

TEST_F(BaselineSystem, AnotherMachinesIsRemovedOnlyByItsFullName) {
  ASSERT_EQ(pawl({"baseline", "save", "main", "--from", "a.json"}).exit_code, 0);
  ASSERT_EQ(pawl({"baseline", "save", "main", "--from", "a.json", "--platform", "intel-skylake-avx2-8c"}).exit_code, 0);
  const std::string others = "baselines/intel-skylake-avx2-8c/main.json";
  EXPECT_EQ(pawl({"baseline", "remove", "main"}).exit_code, kPassed);
  const Ended ended = pawl({"baseline", "remove", "main"});
  EXPECT_EQ(ended.exit_code, kNothingToCompare);
  EXPECT_THAT(ended.err, HasSubstr("name it in full: intel-skylake-avx2-8c/main"));
  EXPECT_TRUE(exists(others));
  EXPECT_EQ(pawl({"baseline", "remove", "intel-skylake-avx2-8c/main"}).exit_code, kPassed);
  EXPECT_FALSE(exists(others));
}

TEST_F(BaselineSystem, NewestRunIsTheDefault) {
  EXPECT_THAT(pawl({"baseline", "save"}).err, HasSubstr("no run under results/ to save"));
  for (const char* run : {"results/b", "results/a"}) {
    fs::create_directories(directory_.path() / run);
    ASSERT_EQ(pawl({"merge", "a.json", "-o", std::string(run) + "/results.json"}).exit_code, 0);
  }
  fs::last_write_time(directory_.path() / "results/b/results.json",
                      fs::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_THAT(pawl({"baseline", "save"}).out, StartsWith("saved results/a as"));
}

TEST_F(BaselineSystem, RefusesDebugAndDirty) {
  directory_.write("dirty.json",
                   R"({"format": "pawl-results", "schema_version": 1, "methodology": {"dirty": true, "commit": "abc"},
    "processes": [{}], "benchmarks": [{"name": "a", "readings": [{"process": 0, "metrics": {"real_time": [1]}}]}]})");
  Ended ended = pawl({"baseline", "save", "--from", "dirty.json"});
  EXPECT_EQ(ended.exit_code, kBadInput);
  EXPECT_THAT(ended.err, HasSubstr("with changes since abc"));
  EXPECT_FALSE(exists("baselines"));
  EXPECT_EQ(pawl({"baseline", "save", "--from", "dirty.json", "--allow-dirty"}).exit_code, kPassed);
}

TEST_F(BaselineSystem, DamagedBaselineIsListedAndRefused) {
  ASSERT_EQ(pawl({"baseline", "save", "--from", "a.json"}).exit_code, 0);
  ASSERT_EQ(pawl({"baseline", "save", "good", "--from", "a.json"}).exit_code, 0);
  const std::string name = "baselines/" + key_ + "/main.json";
  directory_.write(name, directory_.read(name).substr(0, 200));
  const Ended listed = pawl({"baseline", "list"});
  EXPECT_EQ(listed.exit_code, kPassed);
  EXPECT_THAT(listed.out, HasSubstr("good"));
  EXPECT_THAT(listed.out, HasSubstr("syntax error"));
  const Ended ended = pawl({"compare", "main", "a.json"});
  EXPECT_EQ(ended.exit_code, kBadInput);
  EXPECT_THAT(ended.err, HasSubstr("main.json:"));
}

TEST_F(BaselineSystem, FullDiskKeepsTheOldBaseline) {
  ASSERT_EQ(pawl({"baseline", "save", "--from", "a.json"}).exit_code, 0);
  const std::string name = "baselines/" + key_ + "/main.json", old = directory_.read(name);
  GoogleFile large;
  for (int i = 0; i < 200; ++i) large.add("BM_" + std::to_string(i), i + 1);
  directory_.write("large.json", large.text());
  const Ended ended = run_pawl({.arguments = {"baseline", "save", "--from", "large.json"},
                                .directory = directory_.path(),
                                .file_size_limit = 4096});
  EXPECT_EQ(ended.exit_code, kBadInput);
  EXPECT_THAT(ended.err, HasSubstr("the file that was there is unchanged"));
  EXPECT_EQ(directory_.read(name), old);
}

TEST_F(BaselineSystem, MergeJoinsRuns) {
  directory_.write("b.json", GoogleFile().add("BM_A", 102).add("BM_B", 1).text());
  const Ended ended = pawl({"merge", "a.json", "b.json", "-o", "both.json"});
  EXPECT_EQ(ended.exit_code, kPassed) << ended.err;
  EXPECT_THAT(ended.out, StartsWith("both.json: 2 benchmarks, 2 process runs"));
  EXPECT_EQ(pawl({"compare", "both.json", "both.json"}).exit_code, kPassed);
  EXPECT_EQ(pawl({"merge", "a.json", "none.json", "-o", "x.json"}).exit_code, kBadInput);
  EXPECT_FALSE(exists("x.json"));
  EXPECT_EQ(pawl({"merge", "a.json"}).exit_code, kBadInput);
  EXPECT_EQ(nlohmann::json::parse(pawl({"merge", "a.json", "-o", "-"}).out)["format"], "pawl-results");
}

// `pawl profile memory` leaves results/profiles, which a shell's results/* names too.
TEST_F(BaselineSystem, OfSeveralDirectoriesThoseWithoutResultsAreLeftOut) {
  directory_.write("b.json", GoogleFile().add("BM_A", 102).add("BM_B", 1).text());
  fs::create_directories(directory_.path() / "results/profiles/today");
  directory_.write("results/profiles/today/x_bench.massif", "desc: --\n");
  Ended ended = pawl({"merge", "a.json", "results/profiles", "b.json", "-o", "both.json"});
  EXPECT_EQ(ended.exit_code, kPassed) << ended.err;
  EXPECT_EQ(ended.err, "note: results/profiles: no results in it; left out\n");
  EXPECT_THAT(ended.out, StartsWith("both.json: 2 benchmarks, 2 process runs"));

  std::vector<std::string> tune = {"tune-thresholds", "results/profiles"};
  for (int i = 0; i < 5; ++i) {
    tune.push_back(std::to_string(i) + ".json");
    directory_.write(tune.back(), GoogleFile().add("BM_A", 100 + i).text());
  }
  ended = pawl(tune);
  EXPECT_EQ(ended.exit_code, kPassed) << ended.err;
  EXPECT_THAT(ended.err, StartsWith("note: results/profiles: no results in it; left out\n"));
  tune.pop_back();
  ended = pawl(tune);
  EXPECT_EQ(ended.exit_code, kBadInput);
  EXPECT_THAT(ended.err, HasSubstr("got 4"));

  // An interrupted run has results below, and one that is named alone was meant.
  fs::create_directories(directory_.path() / "results/stopped/raw");
  directory_.write("results/stopped/raw/x.json", directory_.read("b.json"));
  EXPECT_EQ(pawl({"merge", "a.json", "results/stopped", "-o", "x.json"}).exit_code, kBadInput);
  EXPECT_EQ(pawl({"merge", "results/profiles", "-o", "x.json"}).exit_code, kBadInput);
  EXPECT_EQ(pawl({"merge", "results/profiles", "results/profiles", "-o", "x.json"}).exit_code, kBadInput);
  EXPECT_FALSE(exists("x.json"));
}

TEST_F(BaselineSystem, AProcessRunCountsOnce) {
  Ended ended = pawl({"merge", "a.json", "a.json", "-o", "both.json"});
  EXPECT_EQ(ended.exit_code, kBadInput);
  EXPECT_THAT(ended.err, HasSubstr("1 process run that"));
  fs::copy_file(directory_.path() / "a.json", directory_.path() / "copy.json");
  EXPECT_EQ(pawl({"merge", "a.json", "copy.json", "-o", "both.json"}).exit_code, kBadInput);
  EXPECT_FALSE(exists("both.json"));
  ended = pawl({"tune-thresholds", "a.json", "a.json", "a.json", "copy.json", "a.json"});
  EXPECT_EQ(ended.exit_code, kBadInput);
  EXPECT_THAT(ended.err, HasSubstr("copy.json has process runs of a.json: the same moment, so it is counted once"));
  EXPECT_THAT(ended.err, HasSubstr("at least 5 results of different moments; got 1"));
}

// A percentage that no thresholds file may have must not be written into one.
TEST_F(BaselineSystem, TunedThresholdsCanBeReadBack) {
  std::vector<std::string> words = {"tune-thresholds", "-o", "th.json"};
  for (int i = 0; i < 6; ++i) {
    const std::string name = fmt::format("r{}.json", i);
    directory_.write(name, GoogleFile().add("BM_Wild", i % 2 == 0 ? 1 : 1e4 + i).add("BM_Still", 100 + i).text());
    words.push_back(name);
  }
  const Ended ended = pawl(words);
  ASSERT_EQ(ended.exit_code, kPassed) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("none    BM_Wild"));
  EXPECT_THAT(directory_.read("th.json"), HasSubstr("\"gate\": false"));
  const Ended compared = pawl({"compare", "r0.json", "r1.json", "--thresholds", "th.json"});
  EXPECT_EQ(compared.exit_code, kPassed) << compared.err << compared.out;
}

TEST_F(BaselineSystem, HelpTeaches) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--help"}, {"compare", "--help"}, {"baseline", "--help"}, {"merge", "--help"}}) {
    const Ended ended = pawl(words);
    EXPECT_EQ(ended.exit_code, kPassed);
    EXPECT_THAT(ended.out, HasSubstr("Example"));
  }
  EXPECT_EQ(pawl({"help", "compare"}).out, pawl({"compare", "--help"}).out);
  EXPECT_THAT(pawl({"--version"}).out, StartsWith("pawl "));
  const Ended nothing = pawl({});
  EXPECT_EQ(nothing.exit_code, kBadInput) << "a script that forgot the command must not pass";
  EXPECT_EQ(nothing.out, "");
}

}  // namespace
}  // namespace pawl
