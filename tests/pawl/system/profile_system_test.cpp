// profile_system_test.cpp -- `pawl profile memory` as people call it, with valgrind and with something in its place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "failure.hpp"
#include "pawl/profile/massif_text.hpp"
#include "pawl/system/pawl_program.hpp"
#include "pawl/temporary_directory.hpp"

namespace pawl {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class ProfileSystem : public ::testing::Test {
 protected:
  ProfileSystem() {
    // Refuses our own flags, as Google Benchmark does with those that it doesn't know.
    program("bench/model_bench",
            "#!/bin/sh\n"
            "for word; do case $word in\n"
            "  --pawl*) echo 'unknown flag' >&2; exit 1 ;;\n"
            "  --benchmark_list_tests*) list=1 ;;\n"
            "  --benchmark_filter=nothing) exit 0 ;;\n"
            "esac; done\n"
            "[ -n \"$list\" ] && echo decode\n"
            "exit 0\n");
    directory_.write("massif.text", profile::kMassifText);
  }

  void program(const std::string& name, const std::string& text) {
    fs::permissions(directory_.write(name, text), fs::perms::owner_all);
  }
  // In valgrind's place: `how` is what it does with the file that massif writes, $out.
  void fake_valgrind(const std::string& how) {
    program("bin/valgrind",
            "#!/bin/sh\n"
            "for word; do case $word in --massif-out-file=*) out=${word#*=} ;; esac; done\n"
            "echo \"$PAWL_MEMORY_MALLOC $*\" >> started\n" +
                how + "\n");
  }
  Ended profile(std::vector<std::string> more = {}, const std::string& filter = "decode") {
    std::vector<std::string> arguments = {"profile", "memory", "bench", "--filter", filter};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_pawl({.arguments = arguments,
                     .directory = directory_.path(),
                     .environment = {{"PATH", (directory_.path() / "bin").string() + ":/usr/bin:/bin"}}});
  }
  // How many files of massif were kept, or left lying about.
  std::size_t files() const {
    std::size_t count = 0;
    if (!fs::exists(directory_.path() / "results")) return 0;
    for (const auto& entry : fs::recursive_directory_iterator(directory_.path() / "results"))
      count += entry.is_regular_file();
    return count;
  }

  TemporaryDirectory directory_;
};

TEST_F(ProfileSystem, SaysWhoHoldsTheHeap) {
  fake_valgrind("cp massif.text \"$out\"");
  const Ended ended = profile({"--top", "1"});
  EXPECT_EQ(ended.exit_code, kPassed) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("model_bench\n  decode\nheap: peak 2.003 MiB"));
  EXPECT_THAT(ended.out, HasSubstr("attention(unsigned long, int (*)(float))  model.cpp:4"));
  EXPECT_EQ(files(), 1U);
  const std::string started = directory_.read("started");
  EXPECT_THAT(started, HasSubstr("1 --tool=massif"));
  EXPECT_THAT(started, HasSubstr("--benchmark_filter=decode"));
}

TEST_F(ProfileSystem, WritesWhatItIsTold) {
  fake_valgrind("cp massif.text \"$out\"");
  const Ended ended = profile({"--format", "json", "--output", "heap.json", "--out", "kept"});
  EXPECT_EQ(ended.exit_code, kPassed) << ended.err;
  EXPECT_EQ(ended.out, "");
  const auto json = nlohmann::json::parse(directory_.read("heap.json"));
  EXPECT_EQ(json.at("programs").at(0).at("peak_heap_bytes"), 2100000);
  EXPECT_TRUE(fs::exists(directory_.path() / "kept" / "model_bench.massif"));
}

TEST_F(ProfileSystem, ABenchThatFailsIsNoProfile) {
  fake_valgrind("echo half > \"$out\"; echo 'it broke' >&2; exit 3");
  const Ended ended = profile();
  EXPECT_EQ(ended.exit_code, kRegression);
  EXPECT_THAT(ended.err, HasSubstr("exit code 3: it broke"));
  EXPECT_EQ(files(), 0U);
}

TEST_F(ProfileSystem, InstructionsThatValgrindDoesNotKnow) {
  fake_valgrind("echo 'vex amd64->IR: unhandled instruction bytes: 0x62' >&2; kill -ILL $$");
  const Ended ended = profile();
  EXPECT_EQ(ended.exit_code, kRegression);
  EXPECT_THAT(ended.err, HasSubstr("PAWL_PEERS=OFF"));
}

