// json_reporter.hpp -- Google Benchmark's JSON plus one last key, "pawl": what is only known when all rows are done.
#pragma once
#include <benchmark/benchmark.h>

#include <string>

namespace pawl::bench {

/// Rows are written as they come, as the base class does, so that a crash loses none of them.
class JsonReporter : public benchmark::JSONReporter {
 public:
  /// `closing` is called once, after the last row, and returns the JSON value of the key "pawl".
  explicit JsonReporter(std::string (*closing)()) : closing_(closing) {}
  void Finalize() override;

 private:
  std::string (*closing_)();
};

}  // namespace pawl::bench
