// bench_output_test.cpp -- a built bench is an ordinary Google Benchmark program whose JSON has what results need.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "pawl/isa.hpp"

namespace {

struct Outcome {
  int exit_code;
  std::string output;
};

Outcome run(const std::string& arguments, const char* bench = PAWL_SIMD_BENCH, const char* errors = "/dev/null") {
  const std::string command = std::string(bench) + " " + arguments + " 2>" + errors;
  FILE* pipe = popen(command.c_str(), "r");
  std::string output;
  char buffer[4096];
  while (const std::size_t n = fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, n);
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output};
}

TEST(BenchOutput, JsonHasEnvironmentRowsAndTheClosingRecord) {
  const auto file =
      std::filesystem::temp_directory_path() / ("pawl_bench_output_" + std::to_string(getpid()) + ".json");
  const Outcome outcome =
      run("--pawl_quick --benchmark_filter='^add/f32/pawl/n:16$' --benchmark_min_time=0.001 --benchmark_out=" +
          file.string());
  ASSERT_EQ(outcome.exit_code, 0);
  std::ifstream stream(file);
  const auto json = nlohmann::json::parse(stream);
  std::filesystem::remove(file);

  const auto& context = json.at("context");
  for (const char* key :
       {"pawl_machine_key", "pawl_cpu_model", "pawl_isa_active", "pawl_build_type", "pawl_compiler", "pawl_flags",
        "pawl_git_commit", "pawl_git_dirty", "pawl_seed", "pawl_threads", "pawl_placement", "pawl_governor",
        "pawl_turbo", "pawl_smt", "pawl_load_1min", "pawl_run_index"})
    EXPECT_TRUE(context.contains(key)) << key;

  ASSERT_EQ(json.at("benchmarks").size(), 1u);
  const auto& row = json.at("benchmarks")[0];
  EXPECT_EQ(row.at("name"), "add/f32/pawl/n:16");
  EXPECT_GT(row.at("real_time").get<double>(), 0);
  for (const char* counter : {"flops", "bytes", "working_set_bytes", "p50"})
    EXPECT_GT(row.at(counter).get<double>(), 0) << counter;
  // A pause may leave too few samples for the others.
  EXPECT_LE(row.at("p50").get<double>(), row.value("p95", 1.0));
  EXPECT_LE(row.value("p95", 0.0), row.value("p99", 1.0));
  EXPECT_EQ(row.at("working_set_bytes"), 16 * 4 * 3);
  // No timing: a build without optimisation does a fraction of an operation per cycle, and no core does 32.
  EXPECT_GT(row.at("operations_per_cycle").get<double>(), 0.01);
  EXPECT_LT(row.at("operations_per_cycle").get<double>(), 32);
  if (context.at("pawl_allocation_hooks") == "yes") {
    EXPECT_EQ(row.at("allocs_per_iter"), 0) << "the kernel allocates, or the set-up is counted";
  }

  const auto& record = json.at("pawl");
  EXPECT_EQ(record.at("schema_version"), 1);
  EXPECT_GT(record.at("yardsticks").at("start").at("fma_f32_gflops").get<double>(), 0);
  EXPECT_GT(record.at("yardsticks").at("end").at("fma_f32_gflops").get<double>(), 0);
  EXPECT_GT(record.at("process").at("wall_s").get<double>(), 0);
  EXPECT_GE(record.at("process").at("end_unix_s").get<double>(), record.at("process").at("start_unix_s").get<double>());
}

// malloc's blocks and those of the library's own allocator, in the fields of Google Benchmark's MemoryManager.
TEST(BenchOutput, AllocationsAreCountedByHooksOfMallocAndOfOurAllocator) {
  const Outcome outcome =
      run("--pawl_quick --pawl_yardsticks=off --pawl_core_watch=off --benchmark_min_time=0.001 "
          "--benchmark_format=json --benchmark_filter='^allocate_free/u8/(pawl|malloc)/bytes:64$'",
          PAWL_ALLOCATOR_BENCH);
  ASSERT_EQ(outcome.exit_code, 0);
  const auto json = nlohmann::json::parse(outcome.output);
  if (json.at("context").at("pawl_allocation_hooks") != "yes") GTEST_SKIP() << "malloc cannot be counted here";
  ASSERT_EQ(json.at("benchmarks").size(), 2u);
  for (const auto& row : json.at("benchmarks")) {
    SCOPED_TRACE(row.at("name").get<std::string>());
    EXPECT_EQ(row.at("allocs_per_iter"), 1);
    EXPECT_GE(row.at("max_bytes_used"), 64);
    EXPECT_LE(row.at("max_bytes_used"), 80);
    // What Google Benchmark counts: fewer than 16 where a pause made the first iteration take all of the time.
    const double iterations = std::min(16.0, row.at("iterations").get<double>());
    EXPECT_GE(row.at("total_allocated_bytes"), iterations * 64);
    EXPECT_LE(row.at("total_allocated_bytes"), iterations * 80);
    EXPECT_EQ(row.at("net_heap_growth"), 0);
    EXPECT_FALSE(row.contains("operations_per_cycle")) << "nobody was to look";
  }
}

