// run_files.hpp -- what a run measured -> its results, complete with where they come from, and the files of its
// directory.
#pragma once
#include <filesystem>
#include <string>

#include "model/results.hpp"
#include "pawl/machine.hpp"
#include "run/session.hpp"

namespace pawl::run {

/// Fills what the benches themselves may not have said: machine, commit of the checkout that holds the executables,
/// date, tool. `stopped`: by a signal, before all was measured; the settings say so.
void complete(model::ResultSet& set, const MachineInfo& machine, const std::filesystem::path& executables,
              double started_unix_s, int runs, bool stopped);

/// Writes results.json, system-info.json and report.md. Errors: Failure(kBadInput); the raw files are untouched.
void write_run(const std::filesystem::path& directory, const model::ResultSet& set, const SessionRecord& record,
               const MachineInfo& machine);

}  // namespace pawl::run
