// json_node.cpp -- typed access and paths.
#include "baseline/json_node.hpp"

#include <fmt/core.h>

#include <cmath>
#include <limits>

namespace pawl::baseline {
namespace {

std::string joined(const std::string& parent, std::string_view key) {
  return parent.empty() ? std::string(key) : fmt::format("{}.{}", parent, key);
}

}  // namespace

std::string JsonNode::path() const {
  if (parent_ == nullptr) return name_;
  return is_element_ ? fmt::format("{}[{}]", parent_->path(), index_) : joined(parent_->path(), name_);
}

void JsonNode::expect_object() const {
  if (!value_.is_object()) fail("expected an object {...}");
}

void JsonNode::expect_array() const {
  if (!value_.is_array()) fail("expected a list [...]");
}

const std::string& JsonNode::text() const {
  if (!value_.is_string()) fail("expected a string");
  return value_.get_ref<const std::string&>();
}

double JsonNode::number() const {
  if (value_.is_number()) return value_.get<double>();
  if (value_.is_string()) {
    const auto& word = value_.get_ref<const std::string&>();
    if (word == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (word == "Infinity") return std::numeric_limits<double>::infinity();
    if (word == "-Infinity") return -std::numeric_limits<double>::infinity();
  }
  fail("expected a number");
}

long long JsonNode::integer() const {
  const double exact = number();
  // 2^53: beyond it a double does not hold every integer.
  if (!(std::abs(exact) <= 9007199254740992.0) || exact != std::floor(exact)) fail("expected a whole number");
  return static_cast<long long>(exact);
}

std::uint64_t JsonNode::count() const {
  if (value_.is_number_unsigned()) return value_.get<std::uint64_t>();
  const long long number = integer();
  if (number < 0) fail("expected a number that is not negative");
  return static_cast<std::uint64_t>(number);
}

bool JsonNode::boolean() const {
  if (!value_.is_boolean()) fail("expected true or false");
  return value_.get<bool>();
}

void JsonNode::read(const char* key, std::string& to) const {
  with(key, [&](const JsonNode& node) { to = node.text(); });
}
void JsonNode::read(const char* key, std::optional<double>& to) const {
  with(key, [&](const JsonNode& node) { to = node.number(); });
}
void JsonNode::read(const char* key, int& to) const {
  with(key, [&](const JsonNode& node) {
    const long long number = node.integer();
    if (number < std::numeric_limits<int>::min() || number > std::numeric_limits<int>::max()) {
      node.fail("expected a smaller number");
    }
    to = static_cast<int>(number);
  });
}
void JsonNode::read(const char* key, bool& to) const {
  with(key, [&](const JsonNode& node) { to = node.boolean(); });
}

}  // namespace pawl::baseline
