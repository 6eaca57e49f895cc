// read_bytes.cpp -- bytes in any of their wrappings -> the documents in them -> one ResultSet.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "read/document.hpp"
#include "read/encoding.hpp"
#include "read/inflate.hpp"
#include "read/join.hpp"
#include "read/oddities.hpp"
#include "read/read.hpp"
#include "read/scanner.hpp"

namespace pawl::read {
namespace {

using Severity = Oddities::Severity;
using Kind = ReadError::Kind;

std::string rows_before(std::size_t rows) {
  if (rows == 0) return "no complete row comes before it";
  if (rows == 1) return "1 complete row before it was read";
  return fmt::format("{} complete rows before it were read", rows);
}

/// Every document of one text.
class Documents {
 public:
  Documents(std::string_view text, const std::string& file) : text_(text), file_(file), scanner_(text) {}

  model::ResultSet read(Encoding encoding);
  std::size_t rows() const { return rows_; }

 private:
  bool find_next();
  bool opens_document(std::size_t brace) const;
  void read_one();
  void take(Document& document);
  [[noreturn]] void fail(const Broken& broken, const Document& document, bool has_results);
  [[noreturn]] void fail_without_documents();

  std::string_view text_;
  const std::string& file_;
  Scanner scanner_;
  Oddities oddities_;
  Joiner joiner_;
  std::size_t documents_ = 0, rows_ = 0;
  std::vector<std::pair<std::size_t, std::string>> others_;  // JSON that is not Google Benchmark's: where, why
};

model::ResultSet Documents::read(Encoding encoding) {
  if (encoding == Encoding::utf8_bom) oddities_.add(Severity::note, 0, "", "a byte order mark: passed over");
  if (encoding == Encoding::utf16_le || encoding == Encoding::utf16_be)
    oddities_.add(Severity::note, 0, "", "the file is UTF-16: read as such");
  while (find_next()) read_one();
  if (documents_ == 0) fail_without_documents();
  for (const auto& [offset, why] : others_)
    oddities_.add(Severity::warning, offset, "", fmt::format("a document that holds no results is left out: {}", why));
  model::ResultSet set = joiner_.take();
  std::vector<model::Oddity> found = oddities_.take(text_, file_);
  set.oddities.insert(set.oddities.begin(), std::make_move_iterator(found.begin()),
                      std::make_move_iterator(found.end()));
  return set;
}

// Moves to the next '{' that opens a document. Several documents come from `>>`, from `jq -s` as a list, and with text
// around them from what a program prints besides.
bool Documents::find_next() {
  while (!scanner_.at_end()) {
    const std::size_t at = scanner_.offset();
    if (text_[at] == '{' && opens_document(at)) return true;
    if (text_.substr(at).starts_with("\xEF\xBB\xBF")) {  // the mark of a file that was appended
      scanner_.move_to(at + 3);
      continue;
    }
    if (text_[at] == '[' || text_[at] == ']' || text_[at] == ',') {
      const std::size_t next = std::min(text_.find_first_not_of(" \t\r\n", at + 1), text_.size());
      if (next == text_.size() || text_[next] == '{' || text_[next] == ']' || text_[next] == ',') {
        scanner_.move_to(next);
        continue;
      }
    }
    const std::size_t end = std::min(text_.find('\n', at), text_.size());
    const std::string_view line = text_.substr(at, end - at);
    oddities_.add(Severity::warning, at, "",
                  fmt::format("text outside the results is passed over: {}", excerpt(line, 60)));
    scanner_.move_to(end);
  }
  return false;
}

bool Documents::opens_document(std::size_t brace) const {
  const std::size_t next = text_.find_first_not_of(" \t\r\n", brace + 1);
  return next == text_.npos || text_[next] == '"' || text_[next] == '}';
}

void Documents::read_one() {
  Document document(scanner_, oddities_);
  try {
    document.read();
  } catch (const Broken& broken) {
    const bool has_results = document.rows() > 0;
    if (has_results) take(document);
    fail(broken, document, has_results);
  }
  if (std::string why = document.not_results(); !why.empty())
    others_.emplace_back(document.offset(), std::move(why));
  else
    take(document);
}

void Documents::take(Document& document) {
  rows_ += document.rows();
  joiner_.add(document.take(++documents_ == 1 ? file_ : fmt::format("{} (document {})", file_, documents_)));
}

void Documents::fail(const Broken& broken, const Document& document, bool has_results) {
  const Position at = position(text_, broken.offset);
  std::string where = document.where();
  if (documents_ + (has_results ? 0 : 1) > 1)
    where += fmt::format(" of document {}", documents_ + (has_results ? 0 : 1));
  const std::string what = broken.at_end ? "the file ends " + where : fmt::format("{} {}", broken.what, where);
  std::shared_ptr<model::ResultSet> partial;
  if (documents_ > 0) {
    partial = std::make_shared<model::ResultSet>(joiner_.take());
    partial->oddities = oddities_.take(text_, file_);
  }
  const bool damaged = document.is_google_benchmark() || documents_ > 0;
  throw ReadError(damaged ? Kind::damaged : Kind::not_results,
                  fmt::format("{}:{}:{}: {}{}; {}", file_, at.line, at.column,
                              damaged ? "" : "not Google Benchmark's: ", what, rows_before(rows_)),
                  std::move(partial));
}

// What people pass by mistake, by the look of it.
std::string describe(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == text.npos)
    return "the file is empty (a --benchmark_filter that matches nothing writes an empty file)";
  if (text.starts_with("name,iterations,real_time"))
    return "this is Google Benchmark's CSV, which lacks what a comparison needs: write JSON with "
           "--benchmark_format=json";
  if (text.find("Time             CPU") != text.npos || text.find("Iterations") != text.npos)
    return "this is a table for people: write JSON with --benchmark_out=FILE --benchmark_out_format=json";
  std::size_t lines = 0, names = 0;
  for (std::size_t at = 0; at < text.size() && lines < 1000;) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    at = end + 1;
    if (line.empty()) continue;
    ++lines;
    // Blanks stand in names only between the brackets of template arguments and call signatures.
    const std::size_t blank = line.find_first_of(" \t");
    names += blank == line.npos || line.find_first_of("<(") < blank ? 1 : 0;
  }
  if (lines > 1 && names == lines)
    return fmt::format("this is a list of names, not JSON (written with --benchmark_list_tests?); it begins with {}",
                       excerpt(text.substr(0, text.find_first_of("\r\n")), 60));
  return fmt::format("this is not JSON; it begins with {}", excerpt(text.substr(0, text.find('\n')), 60));
}

