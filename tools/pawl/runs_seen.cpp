// runs_seen.cpp -- a process run is known by its executable, its start and its numbers.
#include "runs_seen.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace pawl {
namespace {

void mix(std::uint64_t& hash, std::size_t value) { hash ^= value + 0x9e3779b97f4a7c15ull + (hash << 6) + (hash >> 2); }

// Of the numbers of each process of the set. Starts alone are told to the second by some libraries.
std::vector<std::uint64_t> hashes_of(const model::ResultSet& set) {
  std::vector<std::uint64_t> hashes(set.processes.size());
  for (const model::Benchmark& benchmark : set.benchmarks)
    for (const model::Reading& reading : benchmark.readings) {
      std::uint64_t& hash = hashes.at(reading.process);
      mix(hash, std::hash<std::string_view>{}(benchmark.name));
      for (const model::Series& series : reading.series)
        for (const double value : series.values) mix(hash, std::hash<double>{}(value));
    }
  return hashes;
}

}  // namespace

SeenRuns RunsSeen::add(const model::ResultSet& set, const std::string& name) {
  SeenRuns seen;
  const std::vector<std::uint64_t> hashes = hashes_of(set);
  std::map<std::string, std::string> own;
  for (std::size_t i = 0; i < set.processes.size(); ++i) {
    const model::Process& process = set.processes[i];
    if (!process.start_unix_s) continue;
    std::string key = fmt::format("{}\n{:.6f}\n{}", process.executable, *process.start_unix_s, hashes[i]);
    if (const auto found = names_.find(key); found != names_.end()) {
      if (seen.count++ == 0) seen.first_in = found->second;
    }
    own.emplace(std::move(key), name);
  }
  names_.merge(own);
  return seen;
}

}  // namespace pawl
