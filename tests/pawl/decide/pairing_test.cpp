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

TEST(Pairing, OneExecutableASideMayHaveTwoNames) {
  const Pairing p = pair_neighbours(runs_at({10, 40}, "old_bench"), runs_at({20, 30}, "new_bench"));
  EXPECT_GE(p.base[0], 0);
  EXPECT_EQ(p.base[0], p.now[0]);
}

}  // namespace
}  // namespace pawl::decide
