// load_test.cpp -- what an argument means, and what is said when it means nothing.
#include "baseline/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>

#include "baseline/results_file.hpp"
#include "pawl/gzip.hpp"
#include "pawl/temporary_directory.hpp"

namespace pawl::baseline {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kGoogle = R"({"context": {"executable": "./bench"}, "benchmarks": [
  {"name": "BM_Read", "run_name": "BM_Read", "run_type": "iteration", "repetitions": 1, "repetition_index": 0,
   "threads": 1, "iterations": 10, "real_time": 5.0, "cpu_time": 4.0, "time_unit": "ns"}]})";

model::ResultSet set_of(const std::string& machine, const std::string& name) {
  model::ResultSet set;
  set.machine.key = machine;
  set.processes.resize(1);
  set.benchmarks = {{name, "", "", "ns", "", {model::Reading{}}}};
  set.benchmarks[0].readings[0].series = {{"real_time", {1e-9}}};
  return set;
}

class Load : public ::testing::Test {
 protected:
  Load() : before_(fs::current_path()) { fs::current_path(directory_.path()); }
  ~Load() override { fs::current_path(before_); }

  struct Problem {
    int exit_code = 0;
    std::string line;
  };
  Problem problem_of(const std::string& argument) {
    try {
      load(argument, store_, "here");
    } catch (const Failure& failure) {
      return {failure.exit_code, failure.line};
    }
    return {};
  }
  std::string first_name(const std::string& argument) {
    return load(argument, store_, "here").set.benchmarks.at(0).name;
  }

  fs::path before_;
  TemporaryDirectory directory_;
  Store store_{"baselines"};
};

TEST_F(Load, GoogleBenchmarksFileAndOurs) {
  directory_.write("g.json", kGoogle);
  write_results("ours.json", set_of("here", "ours"));
  EXPECT_EQ(first_name("g.json"), "BM_Read");
  EXPECT_EQ(first_name("ours.json"), "ours");
  EXPECT_EQ(load("g.json", store_, "here").set.label, "g.json");
  EXPECT_EQ(first_name((directory_.path() / "g.json").string()), "BM_Read");
}

TEST_F(Load, CompressedOrThroughAPipe) {
  const std::string ours = format_results(set_of("here", "ours"));
  directory_.write("ours.json.gz", gzip(ours));
  directory_.write("ours.json", gzip(ours));
  directory_.write("g.json.gz", gzip(kGoogle));
  EXPECT_EQ(first_name("ours.json.gz"), "ours");
  EXPECT_EQ(first_name("ours.json"), "ours") << "by content, whatever the name says";
  EXPECT_EQ(first_name("g.json.gz"), "BM_Read");
  for (const auto& [text, name] : {std::pair(ours, "ours"), std::pair(gzip(ours), "ours"),
                                   std::pair(std::string(kGoogle), "BM_Read"), std::pair(gzip(kGoogle), "BM_Read")}) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    ASSERT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    close(ends[1]);
    EXPECT_EQ(first_name("/dev/fd/" + std::to_string(ends[0])), name);  // as bash's <(...) names it
    close(ends[0]);
  }
  directory_.write("cut.json.gz", gzip(ours).substr(0, 60));
  EXPECT_THAT(problem_of("cut.json.gz").line, StartsWith("cut.json.gz: its gzip stream breaks off"));
}

TEST_F(Load, OursIsKnownFarIntoTheFile) {
  // Keys sorted, as jq -S does: the mark comes after many benchmarks.
  std::string text = "{\"benchmarks\": [";
  for (int i = 0; i < 20000; ++i) text += "{\"name\": \"b\"}, ";
  directory_.write("sorted.json", text + "{\"name\": \"c\"}],\n \"format\": \"pawl-results\", \"schema_version\": 1}");
  EXPECT_EQ(load("sorted.json", store_, "here").set.benchmarks.size(), 20001U);
}

TEST_F(Load, Directories) {
  directory_.write("raw/run-1.json", kGoogle);
  directory_.write("raw/run-2.json", kGoogle);
  EXPECT_EQ(load("raw", store_, "here").set.processes.size(), 2U);
  // Of a run's directory its results.json counts, not the raw files beside it.
  write_results("raw/results.json", set_of("here", "ours"));
  EXPECT_EQ(first_name("raw"), "ours");
}

