// run_command_test.cpp -- `pawl run` from outside: what it writes, what it says, how it exits.
#include <fmt/format.h>

#include <csignal>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "baseline/results_file.hpp"
#include "pawl/run/commands.hpp"

namespace pawl::run {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing::SizeIs;

// The machine that runs the tests is rarely quiet, and repeats are tested elsewhere.
std::vector<std::string> run(std::vector<std::string> more) {
  std::vector<std::string> arguments = {"run", "bin", "--out", "out", "--no-repeat"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

using RunCommand = CommandTest;

TEST_F(RunCommand, ResultsStandInADirectoryOfTheirOwn) {
  scratch.fake_bench("bin/x_bench", "a/n:1 100 0.01 ok\na/n:2 200 0.01 ok\n");
  scratch.fake_bench("bin/y_bench", "b 300 0.01 ok\n");
  const Ended ended = pawl(run({"--runs", "4", "--seed", "7"}));
  ASSERT_EQ(ended.exit_code, 0) << ended.errors;
  const auto set = baseline::read_results(scratch / "out/results.json");
  EXPECT_EQ(set.processes.size(), 8u);
  ASSERT_EQ(set.benchmarks.size(), 3u);
  for (const auto& benchmark : set.benchmarks) EXPECT_EQ(benchmark.readings.size(), 4u) << benchmark.name;
  EXPECT_EQ(set.methodology.runs, 4);
  EXPECT_EQ(set.methodology.settings.at("seed"), "7");
  EXPECT_EQ(set.methodology.command, "pawl run bin --out out --no-repeat --runs 4 --seed 7");
  EXPECT_FALSE(set.machine.key.empty());
  for (const auto& process : set.processes) {
    EXPECT_TRUE(exists("out/raw/" + process.file)) << process.file;
    EXPECT_EQ(process.context.at("fake_seed"), "7");
    EXPECT_EQ(process.context.at("fake_placement"), std::to_string(process.run_index)) << "another one in each run";
    EXPECT_TRUE(process.wall_s && process.cpu_s);
  }
  EXPECT_TRUE(exists("out/system-info.json"));
  EXPECT_THAT(scratch.read("out/report.md"), HasSubstr("`a/n:2`"));
  EXPECT_THAT(ended.output, HasSubstr("a/n:1"));
  EXPECT_THAT(ended.errors, HasSubstr("2 executables x 4 process runs, 3 benchmarks"));
  EXPECT_EQ(ended.errors.find('\r'), std::string::npos) << "no terminal, no changing line";
  EXPECT_THAT(files_with(".partial"), IsEmpty());
}

TEST_F(RunCommand, RowsWhoseProcessRunsDisagreeGetMoreOfThem) {
  scratch.fake_bench("bin/x_bench", "still 100 0.001 ok\nwild 100 0.4 ok\n");
  scratch.fake_bench("bin/y_bench", "other 100 0.001 ok\n");
  const auto readings = [&](const std::string& directory) {
    std::map<std::string, std::size_t> count;
    for (const auto& b : baseline::read_results(scratch / (directory + "/results.json")).benchmarks)
      count[b.name] = b.readings.size();
    return count;
  };
  const Ended ended = pawl({"run", "bin", "--out", "out", "--quick"});
  ASSERT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_THAT(ended.errors,
              HasSubstr("==> 1 benchmark whose process runs disagree by more than 5 % or shared the core: measured 2 "
                        "times more"));
  EXPECT_THAT(readings("out"), ElementsAre(Pair("other", 3), Pair("still", 3), Pair("wild", 5)));
  EXPECT_TRUE(exists("out/raw/x_bench.04.json"));
  EXPECT_FALSE(exists("out/raw/y_bench.03.json"));
  ASSERT_EQ(pawl(run({"--quick"})).exit_code, 2) << "the directory is there";
  ASSERT_EQ(pawl({"run", "bin", "--out", "few", "--quick", "--no-repeat"}).exit_code, 0);
  EXPECT_EQ(readings("few").at("wild"), 3u);
  ASSERT_EQ(pawl({"run", "bin", "--out", "asked", "--quick", "--runs", "2"}).exit_code, 0);
  EXPECT_EQ(readings("asked").at("wild"), 2u);
}

TEST_F(RunCommand, RepetitionsAreInterleavedUnlessUnwanted) {
  scratch.fake_bench("bin/x_bench", "a 100 0.01 ok\nb 100 0.01 ok\n!interleaves\n");
  const auto b_is_first = [&](const std::string& file) {
    const std::string json = scratch.read(file);
    return json.find("\"name\": \"b\"") < json.find("\"name\": \"a\"");
  };
  ASSERT_EQ(pawl(run({"--quick"})).exit_code, 0);
  EXPECT_TRUE(b_is_first("out/raw/x_bench.00.json"));
  EXPECT_EQ(baseline::read_results(scratch / "out/results.json").methodology.settings.at("interleaved"), "yes");
  ASSERT_EQ(pawl({"run", "bin", "--out", "out2", "--no-repeat", "--quick", "--no-interleave"}).exit_code, 0);
  EXPECT_FALSE(b_is_first("out2/raw/x_bench.00.json"));
  EXPECT_EQ(baseline::read_results(scratch / "out2/results.json").methodology.settings.at("interleaved"), "no");
  ASSERT_EQ(pawl({"run", "bin", "--out", "out3", "--no-repeat", "--quick", "--repetitions", "1"}).exit_code, 0);
  EXPECT_FALSE(b_is_first("out3/raw/x_bench.00.json")) << "one repetition has nothing to be interleaved with";
}

TEST_F(RunCommand, QuickIsThreeRuns) {
  scratch.fake_bench("bin/x_bench", "a 100 0.01 ok\n");
  ASSERT_EQ(pawl(run({"--quick"})).exit_code, 0);
  EXPECT_EQ(baseline::read_results(scratch / "out/results.json").processes.size(), 3u);
}

TEST_F(RunCommand, MemoryIsThePeakOfAProcessForEachBenchmark) {
  if (PAWL_SANITIZED) GTEST_SKIP() << "a sanitizer multiplies memory";
  scratch.fake_bench("bin/x_bench", "a 100 0.01 ok\nb 200 0.01 ok\n!memory a 0 64\n!memory b 3 160\nc 1 0 crash\n");
  const Ended ended = pawl(run({"--runs", "2", "--memory"}));
  EXPECT_EQ(ended.exit_code, 1) << ended.errors;  // c
  const auto set = baseline::read_results(scratch / "out/results.json");
  for (const auto& [name, mib] : {std::pair{"a", 64.0}, {"b", 160.0}})
    for (const auto& benchmark : set.benchmarks) {
      if (benchmark.name != name) continue;
      ASSERT_EQ(benchmark.readings.size(), 2u);
      for (const auto& reading : benchmark.readings) {
        const auto* peak = reading.find(model::kPeakResident);
        ASSERT_NE(peak, nullptr) << name;
        EXPECT_GE(peak->values.front(), mib * 1024 * 1024);
        EXPECT_LE(peak->values.front(), (mib + 40) * 1024 * 1024) << "a whole process of all rows would have 160 MiB";
      }
    }
  EXPECT_THAT(ended.output, HasSubstr("resident"));
  EXPECT_THAT(scratch.read("out/report.md"), HasSubstr("## Memory"));
  EXPECT_THAT(scratch.read("out/report.md"), HasSubstr("| `b` | 3 | 160 MiB | "));
  EXPECT_THAT(files_with(".memory"), IsEmpty());
}

TEST_F(RunCommand, WhatNeedsLessThanTheToolItselfIsNotKnown) {
  scratch.fake_bench("bin/x_bench", "a 100 0.01 ok\n");
  const Ended ended = pawl(run({"--runs", "1", "--memory"}));
  ASSERT_EQ(ended.exit_code, 0) << ended.errors;
  const auto set = baseline::read_results(scratch / "out/results.json");
  const auto* peak = set.benchmarks.at(0).readings.at(0).find(model::kPeakResident);
  if (peak == nullptr)
    EXPECT_THAT(ended.errors, HasSubstr("the peak memory of 1 benchmark is below pawl's own and not known"));
  else
    EXPECT_LT(peak->values.front(), 64.0 * 1024 * 1024);
}

TEST_F(RunCommand, MoreMemoryAndAFirstAllocationFailTheGate) {
  const auto measure = [&](const std::string& out, const std::string& memory) {
    scratch.fake_bench("bin/x_bench", "a 100 0.002 ok\nb 100 0.002 ok\nc 100 0.002 ok\n" + memory);
    const Ended ended = pawl({"run", "bin", "--out", out, "--no-repeat", "--runs", "3", "--memory"});
    EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  };
  measure("base", "!memory a 0 64\n!memory b 2 64\n!memory c 2 64\n");
  measure("same", "!memory a 0 64\n!memory b 2 64\n!memory c 2 64\n");
  EXPECT_EQ(pawl({"compare", "base", "same"}).exit_code, 0);
  measure("worse", "!memory a 1 64\n!memory b 2 73\n!memory c 2 96\n");
  const Ended ended = pawl({"compare", "base", "worse"});
  EXPECT_EQ(ended.exit_code, 1) << ended.output;
  EXPECT_THAT(ended.output, testing::ContainsRegex("CRITICAL +a .*allocs_per_iter"));
  EXPECT_THAT(ended.output, testing::ContainsRegex("WARNING +b .*max_bytes_used"));
  EXPECT_THAT(ended.output, testing::ContainsRegex("CRITICAL +c .*(max_bytes_used|peak_rss_bytes)"));
}

TEST_F(RunCommand, ACrashIsFailedAndTheRestGoesOn) {
  scratch.fake_bench("bin/x_bench", "a 100 0.01 ok\nb 1 0 crash\nc 1 0 ok\n");
  scratch.fake_bench("bin/y_bench", "d 1 0 hang\ne 1 0 ok\n");
  const Ended ended = pawl(run({"--runs", "2", "--timeout", "0.5"}));
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.errors, HasSubstr("FAILED  b: signal 11 (Segmentation fault): about to read a null pointer in b"));
  EXPECT_THAT(ended.errors, HasSubstr("FAILED  d: no progress for 0.5 s"));
  EXPECT_THAT(ended.errors, HasSubstr("5 benchmarks, 2 FAILED"));
  const auto set = baseline::read_results(scratch / "out/results.json");
  for (const auto& benchmark : set.benchmarks)
    for (const auto& reading : benchmark.readings)
      EXPECT_EQ(reading.status == model::Status::ok, benchmark.name != "b" && benchmark.name != "d") << benchmark.name;
  EXPECT_THAT(scratch.read("out/report.md"), HasSubstr("## Not measured"));
}

TEST_F(RunCommand, ABaselineIsSavedComparedAndDecidesTheExitCode) {
  fs::create_directories(scratch / "baselines");
  const char* good = "a 100 0.002 ok\nb 100 0.002 ok\n";
  scratch.fake_bench("bin/x_bench", good);
  ASSERT_EQ(pawl(run({"--save-baseline", "main"})).exit_code, 0);
  fs::remove_all(scratch / "out");
  scratch.fake_bench("bin/x_bench", "a 100 0.002 ok\nb 150 0.002 ok\n");
  Ended ended = pawl(run({"--baseline", "main"}));
  EXPECT_EQ(ended.exit_code, 1) << ended.output << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("CRITICAL"));
  EXPECT_TRUE(exists("out/comparison.md"));
  EXPECT_TRUE(exists("out/comparison.json"));
  fs::remove_all(scratch / "out");
  scratch.fake_bench("bin/x_bench", good);
  ended = pawl(run({"--baseline", "main"}));
  EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
}

TEST_F(RunCommand, APartIsComparedWithTheSamePartOfTheBaseline) {
  fs::create_directories(scratch / "baselines");
  scratch.fake_bench("bin/b_bench", "b1 100 0.002 ok\nb2 100 0.002 ok\nfull/b 100 0.002 ok\n!pawl\n");
  scratch.fake_bench("bin/c_bench", "c1 100 0.002 ok\nc2 100 0.002 ok\n");
  ASSERT_EQ(pawl(run({"--save-baseline", "both"})).exit_code, 0);
  const auto compare = [&](std::vector<std::string> more) {
    fs::remove_all(scratch / "out");
    std::vector<std::string> all = {"--baseline", "both"};
    all.insert(all.end(), more.begin(), more.end());
    return pawl(run(std::move(all)));
  };
  for (const auto& [part, note] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--suite", "b_*"}, "2 benchmarks of the baseline left out, as asked by --suite"},
           {{"--filter", "b"}, "2 benchmarks of the baseline left out, as asked by --filter"},
           {{"--quick"}, "1 benchmark of the baseline left out, as asked by --quick"}}) {
    const Ended ended = compare(part);
    EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
    EXPECT_THAT(ended.output, HasSubstr(note));
  }
  scratch.fake_bench("bin/b_bench", "b1 100 0.002 ok\nfull/b 100 0.002 ok\n!pawl\n");
  for (const std::vector<std::string>& part :
       std::vector<std::vector<std::string>>{{"--suite", "b_*"}, {"--filter", "b"}, {"--quick"}}) {
    const Ended ended = compare(part);
    EXPECT_EQ(ended.exit_code, 1) << ended.output << ended.errors;
    EXPECT_THAT(ended.output, testing::ContainsRegex("REMOVED +b2")) << "selected and missing";
  }
}

