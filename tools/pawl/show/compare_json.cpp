// compare_json.cpp -- an Outcome -> JSON, schema_version 1 (docs/compare.schema.json).
#include <optional>

#include "show/formats.hpp"
#include "show/json_writer.hpp"

namespace pawl::show {
namespace {

using decide::Comparison;

void number(JsonWriter& json, const char* key, const std::optional<double>& value) {
  json.key(key);
  if (value) {
    json.value(*value);
  } else {
    json.null();
  }
}

void texts(JsonWriter& json, const char* key, const std::vector<std::string>& list) {
  json.key(key);
  json.begin_array(Layout::one_line);
  for (const std::string& text : list) json.value(text);
  json.end_array();
}

void side(JsonWriter& json, const char* key, const Side& side) {
  json.key(key);
  json.begin_object(Layout::one_line);
  json.member("label", side.label);
  json.member("machine", side.machine);
  json.member("commit", side.commit);
  json.member("date", side.date);
  json.member("processes", side.processes);
  json.member("benchmarks", side.benchmarks);
  json.end_object();
}

void comparison(JsonWriter& json, const Comparison& c) {
  json.begin_object(Layout::one_line);
  json.member("name", c.name);
  json.member("metric", c.metric.str());
  json.member("verdict", verdict_name(c.verdict));
  json.member("change", c.change);
  json.member("low", c.low);
  json.member("high", c.high);
  json.member("minimal_detectable", c.minimal_detectable);
  json.key("runs");
  json.begin_object();
  json.member("base", c.runs_base);
  json.member("new", c.runs_new);
  json.end_object();
  json.member("base", c.base);
  json.member("new", c.now);
  number(json, "p_value", c.p_value);
  number(json, "q_value", c.q_value);
  json.member("more_runs", c.more_runs);
  json.member("warning", c.warning);
  json.member("critical", c.critical);
  json.member("paired", c.paired);
  json.member("gated", c.gated);
  json.member("critical_path", c.critical_path);
  json.member("reason", c.reason);
  texts(json, "warnings", c.warnings);
  json.member("time_unit", c.time_unit.str());
  json.member("source", c.source.str());
  json.member("executable", c.executable);
  json.end_object();
}

}  // namespace

std::string format_json(const Outcome& outcome) {
  constexpr int kSchemaVersion = 1;
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.member("schema_version", kSchemaVersion);
  json.member("tool", outcome.tool);
  side(json, "base", outcome.base);
  side(json, "new", outcome.now);
  json.key("summary");
  json.begin_object(Layout::one_line);
  for (const decide::Verdict verdict : kVerdicts) {
    json.member(verdict_name(verdict), count_of(outcome.judgement->summary, verdict));
  }
  json.end_object();
  json.member("comparable", outcome.judgement->comparable);
  json.member("fail_on", fail_on_name(outcome.fail_on));
  json.member("result", result_name(outcome.exit_code));
  json.member("exit_code", outcome.exit_code);
  json.key("shift");
  if (const auto& shift = outcome.judgement->shift) {
    json.begin_object(Layout::one_line);
    json.member("change", shift->change);
    json.member("low", shift->low);
    json.member("high", shift->high);
    number(json, "yardstick_change", shift->yardstick_change);
    json.member("reason", shift->reason);
    json.end_object();
  } else {
    json.null();
  }
  texts(json, "notes", outcome.notes);
  json.key("comparisons");
  json.begin_array();
  for (const Comparison& c : outcome.judgement->comparisons) comparison(json, c);
  json.end_array();
  json.end_object();
  return out;
}

}  // namespace pawl::show
