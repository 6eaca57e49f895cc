// shared_core.cpp -- see shared_core.hpp.
#include "decide/shared_core.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "decide/effect.hpp"

namespace pawl::decide {
namespace {

constexpr double kAlone = 0.97;  // of the most operations per cycle
constexpr std::size_t kFewestPairs = 3, kFewestRuns = 2;
constexpr double kBesideAlone = 2, kBesideBeside = 1.25;  // times; figures: explained_by_sharing()

template <class Visit>
void for_each_probe(const model::ResultSet& set, Visit visit) {
  for (const model::Benchmark& benchmark : set.benchmarks) {
    if (says_many_threads(benchmark.name)) continue;
    for (const model::Reading& reading : benchmark.readings)
      if (const model::Series* seen = reading.find(model::kOperationsPerCycle); seen != nullptr)
        for (const double operations : seen->values)
          if (std::isfinite(operations)) visit(operations);
  }
}

bool same_or_unknown(const std::string& a, const std::string& b) { return a.empty() || b.empty() || a == b; }

// Whether both sides' probes are the same loops on the same kind of core.
bool probes_compare(const model::ResultSet& base, const model::ResultSet& now) {
  return !base.machine.key.empty() && base.machine.key == now.machine.key &&
         same_or_unknown(base.machine.cpu_model, now.machine.cpu_model) &&
         same_or_unknown(base.methodology.build_type, now.methodology.build_type);
}

std::size_t count_shared(const Sample& sample) {
  return static_cast<std::size_t>(std::ranges::count_if(sample.runs, &RunValue::shared));
}

// Returns how many were taken out.
template <class Predicate>
std::size_t take_out(Sample& sample, Predicate unwanted) {
  return std::erase_if(sample.runs, unwanted);
}

struct Halves {
  bool base = false, now = false;
};

// For each pair, which of its halves were shared.
std::map<int, Halves> halves_shared(const Sample& base, const Sample& now) {
  std::map<int, Halves> pairs;
  for (const RunValue& run : base.runs) pairs[run.pair].base |= run.shared;
  for (const RunValue& run : now.runs) pairs[run.pair].now |= run.shared;
  return pairs;
}

// The pairs of which a half was shared.
std::size_t take_out_pairs(Sample& base, Sample& now) {
  std::map<int, Halves> pairs = halves_shared(base, now);
  const std::size_t all = pairs.size();
  std::erase_if(pairs, [](const auto& pair) { return !pair.second.base && !pair.second.now; });
  if (pairs.empty() || all < pairs.size() + kFewestPairs) return 0;
  const auto unwanted = [&](const RunValue& run) { return pairs.contains(run.pair); };
  return take_out(base, unwanted) + take_out(now, unwanted);
}

std::size_t take_out_runs(Sample& side) {
  if (lacks_runs_alone(side)) return 0;
  return take_out(side, [](const RunValue& run) { return run.shared; });
}

}  // namespace

double free_core(std::vector<double> operations) {
  constexpr double kAgrees = 0.99, kFarthest = 0.95;
  if (operations.empty()) return 0;
  std::ranges::sort(operations, std::greater<>{});
  const double most = operations.front();
  const std::size_t others = 1 + operations.size() / 50;  // that have to agree: more than come in one burst
  for (std::size_t i = 0; i + others < operations.size() && operations[i] >= kFarthest * most; ++i)
    if (operations[i + others] >= kAgrees * operations[i]) return operations[i];
  return most;
}

double free_core(const model::ResultSet& set) {
  std::vector<double> all;
  for_each_probe(set, [&](double operations) { all.push_back(operations); });
  return free_core(std::move(all));
}

FreeCores free_cores(const model::ResultSet& base, const model::ResultSet& now) {
  FreeCores cores{free_core(base), free_core(now)};
  if (!(cores.base > 0) || !(cores.now > 0) || !probes_compare(base, now)) return cores;
  std::vector<double> all;
  for (const model::ResultSet* side : {&base, &now})
    for_each_probe(*side, [&](double operations) { all.push_back(operations); });
  const double of_both = free_core(std::move(all));
  if (is_shared(cores.base, of_both)) cores.shared_base = std::exchange(cores.base, of_both);
  if (is_shared(cores.now, of_both)) cores.shared_now = std::exchange(cores.now, of_both);
  return cores;
}

CoreUse core_use(const model::ResultSet& set) {
  const double free = free_core(set);
  CoreUse use;
  for_each_probe(set, [&](double operations) {
    ++use.repetitions;
    use.shared += is_shared(operations, free);
  });
  return use;
}

bool says_many_threads(std::string_view name) {
  constexpr std::string_view kKey = "threads:";
  for (std::size_t at = 0; (at = name.find(kKey, at)) != std::string_view::npos;) {
    const bool is_part = at == 0 || name[at - 1] == '/';
    at += kKey.size();
    int count = 0;
    std::from_chars(name.data() + at, name.data() + name.size(), count);
    if (is_part && count > 1) return true;
  }
  return false;
}

bool is_shared(double operations_per_cycle, double free_core) { return operations_per_cycle < kAlone * free_core; }

bool lacks_runs_alone(const Sample& sample) {
  const std::size_t shared = count_shared(sample);
  return shared > 0 && sample.runs.size() < shared + kFewestRuns;
}

SharedRuns set_aside_shared(Sample& base, Sample& now) {
  SharedRuns found;
  const bool paired = is_paired(base.runs, now.runs);
  found.set_aside = paired ? take_out_pairs(base, now) : take_out_runs(base) + take_out_runs(now);
  found.base = count_shared(base);
  found.now = count_shared(now);
  if (paired) {
    const std::map<int, Halves> pairs = halves_shared(base, now);
    found.pairs = pairs.size();
    found.unlike = static_cast<std::size_t>(
        std::ranges::count_if(pairs, [](const auto& pair) { return pair.second.base != pair.second.now; }));
  }
  return found;
}

double explained_by_sharing(const SharedRuns& shared) {
  if (shared.base + shared.now == 0) return 0;
  // The change is the mean over the pairs.
  if (shared.pairs > 0)
    return std::log(kBesideAlone) * static_cast<double>(shared.unlike) / static_cast<double>(shared.pairs);
  return std::log(shared.base > 0 && shared.now > 0 ? kBesideBeside : kBesideAlone);
}

}  // namespace pawl::decide