TEST_F(RunCommand, APartThatIsSavedReplacesItsPartOfTheBaselineAlone) {
  fs::create_directories(scratch / "baselines");
  scratch.fake_bench("bin/b_bench", "b1 100 0.002 ok\nfull/b 100 0.002 ok\n!pawl\n");
  scratch.fake_bench("bin/c_bench", "c1 100 0.002 ok\nc2 100 0.002 ok\n");
  const auto measure = [&](std::vector<std::string> more) {
    fs::remove_all(scratch / "out");
    more.insert(more.end(), {"--runs", "2"});
    return pawl(run(std::move(more)));
  };
  ASSERT_EQ(measure({"--save-baseline", "main"}).exit_code, 0);
  for (const auto& [part, note] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--suite", "b"}, "note: measured with --suite 'b': 2 benchmarks kept from the old baseline"},
           {{"--filter", "c1"}, "note: measured with --filter 'c1': 3 benchmarks kept from the old baseline"},
           {{"--quick"}, "note: measured with --quick: 1 benchmark kept from the old baseline"}}) {
    std::vector<std::string> arguments = {"--save-baseline", "main"};
    arguments.insert(arguments.end(), part.begin(), part.end());
    const Ended ended = measure(arguments);
    ASSERT_EQ(ended.exit_code, 0) << ended.errors;
    EXPECT_THAT(ended.errors, HasSubstr(note));
  }
  for (const std::vector<std::string>& gate : std::vector<std::vector<std::string>>{{}, {"--quick"}}) {
    std::vector<std::string> arguments = {"--baseline", "main"};
    arguments.insert(arguments.end(), gate.begin(), gate.end());
    const Ended ended = measure(arguments);
    EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
    EXPECT_THAT(ended.output, Not(testing::ContainsRegex("ADDED|REMOVED")));
  }
}

