// made_results.hpp -- numbers -> a ResultSet, for tests of decisions.
#pragma once
#include <string>
#include <vector>

#include "model/results.hpp"

namespace pawl::decide::testing {

/// One process run per value; pairs are numbered where `paired`.
class Made {
 public:
  explicit Made(std::size_t runs, bool paired = false) {
    for (std::size_t i = 0; i < runs; ++i) {
      model::Process p;
      p.run_index = static_cast<int>(i);
      p.pair_index = paired ? static_cast<int>(i) : -1;
      set_.processes.push_back(p);
    }
  }

  /// A benchmark. NaN: the run failed.
  Made& add(const std::string& name, const std::vector<double>& values, const std::string& metric = model::kRealTime) {
    model::Benchmark b;
    b.name = name;
    for (std::size_t i = 0; i < values.size(); ++i) {
      model::Reading r;
      r.process = i;
      if (values[i] != values[i]) {
        r.status = model::Status::failed;
        r.message = "broke";
      } else {
        r.series.push_back({metric, {values[i]}});
      }
      b.readings.push_back(std::move(r));
    }
    set_.benchmarks.push_back(std::move(b));
    return *this;
  }

  /// The executable of the benchmark that was added last.
  Made& of(const std::string& executable) {
    set_.benchmarks.back().executable = executable;
    return *this;
  }

  /// One more metric of the benchmark that was added last: one value per run, whatever it is.
  Made& with(const std::string& metric, const std::vector<double>& values) {
    model::Benchmark& b = set_.benchmarks.back();
    for (std::size_t i = 0; i < values.size(); ++i) b.readings.at(i).series.push_back({metric, {values[i]}});
    return *this;
  }

  /// The repetitions of each run of the benchmark that was added last, in place of its values.
  Made& repetitions(const std::vector<std::vector<double>>& runs) {
    model::Benchmark& b = set_.benchmarks.back();
    for (std::size_t i = 0; i < runs.size(); ++i) b.readings.at(i).series.front().values = model::Samples(runs[i]);
    return *this;
  }

  const model::ResultSet& set() const { return set_; }
  model::ResultSet& set() { return set_; }

 private:
  model::ResultSet set_;
};

}  // namespace pawl::decide::testing
