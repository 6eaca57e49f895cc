// results_file_test.cpp -- a ResultSet survives results.json, and a damaged one is refused with its place.
#include "baseline/results_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "failure.hpp"
#include "pawl/temporary_directory.hpp"

namespace pawl::baseline {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Every field set to something that is not its default, so that a field which gets lost is noticed.
model::ResultSet full_set() {
  model::ResultSet set;
  set.label = "nightly";
  set.machine = {"amd-zen5-avx512-2c", "AMD EPYC", "Linux 6.1", "x86_64", 2, {{"l3", "32 MiB"}}};
  set.methodology = {"0.1.0",
                     "1a2b3c4",
                     true,
                     "g++ 12.2",
                     "-O3",
                     "Release",
                     "pawl run --quick",
                     "2026-01-02T03:04:05Z",
                     5,
                     {{"min_time", "0.1"}}};
  model::Process process;
  process.file = "raw/simd.1.json";
  process.executable = "simd_bench";
  process.run_index = 1;
  process.pair_index = 4;
  process.start_unix_s = 1.5;
  process.end_unix_s = 2.5;
  process.exit_code = 3;
  process.signal = 11;
  process.timed_out = true;
  process.last_lines = "boom\n\"quoted\" \x01";
  process.wall_s = 1.25;
  process.cpu_s = 1.125;
  process.peak_rss_bytes = 1e6;
  process.context = {{"host_name", "h\xc3\xa4"}};
  process.yardsticks_start = {{"fma_f32_gflops", 117.25}};
  process.yardsticks_end = {{"fma_f32_gflops", 116.5}};
  process.disturbance = {1.02, 0.01, 0.25, 0.03, {"steal 1 %"}};
  set.processes = {model::Process{}, process};
  model::Reading good;
  good.process = 0;
  good.repetitions = 3;
  good.iterations = 1000000000000;
  good.series = {
      {"cpu_time", {1e-9}},
      {"real_time",
       {0.1, 1.0 / 3, std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(), 5e-324}}};
  model::Reading aggregated;
  aggregated.process = 1;
  aggregated.aggregates_only = true;
  aggregated.aggregates = {{"stddev", "real_time", 0.5}};
  model::Reading bad;
  bad.process = 1;
  bad.status = model::Status::failed;
  bad.message = "wrong result";
  model::Reading skipped = bad;
  skipped.status = model::Status::skipped;
  set.benchmarks = {{"dot/f32/pawl/n:8", "simd_bench", "label", "us", "simd_bench.cpp:12", {good, aggregated}},
                    {"b", "", "", "", "", {bad, skipped}}};
  set.oddities = {{model::Oddity::Severity::note, "f.json", 3, 4, "row", "odd"}};
  return set;
}

class ResultsFile : public ::testing::Test {
 protected:
  std::string error_of(const std::string& text) {
    try {
      parse_results(text, "r.json");
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.exit_code, kBadInput);
      return failure.line;
    }
    return "no error";
  }
  TemporaryDirectory directory_;
};

TEST_F(ResultsFile, EveryFieldSurvives) {
  const auto path = directory_.path() / "results.json";
  write_results(path, full_set());
  const model::ResultSet back = read_results(path);
  // The text names every field that the writer knows: equal texts are equal sets.
  EXPECT_EQ(format_results(back), format_results(full_set()));
  ASSERT_EQ(back.benchmarks.size(), 2U);
  ASSERT_EQ(back.processes.size(), 2U);
  const model::Process& process = back.processes[1];
  EXPECT_EQ(process.pair_index, 4);
  EXPECT_EQ(process.signal, 11);
  EXPECT_TRUE(process.timed_out);
  EXPECT_EQ(process.last_lines, "boom\n\"quoted\" \x01");
  EXPECT_EQ(process.peak_rss_bytes, 1e6);
  EXPECT_EQ(process.disturbance.other_busy, 0.25);
  EXPECT_THAT(process.disturbance.flags, ::testing::ElementsAre("steal 1 %"));
  EXPECT_EQ(back.processes[0].run_index, -1);
  EXPECT_FALSE(back.processes[0].wall_s.has_value());
  const model::Benchmark& benchmark = back.benchmarks[0];
  EXPECT_EQ(benchmark.source, "simd_bench.cpp:12");
  EXPECT_EQ(benchmark.readings[0].iterations, 1000000000000U);
  EXPECT_EQ(benchmark.readings[0].find("real_time")->values, full_set().benchmarks[0].readings[0].series[1].values);
  EXPECT_TRUE(benchmark.readings[1].aggregates_only);
  EXPECT_EQ(back.benchmarks[1].readings[0].status, model::Status::failed);
  EXPECT_EQ(back.benchmarks[1].readings[1].status, model::Status::skipped);
  EXPECT_EQ(back.methodology.runs, 5);
  EXPECT_TRUE(back.methodology.dirty);
  EXPECT_EQ(back.machine.details.at("l3"), "32 MiB");
  EXPECT_EQ(back.oddities[0].column, 4U);
}