TEST_F(RunCommand, AnExecutableThatIsNamedIsComparedWithItsOwnPartOfTheBaseline) {
  fs::create_directories(scratch / "baselines");
  scratch.fake_bench("bin/b_bench", "b1 100 0.002 ok\nb2 100 0.002 ok\n");
  scratch.fake_bench("bin/c_bench", "c1 100 0.002 ok\n");
  ASSERT_EQ(pawl(run({"--save-baseline", "both"})).exit_code, 0);
  const std::vector<std::string> one = {"run", "bin/b_bench", "--out", "one", "--no-repeat", "--baseline", "both"};
  Ended ended = pawl(one);
  EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("1 benchmark of the baseline left out, as asked by WHERE"));
  fs::remove_all(scratch / "one");
  scratch.fake_bench("bin/b_bench", "b1 100 0.002 ok\n");
  ended = pawl(one);
  EXPECT_EQ(ended.exit_code, 1) << ended.output << ended.errors;
  EXPECT_THAT(ended.output, testing::ContainsRegex("REMOVED +b2"));
}

TEST_F(RunCommand, AnExecutableThatIsNamedReplacesOnlyItselfInABaseline) {
  fs::create_directories(scratch / "baselines");
  scratch.fake_bench("bin/b_bench", "b 100 0.002 ok\n");
  scratch.fake_bench("bin/c_bench", "c 100 0.002 ok\n");
  ASSERT_EQ(pawl(run({"--save-baseline", "both"})).exit_code, 0);
  const auto save_alone = [&](const std::string& program, const std::string& baseline) {
    fs::remove_all(scratch / "one");
    return pawl({"run", program, "--out", "one", "--no-repeat", "--save-baseline", baseline});
  };
  const auto names_in = [&](const std::string& baseline) {
    std::vector<std::string> names;
    for (const auto& b : baseline::read_results(files_with(fmt::format("/{}.json", baseline)).front()).benchmarks)
      names.push_back(b.name);
    return names;
  };
  const Ended ended = save_alone("bin/b_bench", "both");
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_THAT(ended.errors, HasSubstr("1 benchmark kept from the old baseline"));
  EXPECT_THAT(names_in("both"), testing::UnorderedElementsAre("b", "c"));
  ASSERT_EQ(save_alone("bin/b_bench", "own").exit_code, 0);
  scratch.fake_bench("bin/b_bench", "b2 100 0.002 ok\n");
  ASSERT_EQ(save_alone("bin/b_bench", "own").exit_code, 0);
  EXPECT_THAT(names_in("own"), ElementsAre("b2")) << "all that the baseline had is of this executable";
  ASSERT_EQ(save_alone("bin/c_bench", "own").exit_code, 0);
  EXPECT_THAT(names_in("own"), ElementsAre("c")) << "and may have another name";
}

