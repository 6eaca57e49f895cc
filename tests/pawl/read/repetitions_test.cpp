// repetitions_test.cpp -- which rows are one benchmark, and which must never be mixed.
#include <fmt/format.h>

#include "parts.hpp"

namespace pawl::read {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string repetition(const std::string& name, int family, int index, double time) {
  return row(
      name, time,
      fmt::format(R"(, "family_index": {}, "per_family_instance_index": 0, "repetition_index": {})", family, index));
}

std::string aggregate(const std::string& name, const std::string& kind, double time, const std::string& more = "") {
  return fmt::format(R"({{"name": "{0}_{1}", "run_name": "{0}", "run_type": "aggregate", "aggregate_name": "{1}",
    "repetitions": 3, "iterations": 3, "real_time": {2}, "cpu_time": {2}, "time_unit": "ns"{3}}})",
                     name, kind, time, more);
}

std::string untyped(const std::string& name, double time, int iterations = 10) {
  return fmt::format(R"({{"name": "{}", "iterations": {}, "real_time": {}, "cpu_time": 1, "time_unit": "ns"}})", name,
                     iterations, time);
}

model::ResultSet read_rows(std::initializer_list<std::string> rows) {
  return read_bytes(document(fmt::format("{}", fmt::join(rows, ",\n"))), "f.json");
}

TEST(Repetitions, OfOneBenchmarkAreOneReading) {
  const auto set = read_rows(
      {repetition("a", 0, 0, 1), repetition("a", 0, 1, 2), repetition("b", 1, 0, 9), repetition("a", 0, 2, 3)});
  EXPECT_THAT(names(set), ElementsAre("a", "b"));
  EXPECT_THAT(values(set, "a"), ElementsAre(1 / 1e9, 2 / 1e9, 3 / 1e9));
  EXPECT_EQ(find(set, "a")->readings[0].repetitions, 3U);
  EXPECT_THAT(set.oddities, IsEmpty());
}

TEST(Repetitions, InAnyOrder) {
  const auto set = read_rows({repetition("a", 0, 2, 3), repetition("a", 0, 0, 1), repetition("a", 0, 1, 2)});
  EXPECT_THAT(values(set, "a"), testing::UnorderedElementsAre(1 / 1e9, 2 / 1e9, 3 / 1e9));
  EXPECT_THAT(names(set), ElementsAre("a"));
  const auto again = read_rows(
      {repetition("a", 0, 2, 3), repetition("a", 0, 0, 1), repetition("a", 0, 1, 2), repetition("a", 0, 2, 30)});
  EXPECT_THAT(values(again, "a"), ElementsAre(3 / 1e9, 1 / 1e9, 2 / 1e9));
  EXPECT_THAT(values(again, "a#2"), ElementsAre(30 / 1e9)) << "a repetition that was there already";
}

TEST(Repetitions, OfTwoRegistrationsStayApart) {
  const auto set = read_rows(
      {repetition("a", 3, 0, 1), repetition("a", 7, 0, 10), repetition("a", 3, 1, 2), repetition("a", 7, 1, 20)});
  EXPECT_THAT(names(set), ElementsAre("a", "a#2"));
  EXPECT_THAT(values(set, "a"), ElementsAre(1 / 1e9, 2 / 1e9));
  EXPECT_THAT(values(set, "a#2"), ElementsAre(10 / 1e9, 20 / 1e9));
  EXPECT_THAT(oddities(set),
              ElementsAre(HasSubstr("a: 2 benchmarks of the file have this name: kept apart as \"a\" and "
                                    "\"a#2\"")));
}

TEST(Repetitions, RegistrationsStayApartWithoutARepetitionIndex) {
  const auto set = read_rows({row("a", 1, R"(, "family_index": 0)"), row("a", 2, R"(, "family_index": 1)"),
                              row("a", 3, R"(, "family_index": 1, "per_family_instance_index": 1)")});
  EXPECT_THAT(values(set, "a"), ElementsAre(1 / 1e9));
  EXPECT_THAT(values(set, "a#2"), ElementsAre(2 / 1e9));
  EXPECT_THAT(values(set, "a#3"), ElementsAre(3 / 1e9));
}

TEST(Repetitions, NumbersFollowTheRegistrationNotTheOrderOfTheFile) {
  // As random interleaving writes them: the later registration comes first.
  const auto set = read_rows({repetition("a", 7, 0, 10), repetition("a", 3, 0, 1)});
  EXPECT_THAT(values(set, "a"), ElementsAre(1 / 1e9));
  EXPECT_THAT(values(set, "a#2"), ElementsAre(10 / 1e9));
}

