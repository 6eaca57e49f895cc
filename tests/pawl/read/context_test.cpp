// context_test.cpp -- contexts of libraries and of pawl::bench_main -> process, machine, methodology, disturbance.
#include "read/context.hpp"

#include "parts.hpp"

namespace pawl::read {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Context, DatesOfEveryForm) {
  EXPECT_EQ(unix_seconds("1970-01-01T00:00:00+00:00"), 0);
  EXPECT_EQ(unix_seconds("2026-11-20T21:29:29+00:00"), 1795210169);
  EXPECT_EQ(unix_seconds("2026-11-20T21:29:29Z"), 1795210169);
  EXPECT_EQ(unix_seconds("2026-11-20T16:29:29-05:00"), 1795210169);
  EXPECT_EQ(unix_seconds("2026-11-21T02:59:29+0530"), 1795210169);
  EXPECT_EQ(unix_seconds("2026-11-20T21:29:29.25+00:00"), 1795210169.25);
  EXPECT_EQ(unix_seconds("2016-08-02 17:44:46"), 1470159886) << "no offset: taken as UTC";
  EXPECT_EQ(unix_seconds("2024-02-29T00:00:00Z"), 1709164800);
  for (const char* no : {"", "today", "2023-02-29T00:00:00Z", "2023-13-01T00:00:00Z", "2023-01-01T25:00:00Z",
                         "2023-01-01", "08/02/16 17:44:46......", "2023-0x-01T00:00:00"})
    EXPECT_EQ(unix_seconds(no), std::nullopt) << no;
}

TEST(Context, OfOurOwnMain) {
  const std::string bytes = R"({
  "context": {
    "date": "2026-11-20T21:29:29+00:00", "executable": "/a/b/matmul_bench", "num_cpus": 2, "host_name": "vm",
    "pawl_run_index": "3", "pawl_pair_index": "1", "pawl_machine_key": "amd-zen4-avx512-2c",
    "pawl_cpu_model": "AMD EPYC", "pawl_git_commit": "1a2b3c", "pawl_git_dirty": "yes", "pawl_compiler": "g++ 12.2.0",
    "pawl_flags": "-O3", "pawl_build_type": "Release", "pawl_seed": "42", "pawl_isa_active": "avx512",
    "pawl_smt": "no", "pawl_placement": "7", "pawl_governor": "unknown",
    "library_build_type": "debug"
  },
  "benchmarks": [)" + row("a", 1) +
                            R"(],
  "pawl": {
    "schema_version": 1,
    "yardsticks": {"start": {"fma_f32_gflops": 100, "l1_gbps": 200, "gone": 1, "l3_gbps/threads:2": 400},
                   "end": {"fma_f32_gflops": 95, "l1_gbps": 202, "l3_gbps/threads:2": 200}},
    "process": {"start_unix_s": 1000.5, "end_unix_s": 1010, "wall_s": 9.5, "cpu_s": 9, "steal": 0.01, "other_busy": 0.2,
                "peak_rss_bytes": 1e9, "involuntary_switches": 12},
    "later": {"x": [1]}
  }
})";
  const model::ResultSet set = read_bytes(bytes, "f.json");
  EXPECT_THAT(oddities(set), IsEmpty());
  const model::Process& process = set.processes.at(0);
  EXPECT_EQ(process.executable, "matmul_bench");
  EXPECT_EQ(process.run_index, 3);
  EXPECT_EQ(process.pair_index, 1);
  EXPECT_EQ(process.start_unix_s, 1000.5) << "measured, rather than the context's date";
  EXPECT_EQ(process.end_unix_s, 1010);
  EXPECT_EQ(process.wall_s, 9.5);
  EXPECT_EQ(process.cpu_s, 9);
  EXPECT_EQ(process.peak_rss_bytes, 1e9);
  EXPECT_EQ(process.disturbance.steal, 0.01);
  EXPECT_EQ(process.disturbance.other_busy, 0.2);
  EXPECT_NEAR(process.disturbance.yardstick_drift.value_or(0), 0.05, 1e-12);
  EXPECT_EQ(process.yardsticks_start.at("l3_gbps/threads:2"), 400) << "kept, though it is no sign of drift";
  EXPECT_EQ(process.yardsticks_start.at("l1_gbps"), 200);
  EXPECT_EQ(process.yardsticks_end.at("fma_f32_gflops"), 95);
  EXPECT_EQ(set.machine.key, "amd-zen4-avx512-2c");
  EXPECT_EQ(set.machine.cpu_model, "AMD EPYC");
  EXPECT_EQ(set.machine.cores, 2);
  EXPECT_EQ(set.methodology.commit, "1a2b3c");
  EXPECT_TRUE(set.methodology.dirty);
  EXPECT_EQ(set.methodology.compiler, "g++ 12.2.0");
  EXPECT_EQ(set.methodology.flags, "-O3");
  EXPECT_EQ(set.methodology.build_type, "Release");
  EXPECT_EQ(set.methodology.settings.at("seed"), "42");
  EXPECT_EQ(set.methodology.settings.at("isa_active"), "avx512");
  EXPECT_EQ(set.machine.details.at("smt"), "no");
  EXPECT_EQ(process.context.at("pawl_process_involuntary_switches"), "12");
  EXPECT_EQ(process.context.at("pawl_placement"), "7");
  EXPECT_FALSE(set.methodology.settings.contains("run_index")) << "that is of one run, not of the method";
}

