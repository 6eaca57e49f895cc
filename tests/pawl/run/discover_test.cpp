// discover_test.cpp -- bench executables are found by name, in the directories where builds put them.
#include "run/discover.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "failure.hpp"
#include "pawl/run/scratch.hpp"

namespace pawl::run {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names(const std::vector<BenchProgram>& programs) {
  std::vector<std::string> all;
  for (const BenchProgram& program : programs) all.push_back(program.name);
  return all;
}

class DiscoverTest : public testing::Test {
 protected:
  Scratch scratch;
  void program(const std::string& name) {
    fs::create_directories((scratch / name).parent_path());
    fs::copy_file("/bin/true", scratch / name);
  }
  std::string failure(const std::vector<std::string>& globs) {
    try {
      discover(scratch.path(), globs, true);
    } catch (const Failure& f) {
      EXPECT_EQ(f.exit_code, kBadInput);
      return f.line;
    }
    return "";
  }
};

TEST(IsInSuite, GlobsWithOrWithoutTheEnding) {
  EXPECT_TRUE(is_in_suite("simd_bench", "*_bench"));
  EXPECT_TRUE(is_in_suite("simd_bench", "simd"));
  EXPECT_TRUE(is_in_suite("simd_bench", "s?m*"));
  EXPECT_TRUE(is_in_suite("bench_fft", "bench_*"));
  EXPECT_FALSE(is_in_suite("simd_bench", "imd"));
  EXPECT_FALSE(is_in_suite("simd_benchmark", "simd"));
}

TEST_F(DiscoverTest, ProgramsInOrderOfTheirNames) {
  program("tensor_bench");
  program("simd_bench");
  program("pawl");
  EXPECT_THAT(names(discover(scratch.path(), {}, false)), ElementsAre("simd_bench", "tensor_bench"));
  EXPECT_THAT(names(discover(scratch.path(), {"tensor"}, false)), ElementsAre("tensor_bench"));
  EXPECT_THAT(names(discover(scratch.path(), {"tensor", "t*", "simd"}, false)),
              ElementsAre("simd_bench", "tensor_bench"));
}

// 'fft*' in a build directory: without this the tests beside the bench were started as benches.
TEST_F(DiscoverTest, WhereBenchesFitOthersAreLeftOut) {
  program("fft_bench");
  program("fft_test");
  program("fft_fuzz");
  EXPECT_THAT(names(discover(scratch.path(), {"fft*"}, false)), ElementsAre("fft_bench"));
  EXPECT_THAT(names(discover(scratch.path(), {"fft*", "*_test"}, false)), ElementsAre("fft_bench", "fft_test"));
  EXPECT_THAT(names(discover(scratch.path(), {"*_fuzz"}, false)), ElementsAre("fft_fuzz"));
}

TEST_F(DiscoverTest, OnlyWhatCanBeStarted) {
  program("good_bench");
  scratch.write("text_bench", "not executable");
  scratch.write("data_bench", "executable by accident");
  fs::permissions(scratch / "data_bench", fs::perms::owner_all);
  scratch.write("script_bench", "#!/bin/sh\n");
  fs::permissions(scratch / "script_bench", fs::perms::owner_all);
  fs::create_directory(scratch / "folder_bench");
  EXPECT_THAT(names(discover(scratch.path(), {}, true)), ElementsAre("good_bench", "script_bench"));
}

TEST_F(DiscoverTest, SubdirectoriesWithoutTheBuildSystemsOwn) {
  program("bin/a_bench");
  program("lib/deeper/b_bench");
  program("CMakeFiles/c_bench");
  program("_deps/d_bench");
  program(".cache/e_bench");
  EXPECT_THAT(names(discover(scratch.path(), {}, true)), ElementsAre("a_bench", "b_bench"));
  EXPECT_THROW(discover(scratch.path(), {}, false), Failure);
}

TEST_F(DiscoverTest, LinksCountOnceAndTwoOfOneNameAreToldApart) {
  program("x/a_bench");
  fs::create_symlink("x/a_bench", scratch / "link_bench");
  EXPECT_EQ(discover(scratch.path(), {}, true).size(), 1u);
  program("y/a_bench");
  fs::remove(scratch / "link_bench");
  EXPECT_THAT(names(discover(scratch.path(), {}, true)), ElementsAre("x.a_bench", "y.a_bench"));
}

TEST_F(DiscoverTest, TwoOfOneNameInSeveralPlacesAreToldApart) {
  program("tree/x/a_bench");
  program("tree/y/a_bench");
  program("tree/y/b_bench");
  const auto place = [&](const std::string& name) { return (scratch / name).string(); };
  EXPECT_THAT(names(discover_all({place("tree/x"), place("tree/y")}, {})),
              ElementsAre("x.a_bench", "y.a_bench", "b_bench"));
  EXPECT_THAT(names(discover_all({place("tree/x/a_bench"), place("tree/y/../y/a_bench")}, {})),
              ElementsAre("x.a_bench", "y.a_bench"));
  program("x.a_bench");
  EXPECT_THROW(discover_all({place("tree/x"), place("tree/y"), place("x.a_bench")}, {}), Failure);
}

TEST_F(DiscoverTest, OneFileInSeveralPlacesCountsOnce) {
  program("x/a_bench");
  const std::string x = (scratch / "x").string();
  EXPECT_THAT(names(discover_all({x, x, x + "/a_bench", scratch.path().string()}, {})), ElementsAre("a_bench"));
}

TEST_F(DiscoverTest, AFileIsItself) {
  program("anything");
  const auto found = discover(scratch / "anything", {}, false);
  EXPECT_THAT(names(found), ElementsAre("anything"));
  EXPECT_TRUE(found[0].path.is_absolute());
}

TEST_F(DiscoverTest, NothingFoundIsOneLineThatHelps) {
  EXPECT_THAT(failure({}), HasSubstr("no bench executable is called '*_bench'"));
  program("tensor_bench");
  EXPECT_THAT(failure({"gemm*"}), HasSubstr("'gemm*'; there are tensor_bench"));
  EXPECT_THAT(failure({"tenser_bench"}), HasSubstr("tensor_bench"));
  EXPECT_THROW(discover(scratch / "nowhere", {}, true), Failure);
}

}  // namespace
}  // namespace pawl::run
