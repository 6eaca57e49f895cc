// join.cpp -- see join.hpp.
#include "read/join.hpp"

#include <fmt/core.h>

#include <functional>
#include <iterator>
#include <utility>

#include "read/read.hpp"

namespace pawl::read {
namespace {

std::size_t hash_of(const model::Benchmark& benchmark) {
  return std::hash<std::string>{}(benchmark.name) ^ (std::hash<model::Interned>{}(benchmark.executable) * 31);
}

bool known(const model::Machine& machine) {
  return !machine.key.empty() || !machine.cpu_model.empty() || machine.cores != 0 || !machine.details.empty();
}

bool known(const model::Methodology& methodology) {
  return !methodology.commit.empty() || !methodology.date.empty() || !methodology.compiler.empty() ||
         !methodology.settings.empty();
}

std::string detail(const model::Machine& machine, const char* key) {
  const auto found = machine.details.find(key);
  return found == machine.details.end() ? std::string() : found->second;
}

}  // namespace

void Joiner::add(model::ResultSet set) {
  if (empty_) {
    joined_ = std::move(set);
    empty_ = false;
    return;
  }
  for (; indexed_ < joined_.benchmarks.size(); ++indexed_) index(indexed_);
  add_machine(set);
  add_methodology(set);

  const std::size_t first_process = joined_.processes.size();
  joined_.processes.insert(joined_.processes.end(), std::make_move_iterator(set.processes.begin()),
                           std::make_move_iterator(set.processes.end()));
  joined_.oddities.insert(joined_.oddities.end(), std::make_move_iterator(set.oddities.begin()),
                          std::make_move_iterator(set.oddities.end()));
  for (model::Benchmark& benchmark : set.benchmarks) {
    for (model::Reading& reading : benchmark.readings) reading.process += first_process;
    const std::uint32_t found = index_.find(hash_of(benchmark), [&](std::uint32_t i) {
      return joined_.benchmarks[i].name == benchmark.name && joined_.benchmarks[i].executable == benchmark.executable;
    });
    if (found == NameTable::kNone) {
      joined_.benchmarks.push_back(std::move(benchmark));
      index(indexed_++);
      continue;
    }
    model::Benchmark& into = joined_.benchmarks[found];
    if (into.label.empty()) into.label = benchmark.label;
    if (into.time_unit.empty()) into.time_unit = benchmark.time_unit;
    if (into.source.empty()) into.source = benchmark.source;
    into.readings.insert(into.readings.end(), std::make_move_iterator(benchmark.readings.begin()),
                         std::make_move_iterator(benchmark.readings.end()));
  }
}

void Joiner::index(std::size_t benchmark) {
  index_.insert(hash_of(joined_.benchmarks[benchmark]), static_cast<std::uint32_t>(benchmark));
}

void Joiner::contradict(const model::ResultSet& set, const char* what, const std::string& before,
                        const std::string& now) {
  if (before.empty() || now.empty() || before == now) return;
  joined_.oddities.push_back(
      {model::Oddity::Severity::warning, set.label, 0, 0, "",
       fmt::format("{} differs within one set of results: {} before, {} here", what, before, now)});
}

void Joiner::add_machine(const model::ResultSet& set) {
  if (!known(joined_.machine)) {
    joined_.machine = set.machine;
    return;
  }
  const model::Machine &before = joined_.machine, &now = set.machine;
  contradict(set, "the machine", before.key, now.key);
  if (before.key.empty() || now.key.empty()) {
    contradict(set, "the number of CPUs", before.cores > 0 ? std::to_string(before.cores) : "",
               now.cores > 0 ? std::to_string(now.cores) : "");
    contradict(set, "the host", detail(before, "host_name"), detail(now, "host_name"));
  }
}

void Joiner::add_methodology(const model::ResultSet& set) {
  if (!known(joined_.methodology)) {
    joined_.methodology = set.methodology;
    return;
  }
  model::Methodology& before = joined_.methodology;
  const model::Methodology& now = set.methodology;
  contradict(set, "the commit", before.commit, now.commit);
  contradict(set, "the build type", before.build_type, now.build_type);
  contradict(set, "the compiler", before.compiler, now.compiler);
  before.dirty = before.dirty || now.dirty;
}

model::ResultSet join(std::vector<model::ResultSet> sets) {
  Joiner joiner;
  for (model::ResultSet& set : sets) joiner.add(std::move(set));
  return joiner.take();
}

}  // namespace pawl::read
