// scanner.cpp -- see scanner.hpp.
#include "read/scanner.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "read/encoding.hpp"

namespace pawl::read {
namespace {

// Classes of bytes, one table look-up a byte. `plain`: stands for itself inside a string.
enum Class : std::uint8_t { kPlain = 1, kSpace = 2, kEndsToken = 4, kDigit = 8 };

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (std::size_t c = 0x20; c < 0x7F; ++c) classes[c] = kPlain;
  classes['"'] = classes['\\'] = 0;
  for (const char c : {' ', '\t', '\n', '\r'}) {
    const auto i = static_cast<unsigned char>(c);
    classes[i] = static_cast<std::uint8_t>(classes[i] | kSpace | kEndsToken);
  }
  for (const char c : {',', ':', '"', '[', ']', '{', '}'}) {
    const auto i = static_cast<unsigned char>(c);
    classes[i] = static_cast<std::uint8_t>(classes[i] | kEndsToken);
  }
  for (const char c : {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9'}) {
    const auto i = static_cast<unsigned char>(c);
    classes[i] = static_cast<std::uint8_t>(classes[i] | kDigit);
  }
  return classes;
}
constexpr std::array<std::uint8_t, 256> kClasses = make_classes();

bool is(char c, Class what) { return (kClasses[static_cast<unsigned char>(c)] & what) != 0; }

bool equal_ignoring_case(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] + ('a' - 'A')) : text[i];
    if (c != lower[i]) return false;
  }
  return true;
}

// All of `token` as a C number; the standard's spelling of infinity and NaN included.
bool whole_number(std::string_view token, double* value) {
  const bool signed_plus = token.starts_with('+');
  if (signed_plus) token.remove_prefix(1);
  if (token.empty() || token.starts_with('+') || (signed_plus && token.starts_with('-'))) return false;
  const char* last = token.data() + token.size();
  const auto [rest, error] = std::from_chars(token.data(), last, *value);
  if (rest != last) return false;
  // from_chars leaves the value alone when it is out of range; strtod gives infinity, or the nearest tiny number.
  if (error == std::errc::result_out_of_range) *value = std::strtod(std::string(token).c_str(), nullptr);
  return error != std::errc::invalid_argument;
}

bool not_finite_number(std::string_view token, double* value) {
  bool negative = false;
  if (!token.empty() && (token.front() == '-' || token.front() == '+')) {
    negative = token.front() == '-';
    token.remove_prefix(1);
  }
  const std::string_view word = token.substr(0, token.find('('));  // MSVC: nan(ind), nan(snan)
  for (const std::string_view spelling : {"nan", "1.#ind", "1.#qnan", "1.#snan", "1.#nan"})
    if (equal_ignoring_case(word, spelling)) {
      *value = std::numeric_limits<double>::quiet_NaN();
      return true;
    }
  for (const std::string_view spelling : {"inf", "infinity", "1.#inf"})
    if (equal_ignoring_case(word, spelling)) {
      *value = negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
      return true;
    }
  return false;
}

// 6,82e+02 (a decimal comma: the library writes doubles with an exponent) or 1,000,000 and 1.000.000 (grouped
// integers).
bool locale_number(std::string_view token, double* value) {
  const auto commas = std::count(token.begin(), token.end(), ',');
  const auto dots = std::count(token.begin(), token.end(), '.');
  std::string plain(token);
  if (commas == 1 && dots == 0 && token.find_first_of("eE") != token.npos) {
    std::replace(plain.begin(), plain.end(), ',', '.');
    return whole_number(plain, value);
  }
  const char separator = commas > 0 ? ',' : '.';
  if ((commas > 0) == (dots > 0) || (dots > 0 && dots < 2)) return false;
  for (std::size_t at = token.find(separator), next = 0; at != token.npos; at = next) {
    next = token.find(separator, at + 1);
    if ((next == token.npos ? token.size() : next) - at != 4) return false;  // a separator and three digits
  }
  std::erase(plain, separator);
  return whole_number(plain, value);
}

}  // namespace

bool spelled_number(std::string_view token, double* value, bool* locale) {
  *locale = false;
  if (whole_number(token, value) || not_finite_number(token, value)) return true;
  *locale = locale_number(token, value);
  return *locale;
}

void Scanner::broken(std::string what) { throw Broken{offset(), at_ == end_, std::move(what)}; }

char Scanner::peek() {
  while (at_ != end_ && is(*at_, kSpace)) ++at_;
  return at_ == end_ ? '\0' : *at_;
}