TEST_F(RunCommand, WhatFailsTheGateDoesNotBecomeTheBaseline) {
  fs::create_directories(scratch / "baselines");
  const auto measure = [&](const std::string& time, std::vector<std::string> more) {
    fs::remove_all(scratch / "out");
    scratch.fake_bench("bin/x_bench", "a " + time + " 0.002 ok\nb 100 0.002 ok\n");
    return pawl(run(std::move(more)));
  };
  ASSERT_EQ(measure("100", {"--save-baseline", "main"}).exit_code, 0);
  const std::vector<std::string> gate_and_save = {"--baseline", "main", "--save-baseline", "main"};
  Ended ended = measure("150", gate_and_save);
  EXPECT_EQ(ended.exit_code, 1) << ended.output << ended.errors;
  EXPECT_THAT(ended.errors, HasSubstr("not saved: the comparison failed, 'main' is as it was"));
  EXPECT_THAT(ended.errors, Not(HasSubstr("saved as")));
  EXPECT_THAT(files_with(".bak"), IsEmpty());
  EXPECT_EQ(measure("150", gate_and_save).exit_code, 1) << "by the same baseline as before";
  ended = measure("100", gate_and_save);
  EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
  EXPECT_THAT(ended.errors, HasSubstr("saved as baselines/"));
  EXPECT_THAT(files_with(".bak"), SizeIs(1));
}

