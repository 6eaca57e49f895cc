// peers.cpp -- groups rows by everything but the implementation, and sets each against yardsticks and peers.
#include "show/peers.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string_view>
#include <unordered_map>

namespace pawl::show {
namespace {

constexpr std::string_view kVariants[] = {"scalar", "sse2", "avx2", "avx512", "neon"};

struct Name {
  std::string op, type, impl, parameters;
};

std::optional<Name> parse(const std::string& name) {
  const auto first = name.find('/');
  if (first == std::string::npos) return std::nullopt;
  const auto second = name.find('/', first + 1);
  if (second == std::string::npos) return std::nullopt;
  const auto third = name.find('/', second + 1);
  return Name{name.substr(0, first), name.substr(first + 1, second - first - 1),
              name.substr(second + 1, third == std::string::npos ? std::string::npos : third - second - 1),
              third == std::string::npos ? "" : name.substr(third + 1)};
}

// Geometric mean over process runs of the median of each; nothing without a positive value.
std::optional<double> typical(const model::Benchmark& b, std::string_view metric) {
  double sum = 0;
  std::size_t count = 0;
  for (const model::Reading& r : b.readings) {
    const model::Series* s = r.status == model::Status::ok ? r.find(metric) : nullptr;
    if (s == nullptr || s->values.empty()) continue;
    std::vector<double> v(s->values.begin(), s->values.end());
    std::ranges::sort(v);
    const double median = v.size() % 2 ? v[v.size() / 2] : (v[v.size() / 2 - 1] + v[v.size() / 2]) / 2;
    if (!(median > 0) || std::isinf(median)) continue;
    sum += std::log(median);
    ++count;
  }
  if (count == 0) return std::nullopt;
  return std::exp(sum / static_cast<double>(count));
}

struct Limits {
  std::map<std::string, double> yardsticks;  // median over processes of the better of start and end
  double l1 = 0, l2 = 0, l3 = 0;             // bytes
};

double number_in(const model::ResultSet& set, const std::string& key) {
  for (const model::Process& p : set.processes)
    if (const auto found = p.context.find(key); found != p.context.end())
      return std::strtod(found->second.c_str(), nullptr);
  if (const auto found = set.machine.details.find(key); found != set.machine.details.end())
    return std::strtod(found->second.c_str(), nullptr);
  return 0;
}

Limits limits_of(const model::ResultSet& set) {
  Limits limits{{}, number_in(set, "pawl_l1d_bytes"), number_in(set, "pawl_l2_bytes"), number_in(set, "pawl_l3_bytes")};
  // The better of each process: a disturbed yardstick is too low, never too high. The median over processes: the clock
  // differs from one to the next, and so did the rows that these are limits of.
  std::map<std::string, std::vector<double>> best;
  for (const model::Process& p : set.processes) {
    std::map<std::string, double> reached = p.yardsticks_start;
    for (const auto& [name, value] : p.yardsticks_end) reached[name] = std::max(reached[name], value);
    for (const auto& [name, value] : reached) best[name].push_back(value);
  }
  for (auto& [name, values] : best) {
    std::ranges::sort(values);
    limits.yardsticks[name] = values[values.size() / 2];
  }
  return limits;
}

double threads_of(const std::string& parameters) {
  const auto at = parameters.find("threads:");
  return at == std::string::npos ? 1 : std::max(1.0, std::strtod(parameters.c_str() + at + 8, nullptr));
}

void set_limit(PeerRow& row, const Limits& limits, std::optional<double> working_set) {
  const double threads = threads_of(row.parameters);
  const auto consider = [&](double share, const char* bound) {
    if (!row.of_limit || share > *row.of_limit) {
      row.of_limit = share;
      row.bound = bound;
    }
  };
  if (row.flops)
    if (const auto peak = limits.yardsticks.find("fma_" + row.type + "_gflops"); peak != limits.yardsticks.end())
      consider(*row.flops / (peak->second * 1e9 * threads), "compute");
  if (row.bytes && working_set && limits.l1 > 0) {
    // Three quarters of a cache: the rest is for what else a process touches.
    const bool in_l1 = *working_set <= 0.75 * limits.l1, in_l2 = *working_set <= 0.75 * limits.l2,
               in_l3 = *working_set <= 0.75 * limits.l3;
    const std::string level = in_l1 ? "l1" : in_l2 ? "l2" : in_l3 ? "l3" : "mem";
    double best = 0;
    for (const char* kind : {"read_", "copy_", "triad_", "stream_copy_"})
      if (const auto found = limits.yardsticks.find(kind + level + "_gbs"); found != limits.yardsticks.end())
        best = std::max(best, found->second);
    if (best > 0) consider(*row.bytes / (best * 1e9 * threads), in_l1 ? "L1" : in_l2 ? "L2" : in_l3 ? "L3" : "memory");
  }
}

}  // namespace

const PeerTime* PeerRow::best_peer() const {
  const auto best = std::ranges::min_element(peers, {}, &PeerTime::seconds);
  return best == peers.end() ? nullptr : &*best;
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
  const Limits limits = limits_of(set);
  std::unordered_map<std::string, std::size_t> ours;
  const auto key = [](const Name& n) { return n.op + '/' + n.type + '/' + n.parameters; };
  for (const model::Benchmark& b : set.benchmarks) {
    const auto name = parse(b.name);
    const auto seconds = typical(b, model::kRealTime);
    if (!name || name->impl != "pawl" || !seconds) continue;
    PeerRow row;
    row.op = name->op;
    row.type = name->type;
    row.parameters = name->parameters;
    row.name = b.name;
    row.seconds = *seconds;
    row.flops = typical(b, "flops");
    row.bytes = typical(b, "bytes");
    set_limit(row, limits, typical(b, "working_set_bytes"));
    ours.emplace(key(*name), table.rows.size());
    table.rows.push_back(std::move(row));
  }
  for (const model::Benchmark& b : set.benchmarks) {
    const auto name = parse(b.name);
    const auto seconds = typical(b, model::kRealTime);
    if (!name || name->impl == "pawl" || !seconds) continue;
    const auto found = ours.find(key(*name));
    if (found == ours.end()) continue;
    PeerRow& row = table.rows[found->second];
    if (name->impl == "scalar") row.over_scalar = *seconds / row.seconds;
    if (std::ranges::find(kVariants, name->impl) != std::end(kVariants)) continue;
    row.peers.push_back({name->impl, *seconds, *seconds / row.seconds});
    if (std::ranges::find(table.peers, name->impl) == table.peers.end()) table.peers.push_back(name->impl);
  }
  for (const PeerRow& row : table.rows) table.compared += !row.peers.empty();
  return table;
}

}  // namespace pawl::show
