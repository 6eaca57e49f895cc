// run_stop_test.cpp -- `pawl run` that is stopped: what it keeps says where it comes from, and nothing it waits for
// holds it.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "baseline/results_file.hpp"
#include "pawl/run/commands.hpp"
#include "run/git.hpp"

namespace pawl::run {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class RunStop : public CommandTest {
 protected:
  // Sends the signal to the first `pawl` that this test started, once `file` is there.
  Ended stopped(std::vector<std::string> arguments, const std::string& file, int signal) {
    Command command;
    command.program = PAWL_COMMAND;
    command.arguments = std::move(arguments);
    command.directory = scratch.path();
    command.timeout_s = 20;
    command.tick_s = 0.02;
    command.environment = {{"GIT_CEILING_DIRECTORIES", scratch.path().parent_path().string()}, {"NO_COLOR", "1"}};
    command.unset = variables_of_a_hook();
    bool sent = false;
    command.on_tick = [&] {
      if (sent || !exists(file)) return;
      sent = true;
      std::ifstream children(fmt::format("/proc/self/task/{}/children", getpid()));
      pid_t child = 0;
      children >> child;
      ASSERT_GT(child, 0);
      kill(child, signal);
    };
    Ended ended = run_child(command);
    EXPECT_TRUE(sent) << ended.errors;
    return ended;
  }

  void git(std::vector<std::string> arguments) {
    Command command;
    command.unset = variables_of_a_hook();
    command.program = "/usr/bin/env";
    command.arguments = {"git", "-c", "user.name=t", "-c", "user.email=t@example.invalid"};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    command.directory = scratch.path();
    command.timeout_s = 60;
    const Ended ended = run_child(command);
    EXPECT_TRUE(ended.ok()) << ended.output << ended.errors;
  }
};

TEST_F(RunStop, WhatIsKeptOfAChangedTreeSaysSo) {
  git({"init", "-q"});
  scratch.write("code", "one\n");
  git({"add", "code"});
  git({"commit", "-q", "-m", "code"});
  scratch.write("code", "two\n");
  fs::create_directories(scratch / "baselines");
  scratch.fake_bench("bin/x_bench", "a 100 0.01 ok\n!sleep 0.1\n");
  const Ended ended =
      stopped({"run", "bin", "--out", "out", "--no-repeat", "--runs", "50"}, "out/raw/x_bench.01.json", SIGTERM);
  EXPECT_EQ(ended.exit_code, 143) << ended.errors;
  const auto set = baseline::read_results(scratch / "out/results.json");
  EXPECT_THAT(set.methodology.commit, SizeIs(40));
  EXPECT_TRUE(set.methodology.dirty);
  const Ended saved = pawl({"baseline", "save", "main", "--from", "out"});
  EXPECT_EQ(saved.exit_code, 2) << saved.output;
  EXPECT_THAT(saved.errors, HasSubstr("--allow-dirty"));
}

// As `pawl run 2>&1 | head -1` has it: what was complete is kept.
TEST_F(RunStop, WhoClosesTheProgressHasTheRunStopped) {
  scratch.fake_bench("bin/x_bench", "a 100 0.01 ok\n!sleep 0.1\n");
  Command command;
  command.program = "/bin/sh";
  command.arguments = {
      "-c", fmt::format("({} run bin --out out --no-repeat --runs 50 2>&1; echo $? > code) | head -n 3", PAWL_COMMAND)};
  command.directory = scratch.path();
  command.timeout_s = 60;
  command.environment = {{"GIT_CEILING_DIRECTORIES", scratch.path().parent_path().string()}};
  EXPECT_TRUE(run_child(command).ok());
  EXPECT_EQ(scratch.read("code"), "141\n");
  ASSERT_TRUE(exists("out/results.json"));
  const std::size_t kept = baseline::read_results(scratch / "out/results.json").processes.size();
  EXPECT_GE(kept, 1u);
  EXPECT_LT(kept, 50u);
}

TEST_F(RunStop, AStopWhileAnotherSavesIsHeard) {
  fs::create_directories(scratch / "baselines");
  scratch.fake_bench("bin/x_bench", "a 100 0.01 ok\n");
  ASSERT_EQ(pawl({"run", "bin", "--out", "first", "--runs", "1", "--save-baseline", "main"}).exit_code, 0);
  const std::vector<std::string> saved = files_with("main.json");
  ASSERT_THAT(saved, SizeIs(1));
  const int other = ::open(fs::path(saved.front()).parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(::flock(other, LOCK_EX), 0);
  const Ended ended =
      stopped({"run", "bin", "--out", "out", "--runs", "1", "--save-baseline", "main"}, "out/report.md", SIGTERM);
  ::close(other);
  EXPECT_EQ(ended.exit_code, 143) << ended.errors;
  EXPECT_THAT(ended.errors, HasSubstr("pawl baseline save main --from out"));
  EXPECT_THAT(ended.errors, Not(HasSubstr("saved as")));
  EXPECT_TRUE(exists("out/results.json"));
  EXPECT_THAT(files_with(".bak"), IsEmpty());
}

}  // namespace
}  // namespace pawl::run
