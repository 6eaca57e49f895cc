// ab_command_test.cpp -- `pawl ab` from outside: builds, git refs, verdicts, exit codes, and what it leaves behind.
#include <fmt/format.h>

#include <csignal>
#include <fstream>

#include "baseline/results_file.hpp"
#include "pawl/run/commands.hpp"
#include "run/git.hpp"

namespace pawl::run {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class AbCommand : public CommandTest {
 protected:
  Ended ab(const std::string& base, const std::string& now, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"ab", base, now, "--out", "out", "--no-repeat"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return pawl(std::move(arguments));
  }

  std::string git(std::vector<std::string> arguments) {
    Command command;
    command.unset = variables_of_a_hook();  // where the tests run in one
    command.program = "/usr/bin/env";
    command.arguments = {"git", "-c", "user.name=t", "-c", "user.email=t@example.invalid"};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    command.directory = scratch.path();
    command.timeout_s = 60;
    const Ended ended = run_child(command);
    EXPECT_TRUE(ended.ok()) << ended.output << ended.errors;
    return ended.output;
  }

  void hook(const std::string& name, const std::string& commands) {
    const fs::path file = scratch.write(".git/hooks/" + name, "#!/bin/sh\n" + commands + "\n");
    fs::permissions(file, fs::perms::owner_all);
  }

  void commit(const std::string& rows) {
    scratch.write("rows", rows);
    git({"add", "rows"});
    git({"commit", "-q", "-m", "rows"});
  }

  // Commits a file that git runs a command for when it checks it out.
  void filtered(const std::string& command) {
    git({"config", "filter.test.smudge", command});
    scratch.write(".gitattributes", "filtered filter=test\n");
    scratch.write("filtered", "text\n");
    git({"add", ".gitattributes", "filtered"});
    git({"commit", "-q", "-m", "filtered"});
  }

  // "Builds" the bench of a commit from its file of rows.
  const std::vector<std::string> build = {
      "--build-command", std::string("mkdir -p b && cp '") + PAWL_FAKE_BENCH + "' b/x_bench && cp rows b/x_bench.rows",
      "--bench-dir", "b"};
};

TEST_F(AbCommand, ARegressionIsConfirmedAndFails) {
  scratch.fake_bench("old/x_bench", "same 100 0.005 ok\nslow 100 0.005 ok\n");
  scratch.fake_bench("new/x_bench", "same 100 0.005 ok\nslow 130 0.005 ok\n");
  const Ended ended = ab("old", "new");
  EXPECT_EQ(ended.exit_code, 1) << ended.errors;
  EXPECT_THAT(ended.output, ContainsRegex("CRITICAL +slow"));
  EXPECT_THAT(ended.output, HasSubstr("1 suspected: a second, independent set of runs"));
  const auto base = baseline::read_results(scratch / "out/base/results.json");
  const auto now = baseline::read_results(scratch / "out/new/results.json");
  ASSERT_EQ(base.processes.size(), 10u);
  ASSERT_EQ(now.processes.size(), 10u);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(base.processes[i].pair_index, now.processes[i].pair_index);
    const bool base_first = *base.processes[i].start_unix_s < *now.processes[i].start_unix_s;
    EXPECT_EQ(base_first, base.processes[i].pair_index % 2 == 0) << "A B B A";
  }
  EXPECT_TRUE(exists("out/comparison.md") && exists("out/comparison.json"));
}

TEST_F(AbCommand, TheSameCodeTwicePasses) {
  for (const char* program : {"old/x_bench", "new/x_bench"})
    scratch.fake_bench(program, "a 100 0.01 ok\nb 100 0.01 ok\nc 100 0.01 ok\n");
  const Ended ended = ab("old", "new");
  EXPECT_EQ(ended.exit_code, 0) << ended.output;
}