TEST(Repetitions, TheSameRepetitionTwiceIsAnotherBenchmark) {
  // Without family_index (library before 1.5.3), or merged from two files.
  const auto plain = [](int index, double time) {
    return row("a", time, fmt::format(R"(, "repetition_index": {})", index));
  };
  const auto blocks = read_rows({plain(0, 1), plain(1, 2), plain(0, 10), plain(1, 20)});
  EXPECT_THAT(values(blocks, "a"), ElementsAre(1 / 1e9, 2 / 1e9));
  EXPECT_THAT(values(blocks, "a#2"), ElementsAre(10 / 1e9, 20 / 1e9));
  const auto alternating = read_rows({plain(0, 1), plain(0, 10), plain(1, 2), plain(1, 20), plain(0, 100)});
  EXPECT_THAT(values(alternating, "a"), ElementsAre(1 / 1e9, 2 / 1e9));
  EXPECT_THAT(values(alternating, "a#2"), ElementsAre(10 / 1e9, 20 / 1e9));
  EXPECT_THAT(values(alternating, "a#3"), ElementsAre(100 / 1e9));
}

TEST(Repetitions, NumberedNamesPassOverNamesOfTheFile) {
  const auto set = read_rows(
      {repetition("a", 0, 0, 1), repetition("a", 1, 0, 2), repetition("a#2", 2, 0, 3), repetition("a#2", 3, 0, 4)});
  EXPECT_THAT(names(set), ElementsAre("a", "a#3", "a#2", "a#2#2"));
  EXPECT_THAT(values(set, "a#2"), ElementsAre(3 / 1e9));
  EXPECT_THAT(values(set, "a#3"), ElementsAre(2 / 1e9));
}

TEST(Repetitions, AggregatesOnlyRepeatWhatRowsSay) {
  const auto set = read_rows({row("a", 1), row("a", 3), aggregate("a", "mean", 2), aggregate("a", "stddev", 1)});
  EXPECT_THAT(names(set), ElementsAre("a"));
  EXPECT_THAT(values(set, "a"), ElementsAre(1 / 1e9, 3 / 1e9));
  EXPECT_THAT(find(set, "a")->readings[0].aggregates, IsEmpty());
}

TEST(Repetitions, AggregatesBeforeTheirRows) {
  const auto first = read_rows({aggregate("a", "mean", 2), row("a", 1)});
  EXPECT_THAT(values(first, "a"), ElementsAre(1 / 1e9));
  EXPECT_FALSE(find(first, "a")->readings[0].aggregates_only);
  EXPECT_THAT(find(first, "a")->readings[0].aggregates, IsEmpty());
}

TEST(Repetitions, MeanStandsInWithoutAMedian) {
  const auto set = read_rows({aggregate("a", "stddev", 1), aggregate("a", "mean", 5), aggregate("a", "p99", 9)});
  EXPECT_THAT(values(set, "a"), ElementsAre(5 / 1e9));
  const model::Reading& reading = find(set, "a")->readings[0];
  EXPECT_TRUE(reading.aggregates_only);
  ASSERT_EQ(reading.aggregates.size(), 6U);
  EXPECT_EQ(reading.aggregates[4].name, "p99");
  EXPECT_EQ(reading.aggregates[4].value, 9 / 1e9);
  EXPECT_EQ(find(set, "a")->time_unit, "ns");
}

TEST(Repetitions, SpreadAloneIsNoMeasurement) {
  const auto set = read_rows({aggregate("a", "stddev", 1), row("b", 1)});
  EXPECT_EQ(find(set, "a")->readings[0].status, model::Status::failed);
  EXPECT_THAT(oddities(set), Contains(HasSubstr("a: no measurement: the benchmark counts as failed")));
}

TEST(Repetitions, AggregatesOfTwoRegistrationsStayApart) {
  const auto set = read_rows({aggregate("a", "mean", 1), aggregate("a", "median", 2), aggregate("a", "mean", 10),
                              aggregate("a", "median", 20)});
  EXPECT_THAT(values(set, "a"), ElementsAre(2 / 1e9));
  EXPECT_THAT(values(set, "a#2"), ElementsAre(20 / 1e9));
}

TEST(Repetitions, OldFilesNameTheirAggregates) {
  const auto repeated = read_rows({untyped("a", 1), untyped("a", 3), untyped("a_mean", 2), untyped("a_median", 2),
                                   untyped("a_stddev", 1), untyped("b_mean", 7)});
  EXPECT_THAT(names(repeated), ElementsAre("a", "b_mean")) << "b_mean is a benchmark of its own";
  EXPECT_THAT(values(repeated, "a"), ElementsAre(1 / 1e9, 3 / 1e9));

  const auto alone =
      read_rows({untyped("x", 1), untyped("a_mean", 5, 3), untyped("a_median", 4, 3), untyped("a_stddev", 1, 3)});
  EXPECT_THAT(names(alone), ElementsAre("x", "a"));
  EXPECT_THAT(values(alone, "a"), ElementsAre(4 / 1e9));
  EXPECT_TRUE(find(alone, "a")->readings[0].aggregates_only);
  EXPECT_EQ(find(alone, "a")->readings[0].repetitions, 3U);

  const auto once = read_rows({untyped("a", 1), untyped("a_mean", 2)});
  EXPECT_THAT(names(once), ElementsAre("a", "a_mean")) << "one run has no mean: both are benchmarks";
}

