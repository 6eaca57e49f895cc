// formats_test.cpp -- each format against a golden file, and against what would break it.
//
// PAWL_UPDATE_GOLDEN=1 rewrites the golden files; read the diff before you commit it.
#include "show/formats.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "pawl/show/json_schema.hpp"
#include "pawl/show/made_outcome.hpp"
#include "show/compare_py.hpp"
#include "show/table.hpp"
#include "show/text.hpp"

namespace pawl::show {
namespace {

using decide::Verdict;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void expect_golden(const std::string& name, const std::string& text) {
  const std::filesystem::path path = std::filesystem::path(PAWL_GOLDEN) / name;
  if (std::getenv("PAWL_UPDATE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << text;
  EXPECT_EQ(read(path), text) << "differs from " << path;
}

json schema() { return json::parse(read(PAWL_COMPARE_SCHEMA)); }

std::size_t widest(const std::string& text) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    columns = std::max(columns, display_width(text.substr(at, end - at)));
    at = end + 1;
  }
  return columns;
}

// Names that mean something to a terminal, to markdown, HTML, CSV, XML and GitHub's commands.
const char* const kHostile[] = {"a|b",
                                "<script>alert(1)</script>",
                                "x\x1b[31mred",
                                "two\nlines",
                                "::error::forged",
                                "quote\"and'apostrophe",
                                "comma,semicolon;",
                                "=1+1",
                                "`tick`",
                                "\xff\xfe not utf-8",
                                "&amp;",
                                "]]>",
                                "100%",
                                "\xe2\x80\xaereversed",
                                "cr\rback",
                                ""};

decide::Judgement hostile() {
  decide::Judgement judgement;
  for (const char* name : kHostile) {
    judgement.comparisons.push_back(made(name, Verdict::critical, 1e-3, 2e-3, 0.01));
    judgement.comparisons.back().reason = name;
    judgement.comparisons.back().source = std::string(name) + ":7";
    judgement.comparisons.back().warnings = {name};
    ++judgement.summary.critical;
  }
  return judgement;
}

TEST(Formats, Golden) {
  decide::Judgement judgement = one_of_each();
  judgement.shift = decide::SuiteShift{0.02, 0.015, 0.025, 0.018, "half of all benchmarks changed by +2.0 % or more"};
  Outcome outcome = outcome_of(judgement);
  outcome.notes = {"compilers differ: base g++ 12, new g++ 13"};
  expect_golden("table.txt", format_table(outcome, Terminal{}));
  expect_golden("table_80.txt", format_table(outcome, Terminal{false, 80}));
  expect_golden("table_colour.txt", format_table(outcome, Terminal{true, 0}));
  expect_golden("compare.json", format_json(outcome));
  expect_golden("compare.md", format_markdown(outcome));
  expect_golden("compare.csv", format_csv(outcome));
  expect_golden("compare.junit.xml", format_junit(outcome));
  expect_golden("compare.github.txt", format_github(outcome));
  expect_golden("compare.html", format_html_fragment(outcome));
  outcome.all = true;
  expect_golden("table_all.txt", format_table(outcome, Terminal{}));
}

TEST(Formats, OneNameInTwoExecutablesIsToldWithThem) {
  decide::Judgement judgement;
  for (const char* executable : {"x_bench", "y_bench"}) {
    judgement.comparisons.push_back(made("a", Verdict::critical, 1e-3, 2e-3, 0.01));
    judgement.comparisons.back().executable = executable;
  }
  judgement.comparisons.push_back(made("b", Verdict::critical, 1e-3, 2e-3, 0.01));
  judgement.comparisons.back().executable = "y_bench";
  judgement.summary = {.critical = 3};
  Outcome outcome = outcome_of(judgement);
  outcome.shared_names = names_of_several(judgement);
  EXPECT_THAT(outcome.shared_names, ::testing::ElementsAre("a"));
  for (const std::string& text : {format_table(outcome, Terminal{}), format_markdown(outcome), format_github(outcome),
                                  format_html_fragment(outcome)}) {
    EXPECT_THAT(text, HasSubstr("x_bench: a"));
    EXPECT_THAT(text, HasSubstr("y_bench: a"));
    EXPECT_THAT(text, Not(HasSubstr("y_bench: b")));
  }
  const std::string junit = format_junit(outcome), csv = format_csv(outcome);
  for (const char* one : {"classname=\"x_bench.real_time\" name=\"a\"", "classname=\"y_bench.real_time\" name=\"a\"",
                          "classname=\"real_time\" name=\"b\""})
    EXPECT_THAT(junit, HasSubstr(one));
  for (const char* ending : {",reason,executable\n", ",established,x_bench\n", ",established,y_bench\n"})
    EXPECT_THAT(csv, HasSubstr(ending));
}

TEST(Formats, EachHasANameAndASuffix) {
  for (const std::string& name : format_names()) {
    ASSERT_TRUE(format_named(name).has_value());
    EXPECT_EQ(name_of(*format_named(name)), name);
  }
  EXPECT_FALSE(format_named("yaml").has_value());
  EXPECT_EQ(format_of_file("a/b.md"), Format::markdown);
  EXPECT_EQ(format_of_file("junit.xml"), Format::junit);
  EXPECT_FALSE(format_of_file("plain").has_value());
}

TEST(Table, FitsTheTerminal) {
  const decide::Judgement judgement = one_of_each();
  Outcome outcome = outcome_of(judgement);
  outcome.notes = {"a note that is long enough to be wrapped in any terminal that is not wider than a hundred columns"};
  for (const std::size_t width : {60U, 72U, 80U, 100U, 120U, 200U}) {
    std::string text = format_table(outcome, Terminal{false, width});
    text.erase(text.find("what to do:"));  // is there to be copied: never broken
    EXPECT_LE(widest(text), width) << text;
  }
}

TEST(Table, FoldsWhatIsMoreOfTheSameButNeverWhatFails) {
  decide::Judgement judgement;
  const auto add = [&](Verdict verdict, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      judgement.comparisons.push_back(
          made(std::string(verdict_name(verdict)) + "/" + std::to_string(i), verdict, 1, 1.1, 0.01));
    }
  };
  add(Verdict::critical, 100);
  add(Verdict::inconclusive, 100);
  add(Verdict::improvement, 100);
  add(Verdict::stable, 100);
  judgement.summary = {.critical = 100, .improvement = 100, .stable = 100, .inconclusive = 100};
  Outcome outcome = outcome_of(judgement);
  const std::string folded = format_table(outcome, Terminal{});
  EXPECT_THAT(folded, HasSubstr("CRITICAL/99"));
  EXPECT_THAT(folded, HasSubstr("90 more inconclusive (--all shows them)"));
  EXPECT_THAT(folded, HasSubstr("80 more improvement (--all shows them)"));
  EXPECT_THAT(folded, HasSubstr("100 stable"));
  EXPECT_THAT(folded, Not(HasSubstr("STABLE/")));
  outcome.all = true;
  EXPECT_THAT(format_table(outcome, Terminal{}), HasSubstr("STABLE/99"));
}

TEST(Table, NamesCannotReachTheTerminal) {
  const decide::Judgement judgement = hostile();
  const std::string text = format_table(outcome_of(judgement), Terminal{});
  for (const char c : text) EXPECT_FALSE((c >= 0 && c < 0x20 && c != '\n') || c == 0x7f) << static_cast<int>(c);
  EXPECT_THAT(text, Not(HasSubstr("\xe2\x80\xae")));
  EXPECT_THAT(text, HasSubstr("two␊lines"));
}

TEST(Table, SaysMetricsWhenThereAreSeveral) {
  decide::Judgement judgement = one_of_each();
  EXPECT_THAT(format_table(outcome_of(judgement), Terminal{}), Not(HasSubstr("real_time")));
  judgement.comparisons[3].metric = "cpu_time";
  EXPECT_THAT(format_table(outcome_of(judgement), Terminal{}), HasSubstr("cpu_time"));
}

TEST(Json, FollowsItsSchema) {
  decide::Judgement judgement = one_of_each();
  EXPECT_THAT(schema_violations(json::parse(format_json(outcome_of(judgement))), schema()), IsEmpty());
  judgement.shift = decide::SuiteShift{0.02, 0.01, std::numeric_limits<double>::infinity(), {}, "r"};
  EXPECT_THAT(schema_violations(json::parse(format_json(outcome_of(judgement))), schema()), IsEmpty());
  const decide::Judgement nasty = hostile();
  EXPECT_THAT(schema_violations(json::parse(format_json(outcome_of(nasty))), schema()), IsEmpty());
  const decide::Judgement empty{};
  EXPECT_THAT(schema_violations(json::parse(format_json(outcome_of(empty))), schema()), IsEmpty());
}

TEST(Json, TheSchemaNoticesWhatIsWrong) {
  const decide::Judgement judgement = one_of_each();
  const json good = json::parse(format_json(outcome_of(judgement)));
  const auto broken = [&](auto&& change) {
    json bad = good;
    change(bad);
    return !schema_violations(bad, schema()).empty();
  };
  EXPECT_TRUE(broken([](json& j) { j.erase("exit_code"); }));
  EXPECT_TRUE(broken([](json& j) { j["schema_version"] = 2; }));
  EXPECT_TRUE(broken([](json& j) { j["comparisons"][0]["verdict"] = "FASTER"; }));
  EXPECT_TRUE(broken([](json& j) { j["comparisons"][1].erase("minimal_detectable"); }));
  EXPECT_TRUE(broken([](json& j) { j["comparisons"][1]["runs"]["base"] = -1; }));
  EXPECT_TRUE(broken([](json& j) { j["comparisons"][1]["extra"] = 1; }));
}

TEST(Json, NumbersThatAreNotFiniteAreNull) {
  const decide::Judgement judgement = one_of_each();
  const json failed = json::parse(format_json(outcome_of(judgement)))["comparisons"][0];
  for (const char* key : {"change", "low", "high", "minimal_detectable", "base", "new", "p_value"}) {
    EXPECT_TRUE(failed[key].is_null()) << key;
  }
}

TEST(Json, KeepsNamesAsTheyAre) {
  const decide::Judgement judgement = hostile();
  const json parsed = json::parse(format_json(outcome_of(judgement)));
  EXPECT_EQ(parsed["comparisons"][0]["name"], "a|b");
  EXPECT_EQ(parsed["comparisons"][3]["name"], "two\nlines");
  EXPECT_EQ(parsed["comparisons"][2]["name"], "x\x1b[31mred");
}

TEST(Markdown, NoNameAddsAColumnOrALine) {
  const decide::Judgement judgement = hostile();
  const std::string text = format_markdown(outcome_of(judgement));
  std::size_t rows = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with("| **")) continue;
    ++rows;
    std::size_t pipes = 0;
    for (std::size_t i = 0; i < line.size(); ++i) pipes += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
    EXPECT_EQ(pipes, 7U) << line;
  }
  EXPECT_EQ(rows, std::size(kHostile));
  EXPECT_THAT(text, Not(HasSubstr("| <script>")));
}