TEST_F(ResultsFile, NaNIsNotInfinity) {
  model::ResultSet set;
  set.processes.resize(1);
  set.benchmarks = {{"b", "", "", "", "", {model::Reading{}}}};
  set.benchmarks[0].readings[0].series = {{"x", {std::nan(""), 1}}};
  const model::ResultSet back = parse_results(format_results(set), "r.json");
  EXPECT_TRUE(std::isnan(back.benchmarks[0].readings[0].series[0].values[0]));
  EXPECT_EQ(back.benchmarks[0].readings[0].series[0].values[1], 1);
}

TEST_F(ResultsFile, IterationsHaveAllTheirBits) {
  for (const std::uint64_t iterations :
       {std::uint64_t{0}, (std::uint64_t{1} << 53) + 1, std::uint64_t{100'000'000'000'000'000},
        std::numeric_limits<std::uint64_t>::max()}) {
    model::ResultSet set;
    set.processes.resize(1);
    set.benchmarks = {{"b", "", "", "", "", {model::Reading{}}}};
    set.benchmarks[0].readings[0].iterations = iterations;
    EXPECT_EQ(parse_results(format_results(set), "r.json").benchmarks[0].readings[0].iterations, iterations);
  }
  EXPECT_THAT(error_of(R"({"schema_version": 1, "processes": [{}], "benchmarks": [
    {"name": "b", "readings": [{"process": 0, "iterations": -1}]}]})"),
              HasSubstr("iterations expected a number that is not negative"));
}

TEST_F(ResultsFile, UnknownKeysArePassedOver) {
  EXPECT_EQ(
      parse_results(R"({"format":"pawl-results","schema_version":1,"new":{"a":[1]},"benchmarks":[{"name":"b","x":1}]})",
                    "r.json")
          .benchmarks.at(0)
          .name,
      "b");
}

TEST_F(ResultsFile, ErrorsNameLineAndPlace) {
  EXPECT_EQ(error_of(" \n"), "r.json: the file is empty");
  EXPECT_THAT(error_of("{\n \"schema_version\": 1,\n \"benchmarks\": [\n"), StartsWith("r.json:4:1: syntax error"));
  EXPECT_EQ(error_of("{}"), "r.json:1: has no \"schema_version\": this is not a results.json of pawl");
  EXPECT_THAT(error_of("{\n\"schema_version\": -1}"), StartsWith("r.json:2: schema_version is -1"));
  EXPECT_THAT(error_of("{\n\"schema_version\": 2}"),
              StartsWith("r.json:2: schema_version is 2; this pawl reads up to 1"));
  EXPECT_EQ(error_of(R"({"schema_version": 1,
 "processes": [{}],
 "benchmarks": [
  {"name": "a", "readings": []},
  {"name": "b", "readings": [
    {"process": 0, "metrics": {"real_time": [1,
       "fast"]}}]}]})"),
            "r.json:7: benchmarks[1].readings[0].metrics.real_time[1] expected a number");
  EXPECT_EQ(error_of("{\"schema_version\": 1, \"processes\": [],\n\"benchmarks\": [{\"name\": \"a\", \"readings\": "
                     "[{\"process\": 0}]}]}"),
            "r.json:2: benchmarks[0].readings[0].process is 0, but there are 0 processes");
  EXPECT_EQ(error_of("{\"schema_version\": 1, \"benchmarks\": [{\"readings\": []}]}"),
            "r.json:1: benchmarks[0] has no \"name\"");
  EXPECT_EQ(error_of("{\"schema_version\": 1, \"benchmarks\": 7}"), "r.json:1: benchmarks expected a list [...]");
}

TEST_F(ResultsFile, EveryTruncationIsAnErrorOrLosesNothing) {
  const std::string text = format_results(full_set());
  for (std::size_t length = 0; length + 2 < text.size(); ++length) {
    EXPECT_NE(error_of(text.substr(0, length)), "no error") << "cut at byte " << length;
  }
}

TEST_F(ResultsFile, IsToldFromGoogleBenchmarks) {
  EXPECT_TRUE(is_results_text(format_results(full_set())));
  EXPECT_TRUE(is_results_text("{\"benchmarks\": [], \"format\" :\n\"pawl-results\"}"));
  EXPECT_FALSE(is_results_text("{\"context\": {}, \"benchmarks\": [{\"name\": \"pawl-results\"}]}"));
  EXPECT_FALSE(is_results_text(""));
}

TEST_F(ResultsFile, MissingFileIsOneLine) {
  try {
    read_results(directory_.path() / "none.json");
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.exit_code, kBadInput);
    EXPECT_THAT(failure.line, HasSubstr("none.json: cannot be opened: No such file"));
  }
}

}  // namespace
}  // namespace pawl::baseline
