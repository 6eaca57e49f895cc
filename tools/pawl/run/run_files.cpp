// run_files.cpp -- see run_files.hpp.
#include "run/run_files.hpp"

#include "baseline/results_file.hpp"
#include "output_file.hpp"
#include "run/git.hpp"
#include "run/report.hpp"
#include "run/results_directory.hpp"
#include "run/system_info.hpp"

namespace pawl::run {

void complete(model::ResultSet& set, const MachineInfo& machine, const std::filesystem::path& executables,
              double started_unix_s, int runs, bool stopped) {
  set.machine = machine_of(machine);
  model::Methodology& method = set.methodology;
  if (method.commit.empty() || method.commit == "unknown") {
    // A bench without our main does not know; its executable most often lies in the checkout that it was built from.
    const auto checkout = checkout_of(executables);
    method.commit = checkout ? checkout->commit : "";
    method.dirty = checkout && checkout->dirty;
    if (checkout) method.settings["commit_from"] = "the checkout that holds the executables";
  }
  method.tool_version = "pawl " PAWL_VERSION;
  method.date = iso_time(started_unix_s);
  method.runs = runs;
  if (stopped) method.settings["stopped"] = "by a signal, before all was measured";
}

void write_run(const std::filesystem::path& directory, const model::ResultSet& set, const SessionRecord& record,
               const MachineInfo& machine) {
  baseline::write_results(directory / "results.json", set);
  write_file(directory / "system-info.json", format_system_info(machine, set));
  write_file(directory / "report.md", format_report(set, record));
}

}  // namespace pawl::run