bool Scanner::take(char c) {
  if (peek() != c || at_ == end_) return false;
  ++at_;
  return true;
}

void Scanner::expect(char c, const char* where) {
  if (!take(c)) broken(fmt::format("expected '{}' {}", c, where));
}

Kind Scanner::kind() {
  switch (peek()) {
    case '"':
      return Kind::string;
    case '{':
      return Kind::object;
    case '[':
      return Kind::array;
    case ']':
    case '}':
    case ',':
    case ':':
    case '\0':
      return Kind::nothing;
    default:
      return Kind::number;  // or a word: scalar() tells
  }
}

std::string_view Scanner::string(std::string& scratch) {
  if (peek() != '"') broken("expected a string");
  const char* first = ++at_;
  while (at_ != end_ && is(*at_, kPlain)) ++at_;
  if (at_ == end_) broken("a string has no end");
  if (*at_ != '"') return unescape(first, scratch);
  return {first, static_cast<std::size_t>(at_++ - first)};
}

std::string_view Scanner::unescape(const char* first, std::string& scratch) {
  scratch.assign(first, at_);
  const auto control = [&](unsigned c) {
    repairs_ |= kControlCharacters;
    append_utf8(scratch, control_picture(static_cast<unsigned char>(c)));
  };
  const auto hex4 = [&](const char* at, char32_t* code) {
    if (end_ - at < 4) return false;
    unsigned value = 0;
    const auto [rest, error] = std::from_chars(at, at + 4, value, 16);
    *code = value;
    return error == std::errc() && rest == at + 4;
  };
  for (;;) {
    const char* run = at_;
    while (at_ != end_ && is(*at_, kPlain)) ++at_;
    scratch.append(run, at_);
    if (at_ == end_) broken("a string has no end");
    const auto c = static_cast<unsigned char>(*at_);
    if (c == '"') {
      ++at_;
      return scratch;
    }
    if (c < 0x20 || c == 0x7F) {
      control(c);
      ++at_;
    } else if (c != '\\') {
      if (const std::size_t length = utf8_sequence(at_, end_); length > 0) {
        append_sequence(at_, length, scratch);
        at_ += length;
      } else {
        repairs_ |= kNotUtf8;
        append_utf8(scratch, windows_1252(c));
        ++at_;
      }
    } else {
      if (++at_ == end_) broken("a string has no end");
      char32_t code = 0;
      switch (*at_++) {
        case '"':
          scratch += '"';
          break;
        case '\\':
          scratch += '\\';
          break;
        case '/':
          scratch += '/';
          break;
        case 'b':
          control('\b');
          break;
        case 'f':
          control('\f');
          break;
        case 'n':
          append_utf8(scratch, control_picture('\n'));
          break;
        case 'r':
          control('\r');
          break;
        case 't':
          append_utf8(scratch, control_picture('\t'));
          break;
        case 'u':
          if (!hex4(at_, &code)) {
            if (end_ - at_ < 4) at_ = end_;
            broken("\\u needs four hexadecimal digits");
          }
          at_ += 4;
          if (code >= 0xD800 && code < 0xDC00) {
            char32_t low = 0;
            if (end_ - at_ >= 6 && at_[0] == '\\' && at_[1] == 'u' && hex4(at_ + 2, &low) && low >= 0xDC00 &&
                low < 0xE000) {
              code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
              at_ += 6;
            }
          }
          if (code >= 0xD800 && code < 0xE000) {
            code = 0xFFFD;
            repairs_ |= kNotUtf8;
          }
          if (code == '\n' || code == '\t')
            append_utf8(scratch, control_picture(static_cast<unsigned char>(code)));
          else if (code < 0x20 || code == 0x7F)
            control(code);
          else
            append_code_point(code, scratch);
          break;
        default:
          --at_;
          broken(fmt::format("'\\{}' is no escape sequence", is(*at_, kPlain) ? *at_ : '?'));
      }
    }
  }
}

// C1 controls are what Latin-1 files make of Windows-1252, and a terminal obeys them; XML cannot hold U+FFFE and
// U+FFFF.
void Scanner::append_code_point(char32_t code, std::string& out) {
  if (code >= 0x80 && code < 0xA0) {
    repairs_ |= kControlCharacters;
    code = windows_1252(static_cast<unsigned char>(code));
  } else if (code == 0xFFFE || code == 0xFFFF) {
    repairs_ |= kNotUtf8;
    code = 0xFFFD;
  }
  append_utf8(out, code);
}

