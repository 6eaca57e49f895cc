// data_test.cpp -- every file of tests/data/google-benchmark: what must come out of it.
//
// Counts and sums were computed from the files by a script that shares no code with the reader (Python's json module,
// first occurrence of a key, aggregates and fits left aside).
#include <cmath>
#include <filesystem>
#include <numeric>
#include <set>

#include "parts.hpp"

namespace pawl::read {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

struct Expected {
  const char* file;
  std::size_t benchmarks;
  std::size_t values;        // of real_time over all repetitions
  std::size_t failed;        // repetitions that failed or were skipped
  double real_sum, cpu_sum;  // seconds, over all of these values
  const char *first, *last;  // names
  std::size_t oddities;
};

void PrintTo(const Expected& expected, std::ostream* out) { *out << expected.file; }

class WholeFile : public testing::TestWithParam<Expected> {};

TEST_P(WholeFile, HoldsWhatAnotherReaderFinds) {
  const Expected& expected = GetParam();
  const model::ResultSet set = read_file(kData + expected.file);
  ASSERT_THAT(set.processes, SizeIs(1));
  EXPECT_EQ(set.label, kData + expected.file);
  ASSERT_THAT(set.benchmarks, SizeIs(expected.benchmarks));
  EXPECT_EQ(set.benchmarks.front().name, expected.first);
  EXPECT_EQ(set.benchmarks.back().name, expected.last);
  std::size_t count = 0, failed = 0;
  double real = 0, cpu = 0;
  for (const model::Benchmark& benchmark : set.benchmarks) {
    ASSERT_THAT(benchmark.readings, SizeIs(1));
    const model::Reading& reading = benchmark.readings.front();
    if (reading.aggregates_only) continue;
    EXPECT_THAT(reading.aggregates, IsEmpty()) << benchmark.name;
    const model::Series* series = reading.find(model::kRealTime);
    const std::size_t good = series == nullptr ? 0 : series->values.size();
    if (good > 0) {
      real = std::accumulate(series->values.begin(), series->values.end(), real);
      const model::Samples& cpu_times = reading.find(model::kCpuTime)->values;
      cpu = std::accumulate(cpu_times.begin(), cpu_times.end(), cpu);
    }
    count += good;
    failed += reading.repetitions - good;
  }
  EXPECT_EQ(count, expected.values);
  EXPECT_EQ(failed, expected.failed);
  EXPECT_NEAR(real, expected.real_sum, 1e-13 * expected.real_sum);
  EXPECT_NEAR(cpu, expected.cpu_sum, 1e-13 * expected.cpu_sum);
  EXPECT_THAT(oddities(set), SizeIs(expected.oddities));
  for (const model::Oddity& oddity : set.oddities) {
    EXPECT_EQ(oddity.file, set.label);
    EXPECT_GT(oddity.line, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Data, WholeFile,
    testing::Values(
        Expected{"conbench_arrow_tensor_reps3.json", 2, 6, 0, 0.00053868045258368899, 0.00053806644455740708,
                 "Int8RowMajorTensorConversionFixture<Int32Type>/ConvertToSparseCOOTensorInt32",
                 "Int8ColumnMajorTensorConversionFixture<Int32Type>/ConvertToSparseCOOTensorInt32", 0},
        Expected{"fmm_cpp_2023-01-17.json", 35, 35, 0, 66.30290333321318, 42.204059166666681,
                 "op:read/matrix:Array/impl:FMM/lang:C++/p:1/iterations:3/real_time",
                 "op:write/matrix:Coordinate/impl:FMM/lang:C++/p:8/iterations:3/real_time", 0},
        Expected{"fmm_cpp_2023-05-27.json", 42, 42, 0, 26.633401190551616, 16.253068916666663,
                 "op:chunking/impl:FMM/lang:C++/real_time",
                 "op:write/matrix:Coordinate/impl:FMM/lang:C++/p:8/iterations:3/real_time", 0},
        Expected{"gbench_test1_run1.json", 14, 14, 0, 2.4000108099999999, 2.50001081, "BM_SameTimes", "BM_hasLabel", 1},
        Expected{"gbench_test1_run2.json", 14, 14, 0, 1.0400108126649998, 1.6000107926639997, "BM_SameTimes",
                 "BM_hasLabel", 1},
        // Aggregates without aggregate_name: BM_One once, "short" twice.
        Expected{"gbench_test3_run0.json", 5, 4, 0, 3.4e-08, 3.3799999999999998e-07, "BM_One", "medium", 5},
        Expected{"gbench_test3_run1.json", 4, 4, 0, 8.2099999999999995e-07, 2.36e-07, "BM_One", "medium", 2},
        Expected{"gbench_test5_run0.json", 1, 1, 0, 1, 1000, "BM_ManyRepetitions", "BM_ManyRepetitions", 0},
        Expected{"gbench_test5_run1.json", 1, 1, 0, 1000, 1, "BM_ManyRepetitions", "BM_ManyRepetitions", 0},
        // 9 benchmarks by their aggregates alone, 3 repetitions of BM_Error.
        Expected{"gen_aggonly_v1.6.1.json", 10, 0, 3, 0, 0, "BM_Sort/64", "BM_SometimesError/iterations:1000", 1},
        Expected{"gen_ctrlchars_v1.8.3.json", 4, 4, 0, 2.7410473108520367e-10, 2.7306156905818596e-10, "dup",
                 "latin1_\u00e9", 3},
        Expected{"gen_odd_reps5_v1.6.1.json", 17, 78, 7, 12.500480517164984, 0.00048235215880693675, "BM_Sort/64",
                 "tmpl<std::pair<int, char>>/x:1", 8},
        Expected{"gen_odd_reps5_v1.8.3.json", 18, 78, 12, 12.500491193718883, 0.00049232271287508243, "BM_Sort/64",
                 "tmpl<std::pair<int, char>>/x:1", 8},
        Expected{"gen_utf16.json", 8, 96, 0, 0.001183011401582021, 0.0011589256810098721, "BM_Sum/65536",
                 "BM_Sort/1024", 2},
        Expected{"gen_utf8_bom.json", 8, 96, 0, 0.001183011401582021, 0.0011589256810098721, "BM_Sum/65536",
                 "BM_Sort/1024", 2},
        Expected{"lessslow_proripper64_o1.json", 41, 41, 0, 329.19786699935804, 326.575996114053,
                 "i32_addition_random/threads:8", "f64_sin_maclaurin", 2},
        Expected{"lessslow_proripper64_o3.json", 41, 41, 0, 289.76092419979909, 288.01477762792325,
                 "i32_addition_random/threads:8", "super_sort/par_unseq/4294967296/min_time:10.000/real_time", 2},
        Expected{"numa-pmr_1_2026-05-05.json", 26, 26, 0, 0.00029002324841299724, 0.00028871463196617045,
                 "BM_ImmediateAllocateFree/size:64/backend:0", "BM_PmrVectorPushBack/count:16384/backend:1", 0},
        Expected{"numa-pmr_2_2026-05-11a.json", 26, 26, 0, 6.3511376528302551e-05, 6.3512297910912584e-05,
                 "BM_ImmediateAllocateFree/size:64/backend:0", "BM_PmrVectorPushBack/count:16384/backend:1", 0},
        Expected{"numa-pmr_4_2026-05-12.json", 26, 26, 0, 6.3306851281756018e-05, 6.3307442460233839e-05,
                 "BM_ImmediateAllocateFree/size:64/backend:0", "BM_PmrVectorPushBack/count:16384/backend:1", 0},
        Expected{"numa-pmr_5_2026-05-14.json", 74, 74, 0, 0.11314182334051091, 0.11201369946443419,
                 "BM_ImmediateAllocateFree/size:64/backend:0",
                 "BM_PipelineBatchMaterialization/rows:1024/payload:256/backend:13", 0},
        Expected{"ucsb_NAN_lmdb_100GB.json", 9, 9, 0, 0.00012253206299884603, 0.00012253939171533653, "lmdb",
                 "Remove/iterations:100000000/real_time", 1},
        Expected{"ucsb_hist_rocksdb_100MB_01.json", 9, 9, 0, 1.1676738411161078, 0.1650235651954369,
                 "rocksdb (97.66MB)", "Remove/iterations:15000/real_time/threads:1", 0},
        Expected{"ucsb_hist_rocksdb_100MB_04.json", 11, 11, 0, 1.1962249417282969, 0.18025186272301691,
                 "rocksdb (97.66MB)", "BatchInsert/iterations:10/real_time/threads:1", 0},
        Expected{"ucsb_hist_rocksdb_100MB_08.json", 10, 10, 0, 1.1808890885399985, 0.1686232588230169,
                 "rocksdb [threads: 1, size: 97.66MB]", "BatchInsert/iterations:10/real_time/threads:1", 0}),
    [](const testing::TestParamInfo<Expected>& expected) {
      std::string name = expected.param.file;
      for (char& c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
      return name;
    });

TEST(Data, EveryFileIsTested) {
  std::set<std::string> tested = {"gen_list_tests.json", "gen_nomatch.json", "gen_truncated.json",
                                  "ucsb_TRUNCATED_unumdb_100MB.json"};  // errors: below
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s)
    for (int t = 0; t < all.GetTestSuite(s)->total_test_count(); ++t)
      if (const char* param = all.GetTestSuite(s)->GetTestInfo(t)->value_param()) tested.insert(param);
  for (const auto& entry : std::filesystem::directory_iterator(kData))
    if (entry.path().extension() == ".json") {
      EXPECT_TRUE(tested.contains(entry.path().filename().string())) << entry;
    }
}

ReadError error_of_file(const std::string& file) {
  try {
    read_file(kData + file);
  } catch (const ReadError& error) {
    return error;
  }
  ADD_FAILURE() << file << " was read";
  return {ReadError::Kind::missing, ""};
}

TEST(Data, TruncatedFilesSayWhereAndKeepTheRowsBefore) {
  const ReadError generated = error_of_file("gen_truncated.json");
  EXPECT_EQ(generated.kind, ReadError::Kind::damaged);
  EXPECT_EQ(std::string(generated.what()),
            kData +
                "gen_truncated.json:325:24: the file ends inside benchmark \"BM_Sort/1024\"; 18 complete rows before "
                "it were read");
  ASSERT_NE(generated.partial, nullptr);
  EXPECT_THAT(names(*generated.partial), ElementsAre("BM_Sort/64", "BM_Sort/256"));
  EXPECT_EQ(values(*generated.partial, "BM_Sort/256").size(), 5U);

  const ReadError wild = error_of_file("ucsb_TRUNCATED_unumdb_100MB.json");
  EXPECT_EQ(wild.kind, ReadError::Kind::damaged);
  EXPECT_THAT(wild.what(), HasSubstr(".json:74:6: the file ends inside the list of benchmarks; 2 complete rows"));
  ASSERT_NE(wild.partial, nullptr);
  EXPECT_THAT(names(*wild.partial),
              ElementsAre("unumdb (97.66MB)/iterations:1/real_time", "Init/iterations:100000/real_time/threads:1"));
  EXPECT_THAT(values(*wild.partial, "Init/iterations:100000/real_time/threads:1", "cpu_max,%"), ElementsAre(300));
}

TEST(Data, WhatHoldsNoResultsIsNamed) {
  const ReadError empty = error_of_file("gen_nomatch.json");
  EXPECT_EQ(empty.kind, ReadError::Kind::not_results);
  EXPECT_THAT(empty.what(), HasSubstr("gen_nomatch.json:1:1: the file is empty"));
  const ReadError list = error_of_file("gen_list_tests.json");
  EXPECT_EQ(list.kind, ReadError::Kind::not_results);
  EXPECT_THAT(list.what(), HasSubstr("a list of names, not JSON (written with --benchmark_list_tests?); it begins with "
                                     "BM_Sort/64"));
}

TEST(Data, OddRowsOfLibrary183) {
  const model::ResultSet set = read_file(kData + "gen_odd_reps5_v1.8.3.json");
  const auto reading = [&](const char* name) { return find(set, name)->readings.front(); };

  EXPECT_EQ(reading("BM_Error").status, model::Status::failed);
  EXPECT_EQ(reading("BM_Error").message, "it \"failed\"\u240a\u2409badly \u00e9");
  EXPECT_THAT(reading("BM_Error").series, IsEmpty()) << "a failed row never has a time";
  EXPECT_EQ(reading("BM_Error").repetitions, 5U);

  EXPECT_EQ(reading("BM_Skipped").status, model::Status::skipped);
  EXPECT_EQ(reading("BM_Skipped").message, "not today");
  EXPECT_THAT(reading("BM_Skipped").series, IsEmpty());

  EXPECT_EQ(reading("BM_SometimesError/iterations:1000").status, model::Status::failed);
  EXPECT_EQ(reading("BM_SometimesError/iterations:1000").message, "odd run (2 of 5 repetitions)");
  EXPECT_THAT(values(set, "BM_SometimesError/iterations:1000"),
              ElementsAre(1.2319997040322050 / 1e9, 9.8100008472101763e-01 / 1e9, 9.0100002125836909e-01 / 1e9));

  EXPECT_THAT(values(set, "BM_Counters", "real_time#2"), ElementsAre(42, 42, 42, 42, 42));
  EXPECT_EQ(values(set, "BM_Counters")[0], 6.1100035964045674e-07 / 1e9);
  EXPECT_EQ(values(set, "BM_Counters", "na\"me\\ with, odd/chars").size(), 5U);
  EXPECT_EQ(values(set, "BM_Counters", "big")[0], 1e300);
  EXPECT_EQ(values(set, "BM_Counters", "tiny")[0], 4.9406564584124654e-324);
  EXPECT_TRUE(std::isnan(values(set, "BM_Counters", "nan")[4]));
  EXPECT_EQ(values(set, "BM_Counters", "inf")[0], std::numeric_limits<double>::infinity());
  EXPECT_EQ(values(set, "BM_Counters", "ninf")[0], -std::numeric_limits<double>::infinity());

  EXPECT_THAT(values(set, "BM_Manual/iterations:3/manual_time"), ElementsAre(2.5, 2.5, 2.5, 2.5, 2.5));
  EXPECT_EQ(find(set, "BM_Manual/iterations:3/manual_time")->time_unit, "s");
  EXPECT_EQ(find(set, "BM_Label")->label, "label \"q\" \u2713");
  EXPECT_EQ(values(set, "dup")[0], 5.7099987316178158e-07 / 1e9);
  EXPECT_EQ(values(set, "dup#2")[0], 2.7325675749299344e-01 / 1e9);
  EXPECT_EQ(reading("dup#2").iterations, 25300754U);

  EXPECT_THAT(
      oddities(set),
      ElementsAre("595:5 : 2 BigO and RMS rows are fits over sizes, not measurements: left out",
                  "1240:5 BM_SometimesError/iterations:1000: 2 of 5 repetitions failed: the benchmark counts as failed",
                  AllOf(HasSubstr("1454:5 BM_Counters: the key \"real_time\" occurs 2 times: this one is kept as the "
                                  "counter \"real_time#2\"")),
                  HasSubstr("1454:5 BM_Counters: the counter \"inf\" is Infinity"),
                  HasSubstr("1454:5 BM_Counters: the counter \"nan\" is NaN"),
                  HasSubstr("1454:5 BM_Counters: the counter \"ninf\" is -Infinity"),
                  HasSubstr("1786:5 BM_ZeroManual/iterations:3/manual_time: real_time is 0"),
                  "2185:5 dup: 2 benchmarks of the file have this name: kept apart as \"dup\" and \"dup#2\""));

  EXPECT_EQ(set.benchmarks.front().executable, "odd-v1.8.3");
  EXPECT_EQ(set.machine.cores, 2);
  EXPECT_EQ(set.machine.details.at("caches"),
            "L1 Data 32 KiB, L1 Instruction 32 KiB, L2 Unified 1 MiB, L3 Unified 32 MiB shared by 2");
  EXPECT_EQ(set.processes[0].context.at("load_avg"), "1.96826, 2.19238, 1.3125");
  EXPECT_EQ(set.processes[0].start_unix_s, 1795210169);
  EXPECT_NEAR(set.processes[0].disturbance.real_over_cpu.value_or(0), 1, 0.01);
}

TEST(Data, AggregatesStandInWhereNothingElseIs) {
  const model::ResultSet set = read_file(kData + "gen_aggonly_v1.6.1.json");
  const model::Reading& sorted = find(set, "BM_Sort/64")->readings.front();
  EXPECT_TRUE(sorted.aggregates_only);
  EXPECT_EQ(sorted.repetitions, 3U);
  EXPECT_FALSE(sorted.iterations.has_value()) << "an aggregate's iterations are a count of repetitions";
  EXPECT_THAT(values(set, "BM_Sort/64"), ElementsAre(6.6708958499475307e+02 / 1e9)) << "the median";
  EXPECT_THAT(values(set, "BM_Sort/64", "items_per_second"), ElementsAre(9.5376505984051257e+07));
  EXPECT_THAT(sorted.aggregates, SizeIs(12)) << "mean, median, stddev and cv of three metrics";
  for (const model::Aggregate& aggregate : sorted.aggregates) {
    if (aggregate.metric != model::kRealTime) continue;
    if (aggregate.name == "stddev") {
      EXPECT_EQ(aggregate.value, 5.4829655489442146 / 1e9);
    } else if (aggregate.name == "cv") {
      EXPECT_EQ(aggregate.value, 8.2110722986187944e-03) << "a fraction, whatever time_unit says";
    }
  }
  const model::Reading& failed = find(set, "BM_Error")->readings.front();
  EXPECT_EQ(failed.status, model::Status::failed);
  EXPECT_FALSE(failed.aggregates_only);
}

TEST(Data, RowsWithoutRunTypeOrName) {
  const model::ResultSet one = read_file(kData + "gbench_test1_run1.json");
  EXPECT_THAT(values(one, "BM_NotBadTimeUnit"), ElementsAre(0.4));
  EXPECT_EQ(find(one, "BM_hasLabel")->label, "a label");
  EXPECT_EQ(find(one, "MyComplexityTest"), nullptr) << "a fit is no benchmark";

  const model::ResultSet three = read_file(kData + "gbench_test3_run0.json");
  EXPECT_THAT(names(three), ElementsAre("BM_One", "BM_Two", "short", "short#2", "medium"));
  EXPECT_THAT(values(three, "BM_Two"), ElementsAre(9 / 1e9, 8 / 1e9));
  EXPECT_TRUE(find(three, "BM_One")->readings.front().aggregates_only);
  EXPECT_THAT(values(three, "short#2", model::kCpuTime), ElementsAre(77 / 1e9));
  EXPECT_THAT(oddities(three),
              Contains("25:5 BM_Two: rows of one name without repetition_index are taken as repetitions "
                       "of one benchmark"));

  const model::ResultSet mixed = read_file(kData + "gbench_test3_run1.json");
  EXPECT_THAT(values(mixed, "short"), ElementsAre(800 / 1e9)) << "two aggregates and the row that they leave aside";
  EXPECT_FALSE(find(mixed, "short")->readings.front().aggregates_only);
  EXPECT_EQ(find(mixed, "short#2"), nullptr);
}

TEST(Data, NamesBecomeText) {
  const model::ResultSet set = read_file(kData + "gen_ctrlchars_v1.8.3.json");
  EXPECT_THAT(names(set), ElementsAre("dup", "dup#2", "ctrl\u2401\u241b[31mname", "latin1_\u00e9"));
}

TEST(Data, Utf16IsTheSameAsUtf8) {
  const model::ResultSet wide = read_file(kData + "gen_utf16.json"), narrow = read_file(kData + "gen_utf8_bom.json");
  ASSERT_EQ(names(wide), names(narrow));
  for (const model::Benchmark& benchmark : wide.benchmarks)
    for (const model::Series& series : benchmark.readings.front().series)
      EXPECT_EQ(std::vector<double>(series.values), values(narrow, benchmark.name, series.metric));
  EXPECT_EQ(wide.processes[0].context, narrow.processes[0].context);
}

TEST(Data, ContextOfNewLibraries) {
  const model::ResultSet set = read_file(kData + "numa-pmr_5_2026-05-14.json");
  EXPECT_EQ(set.methodology.settings.at("library_version"), "v1.9.1");
  EXPECT_EQ(set.methodology.settings.at("json_schema_version"), "1");
  EXPECT_EQ(set.methodology.date, "2026-05-14T16:18:10+00:00");
  EXPECT_EQ(set.benchmarks.front().executable, "one_node_bench_allocators");
  EXPECT_EQ(set.machine.details.at("host_name"), "rock-5b");
}

}  // namespace
}  // namespace pawl::read