TEST_F(Load, DirectoriesWithFilesOfBothKinds) {
  directory_.write("both/1.json", kGoogle);
  directory_.write("both/3.json.gz", gzip(kGoogle));
  write_results("both/2.json", set_of("here", "ours"));
  directory_.write("both/4.json.gz", gzip(format_results(set_of("here", "packed"))));
  directory_.write("both/notes.json", "{\"a\": 1}");
  const model::ResultSet both = load("both", store_, "here").set;
  ASSERT_EQ(both.benchmarks.size(), 3U);
  EXPECT_EQ(both.benchmarks[0].name, "BM_Read");
  EXPECT_EQ(both.benchmarks[0].readings.size(), 2U);
  EXPECT_EQ(both.benchmarks[1].name, "ours");
  EXPECT_EQ(both.benchmarks[2].name, "packed");
  ASSERT_FALSE(both.oddities.empty());
  EXPECT_EQ(both.oddities.back().file, "both/notes.json");
  EXPECT_THAT(both.oddities.back().what, StartsWith("left out: "));
}

TEST_F(Load, AResultsJsonOfGoogleBenchmarkIsOneOfTheFiles) {
  directory_.write("runs/results.json", kGoogle);
  directory_.write("runs/other.json", kGoogle);
  EXPECT_EQ(load("runs", store_, "here").set.processes.size(), 2U);
}

TEST_F(Load, PartsBesideWhatTheyWereMergedToDoNotCountTwice) {
  directory_.write("runs/1.json", kGoogle);
  directory_.write("runs/2.json", kGoogle);
  directory_.write("runs/3.json", kGoogle);
  model::ResultSet merged = set_of("here", "BM_Read");
  merged.processes.resize(2);
  merged.processes[0].file = "runs/1.json";
  merged.processes[1].file = "elsewhere/2.json (document 2)";
  write_results("runs/all.json", merged);
  const model::ResultSet set = load("runs", store_, "here").set;
  EXPECT_EQ(set.processes.size(), 3U) << "two in all.json, and 3.json";
  ASSERT_GE(set.oddities.size(), 2U);
  EXPECT_EQ(set.oddities.back().file, "runs/2.json");
  EXPECT_THAT(set.oddities.back().what, HasSubstr("another file in this directory"));
}

TEST_F(Load, CopiesInADirectoryCountOnce) {
  const auto run_at = [](int minute) {
    std::string text = kGoogle;
    return text.replace(text.find("\"executable\""), 0, fmt::format("\"date\": \"2026-01-02T03:0{}:00Z\", ", minute));
  };
  directory_.write("runs/1.json", run_at(1));
  directory_.write("runs/1.json.gz", gzip(run_at(1)));
  directory_.write("runs/2.json", run_at(2));
  directory_.write("runs/latest.json", run_at(2));
  const model::ResultSet set = load("runs", store_, "here").set;
  ASSERT_EQ(set.processes.size(), 2U);
  EXPECT_EQ(set.processes[1].file, "runs/2.json");
  ASSERT_EQ(set.oddities.size(), 2U);
  EXPECT_EQ(set.oddities[0].file, "runs/1.json.gz");
  EXPECT_EQ(set.oddities[1].file, "runs/latest.json");
  EXPECT_EQ(set.oddities[1].what, "left out: runs/2.json has its process runs");
  // Parts beside a list of them, which has one more: the list counts.
  directory_.write("runs/list.json", fmt::format("[{}, {}, {}]", run_at(1), run_at(2), run_at(3)));
  EXPECT_EQ(load("runs", store_, "here").set.processes.size(), 3U);
  directory_.write("runs/other.json", fmt::format("[{}, {}]", run_at(3), run_at(4)));
  EXPECT_EQ(problem_of("runs").exit_code, kBadInput);
  EXPECT_THAT(problem_of("runs").line,
              HasSubstr("runs/other.json has some of the process runs that runs/list.json has"));
}

TEST_F(Load, DirectoryOfRunsNamesTheNewest) {
  fs::create_directories("results/2026-01-01");
  fs::create_directories("results/2026-02-01");
  write_results("results/2026-01-01/results.json", set_of("here", "a"));
  write_results("results/2026-02-01/results.json", set_of("here", "a"));
  const Problem problem = problem_of("results");
  EXPECT_EQ(problem.exit_code, kBadInput);
  EXPECT_EQ(problem.line, "results: holds runs, not results (did you mean results/2026-02-01?)");
}

