// encoding_test.cpp -- bytes -> UTF-8, checked against the definition of each encoding.
#include "read/encoding.hpp"

#include <gtest/gtest.h>

namespace pawl::read {
namespace {

std::string utf16(std::initializer_list<unsigned> units, bool big_endian) {
  std::string bytes;
  for (const unsigned unit : units) {
    const char high = static_cast<char>(unit >> 8), low = static_cast<char>(unit & 0xFF);
    bytes += big_endian ? high : low;
    bytes += big_endian ? low : high;
  }
  return bytes;
}

TEST(Encoding, IsDetected) {
  EXPECT_EQ(detect_encoding("{}"), Encoding::utf8);
  EXPECT_EQ(detect_encoding(""), Encoding::utf8);
  EXPECT_EQ(detect_encoding("{"), Encoding::utf8);
  EXPECT_EQ(detect_encoding("\xEF\xBB\xBF{}"), Encoding::utf8_bom);
  EXPECT_EQ(detect_encoding("\xFF\xFE{"), Encoding::utf16_le);
  EXPECT_EQ(detect_encoding("\xFE\xFF"), Encoding::utf16_be);
  EXPECT_EQ(detect_encoding(std::string_view("{\0\n\0", 4)), Encoding::utf16_le);
  EXPECT_EQ(detect_encoding(std::string_view("\0{\0\n", 4)), Encoding::utf16_be);
}

TEST(Encoding, Utf16OfBothOrders) {
  for (const bool big : {false, true}) {
    EXPECT_EQ(utf16_to_utf8(utf16({'a', 0xE9, 0x2713, 0xD83D, 0xDE00, 'z'}, big), big), "a\u00e9\u2713\U0001F600z");
    EXPECT_EQ(utf16_to_utf8(utf16({0xD83D, 'x'}, big), big), "\ufffdx") << "a high surrogate alone";
    EXPECT_EQ(utf16_to_utf8(utf16({0xDE00, 'x'}, big), big), "\ufffdx") << "a low surrogate alone";
    EXPECT_EQ(utf16_to_utf8(utf16({'x', 0xD83D}, big), big), "x\ufffd");
    EXPECT_EQ(utf16_to_utf8(utf16({'x'}, big) + "y", big), "x\ufffd") << "half a unit";
  }
}

TEST(Encoding, EveryCodePointIsOneValidSequence) {
  for (char32_t code = 0; code <= 0x10FFFF; ++code) {
    if (code >= 0xD800 && code < 0xE000) continue;
    std::string text;
    append_utf8(text, code);
    ASSERT_EQ(utf8_sequence(text.data(), text.data() + text.size()), text.size()) << text;
    ASSERT_EQ(utf8_sequence(text.data(), text.data() + text.size() - 1), 0U) << text << " cut short";
  }
}

TEST(Encoding, IllFormedSequencesAreNone) {
  for (const std::string_view bytes : {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xE0\x9F\xBF",
                                       "\xED\xA0\x80", "\xED\xBF\xBF", "\xF0\x80\x80\x80", "\xF0\x8F\xBF\xBF",
                                       "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xE2\x28\xA1", "\xC3("})
    EXPECT_EQ(utf8_sequence(bytes.data(), bytes.data() + bytes.size()), 0U);
}

TEST(Encoding, ExcerptsAreOneValidLine) {
  EXPECT_EQ(excerpt("plain", 10), "plain");
  EXPECT_EQ(excerpt("0123456789x", 10), "0123456789...");
  EXPECT_EQ(excerpt("a\nb\x1b\xe9\u00e9", 99), "a\u240ab\u241b\u00e9\u00e9");
}

}  // namespace
}  // namespace pawl::read
