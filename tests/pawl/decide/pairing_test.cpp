// pairing_test.cpp -- which process runs belong together, by index, by time and by placement.
#include "decide/pairing.hpp"

#include <gtest/gtest.h>

#include <string>

namespace pawl::decide {
namespace {

model::ResultSet runs_at(const std::vector<double>& starts, const std::string& executable = "bench") {
  model::ResultSet set;
  for (const double at : starts) {
    model::Process p;
    p.executable = executable;
    p.start_unix_s = at;
    set.processes.push_back(p);
  }
  return set;
}

TEST(Pairing, IndicesPairWithinAnExecutable) {
  model::ResultSet base, now;
  const auto add = [](model::ResultSet& set, const char* executable, int pair) {
    model::Process p;
    p.executable = executable;
    p.pair_index = pair;
    set.processes.push_back(p);
  };
  add(base, "x", 0);
  add(base, "y", 0);
  add(base, "x", 1);
  add(now, "y", 0);
  add(now, "x", 1);
  add(now, "x", 2);
  const Pairing p = pair_neighbours(base, now);
  EXPECT_EQ(p.base[0], -1);
  EXPECT_EQ(p.base[1], p.now[0]);
  EXPECT_EQ(p.base[2], p.now[1]);
  EXPECT_GE(p.base[1], 0);
  EXPECT_NE(p.base[1], p.base[2]);
  EXPECT_EQ(p.now[2], -1);
}

TEST(Pairing, RunsThatAlternateInTimeArePairs) {
  const Pairing p = pair_neighbours(runs_at({10, 40, 50}), runs_at({30, 20, 60}));  // A B B A A B
  EXPECT_EQ(p.base[0], p.now[1]);
  EXPECT_EQ(p.base[1], p.now[0]);
  EXPECT_EQ(p.base[2], p.now[2]);
}

TEST(Pairing, RunsOfTwoSessionsAreNone) {
  for (const auto& now : {runs_at({40, 50, 60}), runs_at({15, 16, 17}), runs_at({15, 25})}) {
    const Pairing p = pair_neighbours(runs_at({10, 20, 30}), now);
    for (const int pair : p.base) EXPECT_EQ(pair, -1);
  }
  EXPECT_EQ(pair_neighbours(runs_at({10}), runs_at({20})).base[0], -1);  // two runs are in some order always
}

model::ResultSet numbered(model::ResultSet set) {
  for (std::size_t i = 0; i < set.processes.size(); ++i) set.processes[i].pair_index = static_cast<int>(i);
  return set;
}

TEST(Pairing, IndicesOfTwoSessionsAreNone) {
  // Monday's and Tuesday's new side, each beside a base that is not here.
  const auto monday = numbered(runs_at({10, 40, 50})), tuesday = numbered(runs_at({90010, 90020, 90050}));
  const Pairing p = pair_neighbours(monday, tuesday);
  EXPECT_TRUE(p.two_sessions);
  for (const int pair : p.base) EXPECT_EQ(pair, -1);
  for (const int pair : p.now) EXPECT_EQ(pair, -1);
  EXPECT_TRUE(pair_neighbours(tuesday, monday).two_sessions);
}

TEST(Pairing, IndicesOfOneSessionAreWhateverTheOrderWithinAPair) {
  // The second as merged from two sessions, the third by a clock of whole seconds.
  for (const auto& [base, now] : std::vector<std::pair<std::vector<double>, std::vector<double>>>{
           {{10, 40, 50}, {20, 30, 60}}, {{10, 40, 9050}, {20, 30, 9060}}, {{10, 10, 11}, {10, 11, 11}}}) {
    const Pairing p = pair_neighbours(numbered(runs_at(base)), numbered(runs_at(now)));
    EXPECT_FALSE(p.two_sessions);
    for (std::size_t i = 0; i < base.size(); ++i) {
      EXPECT_GE(p.base[i], 0);
      EXPECT_EQ(p.base[i], p.now[i]);
    }
  }
}

TEST(Pairing, IndicesHoldWhereNoTimesAreKnown) {
  auto base = numbered(runs_at({10, 20})), now = numbered(runs_at({90010, 90020}));
  for (auto& process : now.processes) process.start_unix_s.reset();
  const Pairing p = pair_neighbours(base, now);
  EXPECT_FALSE(p.two_sessions);
  EXPECT_EQ(p.base, p.now);
  EXPECT_GE(p.base[0], 0);
}

TEST(Pairing, OneExecutableASideMayHaveTwoNames) {
  const Pairing p = pair_neighbours(runs_at({10, 40}, "old_bench"), runs_at({20, 30}, "new_bench"));
  EXPECT_GE(p.base[0], 0);
  EXPECT_EQ(p.base[0], p.now[0]);
}

}  // namespace
}  // namespace pawl::decide