void Scanner::append_sequence(const char* at, std::size_t length, std::string& out) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(at[i]); };
  if (length == 2 && byte(0) == 0xC2 && byte(1) < 0xA0)
    append_code_point(byte(1), out);
  else if (length == 3 && byte(0) == 0xEF && byte(1) == 0xBF && byte(2) >= 0xBE)
    append_code_point(0xFFC0U | (byte(2) & 0x3FU), out);
  else
    out.append(at, length);
}

std::string_view Scanner::key(std::string& scratch) {
  if (peek() != '"') broken("expected a key in quotes");
  const std::string_view found = string(scratch);
  expect(':', "after a key");
  return found;
}

double Scanner::number(bool in_array) {
  const char* first = at_;
  double value = 0;
  if (is(*at_, kDigit) || (*at_ == '-' && at_ + 1 != end_ && is(at_[1], kDigit))) {
    const auto [rest, error] = std::from_chars(at_, end_, value);
    if (error == std::errc() && rest != end_ && is(*rest, kEndsToken) &&
        !(*rest == ',' && !in_array && rest + 1 != end_ && is(rest[1], kDigit))) {
      at_ = rest;
      return value;
    }
  }
  while (at_ != end_ && !is(*at_, kEndsToken)) ++at_;
  return unusual_number(first, in_array);
}

double Scanner::unusual_number(const char* first, bool in_array) {
  const char* last = at_;
  double value = 0;
  bool locale = false;
  // A comma and a digit right behind it: no JSON object goes on like that, a number under a locale does.
  const char* grouped = last;
  while (!in_array && end_ - grouped >= 2 && *grouped == ',' && is(grouped[1], kDigit)) {
    ++grouped;
    while (grouped != end_ && !is(*grouped, kEndsToken)) ++grouped;
  }
  if (grouped != last && spelled_number({first, static_cast<std::size_t>(grouped - first)}, &value, &locale) &&
      locale) {
    at_ = grouped;
    repairs_ |= kLocaleNumber;
    return value;
  }
  const std::string_view token(first, static_cast<std::size_t>(last - first));
  if (!spelled_number(token, &value, &locale)) {
    if (last != end_) at_ = first;  // a word that the end cuts short is a truncation, not a wrong word
    broken("a value is no JSON");
  }
  if (locale) repairs_ |= kLocaleNumber;
  return value;
}

Scalar Scanner::scalar(std::string& scratch, bool in_array) {
  Scalar value;
  value.kind = kind();
  value.number = std::numeric_limits<double>::quiet_NaN();
  const char* first = at_;
  const auto word = [&](std::string_view spelling) {
    if (static_cast<std::size_t>(end_ - at_) < spelling.size() || !std::equal(spelling.begin(), spelling.end(), at_) ||
        (at_ + spelling.size() != end_ && !is(at_[spelling.size()], kEndsToken)))
      return false;
    at_ += spelling.size();
    value.text = spelling;
    return true;
  };
  switch (value.kind) {
    case Kind::string:
      value.text = string(scratch);
      return value;
    case Kind::number:
      if (word("true") || word("false")) {
        value.kind = Kind::boolean;
        value.boolean = value.text == "true";
      } else if (word("null")) {
        value.kind = Kind::null;
      } else {
        value.number = number(in_array);
        value.text = {first, static_cast<std::size_t>(at_ - first)};
      }
      return value;
    default:
      broken("expected a value");
  }
}

void Scanner::skip_value() {
  std::array<char, kMaxDepth> closing{};
  std::size_t depth = 0;
  std::string scratch;
  for (;;) {
    const Kind next = kind();
    if (next == Kind::object || next == Kind::array) {
      if (depth == closing.size()) broken(fmt::format("brackets nest deeper than {}", kMaxDepth));
      ++at_;
      const char close = next == Kind::object ? '}' : ']';
      if (!take(close)) {
        closing[depth++] = close;
        if (close == '}') key(scratch);
        continue;
      }
    } else {
      scalar(scratch, depth > 0 && closing[depth - 1] == ']');
    }
    for (;;) {
      if (depth == 0) return;
      if (more(closing[depth - 1])) break;
      --depth;
    }
    if (closing[depth - 1] == '}') key(scratch);
  }
}

bool Scanner::more(char close, bool* stray) {
  if (take(close)) return false;
  if (!take(',')) broken(fmt::format("expected ',' or '{}'", close));
  if (peek() != close) return true;
  ++at_;
  if (stray != nullptr) *stray = true;
  return false;
}

}  // namespace pawl::read
