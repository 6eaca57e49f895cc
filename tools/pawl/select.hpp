// select.hpp -- what a command line asks for -> the benchmarks and metrics of two sets that are compared.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/results.hpp"

namespace pawl {

/// A pattern as Google Benchmark's --benchmark_filter takes it: an ECMAScript regular expression, searched anywhere in
/// the name; a '-' before it keeps what does not match. Names are matched by their first 4096 bytes: the library's
/// matcher needs stack in proportion. Errors: Failure(kBadInput) if it is no regular expression; `option` is for the
/// message.
void keep_matching(model::ResultSet& set, const std::string& pattern, std::string_view option);

/// What --filter selects: as keep_matching(), and all where it is "all", as Google Benchmark has it.
void keep_filtered(model::ResultSet& set, const std::string& filter);

/// compare.py's families: keeps what matches, and replaces the match by `replacement`, so that two families of one file
/// get the same names.
void keep_family(model::ResultSet& set, const std::string& pattern, const std::string& replacement);

/// Drops the executables' names from both sides if no benchmark's name needs one to be told from another: a build of
/// the base and one of the change rarely have executables of the same name.
void match_by_name(model::ResultSet& base, model::ResultSet& now);

/// The metrics that any benchmark of the set has.
std::set<std::string> metrics_of(const model::ResultSet& set);

/// Whether the results are of benches that call their bytes per second `bytes`: Pawl's own (Policy::bytes_are_a_rate).
bool bytes_are_a_rate(const model::ResultSet& base, const model::ResultSet& now);

/// Names of metrics, or classes of them (throughput, memory, allocations, accuracy), or "time" for real_time, "cpu" for
/// cpu_time, "all" -> the metrics that the sets have.
/// Errors: Failure(kBadInput) for one that neither set has, with those they have.
std::vector<std::string> resolve_metrics(const std::vector<std::string>& wanted, const model::ResultSet& base,
                                         const model::ResultSet& now);

}  // namespace pawl
