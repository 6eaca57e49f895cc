// json_schema.hpp -- a JSON document and a JSON schema -> where the document breaks it.
//
// Only the keywords that our schemas use; one that it does not know is an error, so that no rule is passed over.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace pawl {

/// One line per violation; empty if the document is valid.
std::vector<std::string> schema_violations(const nlohmann::json& document, const nlohmann::json& schema);

}  // namespace pawl
