// save_test.cpp -- what may become a baseline.
#include "baseline/save.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "baseline/results_file.hpp"
#include "failure.hpp"
#include "pawl/temporary_directory.hpp"

namespace pawl::baseline {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

model::ResultSet set_of(const std::vector<std::string>& names, double seconds = 1e-9) {
  model::ResultSet set;
  set.label = "r.json";
  set.machine.key = "here";
  set.methodology.commit = "abc";
  set.processes.resize(2);
  for (const std::string& name : names) {
    model::Reading reading;
    reading.process = 1;
    reading.series = {{"real_time", {seconds}}};
    set.benchmarks.push_back({name, "", "", "ns", "", {reading}});
  }
  return set;
}

class Save : public ::testing::Test {
 protected:
  std::string error_of(const model::ResultSet& set, const SaveOptions& options, const std::string& name = "main") {
    try {
      save(store_, name, set, options);
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.exit_code, kBadInput);
      return failure.line;
    }
    return "no error";
  }
  TemporaryDirectory directory_;
  Store store_{directory_.path() / "baselines"};
};

TEST_F(Save, RefusesWhatNobodyCouldCompareWith) {
  model::ResultSet dirty = set_of({"a"});
  dirty.methodology.dirty = true;
  EXPECT_THAT(error_of(dirty, {}), HasSubstr("--allow-dirty"));
  EXPECT_EQ(error_of(dirty, {.allow_dirty = true}), "no error");
  model::ResultSet debug = set_of({"a"});
  debug.methodology.build_type = "Debug";
  EXPECT_THAT(error_of(debug, {}), AllOf(HasSubstr("measured from a Debug build: "), HasSubstr("--allow-debug")));
  EXPECT_EQ(error_of(debug, {.allow_debug = true}), "no error");
  model::ResultSet worthless = set_of({"a"});
  worthless.methodology.settings["worthless"] = "yes";
  for (const auto& [type, called] :
       {std::pair{"", "a build without a build type"}, std::pair{"none", "a build without a build type"},
        std::pair{"Debug", "a Debug build"}, std::pair{"Release", "a build without optimization or with sanitizers"}}) {
    worthless.methodology.build_type = type;
    EXPECT_THAT(error_of(worthless, {}),
                AllOf(HasSubstr(fmt::format("measured from {}: ", called)), HasSubstr("--allow-debug")));
  }
  EXPECT_THAT(error_of(set_of({}), {}), HasSubstr("no benchmark has a time"));
  model::ResultSet failed = set_of({"a"});
  failed.benchmarks[0].readings[0].status = model::Status::failed;
  EXPECT_THAT(error_of(failed, {}), HasSubstr("no benchmark has a time"));
  for (const double no_time : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_THAT(error_of(set_of({"a"}, no_time), {}), HasSubstr("no benchmark has a time")) << no_time;
  EXPECT_THAT(error_of(set_of({"a"}), {}, "a/b"), HasSubstr("can't name a baseline"));
  EXPECT_THAT(error_of(set_of({"a"}), {.platform = "../x"}), HasSubstr("can't be a directory"));
}

TEST_F(Save, SaysThatARunWasStopped) {
  model::ResultSet stopped = set_of({"a"});
  stopped.methodology.settings["stopped"] = "by a signal, before all was measured";
  EXPECT_THAT(save(store_, "main", stopped, {}).notes,
              Contains(HasSubstr("the run was stopped by a signal, before all was measured")));
}

TEST_F(Save, WaitsForAnotherSaveUntilItIsToldNotTo) {
  save(store_, "main", set_of({"a"}), {});
  const auto other = std::make_unique<StoreLock>(store_.path_of("here", "main").parent_path());
  ASSERT_TRUE(other->held());
  int calls = 0;
  const auto give_up = [&](bool is_first) {
    EXPECT_EQ(is_first, calls == 0);
    if (++calls == 3) throw Failure(kBadInput, "no longer");
  };
  EXPECT_EQ(error_of(set_of({"b"}), {.on_wait = give_up}), "no longer");
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(read_results(store_.path_of("here", "main")).benchmarks.at(0).name, "a");
}

TEST_F(Save, FilesUnderTheMachine) {
  EXPECT_EQ(save(store_, "main", set_of({"a"}), {.here = "other"}).path, store_.path_of("here", "main"));
  model::ResultSet unknown = set_of({"a"});
  unknown.machine.key.clear();
  const Saved saved = save(store_, "main", unknown, {.here = "this-one"});
  EXPECT_EQ(saved.path, store_.path_of("this-one", "main"));
  EXPECT_THAT(saved.notes, Contains(HasSubstr("don't say their machine")));
  EXPECT_EQ(save(store_, "main", set_of({"a"}), {.platform = "ci"}).path, store_.path_of("ci", "main"));
}

TEST_F(Save, MergeReplacesWhatWasMeasuredAndKeepsTheRest) {
  save(store_, "main", set_of({"a", "b"}, 1e-9), {});
  model::ResultSet now = set_of({"b", "c"}, 2e-9);
  now.methodology.commit = "def";
  const Saved saved = save(store_, "main", now, {.merge = true});
  EXPECT_THAT(saved.notes, Contains(HasSubstr("1 benchmark kept from the old baseline of commit abc")));
  const model::ResultSet set = read_results(saved.path);
  ASSERT_EQ(set.benchmarks.size(), 3U);
  const auto time_of = [&](const std::string& name) {
    for (const model::Benchmark& b : set.benchmarks) {
      if (b.name == name) return b.readings.at(0).series.at(0).values[0];
    }
    return 0.0;
  };
  EXPECT_EQ(time_of("a"), 1e-9);
  EXPECT_EQ(time_of("b"), 2e-9);
  EXPECT_EQ(time_of("c"), 2e-9);
  EXPECT_EQ(set.methodology.commit, "def");
}

TEST_F(Save, WithoutMergeTheOldOneIsReplacedAndKeptBeside) {
  save(store_, "main", set_of({"a", "b"}), {});
  const Saved saved = save(store_, "main", set_of({"c"}), {});
  EXPECT_EQ(read_results(saved.path).benchmarks.size(), 1U);
  EXPECT_EQ(read_results(saved.path.string() + ".bak").benchmarks.size(), 2U);
  EXPECT_THAT(saved.notes, Contains(HasSubstr(".bak")));
}

model::ResultSet with(model::ResultSet set, const std::map<std::string, std::string>& settings) {
  set.methodology.settings.insert(settings.begin(), settings.end());
  return set;
}

TEST_F(Save, APartKeepsWhatItLeavesOut) {
  for (const auto& [setting, value, said] : std::vector<std::array<std::string, 3>>{
           {"filter", "c", "--filter 'c'"}, {"suite", "c*,d*", "--suite 'c*,d*'"}, {"quick", "yes", "--quick"}}) {
    save(store_, "main", with(set_of({"a", "b", "c"}), {{"quick", "no"}}), {});
    const Saved saved = save(store_, "main", with(set_of({"c"}, 2e-9), {{setting, value}}), {.part = true});
    EXPECT_EQ(read_results(saved.path).benchmarks.size(), 3U) << setting;
    EXPECT_THAT(saved.notes,
                Contains("measured with " + said + ": 2 benchmarks kept from the old baseline of commit abc"));
  }
  const std::string path = store_.path_of("here", "main");
  save(store_, "main", with(set_of({"c", "d"}), {{"quick", "yes"}, {"filter", "all"}}), {.part = true});
  save(store_, "other", with(set_of({"c", "d"}), {{"quick", "yes"}}), {.part = true});
  save(store_, "other", with(set_of({"c", "e"}), {{"quick", "yes"}, {"filter", "all"}}), {.part = true});
  EXPECT_EQ(read_results(store_.path_of("here", "other")).benchmarks.size(), 2U) << "of the same part: d is no more";
  EXPECT_EQ(read_results(path).benchmarks.size(), 4U);
  save(store_, "main", with(set_of({"a"}), {{"quick", "no"}}), {.part = true});
  EXPECT_EQ(read_results(path).benchmarks.size(), 1U) << "no part";
  save(store_, "main", with(set_of({"z"}), {{"filter", "z"}}), {});
  EXPECT_EQ(read_results(path).benchmarks.size(), 1U) << "as asked";
}

TEST_F(Save, SavesAtOneTimeLoseNothing) {
  constexpr int kSaves = 8;
  std::vector<pid_t> children;
  for (int i = 0; i < kSaves; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) _exit(error_of(set_of({"b" + std::to_string(i)}), {.merge = true}) == "no error" ? 0 : 1);
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(read_results(store_.path_of("here", "main")).benchmarks.size(), std::size_t{kSaves});
}

// Whoever dies while it copies must not leave half a copy, so the copy is another file, put in place when it is whole.
TEST_F(Save, TheCopyOfTheOldOneIsWholeOrTheOneBefore) {
  const auto path = save(store_, "main", set_of({"first"}), {}).path;
  save(store_, "main", set_of({"second"}), {});
  const auto kept = directory_.path() / "kept";
  std::filesystem::create_hard_link(path.string() + ".bak", kept);
  save(store_, "main", set_of({"third"}), {});
  EXPECT_EQ(read_results(path.string() + ".bak").benchmarks.at(0).name, "second");
  EXPECT_EQ(read_results(kept).benchmarks.at(0).name, "first") << "was written into";
}

TEST_F(Save, WhatKilledSavesLeftIsRemoved) {
  const auto path = save(store_, "main", set_of({"a"}), {}).path;
  for (const char* left : {".main.json.aB3dEf.tmp", ".main.json.bak.aB3dEf.tmp", ".other.json.aB3dEf.tmp"})
    directory_.write(std::string("baselines/here/") + left, "half");
  save(store_, "main", set_of({"a"}), {});
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(path.parent_path()))
    files.insert(entry.path().filename().string());
  EXPECT_THAT(files, ::testing::ElementsAre(".other.json.aB3dEf.tmp", "main.json", "main.json.bak"));
}