TEST(Html, NoNameIsMarkup) {
  const decide::Judgement judgement = hostile();
  const std::string text = format_html_fragment(outcome_of(judgement));
  EXPECT_THAT(text, Not(HasSubstr("<script")));
  EXPECT_THAT(text, HasSubstr("&lt;script&gt;"));
  EXPECT_THAT(text, HasSubstr("&amp;amp;"));
}

TEST(Csv, EveryLineHasAllFields) {
  const decide::Judgement judgement = hostile();
  const std::string text = format_csv(outcome_of(judgement));
  std::size_t line_fields = 1, header_fields = 0, lines = 0;
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == ',') ++line_fields;
    if (c != '\n') continue;
    if (lines++ == 0) header_fields = line_fields;
    EXPECT_EQ(line_fields, header_fields) << "line " << lines;
    line_fields = 1;
  }
  EXPECT_EQ(lines, std::size(kHostile) + 1);
  EXPECT_FALSE(quoted);
}

TEST(Junit, CountsWhatItHolds) {
  decide::Judgement judgement = one_of_each();
  Outcome outcome = outcome_of(judgement);
  const auto occurrences = [](const std::string& text, const std::string& what) {
    std::size_t count = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
    return count;
  };
  std::string text = format_junit(outcome);
  EXPECT_THAT(text, HasSubstr("tests=\"8\" failures=\"3\" errors=\"0\" skipped=\"1\""));
  EXPECT_EQ(occurrences(text, "<testcase "), 8U);
  EXPECT_EQ(occurrences(text, "<failure "), 3U);
  EXPECT_EQ(occurrences(text, "<skipped "), 1U);
  EXPECT_THAT(text, HasSubstr("file=\"benches/tensor/matmul_bench.cpp\""));
  outcome.fail_on = decide::FailOn::warning;
  EXPECT_EQ(occurrences(format_junit(outcome), "<failure "), 4U);
  outcome.fail_on = decide::FailOn::never;
  EXPECT_EQ(occurrences(format_junit(outcome), "<failure "), 0U);
  judgement.comparable = false;
  EXPECT_THAT(format_junit(outcome), HasSubstr("errors=\"1\""));
}

