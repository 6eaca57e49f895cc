// outputs_test.cpp -- which format goes where.
#include "show/outputs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "failure.hpp"

namespace pawl::show {
namespace {

using Plan = std::vector<std::pair<std::string, std::string>>;

Plan plan(const std::vector<std::string>& formats, const std::vector<std::string>& files) {
  Plan pairs;
  for (const Output& output : plan_outputs(formats, files)) pairs.emplace_back(name_of(output.format), output.file);
  return pairs;
}

TEST(Outputs, NothingAskedIsTheTable) { EXPECT_EQ(plan({}, {}), (Plan{{"table", ""}})); }

TEST(Outputs, SeveralFormats) {
  EXPECT_EQ(plan({"table,json"}, {}), (Plan{{"table", ""}, {"json", ""}}));
  EXPECT_EQ(plan({"table", "json"}, {}), (Plan{{"table", ""}, {"json", ""}}));
}

TEST(Outputs, FilesFindTheirFormatBySuffix) {
  EXPECT_EQ(plan({"github,markdown"}, {"pr.md"}), (Plan{{"github", ""}, {"markdown", "pr.md"}}));
  EXPECT_EQ(plan({"json,markdown"}, {"a.md", "b.json"}), (Plan{{"json", "b.json"}, {"markdown", "a.md"}}));
}

TEST(Outputs, FilesWithoutAKnownSuffixGoInOrder) {
  EXPECT_EQ(plan({"json"}, {"out"}), (Plan{{"json", "out"}}));
  EXPECT_EQ(plan({"json"}, {"out.md"}), (Plan{{"json", "out.md"}}));
  EXPECT_EQ(plan({"table,json"}, {"one", "two"}), (Plan{{"table", "one"}, {"json", "two"}}));
  // A suffix counts before the order does.
  EXPECT_EQ(plan({"table,json"}, {"first", "second.json"}), (Plan{{"table", "first"}, {"json", "second.json"}}));
}

TEST(Outputs, FormatEqualsFile) {
  EXPECT_EQ(plan({"table"}, {"junit=report.xml"}), (Plan{{"table", ""}, {"junit", "report.xml"}}));
  EXPECT_EQ(plan({"json"}, {"json=x"}), (Plan{{"json", "x"}}));
  EXPECT_EQ(plan({"table", "markdown=pr"}, {}), (Plan{{"table", ""}, {"markdown", "pr"}}));
  EXPECT_EQ(plan({}, {"weird=name.json"}), (Plan{{"table", ""}, {"json", "weird=name.json"}}));
}

TEST(Outputs, WithoutFormatsFilesSayThem) {
  EXPECT_EQ(plan({}, {"a.json", "b.md"}), (Plan{{"table", ""}, {"json", "a.json"}, {"markdown", "b.md"}}));
  EXPECT_EQ(plan({}, {"plain"}), (Plan{{"table", ""}, {"table", "plain"}}));
}

TEST(Outputs, DashIsStandardOutput) { EXPECT_EQ(plan({"json"}, {"-"}), (Plan{{"json", ""}})); }

TEST(Outputs, Errors) {
  EXPECT_THROW(plan({"jsno"}, {}), Failure);
  EXPECT_THROW(plan({"json"}, {"a", "b"}), Failure);
  EXPECT_THROW(plan({"table,github"}, {"pr.md"}), Failure);  // a slip, not a table in markdown's file
  EXPECT_THROW(plan({"json,csv"}, {"same", "same"}), Failure) << "one would be lost";
  EXPECT_THROW(plan({"json=same", "csv=same"}, {}), Failure);
  EXPECT_THROW(plan({}, {"junit="}), Failure) << "a script's variable was empty";
  EXPECT_THROW(plan({"junit="}, {}), Failure);
  try {
    plan({"markdwn"}, {});
  } catch (const Failure& failure) {
    EXPECT_THAT(failure.line, ::testing::HasSubstr("did you mean markdown?"));
  }
}

}  // namespace
}  // namespace pawl::show
