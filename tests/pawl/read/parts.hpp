// parts.hpp -- short texts -> the parts that the reader's tests look at.
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "read/read.hpp"

namespace pawl::read {

inline const std::string kData = std::string(PAWL_TEST_DATA) + "/google-benchmark/";

/// A document whose rows are `rows`, the text of a JSON list.
inline std::string document(const std::string& rows, const std::string& context = R"("executable": "./bench")") {
  return "{\n\"context\": {" + context + "},\n\"benchmarks\": [" + rows + "]\n}\n";
}

/// An iteration row as library 1.6 writes it.
inline std::string row(const std::string& name, double real_time, const std::string& more = "") {
  return "{\"name\": \"" + name + "\", \"run_name\": \"" + name +
         "\", \"run_type\": \"iteration\", \"iterations\": 10, \"real_time\": " + std::to_string(real_time) +
         ", \"cpu_time\": " + std::to_string(real_time) + ", \"time_unit\": \"ns\"" + more + "}";
}

inline const model::Benchmark* find(const model::ResultSet& set, std::string_view name) {
  for (const model::Benchmark& benchmark : set.benchmarks)
    if (benchmark.name == name) return &benchmark;
  return nullptr;
}

/// The values of `metric` in the first reading of `name`; empty if there are none.
inline std::vector<double> values(const model::ResultSet& set, std::string_view name,
                                  std::string_view metric = model::kRealTime) {
  const model::Benchmark* benchmark = find(set, name);
  if (benchmark == nullptr) return {};
  const model::Series* series = benchmark->readings.front().find(metric);
  return series == nullptr ? std::vector<double>{} : std::vector<double>(series->values);
}

inline std::vector<std::string> names(const model::ResultSet& set) {
  std::vector<std::string> list;
  for (const model::Benchmark& benchmark : set.benchmarks) list.push_back(benchmark.name);
  return list;
}

/// "line:column row: what", one per oddity.
inline std::vector<std::string> oddities(const model::ResultSet& set) {
  std::vector<std::string> list;
  for (const model::Oddity& oddity : set.oddities)
    list.push_back(std::to_string(oddity.line) + ":" + std::to_string(oddity.column) + " " + oddity.row + ": " +
                   oddity.what);
  return list;
}

/// What reading `bytes` throws; a failure if it throws nothing.
inline ReadError error_of(std::string_view bytes, const std::string& file = "f.json") {
  try {
    const model::ResultSet set = read_bytes(bytes, file);
    ADD_FAILURE() << "read " << set.benchmarks.size() << " benchmarks from: " << bytes.substr(0, 200);
  } catch (const ReadError& error) {
    return error;
  }
  return {ReadError::Kind::missing, "nothing was thrown"};
}

}  // namespace pawl::read
