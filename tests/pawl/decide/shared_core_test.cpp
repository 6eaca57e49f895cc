// shared_core_test.cpp -- what a core that another hardware thread used does to a verdict.
#include "decide/shared_core.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "decide/judge.hpp"

namespace pawl::decide {
namespace {

using testing::HasSubstr;

struct Timed {
  double time;
  double operations;  // per cycle; 0: nobody looked
};

// Process runs, each with its repetitions.
model::ResultSet set_of(const std::vector<std::vector<Timed>>& runs) {
  model::ResultSet set;
  model::Benchmark& benchmark = set.benchmarks.emplace_back();
  benchmark.name = "a";
  for (const auto& repetitions : runs) {
    model::Reading reading;
    reading.process = set.processes.size();
    set.processes.emplace_back();
    reading.repetitions = static_cast<std::uint32_t>(repetitions.size());
    model::Series time{model::kRealTime, {}}, operations{model::kOperationsPerCycle, {}};
    for (const Timed& one : repetitions) {
      time.values.push_back(one.time);
      if (one.operations > 0) operations.values.push_back(one.operations);
    }
    reading.series = {time, operations};
    benchmark.readings.push_back(reading);
  }
  return set;
}

model::ResultSet alone(double time) { return set_of({{{time, 3.9}}, {{time * 1.001, 3.89}}, {{time * 0.999, 3.9}}}); }

model::ResultSet shared(double time) {
  auto set = set_of({{{time, 2.1}}, {{time * 1.001, 3.2}}, {{time * 0.999, 2.6}}});
  // Another row, which saw what the core does alone, and which the other side does not have.
  model::Benchmark& other = set.benchmarks.emplace_back(alone(1).benchmarks.front());
  other.name = "other";
  return set;
}

Comparison verdict(const model::ResultSet& base, const model::ResultSet& now) {
  const Judgement judgement = judge(base, now, {});
  for (const Comparison& c : judgement.comparisons)
    if (c.name.starts_with("a")) return c;
  throw std::logic_error("nothing was compared");
}

TEST(SharedCore, IsWhereFewerOperationsGoThrough) {
  EXPECT_FALSE(is_shared(3.86, 3.876)) << "what probes of a core alone scatter by";
  EXPECT_TRUE(is_shared(3.4, 3.876));
  EXPECT_FALSE(is_shared(3.4, 0)) << "nobody looked";
}

TEST(SharedCore, AFewProbesAboveWhatTheOthersAgreeOnDoNotMakeThoseShared) {
  // Of a Zen 5: 540 probes, three of them in a burst.
  std::vector<double> operations(537, 5.05);
  operations.insert(operations.end(), {5.238, 5.258, 5.268});
  EXPECT_DOUBLE_EQ(free_core(operations), 5.05);
  EXPECT_DOUBLE_EQ(free_core({5.26, 5.05, 5.06}), 5.06);
  EXPECT_FALSE(is_shared(5.02, free_core({5.26, 5.05, 5.06})));
}

TEST(SharedCore, TheOneTimeThatTheCoreWasAloneIsBelieved) {
  EXPECT_DOUBLE_EQ(free_core({2.1, 3.88, 2.11, 2.105}), 3.88) << "further from the others than probes scatter";
  EXPECT_DOUBLE_EQ(free_core({3.88, 3.70, 3.65}), 3.88) << "of the others no two agree within a twentieth of it";
  EXPECT_DOUBLE_EQ(free_core({3.88}), 3.88);
  EXPECT_DOUBLE_EQ(free_core(std::vector<double>{}), 0);
}

TEST(SharedCore, HowOftenItWasIsCounted) {
  const CoreUse use = core_use(shared(100));
  EXPECT_EQ(use.shared, 3u);
  EXPECT_EQ(use.repetitions, 6u);
  EXPECT_EQ(core_use(set_of({{{100, 0}}})).repetitions, 0u);
}

TEST(SharedCore, ATimeBesideAnotherThreadIsNoRegression) {
  EXPECT_EQ(verdict(alone(100), alone(150)).verdict, Verdict::critical);
  const Comparison c = verdict(alone(100), shared(150));
  EXPECT_EQ(c.verdict, Verdict::inconclusive);
  EXPECT_THAT(c.reason, HasSubstr("+50.0 %, but another hardware thread used the core in 3 of 3 process runs of the "
                                  "new side, which can make a factor of 2"));
  EXPECT_EQ(c.more_runs, 0u);
}

TEST(SharedCore, WhatIsBeyondTheNeighboursDoingIsTheCodes) {
  EXPECT_EQ(verdict(alone(100), shared(205)).verdict, Verdict::inconclusive);
  EXPECT_EQ(verdict(alone(100), shared(214)).verdict, Verdict::warning);
  const Comparison c = verdict(alone(100), shared(300));
  EXPECT_EQ(c.verdict, Verdict::critical);
  EXPECT_THAT(c.reason, HasSubstr("of a factor of 3 another hardware thread on the core can have made 2"));
}

TEST(SharedCore, WhatIsLeftIsEstablishedToo) {
  // 2.0 to 2.4 times: surely slower, not surely more than twice as slow.
  auto now = shared(220);
  int i = 0;
  for (auto& reading : now.benchmarks.front().readings)
    for (double& time : reading.series.front().values) time += 20 * (i++ % 3 - 1);
  EXPECT_EQ(verdict(alone(100), now).verdict, Verdict::inconclusive);
}

TEST(SharedCore, OneRunASideIsJudgedByWhatIsLeft) {
  const auto one = [](double time, double operations) {
    auto set = set_of({{{time, operations}}});
    set.benchmarks.push_back(alone(1).benchmarks.front());
    set.benchmarks.back().name = "other";
    return set;
  };
  EXPECT_EQ(verdict(one(100, 3.9), one(190, 2.1)).verdict, Verdict::inconclusive);
  EXPECT_EQ(verdict(one(100, 3.9), one(230, 2.1)).verdict, Verdict::critical);
}

TEST(SharedCore, SidesThatBothMetANeighbourDifferByLess) {
  EXPECT_EQ(verdict(shared(100), shared(120)).verdict, Verdict::inconclusive);
  EXPECT_EQ(verdict(shared(100), shared(150)).verdict, Verdict::critical);
  EXPECT_EQ(verdict(shared(100), shared(82)).verdict, Verdict::inconclusive);
  EXPECT_EQ(verdict(shared(100), shared(60)).verdict, Verdict::improvement);
}

TEST(SharedCore, WhatSharingExplainsGoesByTheSidesOrByThePairs) {
  EXPECT_EQ(explained_by_sharing({}), 0);
  EXPECT_EQ(explained_by_sharing({.set_aside = 3}), 0);
  EXPECT_DOUBLE_EQ(explained_by_sharing({.now = 2}), std::log(2.0));
  EXPECT_DOUBLE_EQ(explained_by_sharing({.base = 1}), std::log(2.0));
  EXPECT_DOUBLE_EQ(explained_by_sharing({.base = 3, .now = 2}), std::log(1.25));
  EXPECT_EQ(explained_by_sharing({.base = 4, .now = 4, .pairs = 5}), 0);
  EXPECT_DOUBLE_EQ(explained_by_sharing({.base = 4, .now = 3, .pairs = 5, .unlike = 1}), std::log(2.0) / 5);
}

TEST(SharedCore, ATimeThatIsShortBesideAnotherThreadIsShort) {
  EXPECT_EQ(verdict(alone(100), shared(80)).verdict, Verdict::improvement);
  EXPECT_EQ(verdict(alone(100), shared(100)).verdict, Verdict::stable);
}

TEST(SharedCore, ASlowedBaselineHidesRegressions) {
  const Comparison hidden = verdict(shared(100), alone(100));
  EXPECT_EQ(hidden.verdict, Verdict::inconclusive);
  EXPECT_THAT(hidden.reason, HasSubstr("3 of 3 process runs of the baseline"));
  EXPECT_EQ(verdict(shared(100), alone(80)).verdict, Verdict::inconclusive);
  EXPECT_EQ(verdict(shared(100), alone(150)).verdict, Verdict::critical) << "slower even than a slowed one";
}

TEST(SharedCore, RowsOfManyThreadsAreComparedAsTheyAre) {
  auto base = alone(100), now = shared(150);
  for (auto* set : {&base, &now}) set->benchmarks.front().name = "a/threads:2";
  EXPECT_EQ(verdict(base, now).verdict, Verdict::critical);
  EXPECT_FALSE(says_many_threads("a/threads:1"));
  EXPECT_FALSE(says_many_threads("a/pthreads:4"));
  EXPECT_TRUE(says_many_threads("threads:16/b"));
}

TEST(SharedCore, WhatACoreDoesAloneIsSeenByAllRowsOfASide) {
  auto now = shared(150);
  now.benchmarks.pop_back();
  for (auto& reading : now.benchmarks.front().readings) reading.series.back().values = {2.1};
  EXPECT_EQ(verdict(alone(100), now).verdict, Verdict::critical) << "for all that one can know it is another machine";
  now.benchmarks.push_back(alone(1).benchmarks.front());
  now.benchmarks.back().name = "b";
  EXPECT_EQ(verdict(alone(100), now).verdict, Verdict::inconclusive);
}

model::ResultSet on(const std::string& key, model::ResultSet set) {
  set.machine.key = key;
  return set;
}

// Of a session in which the neighbour never left.
model::ResultSet beside(double time) { return set_of({{{time, 2.6}}, {{time * 1.001, 2.59}}, {{time * 0.999, 2.6}}}); }

TEST(SharedCore, ANeighbourWhoStaysForAWholeSessionIsSeenByTheOtherSide) {
  const Judgement slower = judge(on("m", alone(100)), on("m", beside(135)), {});
  EXPECT_EQ(slower.comparisons.at(0).verdict, Verdict::inconclusive);
  EXPECT_THAT(slower.notes,
              testing::Contains("another hardware thread used the core all the time the new side was "
                                "measured: 2.60 operations per cycle at most, and 3.90 on the other side"));
  const Judgement hidden = judge(on("m", beside(135)), on("m", alone(135)), {});
  EXPECT_EQ(hidden.comparisons.at(0).verdict, Verdict::inconclusive);
  EXPECT_THAT(hidden.notes, testing::Contains(HasSubstr("all the time the baseline was measured")));
  EXPECT_EQ(verdict(on("m", alone(100)), on("m", beside(300))).verdict, Verdict::critical) << "more than that makes";
  EXPECT_EQ(verdict(on("m", alone(100)), on("m", alone(135))).verdict, Verdict::critical);
}

TEST(SharedCore, WhatAnotherMachineDoesAloneSaysNothing) {
  const auto shared_now = [](const model::ResultSet& base, const model::ResultSet& now) {
    const FreeCores cores = free_cores(base, now);
    EXPECT_TRUE(cores.base == 3.9 && (cores.now == 2.6 || cores.now == 3.9));
    return cores.shared_now;
  };
  const auto base = on("m", alone(100)), now = on("m", beside(135));
  EXPECT_DOUBLE_EQ(shared_now(base, now), 2.6);
  EXPECT_EQ(shared_now(base, on("other", now)), 0);
  EXPECT_EQ(shared_now(on("", base), on("", now)), 0);
  auto other = now;
  other.machine.cpu_model = "CPU 2";
  EXPECT_DOUBLE_EQ(shared_now(base, other), 2.6) << "the model of one is not known";
  auto known = base;
  known.machine.cpu_model = "CPU 1";
  EXPECT_EQ(shared_now(known, other), 0);
  auto release = base, debug = now;
  release.methodology.build_type = "Release";
  debug.methodology.build_type = "Debug";
  EXPECT_EQ(shared_now(release, debug), 0) << "the probe's loops are others without optimization";
  EXPECT_EQ(free_cores(base, set_of({{{100, 0}}})).shared_now, 0);
}

TEST(SharedCore, OneRepetitionAloneIsEnoughForARun) {
  const auto now = set_of({{{150, 3.9}, {190, 2.0}}, {{200, 2.0}, {150.1, 3.9}}, {{149.9, 3.9}, {170, 2.2}}});
  EXPECT_EQ(verdict(alone(100), now).verdict, Verdict::critical);
}

TEST(SharedCore, SharedRunsAreSetAsideWhereTwoOthersAreThere) {
  const auto now = set_of({{{100, 3.9}}, {{170, 2.1}}, {{100.1, 3.9}}, {{160, 2.2}}});
  const Judgement judgement = judge(alone(100), now, {});
  EXPECT_EQ(judgement.comparisons.at(0).verdict, Verdict::stable);
  EXPECT_EQ(judgement.comparisons.at(0).runs_new, 2u);
  EXPECT_THAT(judgement.notes, testing::Contains(HasSubstr("set aside in 1 benchmark, left in 0")));
  const auto one_left = set_of({{{100, 3.9}}, {{170, 2.1}}, {{160, 2.2}}});
  EXPECT_EQ(verdict(alone(100), one_left).runs_new, 3u);
}

model::ResultSet paired(const std::vector<std::vector<Timed>>& runs) {
  auto set = set_of(runs);
  for (std::size_t i = 0; i < set.processes.size(); ++i) set.processes[i].pair_index = static_cast<int>(i);
  return set;
}

TEST(SharedCore, APairIsSetAsideAsAPair) {
  const auto base = paired({{{100, 3.9}}, {{101, 3.9}}, {{150, 2.0}}, {{100, 3.9}}, {{101, 3.9}}});
  const auto now = paired({{{100, 3.9}}, {{160, 2.0}}, {{100, 3.9}}, {{100.1, 3.9}}, {{101.1, 3.9}}});
  const Comparison c = verdict(base, now);
  EXPECT_TRUE(c.paired);
  EXPECT_EQ(c.runs_base, 3u);
  EXPECT_EQ(c.runs_new, 3u);
  EXPECT_NEAR(c.change, 0.0007, 1e-4);
}

TEST(SharedCore, PairsMeetANeighbourAlike) {
  const auto base = paired({{{160, 2.0}}, {{161, 2.0}}, {{150, 2.1}}, {{100, 3.9}}});
  EXPECT_EQ(verdict(base, paired({{{176, 2.0}}, {{179, 2.0}}, {{166, 2.1}}, {{111, 3.9}}})).verdict, Verdict::critical);
  // In one of four pairs the new side alone: a fourth of a factor of 2, 1.19.
  EXPECT_EQ(verdict(base, paired({{{176, 2.0}}, {{179, 2.0}}, {{166, 2.1}}, {{111, 2.1}}})).verdict,
            Verdict::inconclusive);
  EXPECT_EQ(verdict(base, paired({{{240, 2.0}}, {{241, 2.0}}, {{225, 2.1}}, {{151, 2.1}}})).verdict, Verdict::critical);
}

TEST(SharedCore, WhereAProbeIsMissingNothingIsKnown) {
  EXPECT_EQ(
      verdict(alone(100), set_of({{{150, 2.1}, {151, 0}}, {{150, 2.1}, {151, 0}}, {{150, 2.1}, {152, 0}}})).verdict,
      Verdict::critical);
}

}  // namespace
}  // namespace pawl::decide
