// encoding.cpp -- see encoding.hpp.
#include "read/encoding.hpp"

#include <algorithm>
#include <array>

namespace pawl::read {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

unsigned char byte_at(std::string_view bytes, std::size_t i) { return static_cast<unsigned char>(bytes[i]); }

}  // namespace

Encoding detect_encoding(std::string_view bytes) {
  if (bytes.starts_with("\xEF\xBB\xBF")) return Encoding::utf8_bom;
  if (bytes.starts_with("\xFF\xFE")) return Encoding::utf16_le;
  if (bytes.starts_with("\xFE\xFF")) return Encoding::utf16_be;
  // JSON starts with an ASCII character, so one of its two bytes is zero (RFC 4627, section 3).
  if (bytes.size() >= 2 && bytes[0] != '\0' && bytes[1] == '\0') return Encoding::utf16_le;
  if (bytes.size() >= 2 && bytes[0] == '\0' && bytes[1] != '\0') return Encoding::utf16_be;
  return Encoding::utf8;
}

std::string utf16_to_utf8(std::string_view bytes, bool big_endian) {
  const std::size_t units = bytes.size() / 2;
  const auto unit = [&](std::size_t i) {
    const unsigned first = byte_at(bytes, 2 * i), second = byte_at(bytes, 2 * i + 1);
    return static_cast<char32_t>(big_endian ? first << 8 | second : second << 8 | first);
  };
  std::string out;
  out.reserve(units + units / 8);
  for (std::size_t i = 0; i < units; ++i) {
    const char32_t code = unit(i);
    if (code < 0x80) {
      out.push_back(static_cast<char>(code));
    } else if (code >= 0xD800 && code < 0xE000) {
      const char32_t low = code < 0xDC00 && i + 1 < units ? unit(i + 1) : 0;
      if (low >= 0xDC00 && low < 0xE000) {
        append_utf8(out, 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00));
        ++i;
      } else {
        append_utf8(out, kReplacement);
      }
    } else {
      append_utf8(out, code);
    }
  }
  if (bytes.size() % 2 != 0) append_utf8(out, kReplacement);
  return out;
}

void append_utf8(std::string& out, char32_t code_point) {
  const auto continuation = [&](unsigned shift) {
    out.push_back(static_cast<char>(0x80 | ((code_point >> shift) & 0x3F)));
  };
  if (code_point < 0x80) {
    out.push_back(static_cast<char>(code_point));
  } else if (code_point < 0x800) {
    out.push_back(static_cast<char>(0xC0 | (code_point >> 6)));
    continuation(0);
  } else if (code_point < 0x10000) {
    out.push_back(static_cast<char>(0xE0 | (code_point >> 12)));
    continuation(6);
    continuation(0);
  } else {
    out.push_back(static_cast<char>(0xF0 | (code_point >> 18)));
    continuation(12);
    continuation(6);
    continuation(0);
  }
}

std::size_t utf8_sequence(const char* at, const char* end) {
  const auto available = static_cast<std::size_t>(end - at);
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(at[i]); };
  const auto continues = [&](std::size_t count) {
    if (available < count) return false;
    for (std::size_t i = 1; i < count; ++i)
      if ((byte(i) & 0xC0) != 0x80) return false;
    return true;
  };
  if (available == 0) return 0;
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  // The well-formed sequences of the Unicode standard, table 3-7.
  if (lead >= 0xC2 && lead <= 0xDF) return continues(2) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    if (!continues(3)) return 0;
    if (lead == 0xE0 && byte(1) < 0xA0) return 0;
    if (lead == 0xED && byte(1) > 0x9F) return 0;
    return 3;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    if (!continues(4)) return 0;
    if (lead == 0xF0 && byte(1) < 0x90) return 0;
    if (lead == 0xF4 && byte(1) > 0x8F) return 0;
    return 4;
  }
  return 0;
}

char32_t windows_1252(unsigned char byte) {
  // The range 0x80 to 0x9F of Windows code page 1252; the rest is Latin-1, whose bytes are code points.
  static constexpr std::array<char32_t, 32> kHigh = {
      0x20AC,       kReplacement, 0x201A, 0x0192, 0x201E, 0x2026,       0x2020, 0x2021,
      0x02C6,       0x2030,       0x0160, 0x2039, 0x0152, kReplacement, 0x017D, kReplacement,
      kReplacement, 0x2018,       0x2019, 0x201C, 0x201D, 0x2022,       0x2013, 0x2014,
      0x02DC,       0x2122,       0x0161, 0x203A, 0x0153, kReplacement, 0x017E, 0x0178};
  if (byte >= 0x80 && byte < 0xA0) return kHigh[byte - 0x80U];
  return byte;
}

char32_t control_picture(unsigned char control) { return control == 0x7F ? 0x2421 : 0x2400U + control; }

std::string excerpt(std::string_view text, std::size_t longest) {
  std::string out;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at != end && out.size() < longest) {
    const auto c = static_cast<unsigned char>(*at);
    const std::size_t length = utf8_sequence(at, end);
    if (c < 0x20 || c == 0x7F)
      append_utf8(out, control_picture(c));
    else if (length == 0)
      append_utf8(out, windows_1252(c));
    else
      out.append(at, length);
    at += std::max<std::size_t>(length, 1);
  }
  if (at != end) out += "...";
  return out;
}

}  // namespace pawl::read
