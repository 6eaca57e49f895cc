// closest_test.cpp -- suggestions that help, and none that don't.
#include "closest.hpp"

#include <gtest/gtest.h>

namespace pawl {
namespace {

TEST(Closest, FindsTypingErrors) {
  const std::vector<std::string> files = {"base.json", "head.json", "README.md"};
  EXPECT_EQ(closest("hed.json", files), "head.json");    // left out
  EXPECT_EQ(closest("haed.json", files), "head.json");   // swapped
  EXPECT_EQ(closest("headd.json", files), "head.json");  // doubled
  EXPECT_EQ(closest("HEAD.json", files), "head.json");   // case
  EXPECT_EQ(closest("bsae.json", files), "base.json");
  EXPECT_EQ(closest("compare", {"compare"}), "compare");
}

TEST(Closest, SaysNothingWhenNothingIsNear) {
  EXPECT_EQ(closest("wholly_different", {"base.json", "x"}), "");
  EXPECT_EQ(closest("", {"base.json"}), "");
  EXPECT_EQ(closest("a", {}), "");
  EXPECT_EQ(did_you_mean("zzzzzz", {"abc"}), "");
  EXPECT_EQ(did_you_mean("mian", {"main"}), " (did you mean main?)");
}

}  // namespace
}  // namespace pawl
