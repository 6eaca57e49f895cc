// json_reporter.hpp -- Google Benchmark's JSON, its memory counts made safe, plus one last key, "pawl": what is only
// known when all rows are done.
#pragma once
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "memory_results.hpp"

namespace pawl::bench {

/// Rows are written as they come, as the base class does, so that a crash loses none of them.
class JsonReporter : public benchmark::JSONReporter {
 public:
  /// `closing` is called once, after the last row, and returns the JSON value of the key "pawl". `memory` outlives
  /// this.
  JsonReporter(std::string (*closing)(), MemoryResults& memory) : closing_(closing), memory_(memory) {}
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

 private:
  std::string (*closing_)();
  MemoryResults& memory_;
};

}  // namespace pawl::bench