TEST_F(RunCommand, WhatHasNoTimeDoesNotReplaceWhatHadOne) {
  fs::create_directories(scratch / "baselines");
  scratch.fake_bench("bin/x_bench", "a 100 0.002 ok\nb 100 0.002 ok\n");
  ASSERT_EQ(pawl(run({"--save-baseline", "main"})).exit_code, 0);
  fs::remove_all(scratch / "out");
  scratch.fake_bench("bin/x_bench", "a 100 0.002 ok\nb 100 0.002 error\n");
  const Ended ended = pawl(run({"--save-baseline", "main"}));
  EXPECT_EQ(ended.exit_code, 1) << ended.errors;
  EXPECT_THAT(ended.errors, HasSubstr("not saved: a benchmark failed, 'main' is as it was"));
  EXPECT_THAT(files_with(".bak"), IsEmpty());
}

TEST_F(RunCommand, FormatsOfAComparisonAreOfItsVerdictAlone) {
  fs::create_directories(scratch / "baselines");
  scratch.fake_bench("bin/x_bench", "a 100 0.002 ok\nb 100 0.002 ok\n");
  ASSERT_EQ(pawl(run({"--save-baseline", "main"})).exit_code, 0);
  fs::remove_all(scratch / "out");
  const Ended ended = pawl(run({"--baseline", "main", "--format", "json"}));
  const auto json = nlohmann::json::parse(ended.output, nullptr, false);
  ASSERT_FALSE(json.is_discarded()) << ended.output;
  EXPECT_TRUE(json.contains("comparisons"));
}

TEST_F(RunCommand, WhatLooksSlowerIsMeasuredAgainBeforeItFails) {
  fs::create_directories(scratch / "baselines");
  scratch.fake_bench("bin/x_bench", "a 100 0.002 ok\nb 100 0.002 ok\nc 100 0.002 ok\n");
  ASSERT_EQ(pawl(run({"--runs", "3", "--save-baseline", "main"})).exit_code, 0);
  fs::remove_all(scratch / "out");
  // b was slow for a while; c is.
  scratch.fake_bench("bin/x_bench", "a 100 0.002 ok\nb 100 0.002 early\nc 150 0.002 ok\n");
  Ended ended = pawl(run({"--runs", "3", "--baseline", "main"}));
  EXPECT_EQ(ended.exit_code, 1) << ended.output << ended.errors;
  EXPECT_THAT(ended.errors, HasSubstr("2 benchmarks look slower"));
  EXPECT_THAT(ended.output, testing::ContainsRegex("CRITICAL +c "));
  EXPECT_THAT(ended.output, Not(testing::ContainsRegex("CRITICAL +b ")));
  EXPECT_THAT(scratch.read("out/comparison.json"), HasSubstr("did not confirm"));
  const auto set = baseline::read_results(scratch / "out/results.json");
  ASSERT_EQ(set.benchmarks.size(), 3u);
  for (const auto& benchmark : set.benchmarks)
    EXPECT_EQ(benchmark.readings.size(), benchmark.name == "a" ? 3u : 6u) << benchmark.name;
  ASSERT_EQ(set.processes.size(), 6u);
  for (int i = 3; i < 6; ++i)
    EXPECT_EQ(set.processes[static_cast<std::size_t>(i)].context.at("fake_placement"), std::to_string(i - 3))
        << "as in the first set";

  fs::remove_all(scratch / "out");
  ended = pawl(run({"--runs", "3", "--baseline", "main", "--no-confirm"}));
  EXPECT_THAT(ended.output, testing::ContainsRegex("CRITICAL +b "));
}

