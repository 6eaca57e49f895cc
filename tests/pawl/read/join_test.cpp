// join_test.cpp -- several sets -> one: what belongs together and what must stay apart.
#include "parts.hpp"

namespace pawl::read {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

model::ResultSet run(const std::string& executable, std::initializer_list<std::string> names, double time,
                     const std::string& more = "") {
  std::string rows;
  for (const std::string& name : names) rows += (rows.empty() ? "" : ",") + row(name, time);
  return read_bytes(document(rows, "\"executable\": \"" + executable + "\"" + more), executable + ".json");
}

TEST(Join, ProcessRunsOfOneExecutable) {
  const auto set = join({run("x", {"a", "b"}, 1), run("x", {"b", "a", "c"}, 2), run("x", {"a"}, 3)});
  EXPECT_THAT(set.processes, SizeIs(3));
  EXPECT_THAT(names(set), ElementsAre("a", "b", "c"));
  ASSERT_THAT(find(set, "a")->readings, SizeIs(3));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(find(set, "a")->readings[i].process, i);
    EXPECT_EQ(find(set, "a")->readings[i].series[0].values[0], static_cast<double>(i + 1) / 1e9);
  }
  EXPECT_EQ(find(set, "c")->readings.at(0).process, 1U);
}

TEST(Join, OneNameInTwoExecutablesStaysTwo) {
  const auto set = join({run("x", {"a"}, 1), run("y", {"a"}, 2), run("x", {"a"}, 3)});
  ASSERT_THAT(names(set), ElementsAre("a", "a"));
  EXPECT_EQ(set.benchmarks[0].executable, "x");
  EXPECT_THAT(set.benchmarks[0].readings, SizeIs(2));
  EXPECT_EQ(set.benchmarks[1].executable, "y");
  EXPECT_THAT(set.benchmarks[1].readings, SizeIs(1));
}

TEST(Join, NothingAndOne) {
  EXPECT_THAT(join({}).processes, IsEmpty());
  EXPECT_THAT(names(join({run("x", {"a"}, 1)})), ElementsAre("a"));
  EXPECT_THAT(names(join({model::ResultSet{}, run("x", {"a"}, 1)})), ElementsAre("a"));
}

TEST(Join, ContradictionsAreSaid) {
  const auto cpus = join({run("x", {"a"}, 1, ", \"num_cpus\": 2"), run("x", {"a"}, 1, ", \"num_cpus\": 64")});
  EXPECT_THAT(oddities(cpus),
              ElementsAre(HasSubstr("the number of CPUs differs within one set of results: 2 before, 64 "
                                    "here")));
  EXPECT_EQ(cpus.machine.cores, 2);
  const auto commits = join(
      {run("x", {"a"}, 1, ", \"pawl_git_commit\": \"aaa\""), run("x", {"a"}, 1, ", \"pawl_git_commit\": \"bbb\"")});
  EXPECT_THAT(oddities(commits), Contains(HasSubstr("the commit differs within one set of results: aaa before, bbb")));
  const auto silent = join({run("x", {"a"}, 1), run("x", {"a"}, 1, ", \"num_cpus\": 2")});
  EXPECT_THAT(silent.oddities, IsEmpty()) << "what one does not say is no contradiction";
  EXPECT_EQ(silent.machine.cores, 2);
}

}  // namespace
}  // namespace pawl::read