TEST(Repetitions, FailuresAmongThem) {
  const std::string failed = R"({"name": "a", "family_index": 0,
    "per_family_instance_index": 0, "run_type": "iteration", "repetition_index": 1, "error_occurred": true,
    "error_message": "boom", "real_time": 0, "cpu_time": 0, "time_unit": "ns"})";
  const auto set = read_rows({repetition("a", 0, 0, 1), failed, repetition("b", 0, 0, 1)});
  EXPECT_EQ(find(set, "a")->readings[0].status, model::Status::failed);
  EXPECT_EQ(find(set, "a")->readings[0].message, "boom (1 of 2 repetitions)");
  EXPECT_THAT(values(set, "a"), ElementsAre(1 / 1e9));
}

TEST(Repetitions, MetricsThatComeAndGo) {
  const auto set = read_rows({row("a", 1, R"(, "x": 1)"), row("a", 2), row("a", 3, R"(, "y": 5, "x": 3)")});
  EXPECT_THAT(values(set, "a", "x"), ElementsAre(1, 3));
  EXPECT_THAT(values(set, "a", "y"), ElementsAre(5));
  EXPECT_THAT(oddities(set), Contains(HasSubstr("\"x\" is in 2 of 3 repetitions")));
}

TEST(Repetitions, MemorySizesThatOldLibrariesReadFromFreedMemory) {
  const std::string rows = row("a", 1, R"(, "allocs_per_iter": 3, "max_bytes_used": 1522485776000705765)") + "," +
                           row("a", 1, R"(, "allocs_per_iter": 4, "max_bytes_used": 640)");
  for (const char* version : {R"("x": 1)", R"("library_version": "v1.9.1")", R"("library_version": "1.8.4-3-gabc")"}) {
    const auto set = read_bytes(document(rows, version), "f.json");
    EXPECT_THAT(values(set, "a", model::kPeakBytes), ElementsAre(640));
    EXPECT_THAT(values(set, "a", model::kAllocations), ElementsAre(3, 4));
    EXPECT_THAT(oddities(set), Contains(HasSubstr("\"max_bytes_used\" of all repetitions but the last is left out")));
  }
  for (const char* version : {"v1.9.2", "1.9.10", "v1.10.0", "v2"}) {
    const auto set = read_bytes(document(rows, fmt::format(R"("library_version": "{}")", version)), "f.json");
    EXPECT_THAT(values(set, "a", model::kPeakBytes), testing::SizeIs(2)) << version;
  }
}

TEST(Repetitions, RealOverCpuIsTheMedianOfSingleThreadedRows) {
  const auto timed = [](const std::string& name, double real, double cpu, int threads) {
    return fmt::format(R"({{"name": "{}", "run_type": "iteration", "threads": {}, "real_time": {}, "cpu_time": {},
      "time_unit": "ns"}})",
                       name, threads, real, cpu);
  };
  const auto set = read_rows({timed("a", 2, 1, 1), timed("b", 3, 2, 1), timed("c", 11, 10, 1), timed("d", 99, 1, 2),
                              timed("e/manual_time", 99, 1, 1), timed("f/process_time", 1, 99, 1),
                              timed("g/threads:4", 99, 1, 1), timed("h/threads:1", 12, 10, 1), timed("i", 5, 0, 1)});
  EXPECT_EQ(set.processes[0].disturbance.real_over_cpu, 1.35) << "of 2, 1.5, 1.1 and 1.2";
}

TEST(Repetitions, ManyRowsOfOneNameStayLinear) {
  // Each of these was quadratic in some simpler design; with 60,000 rows that takes minutes.
  std::vector<std::string> rows;
  for (int i = 0; i < 20000; ++i) rows.push_back(repetition("a", i, 0, 1));  // registrations
  for (int i = 20000; i > 0; --i) rows.push_back(repetition("b", 0, i, 1));  // repetitions backwards
  for (int i = 0; i < 20000; ++i) rows.push_back(repetition("c", 0, 0, 1));  // one repetition again and again
  const auto set = read_bytes(document(fmt::format("{}", fmt::join(rows, ","))), "f.json");
  EXPECT_EQ(set.benchmarks.size(), 40001U);
  EXPECT_EQ(values(set, "b").size(), 20000U);
  EXPECT_NE(find(set, "c#20000"), nullptr);
}

}  // namespace
}  // namespace pawl::read
