// bench_program_test.cpp -- names are listed whatever flags a version takes, and filters match exactly what they
// should.
#include "run/bench_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "pawl/run/scratch.hpp"

namespace pawl::run {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

ProcessSettings settings() {
  ProcessSettings s;
  s.min_time_s = 0.05;
  s.repetitions = 3;
  return s;
}

TEST(ListBenchmarks, NamesInTheirOrder) {
  const Scratch scratch;
  const auto program = scratch.fake_bench("x_bench", "b/2 1 0 ok\na/1 1 0 crash\nb/1 1 0 ok\n");
  EXPECT_THAT(list_benchmarks({program, "x_bench"}, settings()).names, ElementsAre("b/2", "a/1", "b/1"));
  auto filtered = settings();
  filtered.filter = "^b/";
  EXPECT_THAT(list_benchmarks({program, "x_bench"}, filtered).names, ElementsAre("b/2", "b/1"));
  filtered.filter = "nothing";
  EXPECT_THAT(list_benchmarks({program, "x_bench"}, filtered).names, IsEmpty());
}

TEST(ListBenchmarks, FindsTheSpellingThatTheVersionTakes) {
  const Scratch scratch;
  const BenchProgram bare{scratch.fake_bench("bare", "a 1 0 ok\n!min_time bare\n"), "bare"};
  EXPECT_THAT(list_benchmarks(bare, settings()).arguments, Contains("--benchmark_min_time=0.05"));
  const BenchProgram suffix{scratch.fake_bench("suffix", "a 1 0 ok\n!min_time suffix\n"), "suffix"};
  EXPECT_THAT(list_benchmarks(suffix, settings()).arguments, Contains("--benchmark_min_time=0.05s"));
}

TEST(ListBenchmarks, QuickIsOnlyForThoseThatKnowIt) {
  const Scratch scratch;
  auto quick = settings();
  quick.quick = true;
  const BenchProgram ours{scratch.fake_bench("ours", "a 1 0 ok\n!pawl\n"), "ours"};
  EXPECT_THAT(list_benchmarks(ours, quick).arguments, Contains("--pawl_quick"));
  const BenchProgram other{scratch.fake_bench("other", "a 1 0 ok\n!min_time suffix\n"), "other"};
  const auto listing = list_benchmarks(other, quick);
  EXPECT_THAT(listing.arguments, Not(Contains("--pawl_quick")));
  EXPECT_THAT(listing.names, ElementsAre("a"));
}

TEST(ListBenchmarks, InterleavingIsOnlyForThoseThatKnowIt) {
  const Scratch scratch;
  auto interleaved = settings();
  interleaved.interleave = true;
  const BenchProgram ours{scratch.fake_bench("ours", "a 1 0 ok\n!pawl\n!interleaves\n"), "ours"};
  EXPECT_TRUE(list_benchmarks(ours, interleaved).interleaves);
  EXPECT_FALSE(list_benchmarks(ours, settings()).interleaves) << "nobody asked";
  const BenchProgram old{scratch.fake_bench("old", "a 1 0 ok\n!min_time suffix\n"), "old"};
  const auto listing = list_benchmarks(old, interleaved);
  EXPECT_FALSE(listing.interleaves);
  EXPECT_THAT(listing.names, ElementsAre("a"));
  const auto has_flag = Contains("--benchmark_enable_random_interleaving=true");
  EXPECT_THAT(bench_command(ours, listing, interleaved, "", "/tmp/o.json", true).arguments, has_flag);
  EXPECT_THAT(bench_command(ours, listing, interleaved, "", "/tmp/o.json").arguments, Not(has_flag));
}

TEST(ListBenchmarks, WhatIsNoBenchmarkIsAnErrorOfOneLine) {
  try {
    list_benchmarks({PAWL_MISBEHAVE, "misbehave"}, settings());
    FAIL() << "listed";
  } catch (const ListError& error) {
    EXPECT_THAT(error.what(), HasSubstr("does not list its benchmarks: exit code 2: misbehave: how?"));
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

TEST(ListBenchmarks, TimesArePlainNumbers) {
  const Scratch scratch;
  auto s = settings();
  s.min_time_s = 1e-5;
  const BenchProgram program{scratch.fake_bench("x", "a 1 0 ok\n"), "x"};
  EXPECT_THAT(list_benchmarks(program, s).arguments, Contains("--benchmark_min_time=0.00001"));
  s.min_time_s = 2;
  EXPECT_THAT(list_benchmarks(program, s).arguments, Contains("--benchmark_min_time=2"));
}

TEST(ExactFilters, MatchTheseNamesAndNoOthersInBothSyntaxes) {
  const std::vector<std::string> names = {"a/b:1", "f(x)<int>/[2]", "a+b*c?",      "x|y",
                                          "{1,2}", "^dot.$",        "back\\slash", "a-b c"};
  const auto filters = exact_filters(names);
  ASSERT_EQ(filters.size(), 1u);
  EXPECT_EQ(filters[0].names, names);
  for (const auto syntax : {std::regex::ECMAScript, std::regex::extended}) {
    const std::regex regex(filters[0].regex, syntax);
    for (const std::string& name : names) {
      EXPECT_TRUE(std::regex_search(name, regex)) << name;
      EXPECT_FALSE(std::regex_search(name + "/2", regex)) << name;
      EXPECT_FALSE(std::regex_search("x" + name, regex)) << name;
    }
    EXPECT_FALSE(std::regex_search("^dotx$", regex)) << "the dot is a dot";
  }
}

TEST(ExactFilters, LongListsAreCutInOrder) {
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) names.push_back("bench/" + std::to_string(i));
  const auto filters = exact_filters(names, 100);
  EXPECT_GT(filters.size(), 5u);
  std::vector<std::string> together;
  for (const ExactFilter& filter : filters) {
    EXPECT_LE(filter.regex.size(), 100u);
    for (const std::string& name : filter.names) EXPECT_TRUE(std::regex_search(name, std::regex(filter.regex)));
    together.insert(together.end(), filter.names.begin(), filter.names.end());
  }
  EXPECT_EQ(together, names);
  EXPECT_THAT(exact_filters({}), IsEmpty());
  EXPECT_EQ(exact_filters({std::string(500, 'x')}, 100).size(), 1u) << "one name is never cut";
}

TEST(BenchCommand, ThreadsAndPinAreHandedOn) {
  auto s = settings();
  s.threads = 2;
  s.cpu = 1;
  const auto command = bench_command({"/x/y_bench", "y_bench"}, {{"a"}, {"--flag"}}, s, "^a$", "/tmp/o.json");
  EXPECT_THAT(command.arguments, ElementsAre("--flag", "--benchmark_filter=^a$", "--benchmark_out=/tmp/o.json",
                                             "--benchmark_out_format=json"));
  EXPECT_THAT(command.environment, Contains(testing::Pair("OMP_NUM_THREADS", "2")));
  EXPECT_THAT(command.environment, Contains(testing::Pair("PAWL_NUM_THREADS", "2")));
  EXPECT_EQ(command.cpu, 1);
}

}  // namespace
}  // namespace pawl::run
