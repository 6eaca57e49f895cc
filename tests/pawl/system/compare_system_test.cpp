// compare_system_test.cpp -- `pawl compare` as people and scripts call it: output, files, exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "failure.hpp"
#include "pawl/show/json_schema.hpp"
#include "pawl/system/google_file.hpp"
#include "pawl/system/pawl_program.hpp"
#include "pawl/temporary_directory.hpp"

namespace pawl {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class CompareSystem : public ::testing::Test {
 protected:
  Ended pawl(std::vector<std::string> arguments, std::string input = "") {
    return run_pawl({.arguments = std::move(arguments), .directory = directory_.path(), .input = std::move(input)});
  }
  // One line on standard error, nothing on standard output, and the code.
  void expect_failure(std::vector<std::string> arguments, int code, const std::string& part, std::string input = "") {
    const Ended ended = pawl(std::move(arguments), std::move(input));
    EXPECT_EQ(ended.exit_code, code) << ended.err;
    EXPECT_THAT(ended.err, StartsWith("pawl: "));
    EXPECT_THAT(ended.err, HasSubstr(part));
    EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
    EXPECT_EQ(ended.out, "");
  }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::recursive_directory_iterator(directory_.path()), {}));
  }

  TemporaryDirectory directory_;
};

// Five process runs a side with 0.2 % noise: enough to be sure of 20 %.
void write_sides(const TemporaryDirectory& directory, double slower) {
  for (int run = 0; run < 5; ++run) {
    const double noise = 1 + 0.002 * ((run * 7) % 5 - 2);
    const std::string number = std::to_string(run);
    GoogleFile base, head;
    for (int i = 0; i < 10; ++i) {
      const std::string name = "BM_Stable/" + std::to_string(i);
      base.add(name, 100 * noise);
      head.add(name, 100 * noise * (1 + 0.0005 * ((run + i) % 3 - 1)));
    }
    base.add("BM_Target", 100 * noise);
    head.add("BM_Target", 100 * noise * slower);
    directory.write("base/run-" + number + ".json", base.text());
    directory.write("head/run-" + number + ".json", head.text());
  }
}

TEST_F(CompareSystem, SlowDownFailsAndNamesTheBenchmark) {
  write_sides(directory_, 1.2);
  const Ended ended = pawl({"compare", "base", "head"});
  EXPECT_EQ(ended.exit_code, kRegression);
  EXPECT_EQ(ended.err, "");
  EXPECT_THAT(ended.out, HasSubstr("CRITICAL"));
  EXPECT_THAT(ended.out, HasSubstr("BM_Target"));
  EXPECT_THAT(ended.out, HasSubstr("+20.0 %"));
  EXPECT_THAT(ended.out, HasSubstr("-> FAIL (exit 1)"));
  EXPECT_THAT(ended.out, HasSubstr("--filter '^BM_Target$'"));
  EXPECT_THAT(ended.out, Not(HasSubstr("\x1b["))) << "colour into a file";
}

TEST_F(CompareSystem, NoChangePasses) {
  write_sides(directory_, 1.0);
  const Ended ended = pawl({"compare", "base", "head"});
  EXPECT_EQ(ended.exit_code, kPassed) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("-> PASS (exit 0)"));
}

TEST_F(CompareSystem, FailOn) {
  write_sides(directory_, 1.07);
  EXPECT_EQ(pawl({"compare", "base", "head"}).exit_code, kPassed);
  EXPECT_EQ(pawl({"compare", "base", "head", "--fail-on", "warning"}).exit_code, kRegression);
  EXPECT_EQ(pawl({"compare", "base", "head", "--critical", "6"}).exit_code, kRegression);
  EXPECT_EQ(pawl({"compare", "base", "head", "--critical", "6", "--fail-on", "never"}).exit_code, kPassed);
  EXPECT_EQ(pawl({"compare", "base", "head", "--warning", "9", "--fail-on", "warning"}).exit_code, kPassed);
  // One run a side can't tell small changes: only asked for does that fail.
  EXPECT_EQ(pawl({"compare", "base/run-0.json", "base/run-1.json"}).exit_code, kPassed);
  EXPECT_EQ(pawl({"compare", "base/run-0.json", "base/run-1.json", "--fail-on", "inconclusive"}).exit_code,
            kInconclusive);
}

