// parse_results.cpp -- results.json -> a ResultSet.
#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "baseline/json_node.hpp"
#include "baseline/results_file.hpp"
#include "baseline/whole_file.hpp"
#include "failure.hpp"

namespace pawl::baseline {
namespace {

using model::ResultSet;
using nlohmann::json;

void read_words(const JsonNode& node, const char* key, std::map<std::string, std::string>& to) {
  node.with(key, [&](const JsonNode& map) {
    map.each_member([&](const std::string& name, const JsonNode& value) { to[name] = value.text(); });
  });
}

void read_numbers(const JsonNode& node, const char* key, std::map<std::string, double>& to) {
  node.with(key, [&](const JsonNode& map) {
    map.each_member([&](const std::string& name, const JsonNode& value) { to[name] = value.number(); });
  });
}

void read_count(const JsonNode& node, const char* key, std::size_t& to) {
  node.with(key, [&](const JsonNode& value) { to = static_cast<std::size_t>(value.count()); });
}

model::Process read_process(const JsonNode& node) {
  model::Process process;
  node.expect_object();
  node.read("file", process.file);
  node.read("executable", process.executable);
  node.read("run_index", process.run_index);
  node.read("pair_index", process.pair_index);
  node.read("start_unix_s", process.start_unix_s);
  node.read("end_unix_s", process.end_unix_s);
  node.read("exit_code", process.exit_code);
  node.read("signal", process.signal);
  node.read("timed_out", process.timed_out);
  node.read("last_lines", process.last_lines);
  node.read("wall_s", process.wall_s);
  node.read("cpu_s", process.cpu_s);
  node.read("peak_rss_bytes", process.peak_rss_bytes);
  read_words(node, "context", process.context);
  read_numbers(node, "yardsticks_start", process.yardsticks_start);
  read_numbers(node, "yardsticks_end", process.yardsticks_end);
  node.with("disturbance", [&](const JsonNode& disturbance) {
    disturbance.read("real_over_cpu", process.disturbance.real_over_cpu);
    disturbance.read("steal", process.disturbance.steal);
    disturbance.read("other_busy", process.disturbance.other_busy);
    disturbance.read("yardstick_drift", process.disturbance.yardstick_drift);
    disturbance.with("flags", [&](const JsonNode& flags) {
      flags.each_element([&](const JsonNode& flag) { process.disturbance.flags.push_back(flag.text()); });
    });
  });
  return process;
}

model::Reading read_reading(const JsonNode& node) {
  model::Reading reading;
  node.expect_object();
  if (!node.json().contains("process")) node.fail("has no \"process\"");
  read_count(node, "process", reading.process);
  node.with("status", [&](const JsonNode& status) {
    if (status.text() == "failed") {
      reading.status = model::Status::failed;
    } else if (status.text() == "skipped") {
      reading.status = model::Status::skipped;
    } else if (status.text() != "ok") {
      status.fail("expected \"ok\", \"failed\" or \"skipped\"");
    }
  });
  node.with("message", [&](const JsonNode& text) { reading.message = text.text(); });
  std::size_t repetitions = 0;
  read_count(node, "repetitions", repetitions);
  reading.repetitions = static_cast<std::uint32_t>(repetitions);
  node.with("iterations", [&](const JsonNode& iterations) { reading.iterations = iterations.count(); });
  node.read("aggregates_only", reading.aggregates_only);
  node.with("metrics", [&](const JsonNode& metrics) {
    metrics.each_member([&](const std::string& name, const JsonNode& values) {
      model::Series series{name, {}};
      values.expect_array();
      series.values.reserve(values.json().size());
      values.each_element([&](const JsonNode& value) { series.values.push_back(value.number()); });
      reading.series.push_back(std::move(series));
    });
  });
  node.with("aggregates", [&](const JsonNode& aggregates) {
    aggregates.each_element([&](const JsonNode& each) {
      model::Aggregate aggregate;
      each.with("name", [&](const JsonNode& text) { aggregate.name = text.text(); });
      each.with("metric", [&](const JsonNode& text) { aggregate.metric = text.text(); });
      each.with("value", [&](const JsonNode& value) { aggregate.value = value.number(); });
      reading.aggregates.push_back(aggregate);
    });
  });
  return reading;
}

model::Benchmark read_benchmark(const JsonNode& node) {
  model::Benchmark benchmark;
  node.expect_object();
  if (!node.json().contains("name")) node.fail("has no \"name\"");
  node.with("name", [&](const JsonNode& text) { benchmark.name = text.text(); });
  node.with("executable", [&](const JsonNode& text) { benchmark.executable = text.text(); });
  node.with("label", [&](const JsonNode& text) { benchmark.label = text.text(); });
  node.with("time_unit", [&](const JsonNode& text) { benchmark.time_unit = text.text(); });
  node.with("source", [&](const JsonNode& text) { benchmark.source = text.text(); });
  node.with("readings", [&](const JsonNode& readings) {
    readings.each_element([&](const JsonNode& reading) { benchmark.readings.push_back(read_reading(reading)); });
  });
  std::stable_sort(benchmark.readings.begin(), benchmark.readings.end(),
                   [](const model::Reading& a, const model::Reading& b) { return a.process < b.process; });
  return benchmark;
}

model::Oddity read_oddity(const JsonNode& node) {
  model::Oddity oddity;
  node.expect_object();
  std::string severity = "warning";
  node.read("severity", severity);
  oddity.severity = severity == "note" ? model::Oddity::Severity::note : model::Oddity::Severity::warning;
  node.read("file", oddity.file);
  read_count(node, "line", oddity.line);
  read_count(node, "column", oddity.column);
  node.read("row", oddity.row);
  node.read("what", oddity.what);
  return oddity;
}

void read_head(const JsonNode& root, ResultSet& set) {
  root.read("label", set.label);
  root.with("machine", [&](const JsonNode& machine) {
    machine.read("key", set.machine.key);
    machine.read("cpu_model", set.machine.cpu_model);
    machine.read("os", set.machine.os);
    machine.read("arch", set.machine.arch);
    machine.read("cores", set.machine.cores);
    read_words(machine, "details", set.machine.details);
  });
  root.with("methodology", [&](const JsonNode& how) {
    how.read("tool_version", set.methodology.tool_version);
    how.read("commit", set.methodology.commit);
    how.read("dirty", set.methodology.dirty);
    how.read("compiler", set.methodology.compiler);
    how.read("flags", set.methodology.flags);
    how.read("build_type", set.methodology.build_type);
    how.read("command", set.methodology.command);
    how.read("date", set.methodology.date);
    how.read("runs", set.methodology.runs);
    read_words(how, "settings", set.methodology.settings);
  });
  root.with("oddities", [&](const JsonNode& oddities) {
    oddities.each_element([&](const JsonNode& each) { set.oddities.push_back(read_oddity(each)); });
  });
}

void check_version(const JsonNode& root) {
  int version = 0;
  root.read("schema_version", version);
  if (version == 0) throw JsonError{"", "has no \"schema_version\": this is not a results.json of pawl"};
  if (version < 0) throw JsonError{"schema_version", fmt::format("is {}; there is no such version", version)};
  if (version > ResultSet::kSchemaVersion) {
    throw JsonError{"schema_version", fmt::format("is {}; this pawl reads up to {}: use a newer pawl", version,
                                                  ResultSet::kSchemaVersion)};
  }
}

// Elements of the two long lists are taken out of the tree as soon as they are complete, so that memory holds one of
// them and not all.
class LongLists {
 public:
  explicit LongLists(ResultSet& set) : set_(set) {}