TEST(Github, NoNameForgesACommand) {
  const decide::Judgement judgement = hostile();
  const std::string text = format_github(outcome_of(judgement));
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    EXPECT_TRUE(line.starts_with("::error ")) << line;
    EXPECT_FALSE(line.starts_with("::error::forged")) << line;
    at = end + 1;
  }
}

TEST(Github, NamesTheSourceAndCountsTheRest) {
  decide::Judgement judgement = one_of_each();
  EXPECT_THAT(format_github(outcome_of(judgement)),
              HasSubstr("::error file=benches/tensor/matmul_bench.cpp,line=42,title="));
  for (int i = 0; i < 30; ++i) judgement.comparisons.push_back(judgement.comparisons[1]);
  const std::string text = format_github(outcome_of(judgement));
  EXPECT_THAT(text, HasSubstr("::error title=pawl::24 more; the table in the log lists them"));
  EXPECT_THAT(text, HasSubstr("::error title=pawl::verdict: "));
}

TEST(ComparePy, HasItsLayout) {
  model::ResultSet base, now;
  for (model::ResultSet* set : {&base, &now}) {
    set->processes.resize(1);
    model::Reading reading;
    const double factor = set == &now ? 2 : 1;
    reading.series = {{"real_time", {50e-9 * factor, 60e-9 * factor}}, {"cpu_time", {40e-9 * factor, 41e-9 * factor}}};
    set->benchmarks = {{"BM_A", "", "label", "ns", "", {reading}}};
  }
  now.benchmarks.push_back(now.benchmarks[0]);
  now.benchmarks.back().name = "BM_New";
  const json parsed = json::parse(format_compare_py({}, base, now));
  ASSERT_EQ(parsed.size(), 2U);
  EXPECT_EQ(parsed[0]["name"], "BM_A");
  EXPECT_EQ(parsed[0]["label"], "label");
  EXPECT_EQ(parsed[0]["time_unit"], "ns");
  EXPECT_EQ(parsed[0]["run_type"], "iteration");
  EXPECT_EQ(parsed[0]["aggregate_name"], "");
  EXPECT_EQ(parsed[0]["utest"], json::object());
  ASSERT_EQ(parsed[0]["measurements"].size(), 2U);
  EXPECT_EQ(
      parsed[0]["measurements"][1],
      json::parse(
          R"({"real_time": 60, "cpu_time": 41, "real_time_other": 120, "cpu_time_other": 82, "time": 1, "cpu": 1})"));
  EXPECT_EQ(parsed[1]["name"], "OVERALL_GEOMEAN");
  EXPECT_NEAR(parsed[1]["measurements"][0]["time"].get<double>(), 1, 1e-12);
}

