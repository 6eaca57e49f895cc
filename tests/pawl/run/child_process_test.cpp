// child_process_test.cpp -- children that crash, hang, flood and leave others behind are survived and leave nothing.
#include "run/child_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "run/stop_signal.hpp"

namespace pawl::run {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

Command misbehave(std::vector<std::string> how) {
  Command command;
  command.program = PAWL_MISBEHAVE;
  command.arguments = std::move(how);
  command.timeout_s = 60;  // so that a broken test ends
  return command;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// True once the process is gone or only a zombie that its new parent has not collected yet.
bool is_gone(pid_t pid) {
  for (int i = 0; i < 200; ++i) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string text((std::istreambuf_iterator<char>(file)), {});
    const auto name_end = text.rfind(')');
    if (name_end == std::string::npos || text[name_end + 2] == 'Z') return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

TEST(ChildProcess, ExitCodeIsReported) {
  EXPECT_TRUE(run_child(misbehave({"exit", "0"})).ok());
  const Ended ended = run_child(misbehave({"exit", "3"}));
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_EQ(ended.signal, 0);
  EXPECT_FALSE(ended.ok());
  EXPECT_EQ(how_it_ended(ended, 60), "exit code 3");
}

TEST(ChildProcess, CrashIsReportedWithItsSignalAndLastLines) {
  const Ended ended = run_child(misbehave({"crash"}));
  EXPECT_EQ(ended.signal, SIGSEGV);
  EXPECT_FALSE(ended.ok());
  EXPECT_EQ(ended.output, "about to crash\n");
  EXPECT_EQ(last_lines(ended.errors, 1), "last line before the crash");
  EXPECT_EQ(how_it_ended(ended, 60), "signal 11 (Segmentation fault)");
}

TEST(ChildProcess, HangIsEndedAfterTheTimeout) {
  Command command = misbehave({"hang"});
  command.timeout_s = 0.2;
  const auto start = std::chrono::steady_clock::now();
  const Ended ended = run_child(command);
  EXPECT_TRUE(ended.timed_out);
  EXPECT_EQ(ended.signal, SIGTERM);
  EXPECT_LT(seconds_since(start), 20);
  EXPECT_EQ(how_it_ended(ended, 0.2), "no progress for 0.2 s, killed");
}

TEST(ChildProcess, OneThatIgnoresSigtermIsKilled) {
  Command command = misbehave({"hang_deaf"});
  command.timeout_s = 0.5;
  command.grace_s = 0.2;
  const Ended ended = run_child(command);
  EXPECT_TRUE(ended.timed_out);
  EXPECT_EQ(ended.output, "deaf\n");
  EXPECT_EQ(ended.signal, SIGKILL);
}

TEST(ChildProcess, ProgressExtendsTheTimeout) {
  const auto file = std::filesystem::temp_directory_path() / ("pawl_progress_" + std::to_string(getpid()));
  Command command = misbehave({"grow_file", file.string()});
  command.timeout_s = 0.3;
  std::uintmax_t seen = 0;
  command.still_working = [&] {
    std::error_code error;
    const auto size = std::filesystem::file_size(file, error);
    return !error && std::exchange(seen, size) != size;
  };
  const Ended ended = run_child(command);
  std::filesystem::remove(file);
  EXPECT_TRUE(ended.ok()) << how_it_ended(ended, 0.3);
}

TEST(ChildProcess, ProcessesItLeavesBehindAreKilled) {
  const Ended ended = run_child(misbehave({"grandchild"}));
  EXPECT_TRUE(ended.ok());
  EXPECT_TRUE(is_gone(std::atoi(ended.output.c_str())));
}

TEST(ChildProcess, TimeoutEndsItsDescendantsToo) {
  Command command = misbehave({"grandchild_hang"});
  command.timeout_s = 0.5;
  const Ended ended = run_child(command);
  EXPECT_TRUE(ended.timed_out);
  ASSERT_GT(std::atoi(ended.output.c_str()), 0);
  EXPECT_TRUE(is_gone(std::atoi(ended.output.c_str())));
}

TEST(ChildProcess, ADescendantOutsideTheGroupDoesNotHoldUpTheResult) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(run_child(misbehave({"grandchild_leaves"})).ok());
  EXPECT_LT(seconds_since(start), 2.5);
}

TEST(ChildProcess, AFloodIsReadToItsEndAndOnlyItsEndIsKept) {
  Command command = misbehave({"flood"});
  command.kept_bytes = 4096;
  std::size_t heard = 0;
  command.on_output = [&](std::string_view more) { heard += more.size(); };
  const Ended ended = run_child(command);
  EXPECT_TRUE(ended.ok());
  EXPECT_EQ(heard, 20000 * 1024 + std::string_view("end of the flood\n").size());
  EXPECT_LE(ended.output.size(), 4096u);
  EXPECT_THAT(ended.output, EndsWith("x\nend of the flood\n"));
  EXPECT_EQ(ended.errors.size(), 4096u);
}

TEST(ChildProcess, EnvironmentIsAddedAndReplaced) {
  setenv("PAWL_TEST_VALUE", "ours", 1);
  EXPECT_EQ(run_child(misbehave({"print_environment", "PAWL_TEST_VALUE"})).output, "ours");
  Command command = misbehave({"print_environment", "PAWL_TEST_VALUE"});
  command.environment = {{"PAWL_TEST_VALUE", "theirs"}};
  EXPECT_EQ(run_child(command).output, "theirs");
  unsetenv("PAWL_TEST_VALUE");
}

TEST(ChildProcess, WhatIsUnsetIsNotInherited) {
  setenv("PAWL_TEST_VALUE", "ours", 1);
  setenv("PAWL_TEST_VALUE_2", "stays", 1);
  Command command = misbehave({"print_environment", "PAWL_TEST_VALUE"});
  command.unset = {"PAWL_TEST_VALUE"};
  EXPECT_EQ(run_child(command).output, "(not set)");
  command.arguments[1] = "PAWL_TEST_VALUE_2";
  EXPECT_EQ(run_child(command).output, "stays");
  command.arguments[1] = "PAWL_TEST_VALUE";
  command.environment = {{"PAWL_TEST_VALUE", "theirs"}};
  EXPECT_EQ(run_child(command).output, "theirs");
  unsetenv("PAWL_TEST_VALUE");
  unsetenv("PAWL_TEST_VALUE_2");
}

TEST(ChildProcess, PinsToOneCpu) {
  const int allowed = std::atoi(run_child(misbehave({"print_cpus"})).output.c_str());
  Command command = misbehave({"print_cpus"});
  command.cpu = allowed;
  EXPECT_EQ(run_child(command).output, std::to_string(allowed) + " ");
}

TEST(ChildProcess, StandardInputIsEmpty) { EXPECT_TRUE(run_child(misbehave({"read_input"})).ok()); }

TEST(ChildProcess, WhatCannotStartIsAnErrorOfOneLine) {
  const auto message = [](const Command& command) -> std::string {
    try {
      run_child(command);
    } catch (const StartError& error) {
      return error.what();
    }
    return "started";
  };
  Command absent = misbehave({});
  absent.program = "/nowhere/at_all";
  EXPECT_EQ(message(absent), "/nowhere/at_all: cannot start: No such file or directory");
  Command pinned = misbehave({"exit", "0"});
  pinned.cpu = 100000;
  EXPECT_THAT(message(pinned), HasSubstr("cannot pin to CPU 100000"));
  Command elsewhere = misbehave({"exit", "0"});
  elsewhere.directory = "/nowhere";
  EXPECT_THAT(message(elsewhere), HasSubstr("cannot run in /nowhere"));
}

TEST(ChildProcess, UsageIsMeasured) {
  const Ended ended = run_child(misbehave({"burn", "0.3"}));
  EXPECT_GE(ended.cpu_s, 0.25);
  EXPECT_GE(ended.wall_s, 0.25);
  EXPECT_GT(ended.peak_rss_bytes, 1e5);
  EXPECT_GE(ended.end_unix_s, ended.start_unix_s + 0.25);
  ASSERT_TRUE(ended.steal && ended.other_busy);
  for (double share : {*ended.steal, *ended.other_busy}) {
    EXPECT_GE(share, 0);
    EXPECT_LE(share, 1);
  }
}

// In a process of its own: the signals are sent to the whole process.
TEST(ChildProcessDeathTest, AStopSignalEndsTheChildAndIsReported) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        const StopSignal stop;
        std::string printed;
        Command command = misbehave({"grandchild_hang"});
        command.on_output = [&](std::string_view more) {
          printed += more;
          if (printed.ends_with('\n')) std::raise(SIGINT);
        };
        const Ended ended = run_child(command);
        const bool second_not_started = run_child(misbehave({"exit", "0"})).interrupted;
        const bool good = ended.interrupted && !ended.timed_out && stop_signal() == SIGINT && second_not_started &&
                          is_gone(std::atoi(printed.c_str()));
        std::_Exit(good ? 42 : 1);
      },
      testing::ExitedWithCode(42), "");
}

