// repetitions.cpp -- see repetitions.hpp; what is decided when all rows are known is in settle.cpp.
#include "read/repetitions.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace pawl::read {
namespace {

using Severity = Oddities::Severity;

constexpr std::size_t kGolden = 0x9E3779B97F4A7C15;  // 2^64 over the golden ratio: spreads neighbouring integers

std::size_t mix(std::size_t hash, std::uint64_t value) {
  hash = (hash ^ value) * kGolden;
  return hash ^ (hash >> 29);
}

std::size_t hash_of(std::string_view name) { return std::hash<std::string_view>{}(name); }

// Of these, real and CPU time differ on purpose.
bool measures_one_thread(std::string_view name) {
  return name.find("/manual_time") == name.npos && name.find("/process_time") == name.npos &&
         (name.find("threads:") == name.npos || name.ends_with("threads:1") || name.find("threads:1/") != name.npos);
}

}  // namespace

std::size_t Repetitions::OccurrenceHash::operator()(const Occurrence& key) const noexcept {
  return mix(mix(0, key.slot), key.what);
}
std::size_t Repetitions::RegistrationHash::operator()(const Registration& key) const noexcept {
  return mix(mix(mix(0, key.head), static_cast<std::uint64_t>(key.family)), static_cast<std::uint64_t>(key.instance));
}

void Repetitions::add(const Row& row) {
  ++rows_;
  if (row.name.empty()) {
    oddities_.add(Severity::warning, row.offset, "", "a row has no name: left out");
    return;
  }
  if (row.failed || row.skipped || row.has_numbers) ++rows_with_results_;
  if (row.fit) {
    if (fits_++ == 0) fit_offset_ = row.offset;
    return;
  }
  const std::uint32_t slot = slot_of(row);
  if (row.type == Row::Type::aggregate)
    add_aggregate(row, slot);
  else
    add_iteration(row, slot_of_repetition(slot, row));
}

std::uint32_t Repetitions::find_head(std::string_view name) const {
  return heads_.find(hash_of(name), [&](std::uint32_t i) { return benchmarks_[i].name == name; });
}

std::uint32_t Repetitions::slot_of(const Row& row) {
  const auto same_registration = [&](std::uint32_t slot) {
    return slots_[slot].family == row.family_index && slots_[slot].instance == row.instance_index;
  };
  if (last_ != NameTable::kNone && same_registration(last_) && benchmarks_[last_].name == row.run_name) return last_;

  const std::uint32_t head = find_head(row.run_name);
  if (head == NameTable::kNone) {
    last_ = open_slot(row, NameTable::kNone);
    heads_.insert(hash_of(row.run_name), last_);
  } else if (same_registration(head)) {
    last_ = head;
  } else {
    const auto [found, is_new] = registrations_.try_emplace({head, row.family_index, row.instance_index}, 0);
    if (is_new) found->second = open_slot(row, head);
    last_ = found->second;
  }
  return last_;
}

std::uint32_t Repetitions::open_slot(const Row& row, std::uint32_t head) {
  const std::size_t count = benchmarks_.size();
  if (count == benchmarks_.capacity() && count >= 256) {
    // Growing by what the rest of the text will need, not by half, keeps the peak of memory down.
    const double whole = static_cast<double>(text_size_) / static_cast<double>(std::max<std::size_t>(row.offset, 1));
    const auto expected = static_cast<std::size_t>(static_cast<double>(count) * std::clamp(whole * 1.02, 1.25, 64.0));
    benchmarks_.reserve(expected);
    slots_.reserve(expected);
  }
  const auto slot = static_cast<std::uint32_t>(count);
  model::Benchmark& benchmark = benchmarks_.emplace_back();
  benchmark.name = row.run_name;
  benchmark.readings.emplace_back();
  Slot& made = slots_.emplace_back();
  made.offset = row.offset;
  made.family = row.family_index;
  made.instance = row.instance_index;
  made.head = head == NameTable::kNone ? slot : head;
  made.one_thread = measures_one_thread(row.run_name);
  if (made.head != slot) namesakes_.push_back(slot);
  return slot;
}

std::uint32_t Repetitions::slot_of_repetition(std::uint32_t slot, const Row& row) {
  Slot& known = slots_[slot];
  if (row.repetition_index < 0) {
    if (known.measured)
      oddities_.add(Severity::note, row.offset, row.run_name,
                    "rows of one name without repetition_index are taken as repetitions of one benchmark");
    return slot;
  }
  const auto index = static_cast<std::uint64_t>(row.repetition_index);
  if (index == known.in_order && !known.irregular) {
    ++known.in_order;
    return slot;
  }
  known.irregular = true;
  return next_free(slot, index, row, index < known.in_order ? 1 : 0);
}

// The k-th time that `what` comes, it belongs to the k-th namesake.
std::uint32_t Repetitions::next_free(std::uint32_t slot, std::uint64_t what, const Row& row, std::uint32_t already) {
  const std::uint32_t k = occurrences_.try_emplace({slot, what}, already).first->second++;
  if (k == 0) return slot;
  const auto [found, is_new] = duplicates_.try_emplace({slot, k}, 0);
  if (is_new) found->second = open_slot(row, slots_[slot].head);
  return found->second;
}

