// read.hpp -- Google Benchmark's files -> a ResultSet. Nothing else in the tool knows that format.
//
// What is odd in a file is read as far as it can be and listed in ResultSet::oddities; only what cannot be read at all
// is an error. docs/formats.md says what counts as odd and what is done about it.
#pragma once
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "model/results.hpp"

namespace pawl::read {

/// What cannot be read at all. `what()` is one line: file:line:column, what is wrong, what was read before it.
struct ReadError : std::runtime_error {
  enum class Kind {
    missing,      ///< no such file, or no right to read it
    not_results,  ///< empty, or something else than Google Benchmark's results
    damaged       ///< results that break off or break the format
  };
  ReadError(Kind why, const std::string& message, std::shared_ptr<const model::ResultSet> read_before = nullptr)
      : std::runtime_error(message), kind(why), partial(std::move(read_before)) {}

  Kind kind;
  std::shared_ptr<const model::ResultSet> partial;  ///< the complete rows before a damage; null if there are none
};

/// Reads every document in `bytes` (several may be concatenated); each becomes a process run. The bytes may be UTF-8,
/// UTF-16, or either of them compressed by gzip. Cost: linear in the bytes, time and memory. Throws ReadError.
model::ResultSet read_bytes(std::string_view bytes, const std::string& file);

/// Reads one file; "-" is standard input. Throws ReadError.
model::ResultSet read_file(const std::filesystem::path& path);

/// Reads a file, "-", or a directory: all *.json and *.json.gz directly in it, run-2 before run-10. Files of a
/// directory that hold no results become oddities; if none holds any, ReadError. A damaged file is an error everywhere.
model::ResultSet read_path(const std::filesystem::path& path);

/// The files that read_path() reads of a directory, in its order. Throws ReadError.
std::vector<std::filesystem::path> results_in(const std::filesystem::path& folder);

/// Joins several sets into one, in order: processes are appended, benchmarks of the same name and executable merged.
/// The first set that knows the machine and the methodology gives them; what contradicts it becomes an oddity.
model::ResultSet join(std::vector<model::ResultSet> sets);

}  // namespace pawl::read
