// scanner.hpp -- JSON text, taken tolerantly -> one value at a time.
//
// Why not a JSON library: Google Benchmark writes what none of them reads. NaN and Infinity stand bare in its files,
// names hold raw control characters and Latin-1 bytes, user counters repeat keys, and a bench that dies leaves half a
// file whose complete rows are still wanted, with the line where it broke. nlohmann-json's SAX parser refuses all but
// the repeated keys, and its events alone take 3 times as long as reading does here (benches/tool/). Nothing else in
// the tool parses JSON by hand.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pawl::read {

/// Where JSON stops being JSON. Caught inside read/, which adds the file, the line and what was read before.
struct Broken {
  std::size_t offset = 0;
  bool at_end = false;  ///< the text ended where more had to come
  std::string what;
};

/// What had to be mended in what was scanned; bits.
enum Repair : std::uint8_t {
  kControlCharacters = 1,  ///< raw, or escaped ones that are no line break or tab
  kNotUtf8 = 2,            ///< bytes taken as Windows-1252, the superset of Latin-1
  kLocaleNumber = 4,       ///< 6,82e+02 or 1,000,000: written under a locale
};

enum class Kind : std::uint8_t { string, number, boolean, null, object, array, nothing };

/// One value that is no object or array. `text` is valid UTF-8 for strings, else the token as it stands.
struct Scalar {
  Kind kind = Kind::nothing;
  std::string_view text;
  double number = 0;  ///< NaN if it is none
  bool boolean = false;
};

/// A cursor over `text`, which must outlive it. Every member moves forward only, so scanning is linear.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : begin_(text.data()), at_(begin_), end_(begin_ + text.size()) {}

  std::size_t offset() const { return static_cast<std::size_t>(at_ - begin_); }
  std::string_view text() const { return {begin_, static_cast<std::size_t>(end_ - begin_)}; }
  void move_to(std::size_t offset) { at_ = begin_ + offset; }

  /// The next character that is not white space; 0 at the end (and for a NUL byte, which no JSON holds).
  char peek();
  bool at_end() { return peek() == '\0' && at_ == end_; }
  /// Takes `c` if it is next.
  bool take(char c);
  /// Takes `c` or throws Broken: "expected C <where>".
  void expect(char c, const char* where);
  /// What kind of value is next.
  Kind kind();

  /// A string, unescaped and mended: valid UTF-8 in one line. Control characters, line breaks and tabs among them,
  /// become their pictures (U+2400 and on), which every output format can hold and no terminal obeys. The view is into
  /// the text where nothing had to be changed, else into `scratch`.
  std::string_view string(std::string& scratch);
  /// A member's key and its colon.
  std::string_view key(std::string& scratch);
  /// A string, number, boolean or null. A comma between digits, as in 1,000, is part of the number except `in_array`.
  Scalar scalar(std::string& scratch, bool in_array = false);
  /// Passes over any value. Throws Broken where brackets don't match or nest deeper than kMaxDepth.
  void skip_value();
  /// In an object or array after a value: true if another one comes, false if `close` was taken.
  /// Sets *stray where a comma stood before the closing bracket.
  bool more(char close, bool* stray = nullptr);

  /// The repairs since the last call.
  std::uint8_t take_repairs() {
    const std::uint8_t repairs = repairs_;
    repairs_ = 0;
    return repairs;
  }

  [[noreturn]] void broken(std::string what);

  static constexpr int kMaxDepth = 200;  ///< results nest 4 deep

 private:
  double number(bool in_array);
  double unusual_number(const char* first, bool in_array);
  std::string_view unescape(const char* first, std::string& scratch);
  void append_code_point(char32_t code, std::string& out);
  void append_sequence(const char* at, std::size_t length, std::string& out);

  const char* begin_;
  const char* at_;
  const char* end_;
  std::uint8_t repairs_ = 0;
};

/// The number that `token` spells, in JSON or in one of the forms that C and C++ libraries print: nan, -nan(ind), inf,
/// 1.#INF, 6,82e+02, 1,000,000. Returns false if it spells none. Sets *locale if commas or dots group digits.
bool spelled_number(std::string_view token, double* value, bool* locale);

}  // namespace pawl::read
