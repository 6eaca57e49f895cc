// report.cpp -- see report.hpp.
#include "run/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "decide/shared_core.hpp"
#include "run/progress.hpp"
#include "show/listing.hpp"
#include "show/peers.hpp"
#include "show/quantity.hpp"
#include "show/text.hpp"

namespace pawl::run {
namespace {

using model::Status;

const model::Reading* first_not_ok(const model::Benchmark& benchmark) {
  for (const model::Reading& reading : benchmark.readings)
    if (reading.status != Status::ok) return &reading;
  return nullptr;
}

std::vector<double> medians(const model::Benchmark& benchmark, const std::string& metric) {
  std::vector<double> values;
  for (const model::Reading& reading : benchmark.readings)
    if (const model::Series* series = reading.status == Status::ok ? reading.find(metric) : nullptr)
      if (const double value = show::median_of(series->values); std::isfinite(value)) values.push_back(value);
  return values;
}

// What a row achieves: the first of these that it reports.
std::string rate_text(const model::Benchmark& benchmark) {
  for (const char* metric : {"flops", "bytes", "bytes_per_second", "items_per_second"})
    if (const auto values = medians(benchmark, metric); !values.empty())
      return show::value_text(std::string(metric).ends_with("_per_second") ? metric : "items_per_second", "",
                              show::median_of(values)) +
             (std::string(metric).starts_with("flops")   ? " (flop)"
              : std::string(metric).starts_with("bytes") ? " (bytes)"
                                                         : "");
  return "";
}

void section(std::string& out, const char* title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  out += fmt::format("\n## {}\n\n", title);
  for (const std::string& line : lines) out += fmt::format("- {}\n", show::markdown_text(line));
}

std::vector<std::string> unsteady_rows(const model::ResultSet& set) {
  constexpr double kUnsteady = 0.2;  // a fifth: beyond it, not even a doubling is sure with a few runs
  std::vector<std::string> lines;
  for (const model::Benchmark& benchmark : set.benchmarks)
    if (const double spread = show::spread_of(benchmark, model::kRealTime).relative; spread > kUnsteady)
      lines.push_back(
          fmt::format("{}: {:.0f} % standard deviation between process runs", benchmark.name, 100 * spread));
  return lines;
}

void facts(std::string& out, const model::ResultSet& set, const SessionRecord& record) {
  const model::Methodology& how = set.methodology;
  const auto row = [&out](const char* name, const std::string& value) {
    if (!value.empty()) out += fmt::format("| {} | {} |\n", name, show::markdown_text(value));
  };
  out += "\n| | |\n|---|---|\n";
  row("machine", set.machine.key + (set.machine.cpu_model.empty() ? "" : ", " + set.machine.cpu_model));
  row("commit", how.commit.empty() ? "unknown" : how.commit + (how.dirty ? ", with changes" : ""));
  row("build", fmt::format("{} {} {}", how.compiler, how.build_type, how.flags));
  row("command", how.command);
  row("date", how.date);
  row("process runs", fmt::format("{} of each executable, {} in all, {} of them repeated; {}", how.runs,
                                  record.process_runs, record.repeated, duration_text(record.measured_s)));
  row("tool", how.tool_version);
}

void rows(std::string& out, const model::ResultSet& set) {
  std::map<std::string, std::vector<const model::Benchmark*>> by_executable;
  for (const model::Benchmark& benchmark : set.benchmarks)
    by_executable[benchmark.executable.str()].push_back(&benchmark);
  for (const auto& [executable, benchmarks] : by_executable) {
    out += fmt::format("\n## {}\n\n| benchmark | time | scatter | rate | runs |\n|---|---:|---:|---:|---:|\n",
                       show::markdown_text(executable));
    for (const model::Benchmark* benchmark : benchmarks) {
      const show::Spread spread = show::spread_of(*benchmark, model::kRealTime);
      out += fmt::format(
          "| {} | {} | {} | {} | {} |\n", show::markdown_code(benchmark->name),
          spread.runs > 0 ? show::value_text(model::kRealTime, benchmark->time_unit.str(), spread.median) : "failed",
          std::isfinite(spread.relative) ? fmt::format("{:.1f} %", 100 * spread.relative) : "", rate_text(*benchmark),
          spread.runs);
    }
  }
}

std::string metric_text(const model::Benchmark& benchmark, const char* metric) {
  const auto values = medians(benchmark, metric);
  return values.empty() ? "" : show::value_text(metric, "", show::median_of(values));
}

// What --memory measured.
void memory_rows(std::string& out, const model::ResultSet& set) {
  std::string table;
  for (const model::Benchmark& benchmark : set.benchmarks)
    if (const std::string resident = metric_text(benchmark, model::kPeakResident); !resident.empty())
      table +=
          fmt::format("| {} | {} | {} | {} |\n", show::markdown_code(benchmark.name),
                      metric_text(benchmark, model::kAllocations), metric_text(benchmark, model::kPeakBytes), resident);
  if (table.empty()) return;
  out +=
      "\n## Memory\n\n| benchmark | allocations per iteration | peak of the loop | peak resident |\n"
      "|---|---:|---:|---:|\n" +
      table +
      "\nPeak of the loop: what it had allocated at once. Peak resident: of a process that ran this benchmark alone, "
      "with the program and its inputs.\n";
}

}  // namespace

std::vector<std::string> failures_of(const model::ResultSet& set) {
  std::vector<std::string> lines;
  for (const model::Benchmark& benchmark : set.benchmarks)
    if (const model::Reading* reading = first_not_ok(benchmark))
      lines.push_back(fmt::format("{}: {}{}", benchmark.name, reading->status == Status::skipped ? "skipped: " : "",
                                  reading->message.empty() ? "no reason given" : reading->message.str()));
  return lines;
}

std::size_t count_failed(const model::ResultSet& set) {
  return static_cast<std::size_t>(std::ranges::count_if(set.benchmarks, [](const model::Benchmark& benchmark) {
    return std::ranges::any_of(benchmark.readings,
                               [](const model::Reading& reading) { return reading.status == Status::failed; });
  }));
}

std::string format_report(const model::ResultSet& set, const SessionRecord& record) {
  std::string out = "# Benchmark results\n";
  facts(out, set, record);
  section(out, "Not measured", failures_of(set));
  section(out, "Incidents", record.incidents);
  section(out, "Disturbed process runs", record.disturbed);
  if (const auto use = decide::core_use(set); use.shared > 0)
    section(out, "A shared core",
            {fmt::format("another hardware thread used the core beside {} of {}", use.shared,
                         show::counted(use.repetitions, "repetition"))});
  section(out, "Unsteady", unsteady_rows(set));
  const show::PeerTable peers = show::peer_table(set);
  if (peers.compared > 0) out += "\n## Beside peers and the limit\n\n" + show::format_peers_markdown(peers);
  memory_rows(out, set);
  rows(out, set);
  out +=
      "\nTime: median over the process runs, each the median of its repetitions. Scatter: standard deviation of its "
      "logarithm between process runs.\n";
  return out;
}

std::string format_bencher(const model::ResultSet& set) {
  std::string out;
  for (const model::Benchmark& benchmark : set.benchmarks) {
    const auto values = medians(benchmark, model::kRealTime);
    if (values.empty()) {
      out += fmt::format("test {} ... FAILED\n", show::terminal_text(benchmark.name));
      continue;
    }
    const auto [low, high] = std::ranges::minmax(values);
    out += fmt::format("test {} ... bench: {:.2f} ns/iter (+/- {:.2f})\n", show::terminal_text(benchmark.name),
                       1e9 * show::median_of(values), 1e9 * (high - low));
  }
  return out;
}

std::string format_rows_csv(const model::ResultSet& set) {
  std::string out = "name,executable,runs,median_s,min_s,max_s,relative_deviation,status\n";
  for (const model::Benchmark& benchmark : set.benchmarks) {
    const auto values = medians(benchmark, model::kRealTime);
    const model::Reading* bad = first_not_ok(benchmark);
    const char* status = bad == nullptr ? "ok" : bad->status == Status::failed ? "failed" : "skipped";
    out += fmt::format("{},{},{}", show::csv_field(benchmark.name), show::csv_field(benchmark.executable.str()),
                       values.size());
    if (values.empty()) {
      out += ",,,,";
    } else {
      const auto [low, high] = std::ranges::minmax(values);
      const double relative = show::spread_of(benchmark, model::kRealTime).relative;
      out += fmt::format(",{:.9g},{:.9g},{:.9g},{}", show::median_of(values), low, high,
                         std::isfinite(relative) ? fmt::format("{:.4g}", relative) : "");
    }
    out += fmt::format(",{}\n", status);
  }
  return out;
}

}  // namespace pawl::run
