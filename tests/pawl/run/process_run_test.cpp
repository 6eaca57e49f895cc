// process_run_test.cpp -- a bench that crashes, hangs or writes half a file costs its own row and no other.
#include "run/process_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <map>

#include "pawl/run/scratch.hpp"

namespace pawl::run {
namespace {

using model::Status;
using testing::_;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

class ProcessRunTest : public testing::Test {
 protected:
  Scratch scratch;
  ProcessRequest request;

  ProcessRun run(const std::string& rows) {
    request.program = {scratch.fake_bench("x_bench", rows), "x_bench"};
    request.settings.timeout_s = 0.5;
    request.listing = list_benchmarks(request.program, request.settings);
    if (request.json.empty()) request.json = scratch / "x_bench.0.json";
    return run_process(request);
  }

  static std::map<std::string, model::Reading> readings(const ProcessRun& run) {
    std::map<std::string, model::Reading> all;
    for (const auto& benchmark : run.results.benchmarks) {
      EXPECT_EQ(benchmark.executable, "x_bench");
      EXPECT_EQ(benchmark.readings.size(), 1u) << benchmark.name;
      all.emplace(benchmark.name, benchmark.readings.at(0));
    }
    return all;
  }

  bool exists(const std::string& name) const { return std::filesystem::exists(scratch / name); }
};

TEST_F(ProcessRunTest, AGoodRunIsReadAndItsFileKept) {
  request.run_index = 3;
  request.pair_index = 4;
  request.placement = 5;
  const auto result = run("a 100 0 ok\nb 200 0 ok\n");
  ASSERT_EQ(result.results.processes.size(), 1u);
  const auto& process = result.results.processes[0];
  EXPECT_EQ(process.run_index, 3);
  EXPECT_EQ(process.pair_index, 4);
  EXPECT_EQ(process.executable, "x_bench");
  EXPECT_EQ(process.file, "x_bench.0.json");
  EXPECT_EQ(process.context.at("fake_run_index"), "3");
  EXPECT_EQ(process.context.at("fake_pair_index"), "4");
  EXPECT_EQ(process.context.at("fake_placement"), "5");
  EXPECT_TRUE(process.wall_s && process.cpu_s && process.peak_rss_bytes && process.start_unix_s);
  const auto all = readings(result);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_NEAR(all.at("a").find(model::kRealTime)->values[0], 100e-9, 1e-12);
  EXPECT_THAT(result.bad, IsEmpty());
  EXPECT_THAT(result.log, IsEmpty());
  EXPECT_TRUE(exists("x_bench.0.json"));
  EXPECT_FALSE(exists("x_bench.0.json.partial"));
}

TEST_F(ProcessRunTest, ACrashCostsItsOwnRow) {
  const auto result = run("a 100 0 ok\nb 200 0 crash\nc 300 0 ok\nd 400 0 ok\n");
  const auto all = readings(result);
  ASSERT_EQ(all.size(), 4u);
  for (const char* good : {"a", "c", "d"}) EXPECT_EQ(all.at(good).status, Status::ok) << good;
  EXPECT_EQ(all.at("b").status, Status::failed);
  EXPECT_EQ(all.at("b").message.str(), "signal 11 (Segmentation fault): about to read a null pointer in b");
  EXPECT_THAT(result.bad, ElementsAre(Pair("b", HasSubstr("signal 11"))));
  EXPECT_THAT(result.log, ElementsAre(HasSubstr("x_bench: b: signal 11 (Segmentation fault)")));
  ASSERT_EQ(result.results.processes.size(), 2u);
  EXPECT_EQ(result.results.processes[0].signal, SIGSEGV);
  EXPECT_THAT(result.results.processes[0].last_lines, HasSubstr("null pointer in b"));
  EXPECT_EQ(result.results.processes[1].signal, 0);
  EXPECT_TRUE(exists("x_bench.0.json.damaged"));
  EXPECT_TRUE(exists("x_bench.0.part2.json"));
}

TEST_F(ProcessRunTest, WhatIsSaidOfAFileNamesTheOneThatIsKept) {
  const auto result = run("a 0 0 ok\nb 200 0 ok\n");
  ASSERT_FALSE(result.results.oddities.empty());
  for (const model::Oddity& oddity : result.results.oddities) {
    EXPECT_THAT(oddity.file, ::testing::EndsWith("x_bench.0.json")) << oddity.what;
    EXPECT_TRUE(std::filesystem::exists(oddity.file));
  }
}

TEST_F(ProcessRunTest, AHangIsEndedAndCostsItsOwnRow) {
  const auto all = readings(run("a 100 0 ok\nb 200 0 hang\nc 300 0 ok\n"));
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all.at("b").status, Status::failed);
  EXPECT_THAT(all.at("b").message.str(), HasSubstr("no progress for 0.5 s"));
  EXPECT_EQ(all.at("c").status, Status::ok);
}

TEST_F(ProcessRunTest, InterleavedRowsStandAsListed) {
  request.settings.interleave = true;
  const auto result = run("b 100 0 ok\nc 200 0 ok\na 300 0 ok\n!interleaves\n");
  std::vector<std::string> names;
  for (const auto& benchmark : result.results.benchmarks) names.push_back(benchmark.name);
  EXPECT_THAT(names, ElementsAre("b", "c", "a"));
  const std::string json = scratch.read("x_bench.0.json");
  EXPECT_LT(json.find("\"name\": \"a\""), json.find("\"name\": \"b\"")) << "it did not interleave";
  EXPECT_FALSE(result.died_interleaved);
}

// The process begins with d: when c crashes, a is the first that is missing, and is not the one.
TEST_F(ProcessRunTest, ACrashAmongInterleavedRowsIsFoundInTheirOwnOrder) {
  request.settings.interleave = true;
  const auto result = run("a 100 0 ok\nb 200 0 ok\nc 300 0 crash\nd 400 0 ok\n!interleaves\n");
  const auto all = readings(result);
  ASSERT_EQ(all.size(), 4u);
  for (const char* good : {"a", "b", "d"}) EXPECT_EQ(all.at(good).status, Status::ok) << good;
  EXPECT_THAT(result.bad, ElementsAre(Pair("c", HasSubstr("signal 11"))));
  EXPECT_TRUE(result.died_interleaved);
  EXPECT_THAT(result.log, ElementsAre(HasSubstr("the 3 benchmarks left are run in their own order"),
                                      HasSubstr("x_bench: c: signal 11 (Segmentation fault)")));
}

TEST_F(ProcessRunTest, TheOnlyInterleavedRowThatIsMissingIsTheOneThatCrashed) {
  request.settings.interleave = true;
  const auto result = run("a 100 0 hang\nb 200 0 ok\n!interleaves\n");
  EXPECT_THAT(result.bad, ElementsAre(Pair("a", HasSubstr("no progress"))));
  EXPECT_EQ(result.results.processes.size(), 1u) << "nothing is left to run again";
}

TEST_F(ProcessRunTest, HalfAFileKeepsTheRowsBeforeIt) {
  const auto all = readings(run("a 100 0 ok\nb 200 0 half\nc 300 0 ok\n"));
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all.at("a").status, Status::ok);
  EXPECT_THAT(all.at("b").message.str(), HasSubstr("signal 9"));
  EXPECT_EQ(all.at("c").status, Status::ok);
}

