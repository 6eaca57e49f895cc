// compare_py.cpp -- the layout of compare.py's --dump_to_json.
#include "show/compare_py.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "decide/match.hpp"
#include "show/json_writer.hpp"
#include "show/outcome.hpp"

namespace pawl::show {
namespace {

using model::Benchmark;

double unit_seconds(std::string_view unit) {
  return unit == "s" ? 1 : unit == "ms" ? 1e-3 : unit == "us" ? 1e-6 : 1e-9;
}

std::vector<double> values_of(const Benchmark& benchmark, const char* metric) {
  std::vector<double> values;
  for (const model::Reading& reading : benchmark.readings) {
    const model::Series* series = reading.status == model::Status::ok ? reading.find(metric) : nullptr;
    if (series != nullptr) values.insert(values.end(), series->values.begin(), series->values.end());
  }
  return values;
}

double relative(double base, double now) {
  if (base == 0 && now == 0) return 0;  // compare.py's convention
  return base == 0 ? (now - base) / ((now + base) / 2) : (now - base) / std::abs(base);
}

struct GeometricMean {
  double sum = 0;
  std::size_t count = 0;
  void add(const std::vector<double>& values) {
    for (const double value : values) {
      if (!(value > 0) || std::isinf(value)) continue;
      sum += std::log(value);
      ++count;
    }
  }
  double get() const { return count == 0 ? std::nan("") : std::exp(sum / static_cast<double>(count)); }
};

// Files hold nanoseconds in decimal; seconds in binary and back must not turn 50 into 49.99999999999999.
double in_unit(double seconds, double unit) { return std::stod(fmt::format("{:.14g}", seconds / unit)); }

void measurement(JsonWriter& json, double real, double cpu, double real_other, double cpu_other) {
  json.begin_object(Layout::one_line);
  json.member("real_time", real);
  json.member("cpu_time", cpu);
  json.member("real_time_other", real_other);
  json.member("cpu_time_other", cpu_other);
  json.member("time", relative(real, real_other));
  json.member("cpu", relative(cpu, cpu_other));
  json.end_object();
}

}  // namespace

std::string format_compare_py(const decide::Judgement& judgement, const model::ResultSet& base,
                              const model::ResultSet& now) {
  // Two executables may each have a benchmark of one name.
  std::unordered_map<const Benchmark*, const Benchmark*> in_now;
  for (const decide::Match& match : decide::match_benchmarks(base, now).all)
    if (match.base != nullptr && match.now != nullptr) in_now.emplace(match.base, match.now);
  using Key = std::pair<std::string_view, std::string_view>;
  std::map<Key, decide::Verdict> verdicts;  // the most severe of each
  for (const decide::Comparison& c : judgement.comparisons) verdicts.emplace(Key(c.name, c.executable), c.verdict);

  std::string out;
  JsonWriter json(out);
  GeometricMean real_base, cpu_base, real_now, cpu_now;
  json.begin_array();
  for (const Benchmark& benchmark : base.benchmarks) {
    const auto found = in_now.find(&benchmark);
    if (found == in_now.end()) continue;
    const auto a = values_of(benchmark, model::kRealTime), b = values_of(*found->second, model::kRealTime);
    const auto a_cpu = values_of(benchmark, model::kCpuTime), b_cpu = values_of(*found->second, model::kCpuTime);
    const std::size_t count = std::min({a.size(), b.size(), a_cpu.size(), b_cpu.size()});
    if (count == 0) continue;
    real_base.add(a);
    real_now.add(b);
    cpu_base.add(a_cpu);
    cpu_now.add(b_cpu);
    const std::string_view unit = benchmark.time_unit.empty() ? "ns" : std::string_view(benchmark.time_unit);
    const double size = unit_seconds(unit);
    json.begin_object();
    json.member("name", benchmark.name);
    json.member("label", benchmark.label.str());
    json.key("measurements");
    json.begin_array();
    for (std::size_t i = 0; i < count; ++i)
      measurement(json, in_unit(a[i], size), in_unit(a_cpu[i], size), in_unit(b[i], size), in_unit(b_cpu[i], size));
    json.end_array();
    json.member("time_unit", unit);
    json.member("run_type", "iteration");
    json.member("aggregate_name", "");
    json.key("utest");
    json.begin_object();
    json.end_object();
    const auto verdict = verdicts.find(Key(benchmark.name, benchmark.executable));
    if (verdict != verdicts.end()) {
      json.member("verdict", verdict_name(verdict->second));
    }
    json.end_object();
  }
  if (real_base.count > 0) {
    json.begin_object();
    json.member("name", "OVERALL_GEOMEAN");
    json.member("label", "");
    json.key("measurements");
    json.begin_array();
    // compare.py takes these in seconds, whatever the rows are in.
    measurement(json, real_base.get(), cpu_base.get(), real_now.get(), cpu_now.get());
    json.end_array();
    json.member("time_unit", "s");
    json.member("run_type", "aggregate");
    json.member("aggregate_name", "geomean");
    json.key("utest");
    json.begin_object();
    json.end_object();
    json.end_object();
  }
  json.end_array();
  return out;
}

}  // namespace pawl::show
