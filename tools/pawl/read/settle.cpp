// settle.cpp -- the part of Repetitions that can be decided when all rows are known: aggregates, names, status.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <tuple>

#include "read/repetitions.hpp"

namespace pawl::read {
namespace {

using Severity = Oddities::Severity;

// In the order in which they may stand for the repetitions that are not there.
constexpr std::array<std::string_view, 3> kCentres = {"median", "mean", ""};

// What libraries before 1.5, which wrote no run_type, appended to the name of an aggregate.
constexpr std::array<std::string_view, 3> kSuffixes = {"_mean", "_median", "_stddev"};

}  // namespace

bool memory_sizes_are_right(std::string_view library_version) {
  if (library_version.starts_with('v')) library_version.remove_prefix(1);
  std::array<int, 3> version{};
  const char* at = library_version.data();
  const char* end = at + library_version.size();
  for (int& part : version) {
    at = std::from_chars(at, end, part).ptr;
    if (at == end || *at != '.') break;
    ++at;
  }
  return version >= std::array{1, 9, 2};
}

std::vector<model::Benchmark> Repetitions::finish(bool memory_sizes_are_right) {
  if (untyped_ > 0) settle_untyped();
  for (const std::uint32_t slot : namesakes_)  // made by repeated aggregates of something that was measured as well
    if (!slots_[slot].measured && slots_[slots_[slot].head].measured) slots_[slot].removed = true;
  if (!namesakes_.empty()) settle_names();
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot)
    if (!slots_[slot].removed) {
      settle_reading(slot);
      if (!memory_sizes_are_right) settle_memory_sizes(slot);
    }
  if (fits_ > 0)
    oddities_.add(Severity::note, fit_offset_, "",
                  fmt::format("{} BigO and RMS rows are fits over sizes, not measurements: left out", fits_));
  std::size_t kept = 0;
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot)
    if (!slots_[slot].removed) {
      if (kept != slot) benchmarks_[kept] = std::move(benchmarks_[slot]);
      ++kept;
    }
  benchmarks_.resize(kept);
  return std::move(benchmarks_);
}

// Files without run_type: "X_mean" beside repeated "X", or beside "X_stddev" without any "X", is an aggregate.
void Repetitions::settle_untyped() {
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
    if (!slots_[slot].untyped || slots_[slot].removed) continue;
    const std::string_view name = benchmarks_[slot].name;
    for (const std::string_view suffix : kSuffixes)
      if (name.size() > suffix.size() && name.ends_with(suffix) &&
          settle_untyped_aggregate(slot, name.substr(0, name.size() - suffix.size())))
        break;
  }
}

bool Repetitions::settle_untyped_aggregate(std::uint32_t slot, std::string_view base) {
  const std::uint32_t measured = find_head(base);
  if (measured != NameTable::kNone) {
    if (slots_[measured].good + slots_[measured].failed + slots_[measured].skipped < 2) return false;
    slots_[slot].removed = true;
    return true;
  }
  std::array<std::uint32_t, kSuffixes.size()> parts{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i] = find_head(std::string(base).append(kSuffixes[i]));
    if (parts[i] == NameTable::kNone && kSuffixes[i] != "_median") return false;
  }
  const std::string name(base);  // `base` lies in a name that changes below
  model::Reading whole;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] == NameTable::kNone) continue;
    const model::Reading& part = reading(parts[i]);
    for (const model::Series& series : part.series)
      whole.aggregates.push_back({kSuffixes[i].substr(1), series.metric, series.values.front()});
    whole.repetitions = static_cast<std::uint32_t>(std::min<std::uint64_t>(part.iterations.value_or(0), 0xFFFFFFFF));
    if (parts[i] != slot) slots_[parts[i]].removed = true;
  }
  reading(slot) = std::move(whole);
  benchmarks_[slot].name = name;
  slots_[slot].measured = slots_[slot].untyped = false;
  slots_[slot].good = 0;
  return true;
}