// Google Benchmark's own pointers to the counts of all but the last repetitions dangle (memory_results.hpp). glibc
// fills what is freed, so that reading it is seen.
TEST(BenchOutput, EveryRepetitionHasItsOwnCounts) {
  for (const char* order : {"true", "false"}) {
    const Outcome outcome =
        run(std::string("--pawl_quick --pawl_yardsticks=off --benchmark_min_time=0.001 --benchmark_format=json "
                        "--benchmark_repetitions=6 --benchmark_enable_random_interleaving=") +
                order + " --benchmark_filter='^allocate_free/u8/(pawl|malloc)/bytes:64$'",
            "MALLOC_PERTURB_=165 " PAWL_ALLOCATOR_BENCH);
    ASSERT_EQ(outcome.exit_code, 0);
    // Coefficients of variation of counters that are 0 are no JSON.
    const auto json = nlohmann::json::parse(std::regex_replace(outcome.output, std::regex(": -?NaN"), ": null"));
    if (json.at("context").at("pawl_allocation_hooks") != "yes") GTEST_SKIP() << "malloc cannot be counted here";
    std::size_t repetitions = 0;
    for (const auto& row : json.at("benchmarks")) {
      if (row.at("run_type") != "iteration") continue;
      ++repetitions;
      EXPECT_GE(row.at("max_bytes_used"), 64) << row;
      EXPECT_LE(row.at("max_bytes_used"), 128) << row;  // glibc gives a somewhat larger block that it has
    }
    EXPECT_EQ(repetitions, 12u);
  }
}

TEST(BenchOutput, AMemoryProfileNamesTheCallsThatAllocate) {
  const auto profile_of = [](const std::string& row) {
    const Outcome outcome =
        run("--pawl_quick --pawl_yardsticks=off --benchmark_min_time=0.001 --pawl_memory_profile=3 "
            "--benchmark_filter='^" +
                row + "$'",
            PAWL_ALLOCATOR_BENCH, "&1 >/dev/null");
    EXPECT_EQ(outcome.exit_code, 0);
    return outcome.output;
  };
  const std::string text = profile_of("allocate_free/u8/malloc/bytes:64");
  EXPECT_NE(text.find("allocate_free/u8/malloc/bytes:64: the timed loop: 16 allocations"), std::string::npos) << text;
  EXPECT_NE(text.find(" in 16 allocations\n      in "), std::string::npos) << text;
  EXPECT_EQ(run("--pawl_memory_profile=0").exit_code, 2);
  EXPECT_EQ(run("--pawl_memory_profile=3x").exit_code, 2);
}

TEST(BenchOutput, JsonOnStandardOutputIsWhole) {
  const Outcome outcome =
      run("--pawl_quick --pawl_yardsticks=off --benchmark_filter='^add/f32/pawl/n:16$' --benchmark_min_time=0.001 "
          "--benchmark_format=json");
  ASSERT_EQ(outcome.exit_code, 0);
  const auto json = nlohmann::json::parse(outcome.output);
  EXPECT_TRUE(json.at("pawl").at("yardsticks").at("start").empty());
}

TEST(BenchOutput, EveryNameFollowsTheGrammarAndEveryOperationHasSeveralSizes) {
  const Outcome outcome = run("--benchmark_list_tests");
  ASSERT_EQ(outcome.exit_code, 0);
  std::map<std::string, int> sizes;
  std::istringstream lines(outcome.output);
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find('/'), second = line.find('/', first + 1), third = line.find('/', second + 1);
    ASSERT_NE(third, std::string::npos) << line;
    ASSERT_NE(line.find(':', third), std::string::npos) << line;
    ++sizes[line.substr(0, third)];
  }
  EXPECT_GT(sizes.size(), 50u);
  // A single ISA shows what the instructions are worth, for which a size in L1 is enough; what a call costs has no
  // size.
  const std::set<std::string> calls = {"active_isa/none/pawl", "empty_add/f32/pawl", "should_use_simd/none/pawl"};
  for (const auto& [series, count] : sizes) {
    const bool one = calls.contains(series) || pawl::parse_isa(series.substr(series.rfind('/') + 1));
    EXPECT_GE(count, one ? 1 : 3) << series << " covers too few cache levels";
  }
}

TEST(BenchOutput, HelpListsOurFlagsBesideTheLibrarys) {
  const Outcome outcome = run("--help");
  EXPECT_EQ(outcome.exit_code, 0);
  for (const char* flag : {"--benchmark_filter", "--pawl_quick", "--pawl_yardsticks=on|off", "--pawl_core_watch=on|off",
                           "--pawl_percentiles=on|off", "--pawl_memory_profile[=N]"})
    EXPECT_NE(outcome.output.find(flag), std::string::npos) << flag << " is not in " << outcome.output;
}

TEST(BenchOutput, UnknownFlagsOfOursAreRefused) {
  EXPECT_EQ(run("--pawl_yardstick=on").exit_code, 2);
  EXPECT_EQ(run("--pawl_yardsticks=maybe").exit_code, 2);
}

TEST(BenchOutput, ForcingAVariantIsRecorded) {
  const Outcome outcome =
      run("--pawl_quick --pawl_yardsticks=off --benchmark_filter='^add/f32/pawl/n:16$' --benchmark_min_time=0.001 "
          "--benchmark_format=json");
  ASSERT_EQ(setenv("PAWL_ISA", "scalar", 1), 0);
  const Outcome forced =
      run("--pawl_quick --pawl_yardsticks=off --benchmark_filter='^add/f32/pawl/n:16$' --benchmark_min_time=0.001 "
          "--benchmark_format=json");
  unsetenv("PAWL_ISA");
  ASSERT_EQ(forced.exit_code, 0);
  EXPECT_EQ(nlohmann::json::parse(forced.output).at("context").at("pawl_isa_active"), "scalar");
  EXPECT_EQ(outcome.exit_code, 0);
}

}  // namespace