TEST_F(ProfileSystem, AFileThatIsNotMassifs) {
  fake_valgrind("echo 'desc: x' > \"$out\"");
  const Ended ended = profile();
  EXPECT_EQ(ended.exit_code, kBadInput);
  EXPECT_THAT(ended.err, HasSubstr("model_bench.massif: it ends after line 1"));
}

TEST_F(ProfileSystem, TwoProgramsOfOneName) {
  fake_valgrind("cp massif.text \"$out\"");
  fs::create_directories(directory_.path() / "bench/a");
  fs::create_directories(directory_.path() / "bench/b");
  for (const char* where : {"bench/a", "bench/b"})
    fs::copy(directory_.path() / "bench/model_bench", directory_.path() / where);
  fs::remove(directory_.path() / "bench/model_bench");
  const Ended ended = profile();
  EXPECT_EQ(ended.exit_code, kPassed) << ended.err;
  EXPECT_EQ(files(), 2U);
}

TEST_F(ProfileSystem, WhatWasFinishedBeforeACrashIsTold) {
  fs::copy(directory_.path() / "bench/model_bench", directory_.path() / "bench/zz_bench");
  fake_valgrind(
      "case \"$*\" in *zz_bench*) echo '==17== Process terminating with default action of signal 11 (SIGSEGV)' >&2;\n"
      "  echo '==17== ' >&2; kill -SEGV $$ ;; esac\n"
      "cp massif.text \"$out\"");
  Ended ended = profile();
  EXPECT_EQ(ended.exit_code, kRegression);
  EXPECT_THAT(ended.out, HasSubstr("heap: peak 2.003 MiB"));
  EXPECT_THAT(ended.err,
              HasSubstr("zz_bench: under valgrind: signal 11 (Segmentation fault): Process terminating with"));
  ended = profile({"--format", "json"});
  EXPECT_EQ(nlohmann::json::parse(ended.out).at("programs").size(), 1U);
}

// As valgrind does with the path: %% is a percent sign, and any other % is something else.
TEST_F(ProfileSystem, APercentSignInAPathIsOne) {
  fake_valgrind("out=$(echo \"$out\" | sed 's/%%/@/g; s/%p/17/g; s/@/%/g'); cp massif.text \"$out\"");
  const Ended ended = profile({"--out", "x%p"});
  EXPECT_EQ(ended.exit_code, kPassed) << ended.err;
  EXPECT_TRUE(fs::exists(directory_.path() / "x%p" / "model_bench.massif"));
}

TEST_F(ProfileSystem, MassifThatWritesNothing) {
  fake_valgrind("exit 0");
  const Ended ended = profile();
  EXPECT_EQ(ended.exit_code, kBadInput);
  EXPECT_THAT(ended.err, HasSubstr("massif wrote nothing"));
}

TEST_F(ProfileSystem, MistakesAreOneLine) {
  fake_valgrind("cp massif.text \"$out\"");
  EXPECT_THAT(profile({}, "nothing").err, HasSubstr("no benchmark matches --filter 'nothing'"));
  EXPECT_EQ(profile({}, "nothing").exit_code, kBadInput);
  EXPECT_EQ(run_pawl({.arguments = {"profile", "memory", "bench"}, .directory = directory_.path()}).exit_code,
            kBadInput);
  const Ended none = run_pawl({.arguments = {"profile", "memory", "bench", "--filter", "decode"},
                               .directory = directory_.path(),
                               .environment = {{"PATH", "/nowhere:"}}});
  EXPECT_EQ(none.exit_code, kBadInput);
  EXPECT_THAT(none.err, HasSubstr("valgrind is not installed"));
}

TEST_F(ProfileSystem, WithValgrindItself) {
  if (access("/usr/bin/valgrind", X_OK) != 0) GTEST_SKIP() << "valgrind is not installed";
  const Ended ended = profile({"--format", "json"});  // the heap is that of the shell which runs the script
  EXPECT_EQ(ended.exit_code, kPassed) << ended.err;
  const auto json = nlohmann::json::parse(ended.out);
  EXPECT_GT(json.at("programs").at(0).at("peak_heap_bytes").get<double>(), 100);
  EXPECT_GT(json.at("programs").at(0).at("snapshots").size(), 1U);
}

}  // namespace
}  // namespace pawl