TEST(ChildProcessDeathTest, ASecondStopSignalDoesNotWaitForTheGrace) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        const StopSignal stop;
        Command command = misbehave({"hang_deaf"});
        command.grace_s = 30;
        command.on_output = [](std::string_view) {
          std::raise(SIGINT);
          std::raise(SIGINT);
        };
        std::_Exit(run_child(command).signal == SIGKILL ? 42 : 1);
      },
      testing::ExitedWithCode(42), "");
}

TEST(ChildProcessDeathTest, TheChildDiesWithUs) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t runner = fork();
  if (runner == 0) {
    Command command = misbehave({"hang_deaf"});
    // The pid of the direct child is our only child's.
    command.on_output = [&](std::string_view) {
      std::ifstream children("/proc/self/task/" + std::to_string(getpid()) + "/children");
      pid_t child = 0;
      children >> child;
      if (write(ends[1], &child, sizeof child) < 0) std::_Exit(1);
      kill(getpid(), SIGKILL);
    };
    run_child(command);
    std::_Exit(1);
  }
  pid_t child = 0;
  ASSERT_EQ(read(ends[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
  waitpid(runner, nullptr, 0);
  close(ends[0]);
  close(ends[1]);
  if (child == 0) GTEST_SKIP() << "this kernel does not list children in /proc";
  EXPECT_TRUE(is_gone(child));
}

TEST(LastLines, BlankLinesDoNotCount) {
  EXPECT_EQ(last_lines("a\nb\n\n  \nc\n\n", 2), "b\nc");
  EXPECT_EQ(last_lines("", 3), "");
  EXPECT_EQ(last_lines("one", 3), "one");
}

}  // namespace
}  // namespace pawl::run
