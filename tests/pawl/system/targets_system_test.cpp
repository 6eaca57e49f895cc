// targets_system_test.cpp -- `pawl targets` as people and scripts call it: what it prints and how it ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "failure.hpp"
#include "pawl/system/google_file.hpp"
#include "pawl/system/pawl_program.hpp"
#include "pawl/temporary_directory.hpp"

namespace pawl {
namespace {

using ::testing::HasSubstr;

class TargetsSystem : public ::testing::Test {
 protected:
  TargetsSystem() {
    GoogleFile file;
    file.add("add/f32/pawl/n:8", 100);
    file.add("add/f32/eigen/n:8", 130);
    directory_.write("new.json", file.text());
  }
  Ended targets(const std::string& bars, std::vector<std::string> more = {}) {
    directory_.write("bars.json", "{\"schema_version\": 1, \"targets\": [" + bars + "]}");
    std::vector<std::string> arguments = {"targets", "new.json", "--targets", "bars.json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_pawl({.arguments = arguments, .directory = directory_.path()});
  }

  TemporaryDirectory directory_;
};

constexpr const char* kFaster = R"({"name": "ahead", "pattern": "/pawl/", "metric": "over/eigen", "at_least": 1.2})";
constexpr const char* kTwice = R"({"name": "twice", "pattern": "/pawl/", "metric": "over/eigen", "at_least": 2})";
constexpr const char* kNone = R"({"name": "none", "pattern": "/pawl/", "metric": "over/blis", "at_least": 1})";

TEST_F(TargetsSystem, ExitCodeTellsWhetherAllAreReached) {
  EXPECT_EQ(targets(kFaster).exit_code, kPassed);
  EXPECT_EQ(targets(std::string(kFaster) + "," + kNone).exit_code, kPassed);
  EXPECT_EQ(targets(std::string(kFaster) + "," + kTwice).exit_code, kRegression);
  EXPECT_EQ(targets(kNone).exit_code, kNothingToCompare);
}

TEST_F(TargetsSystem, PrintsValueAndBar) {
  const Ended ended = targets(kTwice);
  EXPECT_THAT(ended.out, HasSubstr("missed"));
  EXPECT_THAT(ended.out, HasSubstr("x1.30 (one run)"));
  EXPECT_THAT(ended.out, HasSubstr("add/f32/pawl/n:8"));
  EXPECT_THAT(ended.out, HasSubstr("targets: 1 missed\n"));
  const auto json = nlohmann::json::parse(targets(kTwice, {"--format", "json"}).out);
  EXPECT_EQ(json.at("exit_code"), kRegression);
  EXPECT_NEAR(json.at("targets").at(0).at("value").get<double>(), 1.3, 1e-9);
}

TEST_F(TargetsSystem, ABenchmarkThatFailedReachesNoBar) {
  GoogleFile file;
  file.add("add/f32/pawl/n:8", 100).add_error("mul/f32/pawl/n:8", "boom");
  directory_.write("new.json", file.text());
  const Ended ended = targets(R"({"name": "fast", "metric": "real_time", "at_most": 200})");
  EXPECT_EQ(ended.exit_code, kRegression);
  EXPECT_THAT(ended.out, HasSubstr("missed"));
  EXPECT_THAT(ended.out, HasSubstr("mul/f32/pawl/n:8 fails: boom"));
}

TEST_F(TargetsSystem, MistakesAreOneLine) {
  const Ended ended = targets("{\"metric\": \"real_time\"}");
  EXPECT_EQ(ended.exit_code, kBadInput);
  EXPECT_THAT(ended.err, HasSubstr("pawl: bars.json:1: targets[0] needs at_least or at_most"));
  const Ended without = run_pawl({.arguments = {"targets", "new.json"}, .directory = directory_.path()});
  EXPECT_EQ(without.exit_code, kBadInput);
  EXPECT_THAT(without.err, HasSubstr("targets.json"));
}

}  // namespace
}  // namespace pawl