TEST_F(CompareSystem, FailedAndRemovedFail) {
  directory_.write("a.json", GoogleFile().add("BM_A", 1).add("BM_B", 1).text());
  directory_.write("failed.json", GoogleFile().add("BM_A", 1).add_error("BM_B", "wrong result").text());
  directory_.write("removed.json", GoogleFile().add("BM_A", 1).text());
  Ended ended = pawl({"compare", "a.json", "failed.json"});
  EXPECT_EQ(ended.exit_code, kRegression);
  EXPECT_THAT(ended.out, HasSubstr("FAILED"));
  EXPECT_THAT(ended.out, HasSubstr("wrong result"));
  ended = pawl({"compare", "a.json", "removed.json"});
  EXPECT_EQ(ended.exit_code, kRegression);
  EXPECT_THAT(ended.out, HasSubstr("REMOVED"));
  EXPECT_THAT(pawl({"compare", "removed.json", "a.json"}).out, HasSubstr("ADDED"));
}

TEST_F(CompareSystem, SeveralFormatsAtOnce) {
  write_sides(directory_, 1.2);
  const Ended ended = pawl({"compare", "base", "head", "--format", "table,github", "--output", "pr.md", "--output",
                            "junit=report", "--output", "json=r.json"});
  EXPECT_EQ(ended.exit_code, kBadInput) << "pr.md has no format left";
  const Ended good = pawl({"compare", "base", "head", "--format", "table,github,markdown", "--output", "pr.md",
                           "--output", "junit=report", "--output", "json=r.json"});
  EXPECT_EQ(good.exit_code, kRegression) << good.err;
  EXPECT_THAT(good.out, HasSubstr("verdict: "));
  EXPECT_THAT(good.out, HasSubstr("::error title=CRITICAL BM_Target::"));
  EXPECT_THAT(directory_.read("pr.md"), StartsWith("### Benchmarks: FAIL"));
  EXPECT_THAT(directory_.read("report"), StartsWith("<?xml"));
  const json parsed = json::parse(directory_.read("r.json"));
  std::ifstream schema(PAWL_COMPARE_SCHEMA);
  EXPECT_THAT(schema_violations(parsed, json::parse(schema)), IsEmpty());
  EXPECT_EQ(parsed["exit_code"], 1);
  EXPECT_EQ(parsed["summary"]["CRITICAL"], 1);
  EXPECT_EQ(parsed["comparisons"][0]["name"], "BM_Target");
  EXPECT_NEAR(parsed["comparisons"][0]["change"].get<double>(), 0.2, 0.001);
  EXPECT_EQ(parsed["comparisons"][0]["runs"]["base"], 5);
}

// Who copies an example from the help gets a verdict, not an error.
TEST_F(CompareSystem, TheExamplesOfTheHelpWork) {
  const GoogleFile file = GoogleFile()
                              .add("matmul/64", 100)
                              .add("BM_Old/1", 100)
                              .add("BM_New/1", 100)
                              .add("BM_Read/1", 100)
                              .add("BM_Write/1", 100);
  const std::string with_rates =
      std::regex_replace(file.text(), std::regex("\"time_unit\""), "\"items_per_second\": 1e7, \"time_unit\"");
  for (const char* name :
       {"base.json", "head.json", "results.json", "base/0.json", "head/0.json", "results/today/0.json"})
    directory_.write(name, with_rates);
  ASSERT_EQ(pawl({"baseline", "save", "main", "--from", "base.json"}).exit_code, kPassed);
  std::istringstream help(pawl({"compare", "--help"}).out);
  std::size_t examples = 0;
  for (std::string line; std::getline(help, line);) {
    std::istringstream words(line);
    std::vector<std::string> arguments(std::istream_iterator<std::string>(words), {});
    if (arguments.size() < 4 || arguments[0] != "pawl" || arguments[1] != "compare") continue;
    arguments.erase(arguments.begin());
    const Ended ended = pawl(arguments);
    EXPECT_EQ(ended.exit_code, kPassed) << line << "\n" << ended.err;
    ++examples;
  }
  EXPECT_GE(examples, 7U);
  EXPECT_THAT(directory_.read("pr.md"), StartsWith("### Benchmarks: PASS"));
}

