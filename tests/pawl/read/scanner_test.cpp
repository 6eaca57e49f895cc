// scanner_test.cpp -- JSON and what passes for it -> values; what does not pass -> where and why.
#include "read/scanner.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>

namespace pawl::read {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double number_in(const std::string& token, std::uint8_t repairs = 0) {
  const std::string text = "{\"k\": " + token + "}";
  Scanner scanner(text);
  std::string scratch;
  scanner.expect('{', "");
  scanner.key(scratch);
  const Scalar value = scanner.scalar(scratch);
  EXPECT_EQ(value.kind, Kind::number) << token;
  EXPECT_FALSE(scanner.more('}')) << token << ": all of it was taken";
  EXPECT_EQ(scanner.take_repairs(), repairs) << token;
  return value.number;
}

std::string string_in(const std::string& quoted, std::uint8_t repairs = 0) {
  Scanner scanner(quoted);
  std::string scratch;
  const std::string value(scanner.string(scratch));
  EXPECT_TRUE(scanner.at_end());
  EXPECT_EQ(scanner.take_repairs(), repairs) << quoted;
  return value;
}

Broken broken_by(const std::string& text) {
  Scanner scanner(text);
  try {
    scanner.skip_value();
  } catch (const Broken& broken) {
    return broken;
  }
  ADD_FAILURE() << "nothing wrong with: " << text;
  return {};
}

TEST(Scanner, NumbersOfJson) {
  EXPECT_EQ(number_in("0"), 0);
  EXPECT_TRUE(std::signbit(number_in("-0")));
  EXPECT_EQ(number_in("6.8208178887344673e+02"), 682.08178887344673);
  EXPECT_EQ(number_in("1000000000000"), 1e12);
  EXPECT_EQ(number_in("9007199254740993"), 9007199254740992.0);
  EXPECT_EQ(number_in("1E-3"), 0.001);
  EXPECT_EQ(number_in("4.9406564584124654e-324"), 4.9406564584124654e-324);
  EXPECT_EQ(number_in("1.7976931348623157e308"), 1.7976931348623157e308);
}

TEST(Scanner, NumbersBeyondDouble) {
  EXPECT_EQ(number_in("1e400"), kInfinity);
  EXPECT_EQ(number_in("-1e99999999999999999999"), -kInfinity);
  EXPECT_EQ(number_in("1e-400"), 0);
  EXPECT_EQ(number_in("1" + std::string(5000, '0')), kInfinity);
  EXPECT_EQ(number_in("0." + std::string(5000, '0') + "1"), 0);
}

TEST(Scanner, NumbersRoundTrip) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t bits = random();
    double value = 0;
    static_assert(sizeof value == sizeof bits);
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    char token[64];
    std::snprintf(token, sizeof token, "%.16e", value);
    ASSERT_EQ(number_in(token), value) << token;
  }
}

TEST(Scanner, BareWordsForNumbers) {
  for (const char* word : {"NaN", "-NaN", "nan", "-nan", "-nan(ind)", "1.#QNAN", "-1.#IND"})
    EXPECT_TRUE(std::isnan(number_in(word))) << word;
  for (const char* word : {"Infinity", "inf", "+Infinity", "1.#INF"}) EXPECT_EQ(number_in(word), kInfinity) << word;
  for (const char* word : {"-Infinity", "-inf", "-1.#INF"}) EXPECT_EQ(number_in(word), -kInfinity) << word;
}

TEST(Scanner, NumbersUnderALocale) {
  EXPECT_EQ(number_in("6,8208178887344673e+02", kLocaleNumber), 682.08178887344673);
  EXPECT_EQ(number_in("1,000,000", kLocaleNumber), 1e6);
  EXPECT_EQ(number_in("1.000.000", kLocaleNumber), 1e6);
  Scanner list("[1,234,567]");
  list.skip_value();
  EXPECT_EQ(list.take_repairs(), 0) << "in a list a comma is a comma";
}

TEST(Scanner, WordsThatAreNoValue) {
  for (const char* word : {"oops", "1.2.3", "--1", "nul", "True", "0x10", "1e", "-", "+-1", "1,00,0"}) {
    const Broken broken = broken_by("{\"k\": " + std::string(word) + "}");
    EXPECT_FALSE(broken.at_end) << word;
  }
}