TEST_F(Load, SavedBaselines) {
  store_.save("main", set_of("here", "mine"));
  store_.save("main", set_of("elsewhere", "theirs"));
  store_.save("only", set_of("elsewhere", "theirs"));
  EXPECT_EQ(first_name("main"), "mine");
  EXPECT_EQ(first_name("elsewhere/main"), "theirs");
  const Loaded other = load("only", store_, "here");
  ASSERT_TRUE(other.entry.has_value());
  EXPECT_EQ(other.set.machine.key, "elsewhere");
  store_.save("only", set_of("third", "theirs"));
  EXPECT_EQ(problem_of("only").exit_code, kNothingToCompare);
  EXPECT_THAT(problem_of("only").line, HasSubstr("elsewhere/only, third/only"));
}

TEST_F(Load, WhatExistsWinsOverABaseline) {
  store_.save("main", set_of("here", "mine"));
  directory_.write("main/run-1.json", kGoogle);
  const Loaded loaded = load("main", store_, "here");
  EXPECT_EQ(loaded.set.benchmarks.at(0).name, "BM_Read");
  EXPECT_FALSE(loaded.entry.has_value());
  ASSERT_FALSE(loaded.set.oddities.empty());
  EXPECT_THAT(loaded.set.oddities.back().what, HasSubstr("also the name of a saved baseline"));
}

TEST_F(Load, MissingFilesAndBaselines) {
  directory_.write("head.json", kGoogle);
  EXPECT_EQ(problem_of("hed.json").exit_code, kBadInput);
  EXPECT_EQ(problem_of("hed.json").line, "hed.json: no such file (did you mean head.json?)");
  EXPECT_EQ(problem_of("wholly-different.json").line, "wholly-different.json: no such file");
  EXPECT_EQ(problem_of("none/head.json").line, "none/head.json: no such file: there is no directory none");
  EXPECT_EQ(problem_of("mian").exit_code, kNothingToCompare);
  EXPECT_EQ(problem_of("mian").line,
            "mian: no such file, directory or saved baseline; none is saved yet: pawl baseline save mian");
  store_.save("main", set_of("here", "mine"));
  EXPECT_EQ(problem_of("mian").line,
            "mian: no such file, directory or saved baseline (did you mean main?); saved: main");
  EXPECT_THROW(load("mian", store_, "here"), NoBaseline);
}

TEST_F(Load, UnreadableFilesAreOneLine) {
  directory_.write("empty.json", "");
  directory_.write("text.json", "hello");
  directory_.write("other.json", "{\"a\": 1}");
  fs::create_directory("hollow");
  for (const char* name : {"empty.json", "text.json", "other.json", "hollow"}) {
    const Problem problem = problem_of(name);
    EXPECT_EQ(problem.exit_code, kBadInput) << name;
    EXPECT_THAT(problem.line, StartsWith(name));
    EXPECT_EQ(problem.line.find('\n'), std::string::npos) << problem.line;
  }
}

TEST(Store, KeepsTheOldOneOnUpdate) {
  const TemporaryDirectory directory;
  const Store store(directory.path() / "baselines");
  EXPECT_TRUE(store.list().empty());
  const auto path = store.save("main", set_of("m", "first"));
  EXPECT_EQ(path, directory.path() / "baselines" / "m" / "main.json");
  store.save("main", set_of("m", "second"));
  EXPECT_EQ(read_results(path).benchmarks.at(0).name, "second");
  EXPECT_EQ(read_results(path.string() + ".bak").benchmarks.at(0).name, "first");
  ASSERT_EQ(store.list().size(), 1U) << "the copy is not a baseline";
  EXPECT_EQ(store.list()[0].name, "main");
}

TEST(Store, IsFoundUpwardButNotBeyondTheRepository) {
  const TemporaryDirectory directory;
  const fs::path root = fs::canonical(directory.path());
  fs::create_directories(root / "baselines");
  fs::create_directories(root / "repo" / ".git");
  fs::create_directories(root / "repo" / "src" / "deep");
  EXPECT_EQ(find_store(root / "repo" / "src" / "deep"), root / "repo" / "baselines");
  fs::create_directories(root / "repo" / "src" / "baselines");
  EXPECT_EQ(find_store(root / "repo" / "src" / "deep"), root / "repo" / "src" / "baselines");
  fs::create_directories(root / "plain" / "below");
  EXPECT_EQ(find_store(root / "plain" / "below"), root / "baselines");
}

TEST(Store, NamesThatCannotBeFiles) {
  EXPECT_EQ(name_problem("main-1.2_x+"), "");
  for (const char* bad : {"", ".", "..", "../x", "a/b", "a b", "-x", "a\nb"}) EXPECT_NE(name_problem(bad), "") << bad;
}

}  // namespace
}  // namespace pawl::baseline