// A row's name may be one that no benchmark has.
TEST_F(CompareSystem, WhatToDoNamesWhatCanBeRun) {
  const auto file = [&](const char* name, double first, double second) {
    directory_.write(name, GoogleFile().add("BM_A", first).add("BM_A", second).add("BM_B", 300).text());
  };
  file("base.json", 100, 200);
  file("head.json", 100, 400);
  EXPECT_THAT(pawl({"compare", "base.json", "head.json"}).out, HasSubstr("--filter '^BM_A(#2)?$' --until-decided"));
  const std::string families = pawl({"compare", "filters", "base.json", "BM_A", "BM_B"}).out;
  EXPECT_THAT(families, HasSubstr("what to do: measure both families again"));
  EXPECT_THAT(families, HasSubstr("pawl run BUILD --filter 'BM_A|BM_B'"));
  EXPECT_THAT(families, Not(HasSubstr("BM_A vs\\.")));
}

TEST_F(CompareSystem, OnlyFilesStillSayTheVerdict) {
  write_sides(directory_, 1.2);
  const Ended ended = pawl({"compare", "base", "head", "--format", "json", "--output", "r.json"});
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, HasSubstr("-> FAIL (exit 1)"));
}

TEST_F(CompareSystem, FormsOfComparePy) {
  directory_.write("a.json", GoogleFile().add("BM_Old/8", 100).add("BM_New/8", 150).add("BM_Same", 1).text());
  directory_.write("b.json", GoogleFile().add("BM_Old/8", 100).add("BM_New/8", 80).add("BM_Same", 1).text());
  Ended ended = pawl({"compare", "benchmarks", "a.json", "b.json", "-a", "--no-utest", "--alpha=0.05", "--no-color",
                      "-d", "d.json", "--benchmark_filter=BM_New"});
  EXPECT_EQ(ended.exit_code, kPassed) << ended.err;
  const json dump = json::parse(directory_.read("d.json"));
  ASSERT_EQ(dump.size(), 2U);
  EXPECT_EQ(dump[0]["name"], "BM_New/8");
  EXPECT_EQ(dump[0]["measurements"][0]["real_time"], 150);
  EXPECT_EQ(dump[0]["measurements"][0]["real_time_other"], 80);
  EXPECT_EQ(dump[1]["name"], "OVERALL_GEOMEAN");

  ended = pawl({"compare", "filters", "a.json", "BM_Old", "BM_New"});
  EXPECT_EQ(ended.exit_code, kRegression);
  EXPECT_THAT(ended.out, HasSubstr("[BM_Old vs. BM_New]/8"));
  EXPECT_THAT(ended.out, HasSubstr("+50.0 %"));

  ended = pawl({"compare", "benchmarksfiltered", "a.json", "BM_Old", "b.json", "BM_New"});
  EXPECT_EQ(ended.exit_code, kPassed);
  EXPECT_THAT(ended.out, HasSubstr("-20.0 %"));
  EXPECT_THAT(ended.out, Not(HasSubstr("BM_Same")));
}

TEST_F(CompareSystem, StandardInput) {
  directory_.write("a.json", GoogleFile().add("BM_A", 100).text());
  const Ended ended = pawl({"compare", "a.json", "-"}, GoogleFile().add("BM_A", 130).text());
  EXPECT_EQ(ended.exit_code, kRegression) << ended.err;
  expect_failure({"compare", "-", "-"}, kBadInput, "only one of BASE and NEW");
}

