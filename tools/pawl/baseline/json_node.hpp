// json_node.hpp -- a JSON value and where it stands -> typed members, or an error that names the place.
#pragma once
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::baseline {

/// A value that is not what was expected. `path` is as in "benchmarks[3].name"; empty for the whole document.
struct JsonError {
  std::string path;
  std::string what;
};

/// A value within a document. Nodes are made on the way down and live on the stack; a child refers to its parent.
class JsonNode {
 public:
  JsonNode(const nlohmann::json& value, std::string root_path) : value_(value), name_(std::move(root_path)) {}

  const nlohmann::json& json() const { return value_; }
  std::string path() const;
  [[noreturn]] void fail(const std::string& what) const { throw JsonError{path(), what}; }

  void expect_object() const;
  void expect_array() const;

  /// Calls visit(node) with the member; nothing if it is absent or null.
  template <class Visit>
  void with(const char* key, Visit&& visit) const {
    expect_object();
    const auto found = value_.find(key);
    if (found != value_.end() && !found->is_null()) visit(JsonNode(*found, *this, key));
  }
  /// Calls visit(node) for each element of an array.
  template <class Visit>
  void each_element(Visit&& visit) const {
    expect_array();
    for (std::size_t i = 0; i < value_.size(); ++i) visit(JsonNode(value_[i], *this, i));
  }
  /// Calls visit(key, node) for each member of an object.
  template <class Visit>
  void each_member(Visit&& visit) const {
    expect_object();
    for (auto member = value_.begin(); member != value_.end(); ++member) {
      visit(member.key(), JsonNode(member.value(), *this, member.key()));
    }
  }

  const std::string& text() const;
  double number() const;  ///< also "NaN", "Infinity" and "-Infinity", which JSON has no number for
  long long integer() const;
  std::uint64_t count() const;  ///< whole and not negative, all 64 bits of it
  bool boolean() const;

  /// The optional members of an object; what is absent or null leaves `to` as it is.
  void read(const char* key, std::string& to) const;
  void read(const char* key, std::optional<double>& to) const;
  void read(const char* key, int& to) const;
  void read(const char* key, bool& to) const;

 private:
  JsonNode(const nlohmann::json& value, const JsonNode& parent, std::string_view key)
      : value_(value), parent_(&parent), name_(key) {}
  JsonNode(const nlohmann::json& value, const JsonNode& parent, std::size_t index)
      : value_(value), parent_(&parent), index_(index), is_element_(true) {}

  const nlohmann::json& value_;
  const JsonNode* parent_ = nullptr;
  std::string name_;
  std::size_t index_ = 0;
  bool is_element_ = false;
};

// The rest is for messages (json_message.cpp).

/// The 1-based line on which the value at `path` starts; 0 if it can't be told. For messages: parses the text again.
std::size_t line_of(std::string_view text, const std::string& path);

/// What nlohmann-json says about text that is no JSON -> "LINE:COLUMN: what", without its exception's number.
std::string describe_parse_error(const nlohmann::json::exception& error);

}  // namespace pawl::baseline
