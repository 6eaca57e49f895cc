// report.cpp -- the parts of report.md, in the order in which people ask for them.
#include "show/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "show/peers.hpp"

namespace pawl::show {
namespace {

// A cell of a table: no pipes, no line ends.
std::string cell(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r' || c == '|') c = c == '|' ? '/' : ' ';
  return text;
}

std::string machine(const model::ResultSet& set) {
  const auto& m = set.machine;
  const auto& how = set.methodology;
  std::string text = "## Machine and method\n\n| | |\n|---|---|\n";
  const auto line = [&](const char* what, const std::string& value) {
    if (!value.empty()) text += fmt::format("| {} | {} |\n", what, cell(value));
  };
  line("machine", m.key + (m.cpu_model.empty() ? "" : " (" + m.cpu_model + ")"));
  line("cores", m.cores > 0 ? fmt::format("{}", m.cores) : "");
  line("commit", how.commit + (how.dirty ? ", with local changes" : ""));
  line("compiler", how.compiler + (how.flags.empty() ? "" : " " + how.flags));
  line("build", how.build_type);
  line("date", how.date);
  line("process runs", how.runs > 0 ? fmt::format("{}", how.runs) : fmt::format("{}", set.processes.size()));
  line("command", how.command);
  return text;
}

std::string yardsticks(const model::ResultSet& set) {
  std::map<std::string, std::vector<double>> values;
  for (const model::Process& p : set.processes)
    for (const auto* side : {&p.yardsticks_start, &p.yardsticks_end})
      for (const auto& [name, value] : *side) values[name].push_back(value);
  if (values.empty()) return "";
  std::string text =
      "\n## Yardsticks\n\nWhat the machine could do while this ran, over all processes.\n\n| | best | median | worst "
      "|\n|---|---|---|---|\n";
  for (auto& [name, v] : values) {
    std::ranges::sort(v);
    text += fmt::format("| {} | {:.4g} | {:.4g} | {:.4g} |\n", name, v.back(), v[v.size() / 2], v.front());
  }
  return text;
}

std::string disturbances(const model::ResultSet& set) {
  std::string text;
  for (const model::Process& p : set.processes)
    for (const std::string& flag : p.disturbance.flags)
      text += fmt::format("- {} run {}: {}\n", p.executable, p.run_index, flag);
  return text.empty() ? "" : "\n## Disturbed process runs\n\n" + text;
}

std::string failures(const model::ResultSet& set) {
  std::string text;
  for (const model::Benchmark& b : set.benchmarks)
    for (const model::Reading& r : b.readings)
      if (r.status != model::Status::ok) {
        text += fmt::format("- `{}` {}: {}\n", b.name, r.status == model::Status::failed ? "failed" : "skipped",
                            r.message.str());
        break;
      }
  return text.empty() ? "" : "\n## Failed or skipped\n\n" + text;
}

}  // namespace

std::string format_report(const model::ResultSet& set, const std::string& comparison) {
  std::string text = "# Benchmark report\n\n";
  if (!comparison.empty()) text += comparison + "\n";
  text += machine(set) + failures(set) + disturbances(set);
  const PeerTable peers = peer_table(set);
  if (!peers.rows.empty()) text += "\n## Beside peers and the limit\n\n" + format_peers_markdown(peers);
  return text + yardsticks(set);
}

}  // namespace pawl::show
