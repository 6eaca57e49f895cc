// targets_format.cpp -- rows of targets, the worst first.
#include "show/targets_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "show/json_writer.hpp"
#include "show/quantity.hpp"
#include "show/target_values.hpp"
#include "show/text.hpp"

namespace pawl::show {
namespace {

using decide::Reach;

constexpr std::array kWorstFirst = {Reach::missed, Reach::unclear, Reach::not_applicable, Reach::met};

std::vector<const JudgedTarget*> worst_first(const std::vector<JudgedTarget>& targets) {
  std::vector<const JudgedTarget*> sorted;
  for (const Reach reach : kWorstFirst) {
    for (const JudgedTarget& t : targets) {
      if (t.reached.reach == reach) sorted.push_back(&t);
    }
  }
  return sorted;
}

std::string bar(const decide::Target& target) {
  return (target.at_least ? ">= " : "<= ") +
         target_value_text(target.metric, target.at_least ? *target.at_least : *target.at_most);
}

std::string value(const JudgedTarget& t) {
  if (t.reached.measured == 0) return "-";
  const auto text = [&](double v) { return target_value_text(t.target.metric, v); };
  if (t.reached.runs < 2) return text(t.reached.value) + " (one run)";
  return fmt::format("{} [{}, {}]", text(t.reached.value), text(t.reached.low), text(t.reached.high));
}

// What the value is of, and how many others there are.
std::string about_measured(const JudgedTarget& t) {
  const decide::Reached& r = t.reached;
  if (r.matching == 0) return "no benchmark matches " + t.target.pattern;
  if (r.measured == 0) return fmt::format("{} without {}", counted(r.matching, "benchmark"), t.target.metric);
  if (t.target.geometric_mean) return fmt::format("geometric mean of {}", counted(r.measured, "benchmark"));
  if (r.measured == 1) return r.worst;
  if (r.short_of > 0) return fmt::format("{} ({} of {} fall short)", r.worst, r.short_of, r.measured);
  return fmt::format("{} (the worst of {})", r.worst, r.measured);
}

std::string about(const JudgedTarget& t) {
  const decide::Reached& r = t.reached;
  if (r.failed == 0) return about_measured(t);
  return fmt::format("{}{}{} {}{}", r.measured > 0 ? about_measured(t) : "", r.measured > 0 ? "; " : "", r.failed_row,
                     r.failure, r.failed > 1 ? fmt::format(" ({} of {} failed)", r.failed, r.matching) : "");
}

}  // namespace

std::string count_targets(const std::vector<JudgedTarget>& targets) {
  std::string text;
  for (const Reach reach : {Reach::met, Reach::unclear, Reach::missed, Reach::not_applicable}) {
    const auto count = std::ranges::count(targets, reach, [](const JudgedTarget& t) { return t.reached.reach; });
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "targets: " : ", ", count, word(reach));
  }
  return text;
}

std::string format_targets_text(const std::vector<JudgedTarget>& targets) {
  std::size_t name_width = 6, bar_width = 3, value_width = 5;
  for (const JudgedTarget& t : targets) {
    name_width = std::max(name_width, display_width(terminal_text(t.target.name)));
    bar_width = std::max(bar_width, bar(t.target).size());
    value_width = std::max(value_width, value(t).size());
  }
  const auto padded = [](std::string text, std::size_t width) {
    text.append(width - std::min(width, display_width(text)), ' ');
    return text;
  };
  std::string out = fmt::format("{:<14}  {}  {:>{}}  {:>{}}  of\n", "", padded("target", name_width), "bar", bar_width,
                                "value", value_width);
  for (const JudgedTarget* t : worst_first(targets)) {
    out += fmt::format("{:<14}  {}  {:>{}}  {:>{}}  {}\n", word(t->reached.reach),
                       padded(terminal_text(t->target.name), name_width), bar(t->target), bar_width, value(*t),
                       value_width, terminal_text(about(*t)));
  }
  return out + count_targets(targets) + "\n";
}

std::string format_targets_markdown(const std::vector<JudgedTarget>& targets) {
  std::string out = "| | target | bar | value | of |\n|---|---|---|---|---|\n";
  for (const JudgedTarget* t : worst_first(targets)) {
    out += fmt::format("| {} | {} | {} | {} | {} |\n", word(t->reached.reach), markdown_text(t->target.name),
                       markdown_text(bar(t->target)), markdown_text(value(*t)), markdown_text(about(*t)));
  }
  return out + "\n" + count_targets(targets) + ".\n";
}

std::string format_targets_json(const std::vector<JudgedTarget>& targets, int exit_code) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.member("schema_version", 1);
  json.member("exit_code", exit_code);
  json.key("targets");
  json.begin_array();
  for (const auto& [target, reached] : targets) {
    json.begin_object();
    json.member("name", target.name);
    json.member("result", word(reached.reach));
    json.member("metric", target.metric);
    json.member("pattern", target.pattern);
    json.member(target.at_least ? "at_least" : "at_most", target.at_least ? *target.at_least : *target.at_most);
    json.member("over", target.geometric_mean ? "geometric_mean" : "each");
    json.member("matching", reached.matching);
    json.member("measured", reached.measured);
    json.member("short", reached.short_of);
    if (reached.failed > 0) {
      json.member("failed", reached.failed);
      json.member("failed_row", reached.failed_row);
      json.member("failure", reached.failure);
    }
    if (reached.measured > 0) {
      json.member("worst", reached.worst);
      json.member("value", reached.value);
      json.member("low", reached.low);
      json.member("high", reached.high);
      json.member("runs", reached.runs);
    }
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return text + "\n";
}

}  // namespace pawl::show
