// listing.cpp -- lines of baselines and of results.
#include "show/listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "comparison_notes.hpp"
#include "decide/sample.hpp"
#include "show/columns.hpp"
#include "show/quantity.hpp"
#include "show/text.hpp"

namespace pawl::show {

double median_of(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  return values.empty() ? std::nan("") : decide::median(std::move(values));
}

Spread spread_of(const model::Benchmark& benchmark, std::string_view metric) {
  std::vector<double> medians;
  for (const model::Reading& reading : benchmark.readings) {
    const model::Series* series = reading.status == model::Status::ok ? reading.find(metric) : nullptr;
    if (series == nullptr) continue;
    const double median = median_of(series->values);
    if (std::isfinite(median)) medians.push_back(median);
  }
  Spread spread{medians.size(), median_of(medians), std::nan("")};
  if (medians.size() < 2) return spread;
  double sum = 0, squares = 0;
  for (const double value : medians) {
    if (!(value > 0)) return spread;
    sum += std::log(value);
  }
  const double mean = sum / static_cast<double>(medians.size());
  for (const double value : medians) squares += std::pow(std::log(value) - mean, 2);
  spread.relative = std::sqrt(squares / static_cast<double>(medians.size() - 1));
  return spread;
}

std::string format_baselines(const std::vector<ListedBaseline>& baselines, std::string_view here) {
  std::vector<const ListedBaseline*> order;
  for (const ListedBaseline& one : baselines) order.push_back(&one);
  // Not std::ranges::stable_partition: clang 14 cannot read what libstdc++ 12 returns from it.
  std::stable_partition(order.begin(), order.end(),
                        [&](const ListedBaseline* one) { return one->machine_key == here; });
  std::vector<std::vector<std::string>> rows = {
      {"machine", "name", "age", "commit", "runs", "benchmarks", "compiler", ""}};
  for (const ListedBaseline* one : order) {
    const model::ResultSet& set = one->set;
    std::string remark = one->machine_key == here ? "this machine" : "";
    const auto append = [&remark](std::string_view more) {
      remark += (remark.empty() ? "" : ", ") + std::string(more);
    };
    if (one->age_days && *one->age_days > kStaleDays) append("old");
    if (set.methodology.dirty) append("dirty tree");
    if (const std::string kind = worthless_build(set); !kind.empty()) append(kind);
    if (!one->problem.empty()) append(one->problem);
    const bool readable = one->problem.empty();
    rows.push_back({terminal_text(one->machine_key), terminal_text(one->name),
                    one->age_days ? fmt::format("{:.0f} d", std::max(0.0, *one->age_days)) : "?",
                    terminal_text(set.methodology.commit.substr(0, 12)),
                    readable ? fmt::format("{}", set.processes.size()) : "",
                    readable ? fmt::format("{}", set.benchmarks.size()) : "", terminal_text(set.methodology.compiler),
                    terminal_text(remark)});
  }
  return format_columns(rows, {Align::left, Align::left, Align::right, Align::left, Align::right, Align::right,
                               Align::left, Align::left});
}

std::string format_results_listing(const model::ResultSet& set, const std::string& path) {
  std::vector<std::vector<std::string>> facts;
  const auto fact = [&facts](const char* name, const std::string& value) {
    if (!value.empty()) facts.push_back({name, terminal_text(value)});
  };
  const model::Methodology& how = set.methodology;
  fact("file", path);
  fact("machine", set.machine.key + (set.machine.cpu_model.empty() ? "" : " (" + set.machine.cpu_model + ")"));
  fact("commit", how.commit + (how.dirty ? ", with changes" : ""));
  fact("date", how.date);
  fact("compiler", how.compiler);
  fact("flags", how.flags);
  fact("build type", how.build_type);
  fact("command", how.command);
  fact("process runs", fmt::format("{}", set.processes.size()));
  std::string out = format_columns(facts, {Align::left, Align::left}) + "\n";

  // Columns that only `pawl run --memory` fills.
  const auto measured = [](const model::Benchmark& benchmark, const char* metric) {
    const Spread spread = spread_of(benchmark, metric);
    return spread.runs > 0 ? value_text(metric, "", spread.median) : "";
  };
  const bool memory = std::ranges::any_of(set.benchmarks, [](const model::Benchmark& benchmark) {
    return spread_of(benchmark, model::kPeakResident).runs > 0;
  });
  std::vector<std::vector<std::string>> rows = {{"benchmark", "median", "spread", "runs"}};
  if (memory) rows.front().insert(rows.front().end(), {"allocations", "peak", "resident"});
  rows.front().emplace_back();
  for (const model::Benchmark& benchmark : set.benchmarks) {
    const Spread spread = spread_of(benchmark, model::kRealTime);
    std::string remark;
    for (const model::Reading& reading : benchmark.readings) {
      if (reading.status == model::Status::ok) continue;
      remark = reading.status == model::Status::failed ? "failed: " : "skipped: ";
      remark += terminal_text(reading.message.str());
      break;
    }
    rows.push_back({terminal_text(benchmark.name),
                    spread.runs > 0 ? value_text(model::kRealTime, benchmark.time_unit.str(), spread.median) : "-",
                    std::isfinite(spread.relative) ? fmt::format("{:.1f} %", 100 * spread.relative) : "",
                    fmt::format("{}", spread.runs)});
    if (memory)
      for (const char* metric : {model::kAllocations, model::kPeakBytes, model::kPeakResident})
        rows.back().push_back(measured(benchmark, metric));
    rows.back().push_back(remark);
  }
  std::vector<Align> aligns(rows.front().size(), Align::right);
  aligns.front() = aligns.back() = Align::left;
  out += format_columns(rows, aligns);
  return out;
}

}  // namespace pawl::show
