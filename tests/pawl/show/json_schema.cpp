// json_schema.cpp -- the part of JSON Schema 2020-12 that our schemas use.
#include "pawl/show/json_schema.hpp"

#include <algorithm>
#include <set>

namespace pawl {
namespace {

using nlohmann::json;

class Validator {
 public:
  explicit Validator(const json& root) : root_(root) {}
  std::vector<std::string> violations;

  void check(const json& value, const json& schema, const std::string& path) {
    static const std::set<std::string> known = {
        "$schema",    "$defs", "$ref", "title", "description", "type", "required", "additionalProperties",
        "properties", "items", "enum", "const", "minimum"};
    for (const auto& [keyword, rule] : schema.items()) {
      if (!known.contains(keyword))
        violations.push_back(path + ": the schema uses '" + keyword + "', which is not checked");
    }
    if (schema.contains("$ref")) check(value, resolve(schema["$ref"]), path);
    if (schema.contains("type") && !has_type(value, schema["type"])) {
      violations.push_back(path + ": is " + value.dump().substr(0, 40) + ", not of type " + schema["type"].dump());
      return;
    }
    if (schema.contains("const") && value != schema["const"])
      violations.push_back(path + ": is not " + schema["const"].dump());
    if (schema.contains("enum") &&
        std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end()) {
      violations.push_back(path + ": " + value.dump() + " is none of " + schema["enum"].dump());
    }
    if (schema.contains("minimum") && value.is_number() && value < schema["minimum"])
      violations.push_back(path + ": too small");
    if (value.is_object()) check_object(value, schema, path);
    if (value.is_array() && schema.contains("items")) {
      for (std::size_t i = 0; i < value.size(); ++i)
        check(value[i], schema["items"], path + "[" + std::to_string(i) + "]");
    }
  }

 private:
  void check_object(const json& value, const json& schema, const std::string& path) {
    for (const auto& key : schema.value("required", json::array())) {
      if (!value.contains(key.get<std::string>())) violations.push_back(path + ": has no " + key.dump());
    }
    const json properties = schema.value("properties", json::object());
    for (const auto& [key, member] : value.items()) {
      if (properties.contains(key)) {
        check(member, properties[key], path + "." + key);
      } else if (!schema.value("additionalProperties", true)) {
        violations.push_back(path + ": has an unknown " + key);
      }
    }
  }
  static bool is(const json& value, const std::string& type) {
    return type == "object"    ? value.is_object()
           : type == "array"   ? value.is_array()
           : type == "string"  ? value.is_string()
           : type == "boolean" ? value.is_boolean()
           : type == "null"    ? value.is_null()
           : type == "integer" ? value.is_number_integer()
                               : type == "number" && value.is_number();
  }
  static bool has_type(const json& value, const json& types) {
    if (types.is_string()) return is(value, types);
    return std::any_of(types.begin(), types.end(), [&](const json& type) { return is(value, type); });
  }
  const json& resolve(const std::string& reference) const { return root_.at(json::json_pointer(reference.substr(1))); }

  const json& root_;
};

}  // namespace

std::vector<std::string> schema_violations(const json& document, const json& schema) {
  Validator validator(schema);
  validator.check(document, schema, "$");
  return validator.violations;
}

}  // namespace pawl