TEST_F(RunCommand, WhatMayBeSlowerIsMeasuredAgainAsWell) {
  fs::create_directories(scratch / "baselines");
  scratch.fake_bench("bin/x_bench", "a 100 0.002 ok\nb 100 0.002 ok\nc 100 0.002 ok\n");
  ASSERT_EQ(pawl(run({"--runs", "3", "--save-baseline", "main"})).exit_code, 0);
  fs::remove_all(scratch / "out");
  // Of c's first three runs one met a burst, which hides that it is slower; of b's as well, and it is not.
  scratch.fake_bench("bin/x_bench", "a 100 0.002 ok\nb 100 0.002 burst\nc 130 0.002 burst\n");
  Ended ended = pawl(run({"--runs", "3", "--baseline", "main", "--no-confirm"}));
  EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
  EXPECT_THAT(ended.output, testing::ContainsRegex("INCONCLUSIVE +c "));
  fs::remove_all(scratch / "out");
  ended = pawl(run({"--runs", "3", "--baseline", "main"}));
  EXPECT_EQ(ended.exit_code, 1) << ended.output << ended.errors;
  EXPECT_THAT(ended.errors, HasSubstr("look slower"));
  EXPECT_THAT(ended.output, testing::ContainsRegex("CRITICAL +c "));
  EXPECT_THAT(ended.output, Not(testing::ContainsRegex("(CRITICAL|WARNING) +b ")));
  EXPECT_THAT(scratch.read("out/comparison.json"), HasSubstr("a first set of runs could not tell"));
}

TEST_F(RunCommand, WhatASharedCoreSlowedIsMeasuredUntilTheCoreIsAlone) {
  fs::create_directories(scratch / "baselines");
  scratch.fake_bench("bin/x_bench", "a 100 0.002 ok\nb 100 0.002 ok\nc 100 0.002 ok\n");
  ASSERT_EQ(pawl(run({"--runs", "3", "--save-baseline", "main"})).exit_code, 0);
  fs::remove_all(scratch / "out");
  // While b is confirmed another hardware thread is on the core, which goes; the one that c meets stays.
  scratch.fake_bench("bin/x_bench", "a 100 0.002 ok\nb 100 0.002 neighbour\nc 100 0.002 neighbours\n");
  const Ended ended = pawl(run({"--runs", "3", "--baseline", "main"}));
  EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
  EXPECT_THAT(ended.errors, HasSubstr("2 benchmarks look slower"));
  EXPECT_THAT(ended.errors, HasSubstr("2 benchmarks shared the core with another hardware thread"));
  EXPECT_THAT(ended.errors, HasSubstr("1 benchmark shared the core with another hardware thread"));
  std::map<std::string, std::size_t> readings;
  for (const auto& b : baseline::read_results(scratch / "out/results.json").benchmarks)
    readings[b.name] = b.readings.size();
  EXPECT_THAT(readings, ElementsAre(Pair("a", 3), Pair("b", 9), Pair("c", 12)));
  std::map<std::string, nlohmann::json> rows;
  const auto comparison = nlohmann::json::parse(scratch.read("out/comparison.json"));
  for (const auto& c : comparison.at("comparisons"))
    if (c.at("metric") == "real_time") rows[c.at("name")] = c;
  EXPECT_EQ(rows.at("b").at("verdict"), "STABLE") << "by the three runs that had the core alone";
  EXPECT_EQ(rows.at("c").at("verdict"), "INCONCLUSIVE");
  EXPECT_THAT(rows.at("c").at("reason").get<std::string>(),
              HasSubstr("another hardware thread used the core in 9 of 9 process runs of the new side"));
  EXPECT_THAT(scratch.read("out/report.md"),
              HasSubstr("another hardware thread used the core beside 36 of 63 repetitions"));
}

TEST_F(RunCommand, ANeighbourOfTheWholeSessionIsSeenByWhatTheBaselineSaw) {
  fs::create_directories(scratch / "baselines");
  scratch.fake_bench("bin/x_bench", "a 100 0.002 neighbour\nb 100 0.002 neighbour\n");
  ASSERT_EQ(pawl(run({"--runs", "3", "--save-baseline", "main"})).exit_code, 0);
  fs::remove_all(scratch / "out");
  scratch.fake_bench("bin/x_bench", "a 100 0.002 neighbours_always\nb 100 0.002 neighbours_always\n");
  const Ended ended = pawl(run({"--runs", "3", "--baseline", "main"}));
  EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("2 inconclusive"));
  EXPECT_THAT(ended.output, HasSubstr("used the core all the time the new side was measured: 2.20 operations"));
}

TEST_F(RunCommand, AMissingBaselineIsSaidBeforeAnythingIsMeasured) {
  scratch.fake_bench("bin/x_bench", "a 100 0.01 ok\n");
  const Ended ended = pawl(run({"--baseline", "nosuch"}));
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_FALSE(exists("out"));
}

TEST_F(RunCommand, AgainstInterleavesWithAnotherBuild) {
  scratch.fake_bench("bin/x_bench", "a 150 0.002 ok\nb 100 0.002 ok\n");
  scratch.fake_bench("old/x_bench", "a 100 0.002 ok\nb 100 0.002 ok\n");
  const Ended ended = pawl(run({"--against", "old"}));
  EXPECT_EQ(ended.exit_code, 1) << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("CRITICAL"));
  EXPECT_EQ(baseline::read_results(scratch / "out/new/results.json").processes.front().pair_index, 0);
}