TEST_F(CompareSystem, BadInputIsOneLine) {
  directory_.write("a.json", GoogleFile().add("BM_A", 1).text());
  directory_.write("head.json", GoogleFile().add("BM_A", 1).text());
  const std::string whole = GoogleFile().add("BM_A", 1).add("BM_B", 1).text();
  directory_.write("truncated.json", whole.substr(0, whole.size() - 60));
  directory_.write("empty.json", "");
  directory_.write("text.json", "hello");
  directory_.write("broken.json", "{\"context\": {}, \"benchmarks\": [{\"name\": \"a\" \"b\"}]}");
  directory_.write("other.json", "{\"a\": [1, 2]}");
  directory_.write("list.json", "[1, 2]");
  directory_.write("nothing.json", GoogleFile().text());
  expect_failure({"compare", "a.json", "hed.json"}, kBadInput, "hed.json: no such file (did you mean head.json?)");
  expect_failure({"compare", "none/a.json", "a.json"}, kBadInput, "there is no directory none");
  expect_failure({"compare", "truncated.json", "a.json"}, kBadInput, "truncated.json:");
  expect_failure({"compare", "empty.json", "a.json"}, kBadInput, "empty.json:1:1: the file is empty");
  expect_failure({"compare", "text.json", "a.json"}, kBadInput, "text.json:1:1");
  expect_failure({"compare", "broken.json", "a.json"}, kBadInput, "broken.json:1:");
  expect_failure({"compare", "other.json", "a.json"}, kBadInput, "other.json");
  expect_failure({"compare", "list.json", "a.json"}, kBadInput, "list.json");
  expect_failure({"compare", "mian", "a.json"}, kNothingToCompare, "mian: no such file, directory or saved baseline");
  expect_failure({"compare", "a.json"}, kBadInput, "compare takes BASE NEW");
  expect_failure({"compare", "a.json", "a.json", "--fomat", "json"}, kBadInput, "did you mean --format?");
  expect_failure({"compare", "a.json", "a.json", "--format", "yaml"}, kBadInput, "there are table, json");
  expect_failure({"compare", "a.json", "a.json", "--filter", "("}, kBadInput, "cannot be used as a regular expression");
  expect_failure({"compare", "a.json", "a.json", "--metric", "latency"}, kBadInput, "they have cpu_time, real_time");
  expect_failure({"compare", "a.json", "a.json", "--fail-on", "all"}, kBadInput, "expected critical");
  expect_failure({"compare", "a.json", "a.json", "--warning", "20", "--critical", "10"}, kBadInput, "is above");
  expect_failure({"compare", "a.json", "a.json", "--profile", "x"}, kBadInput, "there are default, latency, strict");
  expect_failure({"compare", "a.json", "a.json", "--thresholds", "none.json"}, kBadInput,
                 "none.json: cannot be opened");
  expect_failure({"comapre", "a.json", "a.json"}, kBadInput, "did you mean compare?");
}

TEST_F(CompareSystem, NothingInCommonIsNeverAPass) {
  directory_.write("a.json", GoogleFile().add("BM_A", 1).text());
  directory_.write("b.json", GoogleFile().add("BM_B", 1).text());
  Ended ended = pawl({"compare", "a.json", "b.json"});
  EXPECT_EQ(ended.exit_code, kNothingToCompare);
  EXPECT_THAT(ended.err,
              HasSubstr("nothing to compare: a.json and b.json have no benchmark in common (for example BM_A "
                        "and BM_B)"));
  EXPECT_THAT(ended.out, HasSubstr("NOTHING TO COMPARE (exit 3)"));
  EXPECT_EQ(pawl({"compare", "a.json", "b.json", "--fail-on", "never"}).exit_code, kNothingToCompare);
  ended = pawl({"compare", "a.json", "a.json", "--filter", "nomatch"});
  EXPECT_EQ(ended.exit_code, kNothingToCompare);
  EXPECT_THAT(ended.err, HasSubstr("no benchmark matches --filter 'nomatch'"));
  ended = pawl({"compare", "a.json", "b.json", "--format", "json"});
  EXPECT_EQ(json::parse(ended.out)["exit_code"], 3);
  EXPECT_EQ(json::parse(ended.out)["comparable"], false);
}