TEST(Context, UnknownIsAbsent) {
  const auto set =
      read_bytes(document(row("a", 1),
                          R"("pawl_git_commit": "unknown", "pawl_git_dirty": "unknown", "pawl_cpu_model": "unknown")"),
                 "f");
  EXPECT_EQ(set.methodology.commit, "");
  EXPECT_FALSE(set.methodology.dirty);
  EXPECT_EQ(set.machine.cpu_model, "");
}

TEST(Context, AbsentThingsStayAbsent) {
  const model::ResultSet set = read_bytes("{\"benchmarks\": [" + row("a", 1) + "]}", "f.json");
  const model::Process& process = set.processes.at(0);
  EXPECT_EQ(process.run_index, -1);
  EXPECT_EQ(process.pair_index, -1);
  EXPECT_FALSE(process.start_unix_s.has_value());
  EXPECT_FALSE(process.disturbance.steal.has_value());
  EXPECT_FALSE(process.disturbance.yardstick_drift.has_value());
  EXPECT_EQ(process.executable, "");
  EXPECT_EQ(set.machine.cores, 0);
}

TEST(Context, MayStandBehindTheRows) {  // as sorted by jq -S
  const auto set = read_bytes("{\"benchmarks\": [" + row("a", 1) + "], \"context\": {\"executable\": \"x/y\"}}", "f");
  EXPECT_EQ(set.benchmarks.at(0).executable, "y");
}

TEST(Context, RepeatedKeysAreJoined) {
  const auto set =
      read_bytes(document(row("a", 1), R"("tag": "one", "tag": "two", "date": "2026-11-20T21:29:29+00:00")"), "f.json");
  EXPECT_EQ(set.processes[0].context.at("tag"), "one, two");
  EXPECT_THAT(oddities(set), Contains(HasSubstr("the context's \"tag\" is there twice: both are kept")));
}

TEST(Context, OfAnyShape) {
  const auto set =
      read_bytes(document(row("a", 1), R"("n": null, "b": true, "list": [1, "two", {"x": 1}, []], "object": {"x": {}},
               "caches": [{"type": "Data", "level": 1, "size": 49152, "num_sharing": 1, "more": []}, 7])"),
                 "f.json");
  const auto& context = set.processes[0].context;
  EXPECT_EQ(context.at("n"), "null");
  EXPECT_EQ(context.at("b"), "true");
  EXPECT_EQ(context.at("list"), "1, two, {...}, {...}");
  EXPECT_EQ(context.at("object"), "{...}");
  EXPECT_EQ(context.at("caches"), "L1 Data 48 KiB, 7");
}

TEST(Context, PawlSectionOfALaterVersion) {
  const auto set =
      read_bytes("{\"benchmarks\": [" + row("a", 1) +
                     R"(], "pawl": {"schema_version": 2, "yardsticks": [], "process": {"steal": "much"}}})",
                 "f.json");
  EXPECT_THAT(oddities(set), Contains(HasSubstr("schema_version 2, this program knows 1")));
  EXPECT_THAT(oddities(set), Contains(HasSubstr("\"steal\" in the \"pawl\" section is no number: left out")));
}

}  // namespace
}  // namespace pawl::read