void Repetitions::add_iteration(const Row& row, std::uint32_t slot) {
  Slot& known = slots_[slot];
  model::Benchmark& benchmark = benchmarks_[slot];
  model::Reading& into = benchmark.readings.front();
  if (!known.measured) {
    known.measured = true;
    into.iterations = row.iterations;
    if (row.type == Row::Type::untyped) {
      known.untyped = true;
      ++untyped_;
    }
  }
  if (benchmark.label.empty() && !row.label.empty()) benchmark.label = row.label;
  if (row.failed || row.skipped) {
    ++(row.failed ? known.failed : known.skipped);
    // A failure says more than a skip.
    if (into.message.empty() || (row.failed && known.failed == 1)) into.message = row.message;
    if (benchmark.time_unit.empty() && !row.time_unit.empty()) benchmark.time_unit = row.time_unit;
    return;
  }
  ++known.good;
  if (known.good == 1) {
    if (!row.time_unit.empty()) benchmark.time_unit = row.time_unit;
    into.series.reserve((row.real_time ? 1 : 0) + (row.cpu_time ? 1 : 0) + row.counters.size());
  }
  static const model::Interned real_time = model::kRealTime, cpu_time = model::kCpuTime;
  std::size_t at = 0;
  if (row.real_time) add_value(into.series, at++, real_time, *row.real_time, slot);
  if (row.cpu_time) add_value(into.series, at++, cpu_time, *row.cpu_time, slot);
  for (const Row::Counter& counter : row.counters) add_value(into.series, at++, counter.metric, counter.value, slot);

  if (known.one_thread && row.threads <= 1 && row.real_time && row.cpu_time) {
    const double ratio = *row.real_time / *row.cpu_time;
    if (std::isfinite(ratio) && ratio > 0) real_over_cpu_.push_back(ratio);
  }
}

void Repetitions::add_value(std::vector<model::Series>& series, std::size_t expected_at, model::Interned metric,
                            double value, std::uint32_t slot) {
  if (expected_at < series.size() && series[expected_at].metric == metric) {
    series[expected_at].values.push_back(value);
    return;
  }
  if (slots_[slot].good > 1)
    for (model::Series& known : series)
      if (known.metric == metric) {
        known.values.push_back(value);
        return;
      }
  if (series.size() < RowReader::kMaxCounters + 2)  // and the two times
    series.push_back({metric, {value}});
  else
    oddities_.add(Severity::warning, slots_[slot].offset, benchmarks_[slot].name,
                  fmt::format("more than {} metrics: the others are left out", RowReader::kMaxCounters));
}

void Repetitions::add_aggregate(const Row& row, std::uint32_t slot) {
  if (slots_[slot].measured) return;
  const model::Interned name = row.aggregate_name;
  // Addresses of interned names have their upper bit clear: no repetition_index is confused with them.
  constexpr std::uint64_t kIsName = std::uint64_t{1} << 63;
  slot = next_free(slot, kIsName | reinterpret_cast<std::uintptr_t>(name.c_str()), row, 0);
  if (row.failed || row.skipped) {
    ++(row.failed ? slots_[slot].failed : slots_[slot].skipped);
    if (reading(slot).message.empty()) reading(slot).message = row.message;
    return;
  }
  if (name.empty())
    oddities_.add(Severity::warning, row.offset, row.run_name,
                  "an aggregate without aggregate_name: taken as the mean where nothing better is there");
  model::Reading& into = reading(slot);
  if (row.real_time) into.aggregates.push_back({name, model::kRealTime, *row.real_time});
  if (row.cpu_time) into.aggregates.push_back({name, model::kCpuTime, *row.cpu_time});
  for (const Row::Counter& counter : row.counters) into.aggregates.push_back({name, counter.metric, counter.value});
  const auto behind = row.repetitions > 0 ? static_cast<std::uint64_t>(row.repetitions) : row.iterations.value_or(0);
  into.repetitions = static_cast<std::uint32_t>(std::min<std::uint64_t>(behind, 0xFFFFFFFF));
  model::Benchmark& benchmark = benchmarks_[slot];
  if (benchmark.time_unit.empty() && !row.time_unit.empty()) benchmark.time_unit = row.time_unit;
  if (benchmark.label.empty() && !row.label.empty()) benchmark.label = row.label;
}

std::optional<double> Repetitions::real_over_cpu() {
  if (real_over_cpu_.empty()) return std::nullopt;
  const auto middle = real_over_cpu_.begin() + static_cast<std::ptrdiff_t>(real_over_cpu_.size() / 2);
  std::nth_element(real_over_cpu_.begin(), middle, real_over_cpu_.end());
  if (real_over_cpu_.size() % 2 != 0) return *middle;
  return (*middle + *std::max_element(real_over_cpu_.begin(), middle)) / 2;
}

}  // namespace pawl::read