TEST_F(AbCommand, UntilDecidedMeasuresTheUndecidedOnly) {
  for (const char* program : {"old/x_bench", "new/x_bench"})
    scratch.fake_bench(program, "quiet 100 0.001 ok\nnoisy 100 0.04 ok\n");
  const Ended ended = ab("old", "new", {"--until-decided", "--max-time", "20s", "--runs", "3"});
  EXPECT_NE(ended.exit_code, 2) << ended.errors;
  EXPECT_THAT(ended.errors, HasSubstr("deciding: 1 undecided"));
  const auto set = baseline::read_results(scratch / "out/base/results.json");
  for (const auto& benchmark : set.benchmarks) {
    if (benchmark.name == "quiet") {
      EXPECT_EQ(benchmark.readings.size(), 3u);
    } else {
      EXPECT_GT(benchmark.readings.size(), 3u);
    }
  }
}

TEST_F(AbCommand, TwoExecutablesAreComparedWhateverTheyAreCalled) {
  scratch.fake_bench("one", "a 100 0.005 ok\n");
  scratch.fake_bench("two", "a 140 0.005 ok\n");
  EXPECT_EQ(ab("one", "two").exit_code, 1);
}

TEST_F(AbCommand, ATimeIsLongerThanNone) {
  for (const char* time : {"-5m", "0s", "soon"}) {
    const Ended ended = ab("old", "new", {fmt::format("--max-time={}", time)});
    EXPECT_EQ(ended.exit_code, 2) << time;
    EXPECT_THAT(ended.errors, HasSubstr("--max-time")) << time;
    EXPECT_LT(ended.errors.size(), 200U) << ended.errors;
  }
}

TEST_F(AbCommand, NoPlaceForWorkTreesIsSaidInOneLine) {
  git({"init", "-q"});
  commit("a 100 0.005 ok\n");
  Command command;
  command.program = PAWL_COMMAND;
  command.arguments = {"ab", "HEAD", "HEAD", "--out", "out"};
  command.directory = scratch.path();
  command.timeout_s = 60;
  command.unset = variables_of_a_hook();
  command.environment = {{"TMPDIR", "/nowhere/at/all"}};
  const Ended ended = run_child(command);
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.errors, HasSubstr("pawl: TMPDIR=/nowhere/at/all: no directory for the work trees: "));
  EXPECT_FALSE(exists("out"));
}

TEST_F(AbCommand, NothingInCommonIsNoPass) {
  scratch.fake_bench("old/x_bench", "a 100 0.005 ok\n");
  scratch.fake_bench("new/x_bench", "b 100 0.005 ok\n");
  const Ended ended = ab("old", "new");
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_THAT(ended.errors, HasSubstr("no benchmark in common"));
}

TEST_F(AbCommand, GitRefsAreBuiltBesideTheWorkTree) {
  git({"init", "-q", "-b", "main"});
  commit("same 100 0.005 ok\nslow 100 0.005 ok\n");
  git({"tag", "before"});
  commit("same 100 0.005 ok\nslow 130 0.005 ok\n");
  scratch.write("rows", "uncommitted 1 0 ok\n");
  const Ended ended = ab("before", "main", build);
  EXPECT_EQ(ended.exit_code, 1) << ended.errors;
  EXPECT_THAT(ended.output, ContainsRegex("CRITICAL +slow"));
  EXPECT_THAT(ended.errors, HasSubstr("building before ("));
  EXPECT_EQ(scratch.read("rows"), "uncommitted 1 0 ok\n") << "the work tree is untouched";
  const auto base = baseline::read_results(scratch / "out/base/results.json");
  const auto now = baseline::read_results(scratch / "out/new/results.json");
  EXPECT_EQ(base.methodology.commit.size(), 40u);
  EXPECT_NE(base.methodology.commit, now.methodology.commit);
  EXPECT_FALSE(exists(".git/worktrees")) << "no work tree is left registered";
}

