// format_results.cpp -- a ResultSet -> results.json.
#include <fmt/core.h>

#include <cmath>
#include <string>

#include "baseline/results_file.hpp"
#include "output_file.hpp"
#include "show/json_writer.hpp"

namespace pawl::baseline {
namespace {

using model::ResultSet;
using show::JsonWriter;
using show::Layout;

constexpr std::size_t kPiece = std::size_t{1} << 20;  // bytes formatted before they are handed on

// Readers of results must tell NaN (0 / 0 in a counter) from infinity; JSON has neither.
void sample(JsonWriter& json, double value) {
  if (std::isnan(value)) return json.value("NaN");
  if (std::isinf(value)) return json.value(value > 0 ? "Infinity" : "-Infinity");
  json.value(value);
}

// What is empty is left out: most fields of most rows are.
void text(JsonWriter& json, const char* key, std::string_view value) {
  if (!value.empty()) json.member(key, value);
}
void number(JsonWriter& json, const char* key, const std::optional<double>& value) {
  if (!value) return;
  json.key(key);
  sample(json, *value);
}
void words(JsonWriter& json, const char* key, const std::map<std::string, std::string>& map) {
  if (map.empty()) return;
  json.key(key);
  json.begin_object();
  for (const auto& [name, value] : map) json.member(name, value);
  json.end_object();
}
void numbers(JsonWriter& json, const char* key, const std::map<std::string, double>& map) {
  if (map.empty()) return;
  json.key(key);
  json.begin_object(Layout::one_line);
  for (const auto& [name, value] : map) {
    json.key(name);
    sample(json, value);
  }
  json.end_object();
}

void machine(JsonWriter& json, const model::Machine& machine) {
  json.key("machine");
  json.begin_object();
  text(json, "key", machine.key);
  text(json, "cpu_model", machine.cpu_model);
  text(json, "os", machine.os);
  text(json, "arch", machine.arch);
  if (machine.cores != 0) json.member("cores", machine.cores);
  words(json, "details", machine.details);
  json.end_object();
}

void methodology(JsonWriter& json, const model::Methodology& how) {
  json.key("methodology");
  json.begin_object();
  text(json, "tool_version", how.tool_version);
  text(json, "commit", how.commit);
  json.member("dirty", how.dirty);
  text(json, "compiler", how.compiler);
  text(json, "flags", how.flags);
  text(json, "build_type", how.build_type);
  text(json, "command", how.command);
  text(json, "date", how.date);
  if (how.runs != 0) json.member("runs", how.runs);
  words(json, "settings", how.settings);
  json.end_object();
}

void process(JsonWriter& json, const model::Process& process) {
  json.begin_object();
  text(json, "file", process.file);
  text(json, "executable", process.executable);
  if (process.run_index >= 0) json.member("run_index", process.run_index);
  if (process.pair_index >= 0) json.member("pair_index", process.pair_index);
  number(json, "start_unix_s", process.start_unix_s);
  number(json, "end_unix_s", process.end_unix_s);
  if (process.exit_code != 0) json.member("exit_code", process.exit_code);
  if (process.signal != 0) json.member("signal", process.signal);
  if (process.timed_out) json.member("timed_out", true);
  text(json, "last_lines", process.last_lines);
  number(json, "wall_s", process.wall_s);
  number(json, "cpu_s", process.cpu_s);
  number(json, "peak_rss_bytes", process.peak_rss_bytes);
  const model::Disturbance& disturbance = process.disturbance;
  json.key("disturbance");
  json.begin_object(Layout::one_line);
  number(json, "real_over_cpu", disturbance.real_over_cpu);
  number(json, "steal", disturbance.steal);
  number(json, "other_busy", disturbance.other_busy);
  number(json, "yardstick_drift", disturbance.yardstick_drift);
  json.key("flags");
  json.begin_array(Layout::one_line);
  for (const std::string& flag : disturbance.flags) json.value(flag);
  json.end_array();
  json.end_object();
  numbers(json, "yardsticks_start", process.yardsticks_start);
  numbers(json, "yardsticks_end", process.yardsticks_end);
  words(json, "context", process.context);
  json.end_object();
}

const char* name_of(model::Status status) {
  switch (status) {
    case model::Status::failed:
      return "failed";
    case model::Status::skipped:
      return "skipped";
    case model::Status::ok:
      break;
  }
  return "ok";
}

void reading(JsonWriter& json, const model::Reading& reading) {
  json.begin_object(Layout::one_line);
  json.member("process", reading.process);
  if (reading.status != model::Status::ok) json.member("status", name_of(reading.status));
  text(json, "message", reading.message);
  if (reading.repetitions != 0) json.member("repetitions", reading.repetitions);
  if (reading.iterations) json.member("iterations", *reading.iterations);
  if (reading.aggregates_only) json.member("aggregates_only", true);
  json.key("metrics");
  json.begin_object();
  for (const model::Series& series : reading.series) {
    if (&series != reading.find(series.metric)) continue;  // a name that occurs twice: readers see the first one
    json.key(series.metric.str());
    json.begin_array();
    for (const double value : series.values) sample(json, value);
    json.end_array();
  }
  json.end_object();
  if (!reading.aggregates.empty()) {
    json.key("aggregates");
    json.begin_array();
    for (const model::Aggregate& aggregate : reading.aggregates) {
      json.begin_object();
      json.member("name", aggregate.name.str());
      json.member("metric", aggregate.metric.str());
      json.key("value");
      sample(json, aggregate.value);
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
}

void oddity(JsonWriter& json, const model::Oddity& oddity) {
  json.begin_object(Layout::one_line);
  json.member("severity", oddity.severity == model::Oddity::Severity::note ? "note" : "warning");
  text(json, "file", oddity.file);
  if (oddity.line != 0) json.member("line", oddity.line);
  if (oddity.column != 0) json.member("column", oddity.column);
  text(json, "row", oddity.row);
  text(json, "what", oddity.what);
  json.end_object();
}

// Calls flush() whenever `out` has become long, and at the end.
template <class Flush>
void format(const ResultSet& set, std::string& out, Flush&& flush) {
  JsonWriter json(out);
  json.begin_object();
  json.member("format", "pawl-results");
  json.member("schema_version", ResultSet::kSchemaVersion);
  text(json, "label", set.label);
  machine(json, set.machine);
  methodology(json, set.methodology);
  json.key("processes");
  json.begin_array();
  for (const model::Process& each : set.processes) {
    process(json, each);
    if (out.size() >= kPiece) flush();
  }
  json.end_array();
  json.key("benchmarks");
  json.begin_array();
  for (const model::Benchmark& benchmark : set.benchmarks) {
    json.begin_object();
    json.member("name", benchmark.name);
    text(json, "executable", benchmark.executable);
    text(json, "label", benchmark.label);
    text(json, "time_unit", benchmark.time_unit);
    text(json, "source", benchmark.source);
    json.key("readings");
    json.begin_array();
    for (const model::Reading& each : benchmark.readings) {
      reading(json, each);
      if (out.size() >= kPiece) flush();
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.key("oddities");
  json.begin_array();
  for (const model::Oddity& each : set.oddities) oddity(json, each);
  json.end_array();
  json.end_object();
  flush();
}

}  // namespace

std::string format_results(const ResultSet& set) {
  std::string out;
  format(set, out, [] {});
  return out;
}

void write_results(const std::filesystem::path& path, const ResultSet& set) {
  OutputFile file(path);
  std::string out;
  format(set, out, [&] {
    file.write(out);
    out.clear();
  });
  file.commit();
}

}  // namespace pawl::baseline
