// text.cpp -- escapes and widths; see text.hpp for why.
#include "show/text.hpp"

#include <algorithm>
#include <array>

namespace pawl::show {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

char32_t code_point(std::string_view sequence) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(sequence[i]); };
  switch (sequence.size()) {
    case 1:
      return byte(0);
    case 2:
      return (char32_t{byte(0)} & 0x1f) << 6 | (byte(1) & 0x3f);
    case 3:
      return (char32_t{byte(0)} & 0x0f) << 12 | (char32_t{byte(1)} & 0x3f) << 6 | (byte(2) & 0x3f);
    default:
      return (char32_t{byte(0)} & 0x07) << 18 | (char32_t{byte(1)} & 0x3f) << 12 | (char32_t{byte(2)} & 0x3f) << 6 |
             (byte(3) & 0x3f);
  }
}

struct Range {
  char32_t first, last;
};

bool within(char32_t code, const Range* begin, const Range* end) {
  const Range* range = std::partition_point(begin, end, [code](Range r) { return r.last < code; });
  return range != end && code >= range->first;
}

// The blocks of Unicode's East Asian Width W and F, and emoji; blocks, not single characters: enough to align a table.
constexpr std::array kWide = {
    Range{0x1100, 0x115f},   Range{0x231a, 0x231b},   Range{0x2e80, 0x303e},   Range{0x3041, 0x33ff},
    Range{0x3400, 0x4dbf},   Range{0x4e00, 0x9fff},   Range{0xa000, 0xa4cf},   Range{0xac00, 0xd7a3},
    Range{0xf900, 0xfaff},   Range{0xfe30, 0xfe6f},   Range{0xff00, 0xff60},   Range{0xffe0, 0xffe6},
    Range{0x1f300, 0x1f64f}, Range{0x1f680, 0x1f6ff}, Range{0x1f900, 0x1f9ff}, Range{0x20000, 0x3fffd}};
// Combining marks, joiners, variation selectors.
constexpr std::array kZero = {Range{0x0300, 0x036f}, Range{0x0483, 0x0489}, Range{0x0591, 0x05bd},
                              Range{0x064b, 0x065f}, Range{0x1ab0, 0x1aff}, Range{0x1dc0, 0x1dff},
                              Range{0x200b, 0x200d}, Range{0x20d0, 0x20ff}, Range{0x3099, 0x309a},
                              Range{0xfe00, 0xfe0f}, Range{0xfe20, 0xfe2f}};
// C1 controls, and what reorders the text around it: a name must not be able to rewrite the line it stands in.
constexpr std::array kUnsafe = {Range{0x0080, 0x009f}, Range{0x200e, 0x200f}, Range{0x2028, 0x202e},
                                Range{0x2066, 0x2069}, Range{0xfeff, 0xfeff}};

std::size_t width(char32_t code) {
  if (code < 0x300) return 1;
  if (within(code, kZero.begin(), kZero.end())) return 0;
  return within(code, kWide.begin(), kWide.end()) ? 2 : 1;
}

// Calls visit(sequence) for each character; an invalid byte is visited as an empty sequence.
template <class Visit>
void each_character(std::string_view text, Visit&& visit) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    visit(text.substr(0, length));
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
  }
  const char32_t code = code_point(text.substr(0, length));
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool outside = (code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff;
  return overlong || outside ? 0 : length;
}

std::size_t display_width(std::string_view text) {
  std::size_t columns = 0;
  each_character(text,
                 [&](std::string_view sequence) { columns += sequence.empty() ? 1 : width(code_point(sequence)); });
  return columns;
}

std::string terminal_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  each_character(text, [&](std::string_view sequence) {
    if (sequence.empty()) {
      out += kReplacement;
      return;
    }
    const char32_t code = code_point(sequence);
    if (code < 0x20 || code == 0x7f) {
      const auto picture = static_cast<unsigned>(code == 0x7f ? 0x21 : code);  // U+2400 + code: three bytes e2 90 xx
      out += "\xe2\x90";
      out += static_cast<char>(0x80 + picture);
    } else if (within(code, kUnsafe.begin(), kUnsafe.end())) {
      out += kReplacement;
    } else {
      out += sequence;
    }
  });
  return out;
}

std::string shortened(std::string_view text, std::size_t columns) {
  if (display_width(text) <= columns) return std::string(text);
  if (columns < 2) return columns == 0 ? "" : "…";
  const std::size_t tail_columns = (columns - 1) / 2, head_columns = columns - 1 - tail_columns;
  std::string head;
  std::size_t used = 0;
  bool full = false;
  each_character(text, [&](std::string_view sequence) {
    const std::size_t w = sequence.empty() ? 1 : width(code_point(sequence));
    full = full || used + w > head_columns;
    if (full) return;
    head += sequence.empty() ? kReplacement : sequence;
    used += w;
  });
  // The longest end that fits: walk back over whole characters.
  std::size_t start = text.size(), tail_used = 0;
  while (start > 0) {
    std::size_t before = start - 1;
    while (before > 0 && (static_cast<unsigned char>(text[before]) & 0xc0) == 0x80) --before;
    const std::size_t w = display_width(text.substr(before, start - before));
    if (tail_used + w > tail_columns) break;
    tail_used += w;
    start = before;
  }
  return head + "…" + std::string(text.substr(start));
}

std::string markdown_text(std::string_view text) {
  std::string out;
  for (const char c : terminal_text(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '@':
        out += "&#64;";
        break;  // would notify whoever has that name
      case '#':
        out += "&#35;";
        break;  // would link an issue
      case '|':
      case '\\':
      case '`':
      case '*':
      case '_':
      case '[':
      case ']':
      case '~':
        out += '\\';
        out += c;
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string markdown_code(std::string_view text, CodeIn where) {
  const std::string shown = terminal_text(text);
  // A fence longer than any run of backticks inside.
  std::size_t longest = 0, run = 0;
  std::string body;
  for (const char c : shown) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
    if (c == '|' && where == CodeIn::table) body += '\\';
    body += c;
  }
  if (body.empty()) return "";
  const std::string fence(longest + 1, '`');
  const bool pad = body.front() == '`' || body.back() == '`' || (body.front() == ' ' && body.back() == ' ');
  return fence + (pad ? " " : "") + body + (pad ? " " : "") + fence;
}

std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : terminal_text(text)) {  // XML 1.0 can't hold most control characters in any form
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string csv_field(std::string_view text) {
  std::string shown = terminal_text(text);
  // A spreadsheet runs a cell that starts like this as a formula; numbers are not written by this function.
  if (!shown.empty() && std::string_view("=+-@").find(shown.front()) != std::string_view::npos)
    shown.insert(0, 1, '\'');
  if (shown.find_first_of(",\"'; ") == std::string::npos) return shown;
  std::string out = "\"";
  for (const char c : shown) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string github_message(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '%':
        out += "%25";
        break;
      case '\r':
        out += "%0D";
        break;
      case '\n':
        out += "%0A";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string github_property(std::string_view text) {
  std::string out;
  for (const char c : github_message(text)) {
    switch (c) {
      case ':':
        out += "%3A";
        break;
      case ',':
        out += "%2C";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace pawl::show
