// peers_test.cpp -- hand-made rows: who is grouped with whom, which limit binds, who loses.
#include "show/peers.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "show/report.hpp"

namespace pawl::show {
namespace {

model::ResultSet machine() {
  model::ResultSet set;
  model::Process p;
  p.context = {{"pawl_l1d_bytes", "32768"}, {"pawl_l2_bytes", "1048576"}, {"pawl_l3_bytes", "33554432"}};
  p.yardsticks_start = {{"fma_f32_gflops", 100},
                        {"read_l1_gbs", 200},
                        {"read_l2_gbs", 100},
                        {"read_mem_gbs", 30},
                        {"stream_copy_mem_gbs", 40}};
  p.yardsticks_end = {{"fma_f32_gflops", 90}};
  set.processes = {p, p};
  return set;
}

void add(model::ResultSet& set, const std::string& name, std::vector<double> seconds, double flops = 0,
         double bytes = 0, double working_set = 0) {
  model::Benchmark b;
  b.name = name;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    model::Reading r;
    r.process = i;
    r.series.push_back({model::kRealTime, {seconds[i]}});
    if (flops > 0) r.series.push_back({"flops", {flops}});
    if (bytes > 0) r.series.push_back({"bytes", {bytes}});
    if (working_set > 0) r.series.push_back({"working_set_bytes", {working_set}});
    b.readings.push_back(std::move(r));
  }
  set.benchmarks.push_back(std::move(b));
}

TEST(Peers, SpeedUpIsTheirTimeOverOurs) {
  auto set = machine();
  add(set, "add/f32/pawl/n:16", {1e-6, 1e-6});
  add(set, "add/f32/eigen/n:16", {2e-6, 2e-6});
  add(set, "add/f32/scalar/n:16", {8e-6, 8e-6});
  add(set, "add/f32/avx2/n:16", {1e-6, 1e-6});
  add(set, "add/f32/eigen/n:32", {2e-6, 2e-6});  // no row of ours
  const PeerTable t = peer_table(set);
  ASSERT_EQ(t.rows.size(), 1u);
  EXPECT_EQ(t.peers, std::vector<std::string>{"eigen"});
  EXPECT_NEAR(t.rows[0].peers[0].speed_up, 2, 1e-12);
  EXPECT_NEAR(*t.rows[0].over_scalar, 8, 1e-12);
  EXPECT_TRUE(t.behind().empty());
}

// Dot products of bf16 are no limit where FMAs of f32 are faster.
TEST(Peers, TheLimitOfBf16IsTheFasterOfTwoPeaks) {
  for (const double dots : {50.0, 200.0}) {
    auto set = machine();
    for (auto& p : set.processes) p.yardsticks_start["fma_bf16_gflops"] = dots;
    add(set, "matmul/bf16/pawl/m:9/threads:1", {1}, 80e9);
    add(set, "matmul/f32/pawl/m:9/threads:1", {1}, 80e9);
    const PeerTable t = peer_table(set);
    EXPECT_NEAR(*t.rows[0].of_limit, 80 / std::max(dots, 100.0), 1e-12);
    EXPECT_NEAR(*t.rows[1].of_limit, 0.8, 1e-12);
  }
}

TEST(Peers, TheLargerShareOfALimitBinds) {
  auto set = machine();
  add(set, "matmul/f32/pawl/m:9/threads:1", {1}, 95e9, 1e9, 1000);
  add(set, "matmul/f32/pawl/m:9/threads:2", {1}, 95e9, 1e9, 1000);
  add(set, "add/f32/pawl/n:1", {1}, 1e9, 150e9, 1000);
  add(set, "add/f32/pawl/n:2", {1}, 1e9, 50e9, 500'000);
  add(set, "add/f32/pawl/n:3", {1}, 1e9, 36e9, 1e9);
  const PeerTable t = peer_table(set);
  EXPECT_EQ(t.rows[0].bound, "compute");
  EXPECT_NEAR(*t.rows[0].of_limit, 0.95, 1e-12);
  EXPECT_NEAR(*t.rows[1].of_limit, 0.475, 1e-12);
  EXPECT_EQ(t.rows[2].bound, "L1");
  EXPECT_NEAR(*t.rows[2].of_limit, 0.75, 1e-12);
  EXPECT_EQ(t.rows[3].bound, "L2");
  EXPECT_EQ(t.rows[4].bound, "memory");
  EXPECT_NEAR(*t.rows[4].of_limit, 0.9, 1e-12);
}

TEST(Peers, RowsWeLoseComeFirstTheWorstAhead) {
  auto set = machine();
  add(set, "a/f32/pawl/n:1", {1.0});
  add(set, "b/f32/pawl/n:1", {1.0});
  add(set, "c/f32/pawl/n:1", {1.0});
  add(set, "a/f32/x/n:1", {0.9});
  add(set, "b/f32/x/n:1", {0.5});
  add(set, "c/f32/x/n:1", {0.995});  // within 1 %: even
  const PeerTable t = peer_table(set);
  ASSERT_EQ(t.behind().size(), 2u);
  EXPECT_EQ(t.behind()[0]->op, "b");
  EXPECT_EQ(format_peers_text(t).find("2 of 3 rows behind a peer: b f32 n:1 (x x0.50), a f32"), 0u)
      << format_peers_text(t);
}

TEST(Peers, AnotherWayOfCallingOursIsShownAndBeatsNobody) {
  auto set = machine();
  add(set, "a/f32/pawl/n:1", {1.0});
  add(set, "a/f32/pawl-plan/n:1", {0.5});
  const PeerTable t = peer_table(set);
  EXPECT_EQ(t.rows[0].peers.size(), 1u);
  EXPECT_EQ(t.rows[0].best_peer(), nullptr);
  EXPECT_TRUE(t.behind().empty());
  EXPECT_EQ(t.compared, 0u);
}

TEST(Peers, FailedRowsHaveNoNumber) {
  auto set = machine();
  add(set, "a/f32/pawl/n:1", {1.0});
  add(set, "a/f32/x/n:1", {0.5});
  set.benchmarks[1].readings[0].status = model::Status::failed;
  EXPECT_TRUE(peer_table(set).rows[0].peers.empty());
  EXPECT_EQ(peer_table(set).compared, 0u);
}

TEST(Peers, OursWithoutATimeAreNamed) {
  auto set = machine();
  add(set, "a/f32/pawl/n:1", {1.0});
  add(set, "b/f32/pawl/n:1", {0.0});
  add(set, "c/f32/x/n:1", {0.0});  // not ours
  set.benchmarks[0].readings[0].status = model::Status::failed;
  const PeerTable none = peer_table(set);
  EXPECT_EQ(format_peers_text(none),
            "2 rows of ours without a time (failed, skipped, or 0): a/f32/pawl/n:1, b/f32/pawl/n:1; nothing to set "
            "beside peers\n");
  EXPECT_EQ(nlohmann::json::parse(format_peers_json(none)).at("without_time").size(), 2u);
  set.benchmarks[0].readings[0].status = model::Status::ok;
  const std::string text = format_peers_text(peer_table(set));
  EXPECT_NE(text.find("\n1 row of ours without a time (failed, skipped, or 0): b/f32/pawl/n:1\n"), std::string::npos)
      << text;
  EXPECT_NE(format_peers_markdown(peer_table(set)).find("1 row of ours without a time"), std::string::npos);
  EXPECT_EQ(format_peers_text(peer_table(machine())), "no rows named op/type/pawl/...; nothing to set beside peers\n");
}

TEST(Peers, APipeInANameAddsNoColumn) {
  auto set = machine();
  add(set, "a|b/f32/pawl/k:x|y", {1.0});
  add(set, "a|b/f32/p|q/k:x|y", {0.5});
  add(set, "a|b/f32/pawl/k:\x1b[31m", {1.0});
  const std::string markdown = format_peers_markdown(peer_table(set));
  for (std::size_t begin = 0; begin < markdown.size();) {
    const std::size_t end = markdown.find('\n', begin);
    const std::string line = markdown.substr(begin, end - begin);
    begin = end + 1;
    if (!line.starts_with('|')) continue;
    std::size_t pipes = 0;
    for (std::size_t i = 0; i < line.size(); ++i) pipes += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
    EXPECT_EQ(pipes, 6u) << line;
  }
  EXPECT_EQ(format_peers_text(peer_table(set)).find('\x1b'), std::string::npos);
}

TEST(Peers, FormatsCarryTheSameNumbers) {
  auto set = machine();
  add(set, "a/f32/pawl/n:1", {1.0});
  add(set, "a/f32/x/n:1", {0.5});
  const PeerTable t = peer_table(set);
  const auto json = nlohmann::json::parse(format_peers_json(t));
  EXPECT_EQ(json.at("rows").at(0).at("peers").at(0).at("speed_up"), 0.5);
  EXPECT_EQ(json.at("behind").at(0).at("name"), "a/f32/pawl/n:1");
  EXPECT_NE(format_peers_markdown(t).find("| x0.50 |"), std::string::npos);
}

TEST(Report, NamesMachineFailuresAndDisturbances) {
  auto set = machine();
  set.machine.key = "amd-zen9";
  add(set, "a/f32/pawl/n:1", {1.0});
  add(set, "bad/f32/pawl/n:1", {1.0});
  set.benchmarks[1].readings[0].status = model::Status::failed;
  set.benchmarks[1].readings[0].message = "wrong | result";
  set.processes[0].executable = "x_bench";
  set.processes[0].disturbance.flags = {"steal 3 %"};
  const std::string text = format_report(set, "");
  for (const char* part :
       {"amd-zen9", "bad/f32/pawl/n:1", "wrong | result", "x_bench run -1: steal 3 %", "fma_f32_gflops | 100 |"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

}  // namespace
}  // namespace pawl::show
