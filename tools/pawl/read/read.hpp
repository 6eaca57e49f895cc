// read.hpp -- Google Benchmark's files -> a ResultSet. Nothing else in the tool knows that format.
#pragma once
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "model/results.hpp"

namespace pawl::read {

/// What cannot be read at all. `what()` is one line: file:line:column, what is wrong, what was read before it.
struct ReadError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads every document in `bytes` (several may be concatenated); each becomes a process run.
model::ResultSet read_bytes(std::string_view bytes, const std::string& file);

/// Reads one file; "-" is standard input; .gz is inflated.
model::ResultSet read_file(const std::filesystem::path& path);

/// Joins several sets into one, in order: processes are appended, benchmarks of the same name and executable merged.
model::ResultSet join(std::vector<model::ResultSet> sets);

}  // namespace pawl::read