TEST_F(ProcessRunTest, AnExitInTheMiddleIsACrash) {
  const auto all = readings(run("a 100 0 exit3\nb 200 0 ok\n"));
  EXPECT_THAT(all.at("a").message.str(), HasSubstr("exit code 3"));
  EXPECT_EQ(all.at("b").status, Status::ok);
}

TEST_F(ProcessRunTest, SeveralCrashesAreSurvived) {
  const auto result = run("a 1 0 crash\nb 1 0 ok\nc 1 0 crash\nd 1 0 crash\ne 1 0 ok\nf 1 0 crash\n");
  EXPECT_THAT(result.bad, ElementsAre(Pair("a", _), Pair("c", _), Pair("d", _), Pair("f", _)));
  EXPECT_EQ(readings(result).at("e").status, Status::ok);
}

TEST_F(ProcessRunTest, AProcessThatCannotEvenBeginIsNotStartedForEveryRow) {
  std::string rows = "!die\n";
  for (int i = 0; i < 20; ++i) rows += "row" + std::to_string(i) + " 1 0 ok\n";
  const auto result = run(rows);
  EXPECT_EQ(result.results.processes.size(), 3u);
  const auto all = readings(result);
  ASSERT_EQ(all.size(), 20u);
  for (const auto& [name, reading] : all) {
    EXPECT_EQ(reading.status, Status::failed) << name;
    EXPECT_THAT(reading.message.str(), HasSubstr("exit code 7: cannot open its data")) << name;
  }
  EXPECT_EQ(result.bad.size(), 20u);
}

