// peers.cpp -- groups rows by everything but the implementation, and sets each against yardsticks and peers.
#include "show/peers.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <unordered_map>

#include "decide/sample.hpp"
#include "show/limit.hpp"

namespace pawl::show {
namespace {

// Geometric mean over process runs of the value of each; nothing without a positive value.
std::optional<double> typical(const model::Benchmark& b, std::string_view metric) {
  double sum = 0;
  std::size_t count = 0;
  for (const decide::RunValue& run : decide::sample_of(b, metric, decide::quantity_of(metric), {}).runs) {
    if (!(run.value > 0)) continue;
    sum += std::log(run.value);
    ++count;
  }
  if (count == 0) return std::nullopt;
  return std::exp(sum / static_cast<double>(count));
}

// Geometric mean over process runs of the share of the limit that each reached, and the limit of the most of them.
void set_limit(PeerRow& row, const BenchmarkName& name, const model::Benchmark& b, const model::ResultSet& set,
               const std::vector<std::map<std::string, double>>& yardsticks) {
  double sum = 0;
  std::map<std::string, std::size_t> bounds;
  std::size_t count = 0;
  for (const model::Reading& r : b.readings) {
    const auto work = r.process < set.processes.size() ? work_of(r) : std::nullopt;
    const auto limit =
        work ? limit_of(name, *work, yardsticks[r.process], caches_of(set.processes[r.process])) : std::nullopt;
    if (!limit) continue;
    sum += std::log(limit->seconds / work->seconds);
    ++count;
    ++bounds[limit->where];
  }
  if (count == 0) return;
  row.of_limit = std::exp(sum / static_cast<double>(count));
  row.bound = std::ranges::max_element(bounds, {}, [](const auto& bound) { return bound.second; })->first;
}

}  // namespace

const PeerTime* PeerRow::best_peer() const {
  const PeerTime* best = nullptr;
  for (const PeerTime& p : peers) {
    if (is_peer(p.impl) && (best == nullptr || p.seconds < best->seconds)) best = &p;
  }
  return best;
}

std::vector<const PeerRow*> PeerTable::behind() const {
  constexpr double kEven = 0.99;  // within 1 % is even
  std::vector<const PeerRow*> losing;
  for (const PeerRow& row : rows)
    if (const PeerTime* best = row.best_peer(); best != nullptr && best->speed_up < kEven) losing.push_back(&row);
  std::ranges::sort(losing, {}, [](const PeerRow* r) { return r->best_peer()->speed_up; });
  return losing;
}

PeerTable peer_table(const model::ResultSet& set) {
  PeerTable table;
  std::vector<std::map<std::string, double>> yardsticks;
  for (const model::Process& p : set.processes) yardsticks.push_back(yardsticks_of(p));
  std::unordered_map<std::string, std::size_t> ours;
  for (const model::Benchmark& b : set.benchmarks) {
    const auto name = parse_name(b.name);
    const auto seconds = typical(b, model::kRealTime);
    if (!name || name->impl != "pawl") continue;
    if (!seconds) {
      table.without_time.push_back(b.name);
      continue;
    }
    PeerRow row;
    row.op = name->op;
    row.type = name->type;
    row.parameters = name->parameters;
    row.name = b.name;
    row.seconds = *seconds;
    row.flops = typical(b, "flops");
    row.bytes = typical(b, "bytes");
    set_limit(row, *name, b, set, yardsticks);
    ours.emplace(name->group(), table.rows.size());
    table.rows.push_back(std::move(row));
  }
  for (const model::Benchmark& b : set.benchmarks) {
    const auto name = parse_name(b.name);
    const auto seconds = typical(b, model::kRealTime);
    if (!name || name->impl == "pawl" || !seconds) continue;
    const auto found = ours.find(name->group());
    if (found == ours.end()) continue;
    PeerRow& row = table.rows[found->second];
    if (name->impl == "scalar") row.over_scalar = *seconds / row.seconds;
    if (!is_peer(name->impl) && !name->impl.starts_with("pawl-")) continue;
    row.peers.push_back({name->impl, *seconds, *seconds / row.seconds});
    if (std::ranges::find(table.peers, name->impl) == table.peers.end()) table.peers.push_back(name->impl);
  }
  for (const PeerRow& row : table.rows) table.compared += row.best_peer() != nullptr;
  return table;
}

}  // namespace pawl::show
