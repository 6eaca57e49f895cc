// formats.hpp -- an Outcome -> each of the formats that programs and pages take.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "show/outcome.hpp"
#include "show/terminal.hpp"

namespace pawl::show {

enum class Format { table, json, markdown, csv, junit, github, html_fragment };

/// By its name on the command line; nothing if there is no such format.
std::optional<Format> format_named(std::string_view name);
std::string_view name_of(Format format);
std::vector<std::string> format_names();

/// What a file's suffix says: .md, .json, .csv, .xml, .html or .htm, .txt.
std::optional<Format> format_of_file(std::string_view path);

/// The schema of JSON is docs/compare.schema.json; docs/formats.md explains each format.
std::string format_json(const Outcome& outcome);
std::string format_markdown(const Outcome& outcome);
std::string format_csv(const Outcome& outcome);
std::string format_junit(const Outcome& outcome);
std::string format_github(const Outcome& outcome);
std::string format_html_fragment(const Outcome& outcome);

std::string format_outcome(Format format, const Outcome& outcome, const Terminal& terminal);

}  // namespace pawl::show
