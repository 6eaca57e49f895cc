// session_test.cpp -- process runs of made-up benches: all rows accounted for, disturbed runs repeated, bad rows left
// out.
#include "run/session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "pawl/run/scratch.hpp"
#include "run/discover.hpp"

namespace pawl::run {
namespace {

namespace fs = std::filesystem;
using model::Status;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class SessionTest : public testing::Test {
 protected:
  Scratch scratch;
  Progress progress{stderr, 0, true};
  SessionSettings settings;

  SessionTest() { settings.process.timeout_s = 0.5; }

  Side side(const std::string& name) {
    fs::create_directories(scratch / (name + "raw"));
    fs::create_directories(scratch / (name + "bin"));
    return {name, discover(scratch / (name + "bin"), {}, false), scratch / (name + "raw")};
  }
  static const model::Reading& reading(const model::ResultSet& set, const std::string& name) {
    for (const auto& benchmark : set.benchmarks)
      if (benchmark.name == name) return benchmark.readings.at(0);
    throw std::runtime_error("no " + name);
  }
};

TEST_F(SessionTest, ProgramsOfBothSidesAreMatchedByName) {
  scratch.fake_bench("basebin/a_bench", "both 1 0 ok\nold 1 0 ok\n");
  scratch.fake_bench("newbin/a_bench", "both 1 0 ok\nnew 1 0 ok\n");
  scratch.fake_bench("newbin/b_bench", "extra 1 0 ok\n");
  Session session({side("base"), side("new")}, settings, progress);
  ASSERT_TRUE(session.list());
  EXPECT_THAT(session.executables(), ElementsAre("a_bench", "b_bench"));
  EXPECT_THAT(session.rows(), ElementsAre(Row{0, "both"}, Row{0, "new"}, Row{0, "old"}, Row{1, "extra"}));

  const auto pair = session.measure_pair({0, 1, 2, 2}, {});
  ASSERT_TRUE(pair);
  EXPECT_THAT((*pair)[0].benchmarks, SizeIs(2));
  EXPECT_EQ(reading((*pair)[0], "old").status, Status::ok);
  EXPECT_EQ(reading((*pair)[1], "new").status, Status::ok);
  for (const auto& set : *pair) EXPECT_EQ(set.processes[0].pair_index, 2);
  EXPECT_EQ((*pair)[0].processes[0].context.at("fake_placement"), (*pair)[1].processes[0].context.at("fake_placement"));
  EXPECT_EQ((*pair)[0].processes[0].context.at("fake_seed"), "42");
  EXPECT_TRUE(fs::exists(scratch / "baseraw/a_bench.02.json"));
  EXPECT_TRUE(fs::exists(scratch / "newraw/a_bench.02.json"));

  const auto only_new = session.measure_pair({1, 0, 0, 0}, {});
  ASSERT_TRUE(only_new);
  EXPECT_THAT((*only_new)[0].processes, IsEmpty());
  EXPECT_EQ(reading((*only_new)[1], "extra").status, Status::ok);

  const auto some = session.measure_pair({0, 0, 3, 3}, {"old"});
  EXPECT_THAT((*some)[0].benchmarks, SizeIs(1));
  EXPECT_THAT((*some)[1].processes, IsEmpty()) << "new has no such row";
}

TEST_F(SessionTest, ADisturbedRunIsRepeatedAndSaid) {
  scratch.fake_bench("bin/x_bench", "a 1 0 ok\n!disturbed 1\n");
  Session session({side("")}, settings, progress);
  ASSERT_TRUE(session.list());
  session.expect({{0, 0, 0, -1}, {0, 0, 1, -1}}, session.rows());
  const auto set = session.measure({0, 0, 0, -1});
  ASSERT_TRUE(set);
  EXPECT_NEAR(*set->processes[0].disturbance.real_over_cpu, 1, 1e-9);
  EXPECT_EQ(session.record().repeated, 1u);
  EXPECT_EQ(session.record().process_runs, 2u);
  ASSERT_THAT(session.record().disturbed, SizeIs(1));
  EXPECT_THAT(session.record().disturbed[0], HasSubstr("1.50 times CPU time"));
  EXPECT_THAT(session.record().disturbed[0], HasSubstr("run again"));
  EXPECT_TRUE(fs::exists(scratch / "raw/disturbed/x_bench.00.1.json"));
  EXPECT_TRUE(fs::exists(scratch / "raw/x_bench.00.json"));
}

TEST_F(SessionTest, ADisturbedSideRepeatsItsPair) {
  scratch.fake_bench("basebin/x_bench", "a 1 0 ok\n!disturbed 1\n");
  scratch.fake_bench("newbin/x_bench", "a 1 0 ok\n");
  Session session({side("base"), side("new")}, settings, progress);
  ASSERT_TRUE(session.list());
  session.expect(plan_pairs(1, 0, 4, 42), session.rows());
  ASSERT_TRUE(session.measure_pair({0, 0, 0, 0}, {}));
  EXPECT_EQ(session.record().repeated, 2u);
  EXPECT_TRUE(fs::exists(scratch / "newraw/disturbed/x_bench.00.1.json"));
}

TEST_F(SessionTest, RepeatsAreBoundedAndADisturbedRunIsKept) {
  scratch.fake_bench("bin/x_bench", "a 1 0 ok\n!disturbed 100\n");
  Session session({side("")}, settings, progress);
  ASSERT_TRUE(session.list());
  const auto steps = plan_runs(1, 0, 8, 42);
  session.expect(steps, session.rows());
  for (const Step& step : steps) {
    const auto set = session.measure(step);
    ASSERT_TRUE(set);
    EXPECT_THAT(set->benchmarks, SizeIs(1));
  }
  EXPECT_LE(session.record().repeated, 2u) << "a quarter of 8";
  EXPECT_LE(session.record().disturbed.size(), 8u);
}

TEST_F(SessionTest, NothingIsRepeatedIfNobodyWantsIt) {
  scratch.fake_bench("bin/x_bench", "a 1 0 ok\n!disturbed 1\n");
  settings.repeat_disturbed = false;
  Session session({side("")}, settings, progress);
  ASSERT_TRUE(session.list());
  const auto set = session.measure({0, 0, 0, -1});
  EXPECT_THAT(set->processes[0].disturbance.flags, Contains(HasSubstr("1.50")));
  EXPECT_THAT(session.record().disturbed, SizeIs(1));
  EXPECT_EQ(session.record().repeated, 0u);
}

TEST_F(SessionTest, ACrashingRowIsTriedOnceAndFailsInEveryRun) {
  scratch.fake_bench("bin/x_bench", "a 1 0 ok\nb 1 0 crash\nc 1 0 ok\n");
  Session session({side("")}, settings, progress);
  ASSERT_TRUE(session.list());
  const auto first = session.measure({0, 0, 0, -1}), second = session.measure({0, 0, 1, -1});
  EXPECT_EQ(reading(*first, "b").status, Status::failed);
  EXPECT_THAT(reading(*first, "b").message.str(), HasSubstr("signal 11"));
  EXPECT_EQ(reading(*second, "b").status, Status::failed);
  EXPECT_THAT(reading(*second, "b").message.str(), HasSubstr("not tried again"));
  EXPECT_EQ(second->processes.size(), 1u);
  EXPECT_THAT(session.record().incidents, ElementsAre(HasSubstr("run 0: x_bench: b: signal 11")));
}

TEST_F(SessionTest, AProgramThatDiedInterleavedKeepsItsOwnOrder) {
  scratch.fake_bench("bin/x_bench", "a 1 0 ok\nb 1 0 crash\nc 1 0 ok\n!interleaves\n");
  settings.process.interleave = true;
  Session session({side("")}, settings, progress);
  ASSERT_TRUE(session.list());
  const auto first = session.measure({0, 0, 0, -1}), second = session.measure({0, 0, 1, -1});
  EXPECT_EQ(reading(*first, "a").status, Status::ok);
  EXPECT_EQ(reading(*second, "b").status, Status::failed);
  const std::string json = scratch.read("raw/x_bench.01.json");
  EXPECT_LT(json.find("\"name\": \"a\""), json.find("\"name\": \"c\"")) << "still interleaved";
}

TEST_F(SessionTest, AProgramThatCannotListIsAFailedBenchmark) {
  scratch.write("bin/broken_bench", "#!/bin/sh\necho no such library >&2\nexit 9\n");
  fs::permissions(scratch / "bin/broken_bench", fs::perms::owner_all);
  scratch.fake_bench("bin/good_bench", "a 1 0 ok\n");
  Session session({side("")}, settings, progress);
  ASSERT_TRUE(session.list());
  EXPECT_THAT(session.record().incidents, ElementsAre(HasSubstr("exit code 9: no such library")));
  const auto set = session.measure({0, 0, 0, -1});
  EXPECT_EQ(reading(*set, "broken_bench").status, Status::failed);
  EXPECT_EQ(reading(*session.measure({1, 0, 0, -1}), "a").status, Status::ok);
}

}  // namespace
}  // namespace pawl::run