TEST_F(RunCommand, AgainstConfirmsUnlessUnwanted) {
  scratch.fake_bench("bin/x_bench", "a 150 0.002 ok\nb 100 0.002 ok\n");
  scratch.fake_bench("old/x_bench", "a 100 0.002 ok\nb 100 0.002 ok\n");
  EXPECT_THAT(pawl(run({"--against", "old"})).errors, HasSubstr("confirming"));
  fs::remove_all(scratch / "out");
  const Ended ended = pawl(run({"--against", "old", "--no-confirm"}));
  EXPECT_EQ(ended.exit_code, 1) << ended.errors;
  EXPECT_THAT(ended.errors, Not(HasSubstr("confirming")));
}

TEST_F(RunCommand, WhereTheVerdictGoesAndWhatItIsAboutIsCheckedFirst) {
  fs::create_directories(scratch / "baselines");
  scratch.fake_bench("bin/x_bench", "a 100 0.002 ok\n");
  scratch.fake_bench("bin/y_bench", "b 100 0.002 ok\n!memory b 1 1\n");
  ASSERT_EQ(pawl(run({"--save-baseline", "main"})).exit_code, 0);
  fs::remove_all(scratch / "out");
  Ended ended = pawl(run({"--baseline", "main", "--output", "nowhere/x.md"}));
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.errors, HasSubstr("nowhere/x.md: cannot create it"));
  EXPECT_FALSE(exists("out"));
  ended = pawl(run({"--baseline", "main", "--metric", "nosuch"}));
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.errors, HasSubstr("metric 'nosuch' is in neither of the results"));
  EXPECT_FALSE(exists("out/raw/x_bench.01.json"));
  fs::remove_all(scratch / "out");
  ended = pawl(run({"--baseline", "main", "--metric", "allocs_per_iter"}));
  EXPECT_EQ(ended.exit_code, 0) << ended.errors << "what one of the executables has is enough";
}

TEST_F(RunCommand, FormatsGoToStandardOutput) {
  scratch.fake_bench("bin/x_bench", "a 100 0.01 ok\nb 1 0 crash\n");
  const Ended bencher = pawl(run({"--runs", "2", "--format", "bencher"}));
  EXPECT_THAT(bencher.output, HasSubstr("test a ... bench: "));
  EXPECT_THAT(bencher.output, HasSubstr("test b ... FAILED"));
  fs::remove_all(scratch / "out");
  const Ended csv = pawl(run({"--runs", "2", "--format", "csv"}));
  EXPECT_THAT(csv.output, HasSubstr("b,x_bench,0,,,,,failed\n"));
  fs::remove_all(scratch / "out");
  const Ended json = pawl(run({"--runs", "2", "--format", "json"}));
  EXPECT_EQ(baseline::parse_results(json.output, "stdout").benchmarks.size(), 2u);
}

// What is written to standard error would stand in the first file that is opened.
TEST_F(RunCommand, AClosedStandardErrorCostsNoResults) {
  scratch.fake_bench("bin/x_bench", "a 100 0.01 ok\n");
  Command command;
  command.program = "/bin/sh";
  command.arguments = {"-c", "exec \"$0\" run bin --out out --no-repeat --runs 2 2>&-", PAWL_COMMAND};
  command.directory = scratch.path();
  command.timeout_s = 60;
  EXPECT_EQ(run_child(command).exit_code, 0);
  EXPECT_EQ(baseline::read_results(scratch / "out/results.json").processes.size(), 2u);
}

TEST_F(RunCommand, WrongUsageIsOneLineAndExitCode2) {
  scratch.fake_bench("bin/x_bench", "a 100 0.01 ok\n");
  const auto fails = [&](std::vector<std::string> arguments, const std::string& line) {
    const Ended ended = pawl(std::move(arguments));
    EXPECT_EQ(ended.exit_code, 2) << ended.errors;
    EXPECT_THAT(ended.errors, HasSubstr(line));
    EXPECT_THAT(ended.output, IsEmpty());
    EXPECT_FALSE(exists("out/results.json"));
  };
  fails({"run", "nowhere"}, "nowhere: no such directory or program");
  fails(run({"--suite", "gemm"}), "no bench executable is called 'gemm'");
  fails(run({"--filter", "nothing"}), "no benchmark matches --filter 'nothing'");
  fails(run({"--pin", "1000"}), "cannot pin to CPU 1000");
  fails(run({"--runs", "0"}), "--runs");
  fails(run({"--format", "junit"}), "--format junit");
  fails(run({"--save-baseline", "../x"}), "--save-baseline ../x");
  fails(run({"--against", "bin", "--save-baseline", "main"}), "--against saves no baseline");
  fails(run({"--repetitons", "3"}), "--repetitions");
  EXPECT_FALSE(exists("out")) << "an empty directory is not left behind";
  scratch.write("out/something", "not ours");
  fails(run({}), "out: exists and is not empty");
  scratch.write("file", "");
  fails({"run", "bin", "--out", "file/out"}, "file/out");
}

