// memory_results.hpp -- the counts of each memory pass -> those of the run that a reporter writes.
//
// Before 1.9.2 (its change #1941) Google Benchmark's runs point into a vector that grows by one with each repetition:
// all but the last ones' pointers dangle by the time they are reported, and the numbers are whatever is there by then,
// or a crash. So the counts are kept here, and runs are given those.
#pragma once
#include <benchmark/benchmark.h>

#include <deque>
#include <map>
#include <string>
#include <vector>

namespace pawl::bench {

/// Passes come in the order of a row's repetitions, rows in any order (random interleaving). Rows that are not ours
/// (BENCHMARK() of another project) have no name here: theirs are told apart only where one row's repetitions follow
/// each other, else their runs are left without.
class MemoryResults {
 public:
  using Result = benchmark::MemoryManager::Result;
  using Run = benchmark::BenchmarkReporter::Run;

  /// A pass of `row` has ended; "" for a row that is not ours.
  void add(const std::string& row, const Result& result);
  /// All runs of one report, which is one row's, with pointers into this object where they had any.
  std::vector<Run> with_results(const std::vector<Run>& runs);

 private:
  std::map<std::string, std::deque<Result>> of_row_;  // deque: what is pointed to stays
  std::deque<Result> unnamed_;
  bool unnamed_reported_ = false;
};

}  // namespace pawl::bench