void Documents::fail_without_documents() {
  if (!others_.empty()) {
    const Position at = position(text_, others_.front().first);
    throw ReadError(Kind::not_results, fmt::format("{}:{}:{}: not Google Benchmark's results: {}", file_, at.line,
                                                   at.column, others_.front().second));
  }
  throw ReadError(Kind::not_results, fmt::format("{}:1:1: {}", file_, describe(text_)));
}

// Other things than text, by their first bytes.
void refuse_foreign(std::string_view bytes, const std::string& file) {
  struct Format {
    std::string_view magic;
    const char* name;
  };
  static constexpr std::array<Format, 5> kFormats = {{{"\xFD"
                                                       "7zXZ",
                                                       "xz"},
                                                      {"\x28\xB5\x2F\xFD", "zstd"},
                                                      {"BZh", "bzip2"},
                                                      {"PK\x03\x04", "zip"},
                                                      {"7z\xBC\xAF", "7-Zip"}}};
  for (const Format& format : kFormats)
    if (bytes.starts_with(format.magic))
      throw ReadError(
          Kind::not_results,
          fmt::format("{}: compressed by {}: unpack it first (only gzip is read as it is)", file, format.name));
  if (bytes.starts_with("\x7F"
                        "ELF"))
    throw ReadError(Kind::not_results, fmt::format("{}: this is a program; its results are what it writes with "
                                                   "--benchmark_out=FILE",
                                                   file));
}

model::ResultSet read_inflated(std::string_view bytes, const std::string& file) {
  const Inflated inflated = inflate_gzip(bytes);
  if (inflated.problem.empty()) return read_bytes(inflated.bytes, file);
  std::shared_ptr<const model::ResultSet> partial;
  std::string after;
  try {
    partial = std::make_shared<const model::ResultSet>(read_bytes(inflated.bytes, file));
  } catch (const ReadError& error) {
    partial = error.partial;
    after = fmt::format(" ({})", error.what());
  }
  throw ReadError(Kind::damaged,
                  fmt::format("{}: its gzip stream {} after {} bytes of text{}", file, inflated.problem,
                              inflated.bytes.size(), after),
                  std::move(partial));
}

}  // namespace

model::ResultSet read_bytes(std::string_view bytes, const std::string& file) {
  if (is_gzip(bytes)) return read_inflated(bytes, file);
  refuse_foreign(bytes, file);
  const Encoding encoding = detect_encoding(bytes);
  switch (encoding) {
    case Encoding::utf8:
      return Documents(bytes, file).read(encoding);
    case Encoding::utf8_bom:
      return Documents(bytes.substr(3), file).read(encoding);
    default:
      break;
  }
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) bytes.remove_prefix(2);
  const std::string text = utf16_to_utf8(bytes, encoding == Encoding::utf16_be);
  return Documents(text, file).read(encoding);
}

}  // namespace pawl::read