TEST_F(RunCommand, ASeedOfTheEnvironmentIsANumber) {
  scratch.fake_bench("bin/x_bench", "a 100 0.01 ok\n");
  const auto with_seed = [&](const char* text, std::vector<std::string> more) {
    setenv("PAWL_SEED", text, 1);
    Ended ended = pawl(std::move(more));
    unsetenv("PAWL_SEED");
    return ended;
  };
  for (const char* text : {"abc", "12x34", "-1", "18446744073709551616"}) {
    for (const std::vector<std::string>& command :
         std::vector<std::vector<std::string>>{run({}), {"ab", "bin", "bin", "--out", "out"}}) {
      const Ended ended = with_seed(text, command);
      EXPECT_EQ(ended.exit_code, 2) << text;
      EXPECT_THAT(ended.errors, HasSubstr(std::string("PAWL_SEED=") + text + " is not a whole number from 0 to "));
      EXPECT_FALSE(exists("out"));
    }
  }
  EXPECT_EQ(with_seed("abc", run({"--seed", "7", "--runs", "1"})).exit_code, 0) << "which is not asked";
  fs::remove_all(scratch / "out");
  ASSERT_EQ(with_seed("18446744073709551615", run({"--runs", "1"})).exit_code, 0);
  EXPECT_EQ(baseline::read_results(scratch / "out/results.json").methodology.settings.at("seed"),
            "18446744073709551615");
}

// Stops it as soon as one process run is complete.
TEST_F(RunCommand, CtrlCKeepsWhatIsCompleteAndLeavesNobodyRunning) {
  scratch.fake_bench("bin/x_bench", "a 100 0.01 ok\nb 100 0.01 ok\nc 100 0.01 ok\n!sleep 0.15\n");
  Command command;
  command.program = PAWL_COMMAND;
  command.arguments = run({"--runs", "50"});
  command.directory = scratch.path();
  command.timeout_s = 60;
  command.tick_s = 0.02;
  bool sent = false;
  command.on_tick = [&] {
    if (sent || !exists("out/raw/x_bench.01.json")) return;
    sent = true;
    std::ifstream children("/proc/self/task/" + std::to_string(getpid()) + "/children");
    pid_t child = 0;
    children >> child;
    ASSERT_GT(child, 0);
    kill(child, SIGINT);
  };
  const Ended ended = run_child(command);
  ASSERT_TRUE(sent);
  EXPECT_EQ(ended.exit_code, 130) << ended.errors;
  EXPECT_THAT(ended.errors, HasSubstr("stopped: "));
  EXPECT_THAT(files_with(".partial"), IsEmpty());
  EXPECT_THAT(files_with(".tmp"), IsEmpty());
  const auto set = baseline::read_results(scratch / "out/results.json");
  EXPECT_GE(set.processes.size(), 2u);
  EXPECT_LT(set.processes.size(), 50u);
  EXPECT_EQ(set.methodology.settings.count("stopped"), 1u);
  for (const auto& benchmark : set.benchmarks) EXPECT_EQ(benchmark.readings.size(), set.processes.size());
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::error_code ignored;
    EXPECT_NE(fs::read_symlink(entry.path() / "exe", ignored), scratch / "bin/x_bench") << "still running";
  }
}

TEST_F(RunCommand, AStopBeforeAnythingIsCompleteLeavesNothing) {
  scratch.fake_bench("bin/x_bench", "a 100 0.01 ok\n!sleep 30\n");
  Command command;
  command.program = PAWL_COMMAND;
  command.arguments = run({});
  command.directory = scratch.path();
  command.timeout_s = 60;
  command.tick_s = 0.02;
  bool sent = false;
  command.on_tick = [&] {
    if (sent || !exists("out/raw/x_bench.00.json.partial")) return;
    sent = true;
    std::ifstream children("/proc/self/task/" + std::to_string(getpid()) + "/children");
    pid_t child = 0;
    children >> child;
    kill(child, SIGTERM);
  };
  const Ended ended = run_child(command);
  EXPECT_EQ(ended.exit_code, 143) << ended.errors;
  EXPECT_THAT(ended.errors, HasSubstr("nothing was complete"));
  EXPECT_FALSE(exists("out"));
}

}  // namespace
}  // namespace pawl::run