TEST_F(CompareSystem, WhatBothHaveAndNothingCanBeSaidOfIsNotCalledMissing) {
  directory_.write("a.json", GoogleFile().add("BM_A", 100).text());
  const Ended ended = pawl({"compare", "a.json", "a.json", "--metric", "variance"});
  EXPECT_EQ(ended.exit_code, kNothingToCompare);
  EXPECT_THAT(ended.err, HasSubstr("no benchmark that a.json and a.json both have can be compared by variance; the "
                                   "scatter of process runs needs 5 of them a side"));
}

TEST_F(CompareSystem, WhatIsNoCommandIsNamed) {
  expect_failure({"comapre", "a", "b"}, kBadInput, "'comapre' (did you mean compare?)");
  expect_failure({"baseline", "sav"}, kBadInput, "'sav' (did you mean save?); `pawl baseline --help`");
  expect_failure({"--bogus"}, kBadInput, "unknown option '--bogus'");
}

TEST_F(CompareSystem, AReportDoesNotTakeThePlaceOfResults) {
  const std::string a = GoogleFile().add("BM_A", 1).text();
  directory_.write("a.json", a);
  directory_.write("b.json", GoogleFile().add("BM_A", 1).text());
  expect_failure({"compare", "a.json", "b.json", "--output", "./a.json"}, kBadInput, "./a.json: a report can't go");
  expect_failure({"compare", "b.json", "a.json", "-d", "a.json"}, kBadInput, "a.json: a report can't go");
  EXPECT_EQ(directory_.read("a.json"), a);
}

TEST_F(CompareSystem, LenientForgivesAMissingBaselineOnly) {
  directory_.write("a.json", GoogleFile().add("BM_A", 1).text());
  EXPECT_EQ(pawl({"compare", "main", "a.json", "--lenient"}).exit_code, kPassed);
  EXPECT_THAT(pawl({"compare", "main", "a.json", "--lenient"}).err, HasSubstr("nothing was compared"));
  EXPECT_EQ(pawl({"compare", "none.json", "a.json", "--lenient"}).exit_code, kBadInput);
  EXPECT_EQ(pawl({"compare", "main", "none.json", "--lenient"}).exit_code, kBadInput) << "nor missing results";
}

TEST_F(CompareSystem, FullDiskLeavesTheOldFile) {
  write_sides(directory_, 1.2);
  directory_.write("r.json", "old");
  const std::size_t before = files();
  const Ended ended = run_pawl({.arguments = {"compare", "base", "head", "--format", "json", "--output", "r.json"},
                                .directory = directory_.path(),
                                .file_size_limit = 1000});
  EXPECT_EQ(ended.exit_code, kBadInput);
  EXPECT_THAT(ended.err, HasSubstr("r.json: cannot write: "));
  EXPECT_THAT(ended.err, HasSubstr("is unchanged"));
  EXPECT_EQ(directory_.read("r.json"), "old");
  EXPECT_EQ(files(), before) << "a temporary file is left";
  const Ended full = run_pawl({.arguments = {"compare", "base", "head", "--format", "json", "--output", "/dev/full"},
                               .directory = directory_.path()});
  EXPECT_EQ(full.exit_code, kBadInput);
  EXPECT_THAT(full.err, HasSubstr("/dev/full: cannot write: No space left on device"));
}

TEST_F(CompareSystem, FullStandardOutputIsNoPass) {
  write_sides(directory_, 1.0);
  const Ended ended =
      run_pawl({.arguments = {"compare", "base", "head"}, .directory = directory_.path(), .out_file = "/dev/full"});
  EXPECT_EQ(ended.exit_code, kBadInput);
  EXPECT_THAT(ended.err, HasSubstr("standard output: cannot write"));
}