  bool operator()(int depth, json::parse_event_t event, json& parsed) {
    if (depth == 1 && event == json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      list_ = key == "benchmarks" ? List::benchmarks : key == "processes" ? List::processes : List::none;
    }
    const bool complete = event == json::parse_event_t::object_end || event == json::parse_event_t::array_end ||
                          event == json::parse_event_t::value;
    if (depth != 2 || list_ == List::none || !complete) return true;
    if (list_ == List::benchmarks) {
      set_.benchmarks.push_back(read_benchmark({parsed, fmt::format("benchmarks[{}]", set_.benchmarks.size())}));
    } else {
      set_.processes.push_back(read_process({parsed, fmt::format("processes[{}]", set_.processes.size())}));
    }
    return false;
  }

 private:
  enum class List { none, benchmarks, processes };
  ResultSet& set_;
  List list_ = List::none;
};

void check_processes(const ResultSet& set) {
  for (std::size_t i = 0; i < set.benchmarks.size(); ++i) {
    const auto& readings = set.benchmarks[i].readings;
    for (std::size_t j = 0; j < readings.size(); ++j) {
      if (readings[j].process < set.processes.size()) continue;
      throw JsonError{fmt::format("benchmarks[{}].readings[{}].process", i, j),
                      fmt::format("is {}, but there are {} processes", readings[j].process, set.processes.size())};
    }
  }
}

ResultSet parse(std::string_view text, const std::string& file) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw Failure(kBadInput, fmt::format("{}: the file is empty", file));
  }
  try {
    ResultSet set;
    const json rest = json::parse(text.begin(), text.end(), json::parser_callback_t(LongLists(set)));
    const JsonNode root(rest, "");
    root.expect_object();
    check_version(root);
    read_head(root, set);
    root.with("benchmarks", [](const JsonNode& list) { list.expect_array(); });
    root.with("processes", [](const JsonNode& list) { list.expect_array(); });
    check_processes(set);
    return set;
  } catch (const json::exception& error) {
    throw Failure(kBadInput, fmt::format("{}:{}", file, describe_parse_error(error)));
  } catch (const JsonError& error) {
    const std::size_t line = line_of(text, error.path);
    throw Failure(kBadInput, fmt::format("{}{}: {}{}{}", file, line > 0 ? fmt::format(":{}", line) : "", error.path,
                                         error.path.empty() ? "" : " ", error.what));
  }
}

}  // namespace

ResultSet parse_results(std::string_view text, const std::string& file) { return parse(text, file); }

ResultSet read_results(const std::filesystem::path& path) { return parse(read_whole(path), path.string()); }

bool is_results_text(std::string_view text) {
  // Anywhere, since tools that sort keys move it; followed back to its key, since a name could contain it.
  constexpr std::string_view kValue = "\"pawl-results\"", kKey = "\"format\"";
  for (auto at = text.find(kValue); at != std::string_view::npos; at = text.find(kValue, at + 1)) {
    std::string_view before = text.substr(0, at);
    const auto trim = [&before] { before = before.substr(0, before.find_last_not_of(" \t\r\n") + 1); };
    trim();
    if (!before.ends_with(':')) continue;
    before.remove_suffix(1);
    trim();
    if (before.ends_with(kKey)) return true;
  }
  return false;
}

}  // namespace pawl::baseline
