// docs_test.cpp -- what the documents tell people to type is what the command has; what they point to is there.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "pawl/system/pawl_program.hpp"

namespace pawl {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> documents() {
  const fs::path root = PAWL_ROOT;
  std::vector<fs::path> all = {root / "README.md", root / "baselines/README.md"};
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md") all.push_back(entry.path());
  }
  return all;
}

// A line that ends in a backslash goes on in the next.
std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return std::regex_replace(text, std::regex("\\\\\n *"), " ");
}

std::vector<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) found.push_back((*at)[1]);
  return found;
}

// Of a subcommand's own subcommand where `words` has one.
const std::string& help_of(const std::vector<std::string>& words) {
  static std::map<std::vector<std::string>, std::string> known;
  const auto [at, is_new] = known.try_emplace(words);
  if (is_new) {
    std::vector<std::string> arguments = words;
    arguments.emplace_back("--help");
    const Ended ended = run_pawl({.arguments = arguments});
    if (ended.exit_code == 0) at->second = ended.out;
  }
  return at->second;
}

const std::string& help_of_line(const std::string& line) {
  static const std::regex nested("^(baseline|profile) ([a-z]+)(?: .*)?$");
  std::smatch found;
  if (std::regex_match(line, found, nested)) return help_of({found[1], found[2]});
  return help_of({line.substr(0, line.find(' '))});
}

TEST(Docs, CommandsHaveTheOptionsThatAreShown) {
  // At the start of a line of a block, or in a code span: [path/]pawl subcommand ... up to a comment or the span's end.
  const std::regex command("(?:^|\n|`|&& )(?:[a-z]+(?:/[a-z]+)*/bin/)?pawl ([a-z][^\n`#|]*)");
  const std::regex option("(--[a-z][a-z-]*)");
  std::size_t checked = 0;
  for (const fs::path& document : documents()) {
    for (const std::string& words : matches(text_of(document), command)) {
      const std::string& help = help_of_line(words);
      EXPECT_FALSE(help.empty()) << document << ": pawl " << words << ": no such subcommand";
      for (const std::string& name : matches(words, option)) {
        EXPECT_TRUE(std::regex_search(help, std::regex(name + "(?![a-z-])")))
            << document << ": pawl " << words << ": no option " << name;
      }
      ++checked;
    }
  }
  EXPECT_GT(checked, 15U) << "the pattern no longer finds what is there";
}

TEST(Docs, ScriptsAndBenchesExist) {
  const fs::path root = PAWL_ROOT;
  std::size_t checked = 0;
  for (const fs::path& document : documents()) {
    const std::string text = text_of(document);
    for (const std::string& script : matches(text, std::regex("\\b(tools/[a-z_]+\\.(?:sh|py))\\b"))) {
      EXPECT_TRUE(fs::exists(root / script)) << document << ": " << script;
      ++checked;
    }
    for (const std::string& bench : matches(text, std::regex("bin/([a-z]+)_bench\\b"))) {
      EXPECT_TRUE(fs::is_directory(root / "benches" / bench)) << document << ": " << bench << "_bench";
      ++checked;
    }
  }
  EXPECT_GT(checked, 10U) << "the pattern no longer finds what is there";
}

TEST(Docs, LinesOfCmakeAreThoseOfTheProjectsThatAreTested) {
  const fs::path root = PAWL_ROOT;
  const std::string tested =
      text_of(root / "tests/install/consumer/CMakeLists.txt") + text_of(root / "tests/install/parent/CMakeLists.txt");
  std::size_t checked = 0;
  for (const std::string& block : matches(text_of(root / "README.md"), std::regex("```cmake\n([^`]+)```"))) {
    for (const std::string& line : matches(block, std::regex("([^\n#]*[^\n# ]) *(?:#[^\n]*)?\n"))) {
      EXPECT_NE(tested.find(line + '\n'), std::string::npos) << line;
      ++checked;
    }
  }
  EXPECT_GE(checked, 5U) << "the pattern no longer finds what is there";
}

TEST(Docs, LinksLeadSomewhere) {
  std::size_t checked = 0;
  for (const fs::path& document : documents()) {
    for (const std::string& link : matches(text_of(document), std::regex("\\]\\(([^)#: ]+)(?:#[^)]*)?\\)"))) {
      EXPECT_TRUE(fs::exists(document.parent_path() / link)) << document << ": " << link;
      ++checked;
    }
  }
  EXPECT_GT(checked, 15U) << "the pattern no longer finds what is there";
}

}  // namespace
}  // namespace pawl
