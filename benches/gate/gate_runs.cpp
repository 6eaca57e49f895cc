// gate_runs.cpp -- see gate_runs.hpp.
#include "gate_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>

#include "decide/sample.hpp"
#include "read/read.hpp"

namespace pawl::gate {
namespace {

// gate/<kind>/pawl/slower:<percent>
std::optional<Row> parse_name(const std::string& name) {
  const auto first = name.find('/'), second = name.find('/', first + 1), value = name.rfind(':');
  if (!name.starts_with("gate/") || second == std::string::npos || value == std::string::npos) return std::nullopt;
  return Row{name.substr(first + 1, second - first - 1), std::stoi(name.substr(value + 1)), {}};
}

std::map<std::size_t, std::size_t> places_of(const model::ResultSet& set) {
  std::map<std::size_t, std::size_t> place_of;  // run index -> process
  for (std::size_t i = 0; i < set.processes.size(); ++i) {
    const int index = set.processes[i].run_index;
    if (index < 0 || !place_of.emplace(static_cast<std::size_t>(index), i).second)
      throw std::runtime_error(set.processes[i].file + ": has no run index of its own");
  }
  if (!place_of.empty() && place_of.rbegin()->first + 1 != place_of.size())
    throw std::runtime_error(fmt::format("run {} is missing", place_of.size() - 1));
  return place_of;
}

}  // namespace

double time_of(const Repetitions& run) { return decide::centre_of(run, decide::Quantity::duration); }

Runs read_runs(const std::string& directory) {
  const model::ResultSet set = read::read_path(directory);
  const auto place_of = places_of(set);
  Runs runs;
  runs.count = set.processes.size();
  std::vector<std::size_t> index_of(runs.count);
  for (const auto& [index, process] : place_of) index_of[process] = index;
  for (const model::Benchmark& b : set.benchmarks) {
    auto row = parse_name(b.name);
    if (!row) continue;
    row->runs.resize(runs.count);
    for (const model::Reading& r : b.readings)
      if (const model::Series* s = r.find(model::kRealTime))
        row->runs[index_of[r.process]] = {s->values.begin(), s->values.end()};
    runs.rows.push_back(std::move(*row));
  }
  if (runs.rows.empty()) throw std::runtime_error("no rows of gate_workload");
  std::vector<double> gaps;
  for (std::size_t i = 0; i + 1 < runs.count; i += 2) {
    const auto &a = set.processes[place_of.at(i)].start_unix_s, &b = set.processes[place_of.at(i + 1)].start_unix_s;
    if (a && b) gaps.push_back(*b - *a);
  }
  if (!gaps.empty()) {
    double sum = 0;  // the times are whole seconds: their mean is finer than their median
    for (const double gap : gaps) sum += gap;
    runs.seconds = sum / static_cast<double>(gaps.size());
  }
  runs.date = set.methodology.date;
  return runs;
}

double process_deviation(const Row& row) {
  std::vector<double> logs;
  for (const Repetitions& r : row.runs)
    if (!r.empty()) logs.push_back(std::log(time_of(r)));
  double mean = 0, squares = 0;
  for (const double l : logs) mean += l / static_cast<double>(logs.size());
  for (const double l : logs) squares += (l - mean) * (l - mean);
  return std::sqrt(squares / static_cast<double>(logs.size() - 1));
}

std::vector<double> own_deviations(const Runs& runs) {
  std::vector<std::vector<double>> left(runs.rows.size());
  for (std::size_t p = 0; p + 1 < runs.count; p += 2) {
    std::vector<double> differences;
    for (const Row& row : runs.rows)
      if (!row.runs[p].empty() && !row.runs[p + 1].empty())
        differences.push_back(std::log(time_of(row.runs[p + 1]) / time_of(row.runs[p])));
    if (differences.size() != runs.rows.size()) continue;
    const double common = decide::median(differences);
    for (std::size_t i = 0; i < left.size(); ++i) left[i].push_back(differences[i] - common);
  }
  std::vector<double> deviations;
  for (const std::vector<double>& values : left) {
    double mean = 0, squares = 0;
    for (const double v : values) mean += v / static_cast<double>(values.size());
    for (const double v : values) squares += (v - mean) * (v - mean);
    deviations.push_back(std::sqrt(squares / static_cast<double>(values.size() - 1) / 2));
  }
  return deviations;
}

double correlation_within_runs(const Row& row) {
  double grand = 0, total = 0, groups = 0, within = 0, between = 0;
  for (const Repetitions& r : row.runs)
    for (const double v : r) {
      grand += std::log(v);
      ++total;
    }
  grand /= total;
  for (const Repetitions& r : row.runs) {
    if (r.empty()) continue;
    ++groups;
    double mean = 0;
    for (const double v : r) mean += std::log(v) / static_cast<double>(r.size());
    for (const double v : r) within += (std::log(v) - mean) * (std::log(v) - mean);
    between += static_cast<double>(r.size()) * (mean - grand) * (mean - grand);
  }
  const double size = total / groups;
  const double mean_between = between / (groups - 1), mean_within = within / (total - groups);
  return std::max(0.0, (mean_between - mean_within) / (mean_between + (size - 1) * mean_within));
}

}  // namespace pawl::gate
