// environment_test.cpp -- the context pairs are those that docs/benchmarking.md lists.
#include "environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace pawl::bench {
namespace {

TEST(Environment, EveryKeyStandsInTheGuide) {
  std::ifstream file(PAWL_DOCS "/benchmarking.md");
  const std::string guide{std::istreambuf_iterator<char>(file), {}};
  for (const auto& [key, value] : describe_environment()) EXPECT_THAT(guide, ::testing::HasSubstr("`" + key + "`"));
}

// Of the flags of the whole build: g++ and clang tell of sanitizers in different ways.
TEST(Environment, SanitizersMakeABuildWorthless) {
  EXPECT_EQ(is_worthless_build(), PAWL_SANITIZED_BUILD || std::string_view(PAWL_CONFIG) == "Debug");
}

}  // namespace
}  // namespace pawl::bench
