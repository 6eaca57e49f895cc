// read_invariants.hpp -- any bytes -> the reader's answer, and what must hold for every answer.
#pragma once
#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_set>

#include "read/encoding.hpp"
#include "read/oddities.hpp"
#include "read/read.hpp"

namespace pawl::read {

/// What was read wrongly; std::logic_error, so that neither libFuzzer nor a test mistakes it for a ReadError.
inline void demand(bool holds, const char* what, std::string_view about = {}) {
  if (!holds) throw std::logic_error(fmt::format("{}: {}", what, about));
}

/// Every output format must be able to hold it: valid UTF-8 without control characters.
inline void demand_text(std::string_view text, const char* what) {
  for (const char *at = text.data(), *end = at + text.size(); at != end;) {
    const std::size_t length = utf8_sequence(at, end);
    demand(length > 0, what, "no UTF-8");
    const auto c = static_cast<unsigned char>(*at);
    demand(c >= 0x20, what, "a control character");
    demand(c != 0x7F, what, "a DEL");
    at += length;
  }
}

inline void demand_sound(const model::ResultSet& set) {
  std::unordered_set<std::string> seen;
  for (const model::Benchmark& benchmark : set.benchmarks) {
    demand(!benchmark.name.empty(), "a benchmark without a name");
    demand_text(benchmark.name, "a name");
    demand_text(benchmark.label, "a label");
    demand_text(benchmark.time_unit, "a time unit");
    demand(seen.insert(benchmark.executable + "\n" + benchmark.name).second, "a name twice", benchmark.name);
    demand(!benchmark.readings.empty(), "a benchmark without readings", benchmark.name);
    std::size_t before = 0;
    for (const model::Reading& reading : benchmark.readings) {
      demand(reading.process < set.processes.size(), "a reading of no process", benchmark.name);
      demand(&reading == &benchmark.readings.front() || reading.process > before, "readings out of order",
             benchmark.name);
      before = reading.process;
      demand_text(reading.message, "a message");
      demand(reading.status != model::Status::ok || !reading.series.empty(), "ok without a value", benchmark.name);
      for (const model::Series& series : reading.series) {
        demand_text(series.metric, "a metric");
        demand(!series.values.empty(), "a series without values", benchmark.name);
        demand(reading.aggregates_only || series.values.size() <= reading.repetitions, "more values than repetitions",
               benchmark.name);
        demand(reading.find(series.metric) == &series, "a metric twice", benchmark.name);
      }
    }
  }
  for (const model::Process& process : set.processes)
    for (const auto& [key, value] : process.context) {
      demand_text(key, "a key of the context");
      demand_text(value, "a value of the context");
    }
  demand(set.oddities.size() <= 2 * (Oddities::kKinds + 1) * (Oddities::kShownRows + 1), "too many oddities");
  for (const model::Oddity& oddity : set.oddities) {
    demand_text(oddity.what, "an oddity");
    demand_text(oddity.row, "an oddity's row");
  }
}

/// Reads `bytes` and throws std::logic_error if the answer is wrong in itself. Returns whether they were results.
inline bool read_and_check(std::string_view bytes) {
  try {
    demand_sound(read_bytes(bytes, "f.json"));
    return true;
  } catch (const ReadError& error) {
    demand_text(error.what(), "an error");
    demand(std::string_view(error.what()).starts_with("f.json:"), "an error that names no file", error.what());
    if (error.partial) {
      demand(error.kind == ReadError::Kind::damaged, "rows before what is no damage", error.what());
      demand_sound(*error.partial);
    }
    return false;
  }
}

}  // namespace pawl::read
