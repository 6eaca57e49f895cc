// formats.cpp -- the names of the formats.
#include "show/formats.hpp"

#include <array>
#include <utility>

#include "show/table.hpp"

namespace pawl::show {
namespace {

constexpr std::array<std::pair<std::string_view, Format>, 7> kNames = {{{"table", Format::table},
                                                                        {"json", Format::json},
                                                                        {"markdown", Format::markdown},
                                                                        {"csv", Format::csv},
                                                                        {"junit", Format::junit},
                                                                        {"github", Format::github},
                                                                        {"html-fragment", Format::html_fragment}}};
constexpr std::array<std::pair<std::string_view, Format>, 7> kSuffixes = {{{".txt", Format::table},
                                                                           {".json", Format::json},
                                                                           {".md", Format::markdown},
                                                                           {".csv", Format::csv},
                                                                           {".xml", Format::junit},
                                                                           {".html", Format::html_fragment},
                                                                           {".htm", Format::html_fragment}}};

}  // namespace

std::optional<Format> format_named(std::string_view name) {
  for (const auto& [known, format] : kNames) {
    if (known == name) return format;
  }
  return std::nullopt;
}

std::string_view name_of(Format format) {
  for (const auto& [name, known] : kNames) {
    if (known == format) return name;
  }
  return "";
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const auto& [name, format] : kNames) names.emplace_back(name);
  return names;
}

std::optional<Format> format_of_file(std::string_view path) {
  for (const auto& [suffix, format] : kSuffixes) {
    if (path.ends_with(suffix)) return format;
  }
  return std::nullopt;
}

std::string format_outcome(Format format, const Outcome& outcome, const Terminal& terminal) {
  switch (format) {
    case Format::table:
      return format_table(outcome, terminal);
    case Format::json:
      return format_json(outcome);
    case Format::markdown:
      return format_markdown(outcome);
    case Format::csv:
      return format_csv(outcome);
    case Format::junit:
      return format_junit(outcome);
    case Format::github:
      return format_github(outcome);
    case Format::html_fragment:
      break;
  }
  return format_html_fragment(outcome);
}

}  // namespace pawl::show