TEST_F(Save, RefusalLeavesTheOldOne) {
  save(store_, "main", set_of({"a"}), {});
  model::ResultSet dirty = set_of({"b"});
  dirty.methodology.dirty = true;
  EXPECT_NE(error_of(dirty, {}), "no error");
  EXPECT_EQ(read_results(store_.path_of("here", "main")).benchmarks.at(0).name, "a");
}

TEST(Merged, DropsProcessesThatNothingRefersTo) {
  // Of two processes a side only the second has readings.
  const model::ResultSet both = merged(set_of({"a", "b"}), set_of({"b"}));
  ASSERT_EQ(both.benchmarks.size(), 2U);
  EXPECT_EQ(both.processes.size(), 3U);
  for (const model::Benchmark& benchmark : both.benchmarks) {
    for (const model::Reading& reading : benchmark.readings) EXPECT_LT(reading.process, both.processes.size());
  }
}

// What is written there is read as what the rows were selected by.
TEST(Merged, SaysNoSelectionThatOnlySomeOfItsRowsAreOf) {
  const auto settings = [](const std::map<std::string, std::string>& old, const std::map<std::string, std::string>& now,
                           const std::vector<std::string>& measured) {
    return merged(with(set_of({"a", "b"}), old), with(set_of(measured), now)).methodology.settings;
  };
  using Settings = std::map<std::string, std::string>;
  EXPECT_EQ(settings({{"quick", "no"}}, {{"quick", "yes"}, {"filter", "b"}, {"suite", "x"}, {"seed", "7"}}, {"b"}),
            (Settings{{"seed", "7"}}));
  EXPECT_EQ(settings({{"quick", "no"}}, {{"quick", "yes"}, {"filter", "b"}}, {"a", "b"}),
            (Settings{{"quick", "yes"}, {"filter", "b"}}))
      << "no row is of the old one";
  EXPECT_EQ(settings({{"quick", "yes"}}, {{"quick", "yes"}}, {"b"}), (Settings{{"quick", "yes"}}));
}

}  // namespace
}  // namespace pawl::baseline
