// pattern_test.cpp -- matches as std::regex has them, and what would hang or crash it.
#include "decide/pattern.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <string>

namespace pawl::decide {
namespace {

void expect_same(const std::string& expression, const std::string& name) {
  const std::regex regex(expression);
  std::smatch match;
  const bool found = std::regex_search(name, match, regex);
  const auto length = Pattern(expression).match_length(name);
  ASSERT_EQ(length.has_value(), found) << expression << " in " << name;
  if (found) {
    EXPECT_EQ(*length, static_cast<std::size_t>(match.length())) << expression;
  }
}

TEST(Pattern, MatchesWhatTheRegularExpressionMatches) {
  const std::string names[] = {"matmul/f32/pawl/m:16", "fft", "a.b", "", "softmax/f32", "BM_Foo<int>/8"};
  for (const char* expression : {"", "f32", "matmul|fft", "^fft$", "a\\.b", "m:\\d+", "[a-f]+t", "x?fft", "(soft|mat)m",
                                 "f(32|64)", "fo*", "fft{1,2}", "a{2}", "f+t", "f+?t", "x+??fft"})
    for (const std::string& name : names) expect_same(expression, name);
}

TEST(Pattern, ClassesInBracketsAndEscapesLoseNoName) {
  const std::string names[] = {"decode", "en_code", "foo", "aa", "xb", "x]yz", "a]"};
  for (const char* expression : {"^[[:lower:]_]+$", "[[:lower:]_]+code", "[[.a.]]{2}", "[[=e=]x]n?", "[^]x]yz",
                                 "[[]b|[]]", "\\x66oo", "\\u0066oo", "(a)\\1", "\\Bode\\b", "\\]", "[\\]]"})
    for (const std::string& name : names) expect_same(expression, name);
}

TEST(Pattern, RefusesWhatIsNoneAndWhatWouldTakeForEver) {
  for (const char* bad :
       {"a(b", "[z-a]", "*", "a{3", "(a+)+b", "(a*)*", "(a|b)*c", "((ab)+c)+", "(x?y){2,}", "(a?){30}a{30}",
        "((a?){4}){4}", "(a?){9}(a?){9}", "[^](a+)+]", "[[:lower:](]([ab]+)+c", "(\\c)a+)+b", "a*+b", "a+?*", "a{2}*"})
    EXPECT_THROW(Pattern{bad}, std::invalid_argument) << bad;
  for (const char* good : {"(abc)+", "(a|b)c", "[+*]+", "\\(a+\\)+", "(ab){3}", "(ab){30}", "((ab){9}){9}",
                           "(a{3}){30}", "([^/]+/){3}", "(f32|f64){2}", "a?(b)"})
    EXPECT_NO_THROW(Pattern{good}) << good;
}

TEST(Pattern, AGlobIsToldWhatItLacks) {
  try {
    const Pattern pattern("*_bench");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "nothing stands before the *; any text is .*");
  }
}

TEST(Pattern, LongNamesNeitherOverflowTheStackNorTakeLong) {
  const std::string name(1'000'000, 'a');
  EXPECT_TRUE(Pattern("a.*a").match_length(name));
  EXPECT_FALSE(Pattern("[ab]+c$").match_length(name));
  EXPECT_EQ(Pattern("aaa").match_length(name), 3u);
}

TEST(Pattern, ReplacesEachMatchByTheTextAsItIs) {
  EXPECT_EQ(Pattern("BM_[a-z]+").replaced("BM_read/8 BM_write/8", "[$&]"), "[$&]/8 [$&]/8");
  EXPECT_EQ(Pattern("read").replaced("read/read/8", "$1"), "$1/$1/8");
  EXPECT_EQ(Pattern("x").replaced("abc", "y"), "abc");
  EXPECT_EQ(Pattern("").replaced("abc", "y"), "abc");
}

}  // namespace
}  // namespace pawl::decide
