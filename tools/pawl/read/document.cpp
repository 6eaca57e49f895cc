// document.cpp -- see document.hpp.
#include "read/document.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "read/context.hpp"
#include "read/encoding.hpp"

namespace pawl::read {
namespace {

using Severity = Oddities::Severity;

constexpr std::size_t kExcerpt = 60;     // bytes of foreign text that a message shows
constexpr std::size_t kNameShown = 200;  // bytes of a benchmark's name in an error
constexpr std::size_t kOtherKeys = 5;    // that a message lists

}  // namespace

Document::Document(Scanner& scanner, Oddities& oddities)
    : scanner_(scanner),
      oddities_(oddities),
      row_reader_(scanner, oddities),
      repetitions_(oddities, scanner.text().size()) {}

void Document::read() {
  std::string scratch;
  scanner_.expect('{', "before a document");
  offset_ = scanner_.offset() - 1;
  if (scanner_.take('}')) return;
  try {
    bool stray_comma = false;
    do {
      inside_ = scanner_.key(scratch);
      const std::size_t at = scanner_.offset();
      const Kind kind = scanner_.kind();
      if (inside_ == "context" && kind == Kind::object) {
        has_context_ = true;
        read_context(scanner_, oddities_, process_);
      } else if (inside_ == "benchmarks" && kind == Kind::array) {
        if (has_benchmarks_) oddities_.add(Severity::warning, at, "", "a second \"benchmarks\" list: read as well");
        has_benchmarks_ = true;
        read_rows();
      } else if (inside_ == "pawl" && kind == Kind::object) {
        read_pawl_section(scanner_, oddities_, process_);
      } else {
        scanner_.skip_value();
        if (other_keys_.size() < kOtherKeys) other_keys_.push_back(excerpt(inside_, kExcerpt));
        oddities_.add(
            Severity::note, at, "",
            fmt::format("\"{}\" is no part of Google Benchmark's format: left out", excerpt(inside_, kExcerpt)));
      }
      scanner_.take_repairs();
      inside_.clear();
    } while (scanner_.more('}', &stray_comma));
  } catch (const Broken& broken) {
    // All of the list was read and nothing else is half there: only the closing brace is missing.
    if (!broken.at_end || !inside_.empty() || !has_benchmarks_) throw;
    oddities_.add(Severity::warning, broken.offset, "",
                  "the file ends before the document's closing brace; no row is missing");
  }
}

void Document::read_rows() {
  scanner_.expect('[', "before the rows");
  bool comma_due = false;  // a row was read and the next one must be set off
  std::size_t comma_at = 0;
  for (;;) {
    const char next = scanner_.peek();
    switch (next) {
      case ']':
        scanner_.take(']');
        if (comma_at != 0) oddities_.add(Severity::note, comma_at, "", "a comma stands before the end of the rows");
        return;
      case ',':
        if (!comma_due) scanner_.broken("expected a row");
        comma_due = false;
        comma_at = scanner_.offset();
        scanner_.take(',');
        break;
      case '{':
        if (comma_due) scanner_.broken("expected ',' or ']' after a row");
        in_row_ = true;
        repetitions_.add(row_reader_.read());
        in_row_ = false;
        comma_due = true;
        comma_at = 0;
        break;
      case '}':
      case ':':
      case '\0':
        scanner_.broken("expected a row or ']'");
      default:
        if (comma_due) {
          pass_over_line();
          comma_due = scanner_.peek() == ',';
        } else {
          read_element();
          comma_due = scanner_.peek() == ',';
        }
        comma_at = 0;
    }
  }
}

// An element that is no object: a value, or a line that the measured program printed among the rows.
void Document::read_element() {
  const std::size_t first = scanner_.offset();
  bool is_value = false;
  try {
    scanner_.skip_value();
    const char next = scanner_.peek();
    is_value = next == ',' || next == ']';
  } catch (const Broken& broken) {
    const Kind kind = (scanner_.move_to(first), scanner_.kind());
    if (kind != Kind::number) throw;  // a list or text that broke
  }
  if (is_value) {
    oddities_.add(Severity::warning, first, "", "an element of the rows is no object: left out");
  } else {
    scanner_.move_to(first);
    pass_over_line();
  }
}

// With --benchmark_format=json what the benchmarks print themselves stands among the rows, mostly in lines of its own.
void Document::pass_over_line() {
  const std::string_view text = scanner_.text();
  const std::size_t first = scanner_.offset();
  std::size_t last = std::min(text.find('\n', first), text.size());
  while (last > first + 1 && (text[last - 1] == ' ' || text[last - 1] == '\r')) --last;
  if (text[last - 1] == '{' && last > first + 1) --last;  // printed without a line break before a row
  scanner_.move_to(last);
  oddities_.add(
      Severity::warning, first, "",
      fmt::format("text among the rows is passed over: {}", excerpt(text.substr(first, last - first), kExcerpt)));
}

std::string Document::not_results() const {
  if (!has_benchmarks_) {
    if (other_keys_.empty()) return "it has no \"benchmarks\" list";
    return fmt::format("it has no \"benchmarks\" list; its keys are \"{}\"", fmt::join(other_keys_, "\", \""));
  }
  if (rows() > 0 && repetitions_.rows_with_results() == 0)
    return fmt::format("its {} rows hold no result (written with --benchmark_list_tests?)", rows());
  return "";
}

std::string Document::where() const {
  if (in_row_) {
    const std::string_view name = row_reader_.row().name.empty() ? row_reader_.row().run_name : row_reader_.row().name;
    if (!name.empty()) return fmt::format("inside benchmark \"{}\"", excerpt(name, kNameShown));
    return fmt::format("inside row {}", rows() + 1);
  }
  if (inside_ == "benchmarks") return "inside the list of benchmarks";
  if (inside_ == "context") return "inside the context";
  if (!inside_.empty()) return fmt::format("inside \"{}\"", excerpt(inside_, kExcerpt));
  return "inside the document";
}

model::ResultSet Document::take(const std::string& file) {
  model::ResultSet set;
  set.label = file;
  process_.file = file;
  interpret_context(process_, set.machine, set.methodology);
  process_.disturbance.real_over_cpu = repetitions_.real_over_cpu();
  if (rows() == 0 && has_benchmarks_)
    oddities_.add(Severity::warning, offset_, "", "the document has no rows (a filter that matches nothing?)");
  set.benchmarks = repetitions_.finish(memory_sizes_are_right(
      set.methodology.settings.contains("library_version") ? set.methodology.settings.at("library_version") : ""));
  const model::Interned executable = process_.executable;
  for (model::Benchmark& benchmark : set.benchmarks) benchmark.executable = executable;
  if (set.methodology.build_type.empty() && process_.context.contains("library_build_type") &&
      process_.context.at("library_build_type") == "debug")
    oddities_.add(Severity::note, offset_, "",
                  "the benchmark library was built as debug (Debian's package always says so)");
  set.processes.push_back(std::move(process_));
  return set;
}

}  // namespace pawl::read