// Git tells a hook which index and repository it works on, and every git that we start would believe that it is meant.
TEST_F(AbCommand, InAHookTheIndexOfTheCallerIsLeftAlone) {
  git({"init", "-q", "-b", "main"});
  commit("a 100 0.001 ok\n");
  git({"worktree", "add", "-q", "side"});
  std::string ab = fmt::format("exec '{}' ab main main --runs 1 --no-repeat --no-confirm --out '{}'", PAWL_COMMAND,
                               (scratch / "out").string());
  for (const std::string& word : build) ab += " " + shell_word(word);
  hook("pre-commit", ab + fmt::format(" > '{}' 2>&1", (scratch / "log").string()));
  hook("post-checkout", fmt::format("touch '{}'", (scratch / "a_hook_ran").string()));
  for (const std::string where : {"side", "."}) {
    fs::remove_all(scratch / "out");
    scratch.write(where + "/staged", "staged\n");
    git({"-C", where, "add", "staged"});
    git({"-C", where, "commit", "-q", "-m", "staged"});
    EXPECT_THAT(scratch.read("log"), HasSubstr("PASS"));
    EXPECT_EQ(git({"-C", where, "show", "--name-only", "--format=", "HEAD"}), "staged\n") << where;
    EXPECT_EQ(git({"-C", where, "status", "--porcelain", "--untracked-files=no"}), "") << where;
    EXPECT_FALSE(exists("a_hook_ran"));
  }
}