TEST_F(ProcessRunTest, ABadExitAfterTheLastRowIsSaidAndLosesNothing) {
  const auto result = run("a 1 0 ok\n!exit 4\n");
  EXPECT_EQ(readings(result).at("a").status, Status::ok);
  EXPECT_THAT(result.log, ElementsAre(HasSubstr("exit code 4 after its last row")));
  EXPECT_EQ(result.results.processes[0].exit_code, 4);
  EXPECT_THAT(result.bad, IsEmpty());
}

TEST_F(ProcessRunTest, SkippedAndErroredRowsAreAsTheFileSays) {
  const auto result = run("a 1 0 skip\nb 1 0 error\nc 1 0 ok\n");
  const auto all = readings(result);
  EXPECT_EQ(all.at("a").status, Status::skipped);
  EXPECT_EQ(all.at("b").status, Status::failed);
  EXPECT_THAT(result.bad, IsEmpty());
}

TEST_F(ProcessRunTest, OnlyTheRowsAskedForAreRun) {
  request.rows = {"a/1", "c"};
  const auto all = readings(run("a/1 1 0 ok\na/10 1 0 ok\nb 1 0 ok\nc 1 0 ok\n"));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_TRUE(all.contains("a/1") && all.contains("c"));
}

TEST_F(ProcessRunTest, WhatWasBadBeforeIsNotTriedAgain) {
  request.known_bad = {{"b", "signal 11"}};
  const auto result = run("a 1 0 ok\nb 1 0 crash\nc 1 0 ok\n");
  const auto all = readings(result);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all.at("b").status, Status::failed);
  EXPECT_THAT(all.at("b").message.str(), HasSubstr("signal 11 (in an earlier process run; not tried again)"));
  EXPECT_EQ(result.results.processes.size(), 1u) << "one start was enough";
  request.known_bad = {{"a", "x"}, {"b", "x"}, {"c", "x"}};
  const auto none = run_process(request);
  EXPECT_EQ(readings(none).size(), 3u);
}

TEST_F(ProcessRunTest, RowsAreAnnounced) {
  std::vector<std::string> seen;
  request.on_row = [&](const std::string& row) { seen.push_back(row); };
  request.settings.repetitions = 3;
  const auto result = run("a/x 1 0 ok\nb 1 0 ok\n");
  EXPECT_THAT(seen, ElementsAre("a/x", "b"));
  EXPECT_EQ(readings(result).at("b").find(model::kRealTime)->values.size(), 3u);
}

TEST_F(ProcessRunTest, ADirectoryThatCannotBeWrittenIsAFailureOfEveryRowAndNoCrash) {
  request.json = "/proc/pawl/x_bench.0.json";
  const auto all = readings(run("a 1 0 ok\n"));
  EXPECT_EQ(all.at("a").status, Status::failed);
  EXPECT_THAT(all.at("a").message.str(), HasSubstr("cannot be read"));
}

}  // namespace
}  // namespace pawl::run