TEST(Scanner, StringsAsTheyAre) {
  EXPECT_EQ(string_in(R"("")"), "");
  EXPECT_EQ(string_in(R"("plain /x:1<int>")"), "plain /x:1<int>");
  EXPECT_EQ(string_in(R"("q\"b\\s\/n\nt\t")"), "q\"b\\s/n\u240at\u2409");
  EXPECT_EQ(string_in(R"("\u00e9\u2713\ud83d\ude00")"), "\u00e9\u2713\U0001F600");
  EXPECT_EQ(string_in("\"\u00e9\u2713\U0001F600\""), "\u00e9\u2713\U0001F600");
}

TEST(Scanner, StringsThatNeedRepair) {
  EXPECT_EQ(string_in("\"a\x01\x1b[31m\x7f\"", kControlCharacters), "a\u2401\u241b[31m\u2421");
  EXPECT_EQ(string_in("\"raw\ttab\nline\"", kControlCharacters), "raw\u2409tab\u240aline");
  EXPECT_EQ(string_in(R"("\u0000\u001b\b")", kControlCharacters), "\u2400\u241b\u2408");
  EXPECT_EQ(string_in("\"latin \xe9 win \x80\x93\"", kNotUtf8), "latin \u00e9 win \u20ac\u201c");
  EXPECT_EQ(string_in("\"cut \xe2\x9c\"", kNotUtf8), "cut \u00e2\u0153");
  EXPECT_EQ(string_in("\"\xc2\x9b\"", kControlCharacters), "\u203a") << "C1: a terminal would take it for ESC [";
  EXPECT_EQ(string_in(R"("\ud800 x")", kNotUtf8), "\ufffd x");
  EXPECT_EQ(string_in("\"\xef\xbf\xbf\"", kNotUtf8), "\ufffd") << "XML has no U+FFFF";
}

TEST(Scanner, StringsThatBreak) {
  EXPECT_TRUE(broken_by("\"no end").at_end);
  EXPECT_TRUE(broken_by("\"no end\\").at_end);
  EXPECT_TRUE(broken_by("\"no end\\u12").at_end);
  EXPECT_FALSE(broken_by(R"("\x41")").at_end);
  EXPECT_FALSE(broken_by(R"("\u12g4")").at_end);
}

TEST(Scanner, SkipsAnyValue) {
  for (const char* text : {R"({"a": [1, {"b": []}, "x]}", null, true], "c": {}})", "[]", "{}", "[[[]]]", "NaN", "\"s\"",
                           "[1,]", "{\"a\": 1,}"}) {
    Scanner scanner(text);
    scanner.skip_value();
    EXPECT_TRUE(scanner.at_end()) << text;
  }
}

TEST(Scanner, MismatchesAndEnds) {
  EXPECT_EQ(broken_by("[1}").offset, 2U);
  EXPECT_FALSE(broken_by("[1}").at_end);
  EXPECT_FALSE(broken_by("{\"a\" 1}").at_end);
  EXPECT_FALSE(broken_by("{\"a\": 1 \"b\": 2}").at_end);
  EXPECT_FALSE(broken_by("{a: 1}").at_end);
  EXPECT_FALSE(broken_by(std::string("[\0]", 3)).at_end);
  for (const char* text : {"[1, ", "[1", "{\"a\"", "{\"a\": ", "{\"a\": 1", "{", "[", "[tru"})
    EXPECT_TRUE(broken_by(text).at_end) << text;
}

TEST(Scanner, DepthIsBounded) {
  const std::string deep(Scanner::kMaxDepth, '[');
  const std::string closed = deep + std::string(Scanner::kMaxDepth, ']');
  Scanner at_limit(closed);
  at_limit.skip_value();
  EXPECT_TRUE(at_limit.at_end());
  const Broken broken = broken_by(std::string(1000000, '['));
  EXPECT_NE(broken.what.find("deeper"), std::string::npos);
}

}  // namespace
}  // namespace pawl::read
