// massif_file_test.cpp -- massif's text, whole, cut off and wrong.
#include "profile/massif_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "pawl/profile/massif_text.hpp"

namespace pawl::profile {
namespace {

using ::testing::HasSubstr;

std::string refusal(const std::string& text) {
  try {
    parse_massif(text);
  } catch (const MassifError& error) {
    return error.what();
  }
  return "nothing was wrong";
}

std::string with(std::string_view before, std::string_view after) {
  std::string text = kMassifText;
  return text.replace(text.find(before), before.size(), after);
}

TEST(MassifFile, Snapshots) {
  const MassifFile file = parse_massif(kMassifText);
  EXPECT_EQ(file.command, "./model_bench --benchmark_filter=decode");
  EXPECT_EQ(file.time_unit, "i");
  ASSERT_EQ(file.snapshots.size(), 4U);
  EXPECT_EQ(file.peak, 2U);
  EXPECT_EQ(file.snapshots[2].time, 3000);
  EXPECT_EQ(file.snapshots[2].heap_bytes, 2100000);
  EXPECT_EQ(file.snapshots[2].extra_bytes, 340);
}

TEST(MassifFile, SitesOfThePeak) {
  const MassifFile file = parse_massif(kMassifText);
  EXPECT_EQ(file.small_bytes, 7296);
  ASSERT_EQ(file.sites.size(), 5U);
  double sum = file.small_bytes;
  for (const Site& site : file.sites) sum += site.bytes;
  EXPECT_EQ(sum, 2100000);
  const Site& first = file.sites[0];
  EXPECT_EQ(first.bytes, 1150000);
  const std::vector<Frame> frames = {
      {"allocate", "/usr/include/c++/12/bits/new_allocator.h:137"},
      {"std::vector<float, std::allocator<float> >::vector(unsigned long)", "in /opt/model_bench"},
      {"attention(unsigned long, int (*)(float))", "/src/model.cpp:4"},
      {"decode(benchmark::State&)", "/src/model.cpp:9"}};
  EXPECT_EQ(first.frames, frames);
  // Small places under a call are that call's, without who called it.
  EXPECT_EQ(file.sites[3].bytes, 50000);
  EXPECT_EQ(file.sites[3].frames, std::vector<Frame>(frames.begin(), frames.begin() + 3));
  // No place, and none that is taken for one.
  EXPECT_EQ(file.sites[1].frames[3], (Frame{"???", ""}));
  EXPECT_EQ(file.sites[4].frames[0], (Frame{"operator new(unsigned long, std::align_val_t)", "in /opt/model_bench"}));
}

TEST(MassifFile, WithoutAPeakTheLargestDetailsCount) {
  const MassifFile file = parse_massif(with("heap_tree=peak", "heap_tree=detailed"));
  EXPECT_EQ(file.sites.size(), 5U);
  std::string small = with("mem_heap_B=2100000", "mem_heap_B=5");
  small.replace(small.find("heap_tree=peak"), 14, "heap_tree=detailed");
  EXPECT_EQ(parse_massif(small).sites.size(), 1U);
  EXPECT_EQ(parse_massif(small).peak, 3U);
}

TEST(MassifFile, EveryPrefixIsReadOrRefused) {
  const std::string whole = kMassifText;
  std::size_t read = 0;
  for (std::size_t n = 0; n < whole.size(); ++n) {
    try {
      const MassifFile file = parse_massif(whole.substr(0, n));
      EXPECT_LT(file.snapshots.size(), 4U) << n;
      ++read;
    } catch (const MassifError&) {
    }
  }
  EXPECT_EQ(read, 3U);  // those that end with a snapshot
}

TEST(MassifFile, MistakesSayWhere) {
  EXPECT_THAT(refusal(""), HasSubstr("it ends after line 0"));
  EXPECT_THAT(refusal("desc: x\ncmd: y\ntime_unit: i\n"), HasSubstr("no snapshot"));
  EXPECT_THAT(refusal("{\"context\": {}}\n"), HasSubstr("line 1: desc: was to come, not '{\"context"));
  EXPECT_THAT(refusal(with("mem_heap_B=73320", "mem_heap_B=-3")), HasSubstr("line 16: a number"));
  EXPECT_THAT(refusal(with("time=3000", "time=10")), HasSubstr("snapshot 2 is earlier"));
  EXPECT_THAT(refusal(with("heap_tree=peak", "heap_tree=some")), HasSubstr("line 31: empty, detailed or peak"));
  EXPECT_THAT(refusal(with(" n1: 72704 0x", " nx: 72704 0x")), HasSubstr("line 21: a line of the tree"));
  // A call with more children than there are.
  EXPECT_THAT(refusal(with("n4: 2100000", "n5: 2100000")), HasSubstr("a line of the tree was to come, not '#---"));
  EXPECT_THAT(refusal(with("n4: 2100000", "n99999999999999999999: 2100000")), HasSubstr("a line of the tree"));
}

}  // namespace
}  // namespace pawl::profile