TEST(ComparePy, BenchmarksOfOneNameArePairedByTheirExecutables) {
  model::ResultSet base, now;
  const auto add = [](model::ResultSet& set, const char* executable, double seconds) {
    set.processes.resize(1);
    model::Reading reading;
    reading.series = {{"real_time", {seconds}}, {"cpu_time", {seconds}}};
    set.benchmarks.push_back({"BM_A", executable, "", "ns", "", {reading}});
  };
  add(base, "x", 100e-9);
  add(base, "y", 1000e-9);
  add(now, "y", 2000e-9);
  add(now, "x", 100e-9);
  decide::Judgement judgement;
  for (const auto& [executable, verdict] :
       {std::pair("y", decide::Verdict::critical), std::pair("x", decide::Verdict::stable)}) {
    decide::Comparison c;
    c.name = "BM_A";
    c.executable = executable;
    c.verdict = verdict;
    judgement.comparisons.push_back(c);
  }
  const json parsed = json::parse(format_compare_py(judgement, base, now));
  ASSERT_EQ(parsed.size(), 3U);
  EXPECT_EQ(parsed[0]["measurements"][0]["real_time"], 100);
  EXPECT_EQ(parsed[0]["measurements"][0]["real_time_other"], 100);
  EXPECT_EQ(parsed[0]["verdict"], "STABLE");
  EXPECT_EQ(parsed[1]["measurements"][0]["real_time"], 1000);
  EXPECT_EQ(parsed[1]["measurements"][0]["real_time_other"], 2000);
  EXPECT_EQ(parsed[1]["verdict"], "CRITICAL");
}

}  // namespace
}  // namespace pawl::show
