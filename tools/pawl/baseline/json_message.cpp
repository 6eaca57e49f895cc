// json_message.cpp -- a path or a parser's error -> the line that people look at.
#include <fmt/core.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "baseline/json_node.hpp"

namespace pawl::baseline {
namespace {

using nlohmann::json;

std::string joined(const std::string& parent, std::string_view key) {
  return parent.empty() ? std::string(key) : fmt::format("{}.{}", parent, key);
}

// Reads characters and counts lines; nlohmann's parser keeps no positions. It is at most one character ahead of the
// value that it reports, which is on the same line unless the value is a number at the end of a line.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::size_t* line) : at_(at), line_(line) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    if (*at_ == '\n') ++*line_;
    ++at_;
    return *this;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) { return a.at_ == b.at_; }

 private:
  const char* at_;
  std::size_t* line_;
};

// Follows the document until the path that is looked for begins.
class PathFinder : public nlohmann::json_sax<json> {
 public:
  PathFinder(const std::string& path, const std::size_t* line) : wanted_(path), line_(line) {}
  std::size_t found = 0;

  bool null() override { return scalar(); }
  bool boolean(bool) override { return scalar(); }
  bool number_integer(number_integer_t) override { return scalar(); }
  bool number_unsigned(number_unsigned_t) override { return scalar(); }
  bool number_float(number_float_t, const string_t&) override { return scalar(); }
  bool string(string_t&) override { return scalar(); }
  bool binary(binary_t&) override { return scalar(); }
  bool start_object(std::size_t) override { return open(false); }
  bool key(string_t& name) override {
    levels_.back().key = name;
    key_line_ = *line_;
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(true); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const json::exception&) override { return false; }

 private:
  struct Level {
    std::string path, key;
    bool is_array;
    std::size_t index;
  };

  std::string here() const {
    if (levels_.empty()) return "";
    const Level& level = levels_.back();
    return level.is_array ? fmt::format("{}[{}]", level.path, level.index) : joined(level.path, level.key);
  }
  bool at_value() {
    if (here() != wanted_) return true;
    found = !levels_.empty() && !levels_.back().is_array ? key_line_ : *line_;
    return false;
  }
  bool scalar() {
    const bool go_on = at_value();
    if (!levels_.empty()) ++levels_.back().index;
    return go_on;
  }
  bool open(bool is_array) {
    if (!at_value()) return false;
    levels_.push_back({here(), "", is_array, 0});
    return true;
  }
  bool close() {
    levels_.pop_back();
    if (!levels_.empty()) ++levels_.back().index;
    return true;
  }

  const std::string& wanted_;
  const std::size_t* line_;
  std::size_t key_line_ = 0;
  std::vector<Level> levels_;
};

}  // namespace

std::size_t line_of(std::string_view text, const std::string& path) {
  std::size_t line = 1;
  PathFinder finder(path, &line);
  json::sax_parse(CountingIterator(text.data(), &line), CountingIterator(text.data() + text.size(), &line), &finder);
  return finder.found;
}

std::string describe_parse_error(const json::exception& error) {
  std::string what = error.what();
  // "[json.exception.parse_error.101] parse error at line 3, column 7: syntax error while parsing value - ..."
  if (const auto bracket = what.find("] "); what.starts_with('[') && bracket != std::string::npos) {
    what.erase(0, bracket + 2);
  }
  constexpr std::string_view kAt = "parse error at line ", kColumn = ", column ";
  if (!what.starts_with(kAt)) return what;
  const auto column = what.find(kColumn), colon = what.find(": ", column);
  if (column == std::string::npos || colon == std::string::npos) return what;
  return fmt::format("{}:{}: {}", what.substr(kAt.size(), column - kAt.size()),
                     what.substr(column + kColumn.size(), colon - column - kColumn.size()), what.substr(colon + 2));
}

}  // namespace pawl::baseline