TEST_F(AbCommand, ABuildThatFailsSaysWhyAndLeavesNothing) {
  git({"init", "-q", "-b", "main"});
  commit("a 100 0.005 ok\n");
  const Ended ended = ab("main", "main", {"--build-command", "echo no rule to make target >&2; exit 5"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.errors, HasSubstr("the build of main failed: exit code 5"));
  EXPECT_THAT(ended.errors, HasSubstr("no rule to make target"));
  EXPECT_EQ(scratch.read("out/build-base.log"), "no rule to make target\n");
  EXPECT_FALSE(exists(".git/worktrees"));
}

TEST_F(AbCommand, WhereTheVerdictGoesAndWhatItIsAboutIsCheckedFirst) {
  for (const char* program : {"old/x_bench", "new/x_bench"}) scratch.fake_bench(program, "a 100 0.001 ok\n");
  Ended ended = ab("old", "new", {"--format", "markdown", "--output", "nowhere/x.md"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.errors, HasSubstr("nowhere/x.md: cannot create it"));
  EXPECT_FALSE(exists("out")) << "before anything is measured";
  ended = ab("old", "new", {"--metric", "nosuch"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.errors, HasSubstr("metric 'nosuch' is in neither of the results"));
  EXPECT_TRUE(exists("out/base/raw/x_bench.00.json"));
  EXPECT_FALSE(exists("out/base/raw/x_bench.01.json")) << "as soon as it can be known";
  fs::remove_all(scratch / "out");
  ended = ab("old", "new", {"--runs", "2", "--format", "markdown", "--output", "out/mine.md"});
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_TRUE(exists("out/mine.md")) << "in the directory that is made meanwhile";
  fs::remove_all(scratch / "out");
  ended = ab("old", "new", {"--runs", "2", "--format", "markdown", "--output", "/dev/full"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_TRUE(exists("out/comparison.md") && exists("out/comparison.json")) << "the verdict is kept";
}

TEST_F(AbCommand, TwoWithinASecondHaveADirectoryEach) {
  for (const char* program : {"old/x_bench", "new/x_bench"}) scratch.fake_bench(program, "a 100 0.001 ok\n");
  // Of three in a row, two are within a second of each other on any machine that is not very slow.
  for (int i = 0; i < 3; ++i) {
    const Ended ended = pawl({"ab", "old", "new", "--no-repeat", "--no-confirm", "--runs", "1"});
    EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  }
  std::size_t found = 0;
  for (const auto& entry : fs::directory_iterator(scratch / "results")) {
    EXPECT_THAT(entry.path().filename().string(), ContainsRegex("_nogit_ab(-[23])?$"));
    ++found;
  }
  EXPECT_EQ(found, 3u);
}

TEST_F(AbCommand, AStopLeavesNoWorkTreeBehind) {
  git({"init", "-q", "-b", "main"});
  commit("a 100 0.001 ok\n!sleep 20\n");
  // As soon as the file is there.
  const auto stopped = [&](const std::string& file, int number, std::vector<std::string> more) {
    Command command;
    command.program = PAWL_COMMAND;
    command.arguments = {"ab", "main", "main", "--out", "out", "--no-repeat"};
    command.arguments.insert(command.arguments.end(), more.begin(), more.end());
    command.directory = scratch.path();
    command.unset = variables_of_a_hook();
    command.timeout_s = 60;
    command.tick_s = 0.02;
    bool sent = false;
    command.on_tick = [&] {
      if (sent || !exists(file)) return;
      sent = true;
      std::ifstream children("/proc/self/task/" + std::to_string(getpid()) + "/children");
      pid_t child = 0;
      children >> child;
      ASSERT_GT(child, 0);
      kill(child, number);
    };
    const Ended ended = run_child(command);
    EXPECT_TRUE(sent) << ended.errors;
    EXPECT_EQ(ended.exit_code, 128 + number) << ended.errors;
    EXPECT_THAT(ended.errors, HasSubstr("nothing was complete"));
    EXPECT_FALSE(exists(".git/worktrees")) << file << ": " << ended.errors;
    fs::remove_all(scratch / "out");  // what was built has its log there
  };
  const std::string started = (scratch / "started").string();
  stopped("started", SIGTERM, {"--build-command", fmt::format("touch '{}'; sleep 20", started)});
  stopped("out/base/raw/x_bench.00.json.partial", SIGINT, build);
  // While git makes the work tree.
  fs::remove(scratch / "started");
  filtered("touch '" + started + "'; sleep 20; cat");
  stopped("started", SIGTERM, build);
}

TEST_F(AbCommand, AWorkTreeThatCannotBeMadeIsNotLeftRegistered) {
  git({"init", "-q", "-b", "main"});
  commit("a 100 0.001 ok\n");
  scratch.write(".gitmodules", "[submodule \"sub\"]\n  path = sub\n  url = ./nowhere\n");
  git({"add", ".gitmodules"});
  std::string head = git({"rev-parse", "HEAD"});
  head.pop_back();
  git({"update-index", "--add", "--cacheinfo", "160000," + head + ",sub"});
  git({"commit", "-q", "-m", "a submodule from nowhere"});
  Ended ended = ab("main", "main", build);
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.errors, HasSubstr("git submodule of "));
  EXPECT_FALSE(exists(".git/worktrees"));
  // A git that is killed leaves it locked.
  filtered("kill -9 0");
  ended = ab("main", "main", build);
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.errors, HasSubstr("signal 9"));
  EXPECT_FALSE(exists(".git/worktrees"));
}

// As in a checkout of another user, which git pretends here.
TEST_F(AbCommand, WhyGitRefusesARepositoryIsPassedOn) {
  git({"init", "-q", "-b", "main"});
  commit("a 1 0 ok\n");
  setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1", 1);
  setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
  const Ended ended = ab("main", "HEAD", build);
  unsetenv("GIT_TEST_ASSUME_DIFFERENT_OWNER");
  unsetenv("GIT_CONFIG_GLOBAL");
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.errors,
              StartsWith("pawl: main: neither a build directory nor an executable; git does not take this "
                         "repository:\n"));
  EXPECT_THAT(ended.errors, HasSubstr("safe.directory " + scratch.path().string()));
  EXPECT_THAT(ended.errors, Not(HasSubstr("no git repository")));
  EXPECT_FALSE(exists("out"));
}

TEST_F(AbCommand, WhatIsNeitherABuildNorARefIsSaid) {
  scratch.fake_bench("old/x_bench", "a 100 0.005 ok\n");
  const Ended outside = ab("old", "nosuch");
  EXPECT_EQ(outside.exit_code, 2);
  EXPECT_THAT(outside.errors,
              HasSubstr("nosuch: neither a build directory nor an executable (and this is no git repository"));
  EXPECT_FALSE(exists("out"));
  git({"init", "-q", "-b", "main"});
  commit("a 1 0 ok\n");
  EXPECT_THAT(ab("nosuch", "main", build).errors,
              HasSubstr("nosuch: neither a build directory nor an executable nor a ref"));
  EXPECT_THAT(ab("--upload-pack=x", "main", build).exit_code, 2);
}

}  // namespace
}  // namespace pawl::run
