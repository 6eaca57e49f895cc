// report.hpp -- the results of a run, and what happened on the way -> report.md, and lines for other programs.
#pragma once
#include <string>
#include <vector>

#include "model/results.hpp"
#include "run/session.hpp"

namespace pawl::run {

/// Benchmarks that failed or were skipped, each with its reason, in order: "name: reason".
std::vector<std::string> failures_of(const model::ResultSet& set);

/// How many benchmarks have a process run that failed.
std::size_t count_failed(const model::ResultSet& set);

/// Machine, method, failures, disturbances, unsteady rows, then every row: median over process runs, scatter between
/// them, rates.
std::string format_report(const model::ResultSet& set, const SessionRecord& record);

/// `test NAME ... bench: N ns/iter (+/- D)`, the line format of cargo bench and of tools that read it; D is the
/// distance between the fastest and the slowest process run.
std::string format_bencher(const model::ResultSet& set);

/// name,executable,runs,median_s,min_s,max_s,relative_deviation,status
std::string format_rows_csv(const model::ResultSet& set);

}  // namespace pawl::run