TEST_F(CompareSystem, UnwritableDirectory) {
  directory_.write("a.json", GoogleFile().add("BM_A", 1).text());
  const Ended ended = pawl({"compare", "a.json", "a.json", "--output", "none/r.json"});
  EXPECT_EQ(ended.exit_code, kBadInput);
  EXPECT_THAT(ended.err, HasSubstr("none/r.json: cannot create it: No such file or directory"));
}

TEST_F(CompareSystem, TerminalGetsColourAndItsWidth) {
  write_sides(directory_, 1.2);
  Start start{.arguments = {"compare", "base", "head", "--all"}, .directory = directory_.path()};
  start.environment = {{"TERM", "xterm"}};
  const Ended coloured = run_pawl_in_terminal(start, 100);
  EXPECT_EQ(coloured.exit_code, kRegression);
  EXPECT_THAT(coloured.out, HasSubstr("\x1b[1;31mCRITICAL"));
  start.environment["NO_COLOR"] = "1";
  const Ended plain = run_pawl_in_terminal(start, 60);
  EXPECT_THAT(plain.out, Not(HasSubstr("\x1b[")));
  std::string line;
  for (const char c : plain.out) {
    if (c != '\n') {
      line += c;
      continue;
    }
    if (!line.starts_with("what to do:")) {
      EXPECT_LE(line.size(), 60U) << line;
    }
    line.clear();
  }
  start.environment.erase("NO_COLOR");
  start.arguments.push_back("--no-color");
  EXPECT_THAT(run_pawl_in_terminal(start, 100).out, Not(HasSubstr("\x1b[")));
}

TEST_F(CompareSystem, DifferentlyNamedExecutablesCompare) {
  directory_.write("a.json", GoogleFile("./old/bench_base").add("BM_A", 100).text());
  directory_.write("b.json", GoogleFile("./new/bench_head").add("BM_A", 150).text());
  EXPECT_EQ(pawl({"compare", "a.json", "b.json"}).exit_code, kRegression);
}

TEST_F(CompareSystem, ThresholdsFile) {
  write_sides(directory_, 1.2);
  directory_.write("t.json", R"({"schema_version": 1, "rules": [{"pattern": "Target", "gate": false}]})");
  const Ended ended = pawl({"compare", "base", "head", "--thresholds", "t.json"});
  EXPECT_EQ(ended.exit_code, kPassed) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("not gated"));
  // The store's own file is taken without being asked for.
  directory_.write("baselines/thresholds.json",
                   R"({"schema_version": 1, "rules": [{"warning_percent": 30, "critical_percent": 40}]})");
  EXPECT_EQ(pawl({"compare", "base", "head"}).exit_code, kPassed);
  directory_.write("baselines/thresholds.json", R"({"schema_version": 1, "rulez": []})");
  expect_failure({"compare", "base", "head"}, kBadInput,
                 "baselines/thresholds.json:1: rulez is no key (did you mean rules?)");
}

TEST_F(CompareSystem, HundredThousandRowsStayBelow200Megabytes) {
  if (PAWL_SANITIZED) GTEST_SKIP() << "a sanitizer multiplies memory";
  for (const char* side : {"1", "2"}) {
    const std::string command = std::string(PAWL_GENERATE) + " 100000 " + side + " > " +
                                (directory_.path() / (std::string(side) + ".json")).string();
    ASSERT_EQ(std::system(command.c_str()), 0);
  }
  const Ended ended = pawl({"compare", "1.json", "2.json"});
  EXPECT_EQ(ended.exit_code, kPassed);
  EXPECT_THAT(ended.out, HasSubstr("100000 inconclusive"));
  EXPECT_LT(ended.peak_kib, 200 * 1024);
}

}  // namespace
}  // namespace pawl
