// environment_test.cpp -- the context pairs are those that docs/benchmarking.md lists.
#include "environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace pawl::bench {
namespace {

TEST(Environment, EveryKeyStandsInTheGuide) {
  std::ifstream file(PAWL_DOCS "/benchmarking.md");
  const std::string guide{std::istreambuf_iterator<char>(file), {}};
  for (const auto& [key, value] : describe_environment()) EXPECT_THAT(guide, ::testing::HasSubstr("`" + key + "`"));
}

}  // namespace
}  // namespace pawl::bench