// Gives benchmarks of one name the suffixes #2, #3, ... in the order of registration.
void Repetitions::settle_names() {
  std::vector<std::uint32_t> group;
  std::erase_if(namesakes_, [&](std::uint32_t slot) { return slots_[slot].removed; });
  std::stable_sort(namesakes_.begin(), namesakes_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return slots_[a].head < slots_[b].head; });
  const std::vector<std::uint32_t> sorted = std::move(namesakes_);
  std::vector<std::pair<std::uint32_t, std::string>> renamed;  // afterwards, so that find_head() finds the file's names
  for (std::size_t i = 0; i < sorted.size();) {
    const std::uint32_t head = slots_[sorted[i]].head;
    group.assign(1, head);
    for (; i < sorted.size() && slots_[sorted[i]].head == head; ++i) group.push_back(sorted[i]);
    std::stable_sort(group.begin(), group.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tie(slots_[a].family, slots_[a].instance) < std::tie(slots_[b].family, slots_[b].instance);
    });
    const std::string name = benchmarks_[head].name;
    std::size_t number = 2;  // passes over names that the file itself gives to others
    for (std::size_t k = 1; k < group.size(); ++k) {
      std::string numbered = fmt::format("{}#{}", name, number++);
      while (find_head(numbered) != NameTable::kNone) numbered = fmt::format("{}#{}", name, number++);
      if (k == 1)
        oddities_.add(Severity::warning, slots_[group[k]].offset, name,
                      fmt::format("{} benchmarks of the file have this name: kept apart as \"{}\" and \"{}\"{}",
                                  group.size(), name, numbered, group.size() > 2 ? " and so on" : ""));
      renamed.emplace_back(group[k], std::move(numbered));
    }
    renamed.emplace_back(group[0], name);
  }
  for (auto& [slot, name] : renamed) benchmarks_[slot].name = std::move(name);
}

void Repetitions::settle_reading(std::uint32_t slot) {
  const Slot& known = slots_[slot];
  model::Reading& into = reading(slot);
  const auto warn = [&](std::string_view what) {
    oddities_.add(Severity::warning, known.offset, benchmarks_[slot].name, what);
  };
  if (known.measured) {
    into.repetitions = known.good + known.failed + known.skipped;
    into.aggregates = {};  // of rows that came before those they are made of
  } else {
    settle_aggregates(slot);
  }

  if (const std::uint32_t odd = known.failed > 0 ? known.failed : known.skipped; odd > 0) {
    into.status = known.failed > 0 ? model::Status::failed : model::Status::skipped;
    if (known.good > 0) {
      into.message = fmt::format("{} ({} of {} repetitions)", into.message.str(), odd, into.repetitions);
      warn(fmt::format("{} of {} repetitions {}: the benchmark counts as {}", odd, into.repetitions,
                       known.failed > 0 ? "failed" : "were skipped", known.failed > 0 ? "failed" : "skipped"));
    }
  } else if (into.series.empty()) {
    into.status = model::Status::failed;
    into.message = "the file has no measurement of it";
    warn("no measurement: the benchmark counts as failed");
  } else if (known.measured && into.find(model::kRealTime) == nullptr) {
    warn("no real_time");
  }
  for (const model::Series& series : into.series)
    if (known.measured && series.values.size() != known.good)
      warn(fmt::format("\"{}\" is in {} of {} repetitions", series.metric, series.values.size(), known.good));
}

void Repetitions::settle_memory_sizes(std::uint32_t slot) {
  static const std::array<model::Interned, 3> sizes = {model::kPeakBytes, "total_allocated_bytes", "net_heap_growth"};
  for (model::Series& series : reading(slot).series)
    if (series.values.size() > 1 && std::find(sizes.begin(), sizes.end(), series.metric) != sizes.end()) {
      series.values = {series.values.back()};
      oddities_.add(
          Severity::note, slots_[slot].offset, benchmarks_[slot].name,
          fmt::format("\"{}\" of all repetitions but the last is left out: libraries before 1.9.2 read it from "
                      "freed memory",
                      series.metric));
    }
}

void Repetitions::settle_aggregates(std::uint32_t slot) {
  model::Reading& into = reading(slot);
  into.aggregates_only = true;
  for (const std::string_view centre : kCentres)
    for (const model::Aggregate& aggregate : into.aggregates)
      if (aggregate.name == centre && into.find(aggregate.metric) == nullptr &&
          into.series.size() < RowReader::kMaxCounters)
        into.series.push_back({aggregate.metric, {aggregate.value}});
}

}  // namespace pawl::read
