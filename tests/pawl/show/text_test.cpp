// text_test.cpp -- escapes, widths, shortening, units.
#include "show/text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "show/json_writer.hpp"
#include "show/quantity.hpp"
#include "show/terminal.hpp"

namespace pawl::show {
namespace {

TEST(Text, Utf8Length) {
  EXPECT_EQ(utf8_length("a"), 1U);
  EXPECT_EQ(utf8_length("ä"), 2U);
  EXPECT_EQ(utf8_length("€"), 3U);
  EXPECT_EQ(utf8_length("😀"), 4U);
  for (const char* bad : {"", "\x80", "\xc0\xaf", "\xc3", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                          "\xf5\x80\x80\x80", "\xe2\x82"}) {
    EXPECT_EQ(utf8_length(bad), 0U);
  }
}

TEST(Text, DisplayWidth) {
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("äöü"), 3U);
  EXPECT_EQ(display_width("漢字"), 4U);
  EXPECT_EQ(display_width("e\xcc\x81"), 1U);  // e and a combining accent
  EXPECT_EQ(display_width("\xff"), 1U);       // shown as U+FFFD
}

TEST(Text, ShortenedKeepsBothEnds) {
  EXPECT_EQ(shortened("short", 10), "short");
  EXPECT_EQ(shortened("matmul/f32/pawl/m:1024", 11), "matmu…:1024");
  for (std::size_t columns = 0; columns < 30; ++columns) {
    EXPECT_LE(display_width(shortened("漢字漢字漢字漢字漢字漢字", columns)), columns);
    EXPECT_LE(display_width(shortened("ab漢cd字efghäöü", columns)), columns);
  }
}

TEST(Text, TerminalTextIsOneSafeLine) {
  EXPECT_EQ(terminal_text("a\nb\tc\x1b[0m\x7f"), "a␊b␉c␛[0m␡");
  EXPECT_EQ(terminal_text("\xff\xc3\xa4"), "\xef\xbf\xbd\xc3\xa4");
  EXPECT_EQ(terminal_text("\xc2\x9b"
                          "31m"),
            "\xef\xbf\xbd"
            "31m");  // C1 control sequence introducer
}

TEST(Text, EscapesPerFormat) {
  EXPECT_EQ(markdown_text("a|b*c_<d>@e#1"), "a\\|b\\*c\\_&lt;d&gt;&#64;e&#35;1");
  EXPECT_EQ(markdown_code("a|b"), "`a\\|b`");
  EXPECT_EQ(markdown_code("a`b``c"), "```a`b``c```");
  EXPECT_EQ(markdown_code("`x"), "`` `x ``");
  EXPECT_EQ(markdown_code(""), "");
  EXPECT_EQ(xml_text("<a b=\"c\">&'"), "&lt;a b=&quot;c&quot;&gt;&amp;&#39;");
  EXPECT_EQ(csv_field("plain"), "plain");
  EXPECT_EQ(csv_field("a,\"b\""), "\"a,\"\"b\"\"\"");
  EXPECT_EQ(csv_field("=1+1"), "\"'=1+1\"");
  EXPECT_EQ(github_message("50 %\r\n"), "50 %25%0D%0A");
  EXPECT_EQ(github_property("a:b,c"), "a%3Ab%2Cc");
}

TEST(JsonWriter, RoundTripsEveryByte) {
  std::string all;
  for (int c = 0; c < 128; ++c) all += static_cast<char>(c);
  all += "äöü€😀";
  std::string out;
  append_json_string(out, all);
  EXPECT_EQ(nlohmann::json::parse(out).get<std::string>(), all);
  out.clear();
  append_json_string(out,
                     "a\xff"
                     "b");
  EXPECT_EQ(nlohmann::json::parse(out).get<std::string>(),
            "a\xef\xbf\xbd"
            "b");
}

TEST(JsonWriter, NumbersReadBackAsTheSameBits) {
  for (const double value : {0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, -0.0, 1e22, 123456789012345680.0}) {
    std::string out;
    JsonWriter(out).value(value);
    EXPECT_EQ(nlohmann::json::parse(out).get<double>(), value);
  }
  std::string out;
  JsonWriter json(out);
  json.begin_array(Layout::one_line);
  json.value(std::nan(""));
  json.value(std::numeric_limits<double>::infinity());
  json.end_array();
  EXPECT_EQ(out, "[null, null]\n");
}

TEST(Quantity, Changes) {
  EXPECT_EQ(change_text(0.214), "+21.4 %");
  EXPECT_EQ(change_text(-0.41), "-41.0 %");
  EXPECT_EQ(change_text(0.0004), "+0.04 %");
  EXPECT_EQ(change_text(0), "+0.0 %");
  EXPECT_EQ(change_text(99), "x 100.0");
  EXPECT_EQ(change_text(-0.9999999), "x 1.000e-07");
  EXPECT_EQ(change_text(std::nan("")), "?");
  EXPECT_EQ(change_text(std::numeric_limits<double>::infinity()), "+inf");
}

TEST(Quantity, Intervals) {
  EXPECT_EQ(interval_text(-0.069, 0.116), "[-6.9, +11.6]");
  EXPECT_EQ(interval_text(-1, std::numeric_limits<double>::infinity()), "");
  EXPECT_EQ(interval_text(0.05, std::numeric_limits<double>::infinity()), "[+5.0, ?]");
}

TEST(Quantity, ValuesInTheUnitOfTheirAuthor) {
  EXPECT_EQ(pair_text("real_time", "ms", 18.71e-3, 22.72e-3), "18.71 -> 22.72 ms");
  EXPECT_EQ(pair_text("real_time", "ns", 1e-6, 2e-6), "1000 -> 2000 ns");
  EXPECT_EQ(pair_text("real_time", "ns", 3.0, 4.0), "3.000 -> 4.000 s");   // 3000000000 ns tells nobody anything
  EXPECT_EQ(pair_text("real_time", "s", 1, 1e-9), "1.000 s -> 1.000 ns");  // too far apart for one unit
  EXPECT_EQ(pair_text("real_time", "", std::nan(""), 2e-9), "- -> 2.000 ns");
  EXPECT_EQ(pair_text("bytes_per_second", "ns", 1.5e9, 2.5e9), "1.500 -> 2.500 G/s");
  EXPECT_EQ(pair_text("max_bytes_used", "ns", 1048576, 2097152), "1 -> 2 MiB");
  EXPECT_EQ(pair_text("allocs_per_iter", "ns", 3, 4), "3 -> 4");
  EXPECT_EQ(value_text("real_time", "us", 0.31e-6), "0.3100 us");
}

TEST(Terminal, ColourOnlyWhereItIsWanted) {
  using enum Colour;
  const auto none = std::nullopt;
  EXPECT_TRUE(wants_colour(automatic, true, none, "xterm", none));
  EXPECT_FALSE(wants_colour(automatic, false, none, "xterm", none));
  EXPECT_FALSE(wants_colour(automatic, true, "1", "xterm", none));
  EXPECT_TRUE(wants_colour(automatic, true, "", "xterm", none));  // no-color.org: empty does not count
  EXPECT_FALSE(wants_colour(automatic, true, none, "dumb", none));
  EXPECT_FALSE(wants_colour(automatic, true, none, none, none));
  EXPECT_TRUE(wants_colour(automatic, false, none, none, "1"));
  EXPECT_FALSE(wants_colour(automatic, false, none, none, "0"));
  EXPECT_FALSE(wants_colour(automatic, false, "1", none, "1"));
  EXPECT_TRUE(wants_colour(always, false, "1", "dumb", none));
  EXPECT_FALSE(wants_colour(never, true, none, "xterm", "1"));
}

}  // namespace
}  // namespace pawl::show
